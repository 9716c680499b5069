# SPDX-License-Identifier: Apache-2.0
"""What scx_dwrr gives cgroups (cpu.weight, cpu.max), whatever is in them: CPU time as the kernel counts it.

The checks are in guest/dwrr_groups.sh; each prints lines of JSON: how many CPUs each cgroup has had.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from coreloom.report import results
from coreloom.vm import vm

from .test_scx_dwrr_robust import _END, _HOGS, _ON, _guest

pytestmark = [pytest.mark.linux, pytest.mark.nightly]
_SHELL = Path(__file__).parent / "guest" / "dwrr_groups.sh"
_CPUS = 4
_ENOUGH = 0.04  # of all CPUs: what the shell and the ends of such a short time make of it
_BOMB = "cgroup: fork rejected by pids controller in /b"

# For each line that a check prints: the CPUs that each cgroup is to have.
_QUICK = {
    "one_against_300": {"one_against_300": {"a": 1.0, "b": 3.0}},
    "weights": {
        "equal": {"a": 2.0, "b": 2.0},
        "three_to_one": {"a": 3.0, "b": 1.0},
        "one_to_four": {"a": 0.8, "b": 3.2},
    },
}
_MORE = {
    "weights_before": {"three_to_one": {"a": 3.0, "b": 1.0}},
    "nested": {"nested": {"p/one": 0.5, "p/three": 1.5, "q": 2.0}},
    "moved": {"before": {"a": 2.0, "b": 2.0}, "after": {"a": 0.0, "b": 4.0}},
    "limited": {
        "half_a_cpu": {"a": 0.5},
        "half_a_cpu_beside_others": {"a": 0.5, "b": 3.5},
        "no_limit": {"a": 2.0, "b": 2.0},
    },
    # Some of the machine is the kernel's, which makes and ends the processes.
    "bomb_against 1": {"fork_bomb_against_1": {"a": 1.0}},
    "bomb_against 4": {"fork_bomb_against_4": {"a": 2.0}},
    "one_against_300 --no-cgroups": {"one_against_300": {"a": 4 / 301, "b": 4.0}},
    "removed 10": {},
}
_STARVED = {"starved 45": {"starved": {"a": 4.0, "b": 0.0}}}
_OTHER_LINES = {"removed 10": _HOGS}
_MORE_THAN_SHARE = {"fork_bomb_against_4"}  # as a bomb does not use all of its own


def _wrong(check: str, output: str) -> list[str]:
    """What is not as it should be in a check's output; the kernel's log is behind `kernel:`."""
    said, _, kernel = output.partition("kernel:\n")
    lines = said.splitlines()
    found = {row.pop("check"): row for row in map(json.loads, (x for x in lines if x.startswith("{")))}
    wanted = (_QUICK | _MORE | _STARVED)[check]
    wrong = [f"{check}: no {label}" for label in wanted if label not in found]
    for label, row in found.items():
        for group, cpus in wanted[label].items():
            least, most = cpus - _ENOUGH * _CPUS, cpus + _ENOUGH * _CPUS
            if label in _MORE_THAN_SHARE:
                most = _CPUS
            if not least <= row[group] <= most:
                wrong.append(f"{check}: {label}: {group} has had {row[group]} CPUs, not {cpus:.2f}")
    others = [line for line in lines if not line.startswith("{")]
    if others != [*_OTHER_LINES.get(check, []), *_END]:
        wrong.append(f"{check}: {others}")
    of_kernel = [line for line in kernel.splitlines() if line != _BOMB]
    if of_kernel[:1] != [_ON] or len(of_kernel) != 2:
        wrong.append(f"{check}: the kernel said {of_kernel}")
    return wrong


def _check(names: Sequence[str], result: str, kernel: str = "7") -> None:
    """In the deterministic guest, as on a busy host CPUs stand still now and then; writes what was found."""
    guest = _guest()
    head = ". /check/dwrr.sh; . /check/groups.sh; dmesg -c >/dev/null; "
    files = {
        f"/check/{n}": f"{head}{name}; echo kernel:; kernel_said".encode() for n, name in enumerate(names)
    }
    script = "".join(f"timeout 200 sh /check/{n} >/out/{n} 2>&1; true\n" for n, _ in enumerate(names))
    outcome = vm.run(
        dataclasses.replace(guest, files={**guest.files, **files, "/check/groups.sh": _SHELL}),
        script,
        kernel=kernel,
        deterministic=True,
        timeout=3600,
    )
    done = {name: outcome.files[str(n)].decode() for n, name in enumerate(names)}
    figures = [line for output in done.values() for line in output.splitlines() if line.startswith("{")]
    results.write(
        f"scx_dwrr_groups-{result}", [json.loads(line) for line in figures], kernel=kernel, cpus=_CPUS
    )
    wrong = [line for name, output in done.items() for line in _wrong(name, output)]
    assert not wrong, "\n".join([*wrong, *(f"{name}:\n{output}" for name, output in done.items())])


def test_a_cgroup_has_its_share_whatever_others_run() -> None:
    _check([*_QUICK], "quick")


@pytest.mark.nightly
def test_trees_moves_limits_and_a_fork_bomb() -> None:
    _check([*_MORE], "more")


@pytest.mark.nightly
def test_who_has_too_little_for_all_its_threads_ends_nothing() -> None:
    _check([*_STARVED], "starved")


@pytest.mark.nightly
def test_the_long_term_kernel() -> None:
    _check([*_QUICK, *_MORE], "6.18", kernel="6.18")
