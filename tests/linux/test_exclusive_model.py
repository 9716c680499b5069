# SPDX-License-Identifier: Apache-2.0
"""Decision 18, explored: every interleaving and every kill of reservations on a model of the kernel."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest

from linux.baseline_model import FAULTS, MECHANISMS_V1, MECHANISMS_V2, Explorer, Ground, Wrong

Property = Callable[[str, object], None]  # pytest keeps it with the result
_AFFINITY = ("affinity", "affinity")
# Each fault of the algorithm: where it is to be seen, by which mechanisms, and what others do.
_SEEN: dict[str, tuple[Ground, tuple[str, ...], int]] = {
    "base read while a layer lives": (Ground(), ("isolated", "affinity"), 0),
    "dead layers count as living": (Ground(), _AFFINITY, 0),
    "record written after the write": (Ground(), _AFFINITY, 0),
    "work queues read without isolated CPUs": (Ground(), ("isolated", "affinity"), 0),
    "program not written down": (Ground(), _AFFINITY, 0),
    "what others changed is overwritten": (Ground(), _AFFINITY, 1),
    "baseline removed first": (Ground(), _AFFINITY, 0),
    "layers forgotten before the writes": (Ground(), ("isolated", "affinity"), 0),
    "newborn tasks are left out": (Ground(), _AFFINITY, 1),
    "groups lose what affinity holds": (Ground(), ("affinity", "cpuset"), 0),
    "a cpuset without a task's CPUs is a failure": (Ground(on=True), _AFFINITY, 1),
    "a kernel thread is not told again": (Ground(), ("isolated", "affinity"), 0),
    "what the kernel forgot is taken for a wish": (Ground(), ("affinity", "isolated"), 0),
    "only the last line counts": (Ground(v1=True), ("affinity", "cpuset-v1"), 0),
    "a child with the rest is taken for free": (Ground(), _AFFINITY, 1),
    "a program's pin is forgotten": (Ground(601), ("affinity", "isolated"), 0),
    "one made on its parent's way stays there": (Ground(), _AFFINITY, 1),
    "what is held is told last": (Ground(reservations=3), ("isolated",) * 3, 0),
    "a list that is set late goes with the controller": (Ground(601), ("cpuset", "isolated"), 1),
    "a wish after the kernel forgot is forgotten": (Ground(601), ("affinity", "isolated"), 1),
    "one made on its way to held CPUs stays there": (Ground(), ("isolated", "affinity"), 1),
    "a child with the kernel's rest is taken for free": (Ground(), ("isolated", "affinity"), 1),
    "what a child had is lost": (Ground(v1=True), _AFFINITY, 1),
    "one that the kernel freed was not on its way": (
        Ground(601, reservations=3), ("cpuset", "isolated", "affinity"), 0
    ),
}  # fmt: skip


def _all_of(ground: Ground) -> list[tuple[str, ...]]:
    mechanisms = MECHANISMS_V1 if ground.v1 else MECHANISMS_V2
    return list(itertools.product(mechanisms, repeat=ground.reservations))


def _named(ground: Ground) -> str:
    return f"{ground.version}{'-v1' * ground.v1}{'-on' * ground.on}"


@pytest.mark.parametrize("ground", [Ground(), Ground(v1=True)], ids=_named)
def test_two_reservations_killed_at_every_write(ground: Ground, record_property: Property) -> None:
    """Of each mix of mechanisms; begins, ends and restores."""
    explored = Explorer(ground).explore()
    record_property("states", explored.states)
    assert explored.states > 5000


@pytest.mark.slow
@pytest.mark.parametrize("acts", [0, 1])
@pytest.mark.parametrize(
    "ground",
    [Ground(version, on=on) for version in (601, 618, 703) for on in (False, True)]
    + [Ground(version, v1=True) for version in (601, 703)],
    ids=_named,
)
def test_two_reservations_on_every_ground_among_others(
    ground: Ground, acts: int, record_property: Property
) -> None:
    """`acts`: others change one value or make a task, at any moment; the sweeps are killed, too."""
    explored = Explorer(ground, acts, midway=True, sweeps=True).explore()
    record_property("states", explored.states)
    assert explored.states > 5000


_THREE = [Ground(reservations=3), Ground(v1=True, reservations=3)]
_QUICK = (("isolated", "isolated", "isolated"), ("isolated", "root", "root"), ("cpuset-v1",) * 3)


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("ground", "mix"),
    [
        pytest.param(ground, mix, marks=() if mix in _QUICK else pytest.mark.slow)
        for ground in _THREE
        for mix in _all_of(ground)
    ],
    ids=lambda one: _named(one) if isinstance(one, Ground) else "-".join(one),
)
def test_three_reservations_killed_at_every_write(
    ground: Ground, mix: tuple[str, ...], record_property: Property
) -> None:
    """Of each mix of mechanisms, in the order in which they begin, one exploration."""
    explored = Explorer(ground, mechanisms=mix).explore()
    record_property("states", explored.states)
    assert explored.states > 1000


@pytest.mark.slow
@pytest.mark.parametrize(
    "mix",
    [("isolated",) * 3, ("cpuset", "isolated", "affinity"), ("isolated", "affinity", "root")],
    ids="-".join,
)
def test_three_reservations_that_the_kernel_forgets_with_their_sweeps(
    mix: tuple[str, ...], record_property: Property
) -> None:
    explored = Explorer(Ground(601, reservations=3), sweeps=True, mechanisms=mix).explore()
    record_property("states", explored.states)
    assert explored.states > 5000


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found(fault: str) -> None:
    """Else the model could not fail."""
    ground, mix, acts = _SEEN[fault]
    with pytest.raises(Wrong):
        Explorer(ground, acts, midway=True, sweeps=True, faults=frozenset({fault}), mechanisms=mix).explore()
