# SPDX-License-Identifier: Apache-2.0
"""Every parser that root runs, fuzzed with sanitizers: none may crash, or take what it should not."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from coreloom.report import results
from linux import fuzzing
from linux.tree import BOOT, Machine, Task

_ALL_S = 600.0  # of `make test-nightly`, on however many CPUs (taskset gives it fewer)
_QUICK_S = 0.3
_PLANTED = [name for name in fuzzing.targets() if name.startswith("planted_")]
_TARGETS = [name for name in fuzzing.targets() if not name.startswith("planted_")]
_TREES = "trees"  # samples are made by tree.py


def _seed() -> int:
    return int(os.environ.get("CORELOOM_SEED", "1"))


def _machine(root: Path, **more: object) -> Machine:
    tasks = [
        Task(1, "systemd", 0, "0-3", born=1, parent=0),
        Task(2, "kthreadd", 0, "0-3", born=1, parent=0, kernel=True),
        Task(80, "kworker/3:1", 3, "3", born=2, parent=2, kernel=True, fixed=True),
        Task(100, "coreloom-exclu", 0, "0-3"),
        Task(200, "job", 3, "3", parent=100, voluntary=4, involuntary=2, group="/coreloom-100"),
        Task(200, "job", 3, "2-3", tid=201, group="/a"),
        Task(900, "a) S 1 (b", 2, "0-3", group="/user.slice/b.service"),
    ]
    return Machine(root, tasks=tasks, irqs={5: "3", 11: "0-3"}, **more)  # type: ignore[arg-type]


def _make_trees(folder: Path) -> None:
    mounts = "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n"
    group = ("group\t200\t500\t/sys/fs/cgroup/a\t/sys/fs/cgroup/coreloom-100", "note\tprogram\t200 500")
    more = ("note\tuse\t3", "note\tbefore\t0.050 1.0 9.5 1.0 nan nan nan nan")
    known = (
        "cpus\t/proc/irq/5/smp_affinity_list\t0-3\t0-2\tours",
        "mask\t/proc/irq/default_smp_affinity\tf\t7\tours",
        "cpus\t/sys/fs/cgroup/a/cpuset.cpus\t\t0-2\tours",
        "controller\t/sys/fs/cgroup/cgroup.subtree_control\toff\ton\tours",
        "irqbalance\t/run/irqbalance/irqbalance1.sock\t\t3\tours",
        "task\t200 500\t0-3\t3\t100",
        "task\t900 500\t0-3\t0-2\tours",
    )

    def idle(root: Path) -> Machine:
        machine = _machine(root, siblings={2: "2-3", 3: "2-3"}, caches={3: "0-3"})
        machine.make()
        machine.write("/proc/sys/kernel/random/boot_id", f"{BOOT}\n")
        return machine

    def held(root: Path, *, alive: bool) -> Machine:
        machine = _machine(root)
        machine.make()
        machine.layer(100, "3", "sleep 9", *group, *more, alive=False)
        if not alive:  # place.c locks the file if there is such a task
            shutil.rmtree(root / "proc/100")
        machine.baseline("3", *known)
        return machine

    make: dict[str, Callable[[Path], Machine]] = {
        "idle": idle,
        "held": lambda root: held(root, alive=True),
        "dead": lambda root: held(root, alive=False),
    }
    for name, build in make.items():
        machine = build(folder / name)
        machine.write("/proc/self/mounts", mounts)
        machine.write("/proc/irq/default_smp_affinity", "7\n")
        machine.write("/proc/sys/kernel/osrelease", "6.18.15\n")
        for irq in (5, 11):
            machine.write(f"/proc/irq/{irq}/smp_affinity_list", "0-2\n")
            machine.write(f"/proc/irq/{irq}/driver{irq}/x", "")
        for path in ("", "/a", "/coreloom-100"):
            machine.write(f"/sys/fs/cgroup{path}/cgroup.procs", "200\n")
            machine.write(f"/sys/fs/cgroup{path}/cpuset.cpus", "0-2\n")
        machine.write("/sys/fs/cgroup/cgroup.subtree_control", "cpu cpuset\n")
        machine.write("/sys/fs/cgroup/cgroup.controllers", "cpu cpuset\n")
        machine.write("/sys/devices/virtual/workqueue/cpumask", "7\n")


def _corpus(target: str, folder: Path) -> list[Path]:
    if target != _TREES:
        return []
    _make_trees(folder)
    return [folder]


@pytest.fixture(autouse=True)
def _mode(record_property: Callable[[str, object], None]) -> None:
    """For the line at the end of the tests' output (conftest.py)."""
    record_property("fuzzing", fuzzing.mode().name)


