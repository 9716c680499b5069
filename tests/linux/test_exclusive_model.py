# SPDX-License-Identifier: Apache-2.0
"""Decision 18, explored: every interleaving and every kill of reservations on a model of the kernel."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest

from linux.baseline_model import FAULTS, MECHANISMS, Explorer, Ground, Wrong

Property = Callable[[str, object], None]  # pytest keeps it with the result
_AFFINITY = ("affinity", "affinity")
# Each fault of the algorithm: where it is to be seen, by which mechanisms, and what others do.
_SEEN: dict[str, tuple[Ground, tuple[str, ...], int]] = {
    "base read while a layer lives": (Ground(), ("isolated", "affinity"), 0),
    "dead layers count as living": (Ground(), _AFFINITY, 0),
    "record written after the write": (Ground(), _AFFINITY, 0),
    "the queues get isolated CPUs back": (Ground(), ("isolated", "affinity"), 0),
    "program not written down": (Ground(), _AFFINITY, 0),
    "what others changed is overwritten": (Ground(), _AFFINITY, 1),
    "baseline removed first": (Ground(), _AFFINITY, 0),
    "layers forgotten before the writes": (Ground(), ("isolated", "affinity"), 0),
    "unrecorded tasks are left out": (Ground(), _AFFINITY, 1),
    "one that asked again keeps less": (Ground(), ("isolated",), 1),
    "groups lose what affinity holds": (Ground(on=True), ("affinity", "isolated"), 0),
    "a cpuset without a task's CPUs is a failure": (Ground(on=True), _AFFINITY, 1),
    "a kernel thread is not told again": (Ground(), ("isolated", "affinity"), 0),
    "only the last line counts": (Ground(), ("affinity", "isolated"), 0),
    "a child with the rest is taken for free": (Ground(), _AFFINITY, 1),
    "a program's pin is forgotten": (Ground(601), ("affinity", "isolated"), 0),
    "one made on its parent's way stays there": (Ground(), _AFFINITY, 1),
    "what is held is told last": (Ground(reservations=3), ("isolated",) * 3, 0),
    "a list that is set late goes with the controller": (Ground(), ("isolated", "isolated"), 1),
    "a wish after the kernel forgot is forgotten": (Ground(601), ("affinity", "isolated"), 1),
    "one made on its way to held CPUs stays there": (Ground(), ("isolated", "affinity"), 1),
    "a child with the kernel's rest is taken for free": (Ground(), ("isolated", "affinity"), 1),
    "nothing reads as base": (Ground(on=True), ("isolated",), 1),
    "nothing reads as rest": (Ground(), ("isolated", "affinity"), 0),
    "nothing reads as freed": (Ground(), ("isolated", "affinity"), 0),
    "nothing reads as sent": (Ground(), _AFFINITY, 0),
    "nothing reads as program": (Ground(), ("isolated",), 1),
}  # fmt: skip


def _named(ground: Ground) -> str:
    return f"{ground.version}{'-on' * ground.on}"


@pytest.mark.parametrize("ground", [Ground(), Ground(601, on=True)], ids=_named)
def test_two_reservations_killed_at_every_write(ground: Ground, record_property: Property) -> None:
    """Of each mix of mechanisms; begins, ends and restores."""
    explored = Explorer(ground).explore()
    record_property("states", explored.states)
    assert explored.states > 5000


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("version", [601, 703])
@pytest.mark.nightly(but=("601-isolated", "601-affinity", "703-root"))
def test_one_reservation_among_others(version: int, mechanism: str, record_property: Property) -> None:
    """Others change one value, ask for what they are shown or make a task, at any moment."""
    ground = Ground(version, on=version == 601)
    explored = Explorer(ground, 1, midway=True, sweeps=True, mechanisms=(mechanism,)).explore()
    record_property("states", explored.states)
    assert explored.states > 1000


@pytest.mark.nightly
@pytest.mark.parametrize("acts", [0, 1])
@pytest.mark.parametrize(
    "ground",
    [Ground(version, on=on) for version in (601, 618, 703) for on in (False, True)],
    ids=_named,
)
def test_two_reservations_on_every_ground_among_others(
    ground: Ground, acts: int, record_property: Property
) -> None:
    """`acts`: others change one value or make a task, at any moment; the sweeps are killed, too."""
    explored = Explorer(ground, acts, midway=True, sweeps=True).explore()
    record_property("states", explored.states)
    assert explored.states > 5000


_QUICK = (("isolated", "root", "root"),)


@pytest.mark.parametrize(
    "mix",
    [
        pytest.param(mix, marks=() if mix in _QUICK else pytest.mark.nightly)
        for mix in itertools.product(MECHANISMS, repeat=3)
    ],
    ids="-".join,
)
def test_three_reservations_killed_at_every_write(mix: tuple[str, ...], record_property: Property) -> None:
    """Of each mix of mechanisms, in the order in which they begin, one exploration."""
    explored = Explorer(Ground(reservations=3), mechanisms=mix).explore()
    record_property("states", explored.states)
    assert explored.states > 1000


@pytest.mark.nightly
@pytest.mark.parametrize(
    "mix",
    [("isolated",) * 3, ("root", "isolated", "affinity"), ("isolated", "affinity", "root")],
    ids="-".join,
)
def test_three_reservations_that_the_kernel_forgets_with_their_sweeps(
    mix: tuple[str, ...], record_property: Property
) -> None:
    explored = Explorer(Ground(601, reservations=3), sweeps=True, mechanisms=mix).explore()
    record_property("states", explored.states)
    assert explored.states > 5000


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.nightly(but=("base read while a layer lives", "dead layers count as living"))
def test_a_planted_fault_is_found(fault: str) -> None:
    """Otherwise the model could not fail."""
    ground, mix, acts = _SEEN[fault]
    with pytest.raises(Wrong):
        Explorer(ground, acts, midway=True, sweeps=True, faults=frozenset({fault}), mechanisms=mix).explore()