@pytest.mark.parametrize("target", _TARGETS)
def test_nothing_fails_in_a_short_time(target: str, tmp_path: Path) -> None:
    """What once failed is among the samples, which come first, as they are."""
    found = fuzzing.fuzz(target, seed=_seed(), seconds=_QUICK_S, corpus=_corpus(target, tmp_path))
    assert found.failures == 0, found.text
    assert found.edges > 0


@pytest.mark.parametrize("target", _TARGETS)
def test_each_sample_is_taken_alone(target: str, tmp_path: Path) -> None:
    """However short the time above was; a folder of trees is no input by itself."""
    samples = sorted(
        path for folder in fuzzing.folders(target) for path in folder.glob("*") if path.is_file()
    )
    assert samples or target == _TREES, f"{target} has no samples in {fuzzing.CORPUS}"
    if samples:
        assert fuzzing.attempt(target, *samples) == ""


@pytest.mark.parametrize("length", range(16380, 16388))
@pytest.mark.parametrize("last", ["n", "\\\\"])
def test_an_entry_at_its_longest_is_taken_if_it_can_be_written(
    tmp_path: Path, length: int, last: str
) -> None:
    """A longer one was taken, and could not be written anew."""
    first = f"coreloom-exclusive 3\t{BOOT}\t100\t500\t2-3\tsleep 9\n"
    note = "note\tbefore\t"
    note += "n" * (length - len(note) - len(last) - 1) + last
    assert len(note) + 1 == length
    layer, fields = tmp_path / "layer", tmp_path / "lines"
    layer.write_text(f"=== /run/coreloom-exclusive/100.layer\n{first}note\tuse\t3\n{note}\n")
    fields.write_text(note.replace("\t", "\0").replace("\\\\", "\\"))
    assert fuzzing.attempt("layer", layer) == ""
    assert fuzzing.attempt("lines", fields) == ""


@pytest.mark.parametrize("target", _PLANTED)
@pytest.mark.nightly(but=("planted_input", "planted_heap"))
def test_a_planted_fault_is_found(target: str) -> None:
    """Without this, silence would say nothing: each kind of fault, by the mode that this machine has."""
    found = fuzzing.fuzz(target, seed=_seed(), seconds=120, inputs=200_000)
    assert found.failures > 0


@pytest.mark.nightly
def test_nothing_fails_in_ten_minutes(tmp_path: Path) -> None:
    """Another seed each time, which the result names."""
    seed = int(os.environ.get("CORELOOM_SEED", random.randrange(1 << 32)))
    cpus = len(os.sched_getaffinity(0))
    seconds = _ALL_S * cpus / len(_TARGETS)
    fuzzing.program()

    def one(target: str) -> fuzzing.Result:
        corpus = _corpus(target, tmp_path / target)
        return fuzzing.fuzz(target, seed=seed, seconds=seconds, corpus=corpus)

    with ThreadPoolExecutor(cpus) as pool:
        found = list(pool.map(one, _TARGETS))
    results.write(
        "exclusive_fuzz",
        [one.row() for one in found],
        seed=seed,
        mode=fuzzing.mode().name,
        inputs=sum(one.inputs for one in found),
        failures=sum(one.failures for one in found),
        units={"inputs": "inputs", "kept": "inputs", "edges": "edges", "failures": "inputs"},
    )
    assert [one.text for one in found if one.failures] == []
