# SPDX-License-Identifier: Apache-2.0
"""How tests are run: their outcomes, and that the suite passes."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from conforms import conforms
from coreloom.conformance import run, suite
from coreloom.design import platform
from coreloom.errors import UserError

HERE = Path(__file__).parent
SOC = platform.load("smp-standard", 1)


@pytest.fixture
def outcomes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[suite.Test]:
    """outcomes.c as the suite."""
    (tmp_path / "conformance.h").write_text((suite.PROGRAMS / "conformance.h").read_text())
    (tmp_path / "outcomes.c").write_text((HERE / "outcomes.c").read_text())
    monkeypatch.setattr(suite, "PROGRAMS", tmp_path)
    monkeypatch.setattr(run, "_TEST_CYCLES", 10_000)
    monkeypatch.setattr(run, "_START_CYCLES", 200_000)
    monkeypatch.setattr(run, "_START_SECONDS", 2)
    return suite.tests()


EXPECTED = [
    ("one_passes", "pass", ""),
    ("two_fails", "fail", "line 8: 2 + 2 is 4, not 3"),
    ("three_untested", "untested", "no reason"),
    ("four_exits", "ended", "with exit status 5"),
    ("five_fails_by_errno", "fail", "line 14: errno is 1, not 2"),
]


@pytest.mark.parametrize("kernel", ["hw", "sw"])
@pytest.mark.runtime
def test_outcomes(outcomes: list[suite.Test], kernel: str) -> None:
    """Behind a test that ends the program or hangs the others are run."""
    rows = run.group(outcomes, kernel, SOC)
    assert [(row.name, row.outcome, row.detail) for row in rows] == [
        *EXPECTED,
        ("six_hangs", "hang", "no end in 230000 cycles"),
        ("seven_is_run", "pass", ""),
    ]
    assert [row.good for row in rows] == [True, False, True, False, False, False, True]
    assert {(row.group, row.ground) for row in rows} == {("outcomes", kernel)}


def test_outcomes_on_linux(outcomes: list[suite.Test]) -> None:
    rows = run.group(outcomes, "linux", SOC)
    assert [(row.name, row.outcome, row.detail) for row in rows] == [
        *EXPECTED,
        ("six_hangs", "hang", "outcomes did not end in 2.6 s"),
        ("seven_is_run", "pass", ""),
    ]


def test_a_group_that_does_not_compile(outcomes: list[suite.Test]) -> None:
    path = suite.PROGRAMS / "outcomes.c"
    path.write_text(path.read_text().replace("exit(5);", "no_such_function(5);"))
    rows = run.group(outcomes, "hw", SOC)
    assert {row.outcome for row in rows} == {"not compiled"}
    assert len(rows) == 7
    assert "no_such_function" in rows[0].detail


def test_the_table_counts_what_applies(outcomes: list[suite.Test]) -> None:
    rows = run.group(outcomes[:3], "linux", SOC)
    assert run.table(rows, ["linux"]).rows == (("outcomes", "1/2"), ("all", "1/2"))


def test_choosing(outcomes: list[suite.Test]) -> None:
    assert suite.chosen(["one", "two_fails"]) == outcomes[:2]
    assert suite.chosen(["outcomes"]) == outcomes == suite.chosen(None)
    with pytest.raises(
        UserError, match="there is no test 'eight': give a test, a function, or one of the groups"
    ):
        suite.chosen(["eight"])


# What most programs use on both kernels, the rest on one of them; on the other it has the tier runtime.
FIRST_RANK = pytest.mark.test(
    *(
        f"{kernel}-{group}"
        for kernel in ("hw", "sw")
        for group in ("threads", "mutex", "condition", "semaphore")
    ),
    *("sw-attributes", "hw-barrier", "hw-c11_threads", "sw-cancel", "sw-events", "hw-keys", "sw-library"),
    *("hw-local", "hw-once", "hw-protocol", "hw-queue", "sw-rwlock", "sw-scheduling", "hw-signals"),
    *("sw-spin", "sw-system", "sw-time", "hw-timer"),
)
GROUPS = sorted({test.group for test in suite.tests()})


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize(
    "ground", ["linux", *(pytest.param(kernel, marks=pytest.mark.runtime) for kernel in ("hw", "sw"))]
)
@FIRST_RANK
def test_the_suite_passes(group: str, ground: str) -> None:
    conforms(group, platform.load("smp-standard", 2), ground)


# The groups that depend on the core (its switch, atomics, thread pointer), with one CPU or many,
# a policy, the place of traps and of registers, and where a service is not where it is by default.
OF_CORES = ("threads", "mutex", "condition", "cancel", "local")
IN_MEMORY = {"kernel.mutexes": 0, "kernel.semaphores": 0, "kernel.conditions": 1}
OTHERS: dict[str, tuple[str, int, dict[str, Any], tuple[str, ...]]] = {
    "economy": ("smp-economy", 2, {}, OF_CORES),
    "fast": ("smp-fast", 2, {}, OF_CORES),
    "one CPU": ("smp-standard", 1, {}, ("threads", "mutex", "timer", "queue")),
    "four CPUs": ("smp-standard", 4, {}, ("condition",)),
    "in memory": (
        *("smp-standard", 1, IN_MEMORY),
        ("threads", "mutex", "semaphore", "condition", "cancel", "rwlock", "barrier", "queue"),
    ),
    "low jitter": ("smp-standard", 2, {"low_jitter": True}, ("threads", "cancel", "time")),
    "weights": (
        *("smp-standard", 2, {"kernel.policy": "dwrr"}),
        ("threads", "mutex", "condition"),
    ),
    "monitors": (
        *("smp-standard", 2, {"kernel.services": ["monitors"]}),
        ("mutex", "condition", "cancel", "c11_threads"),
    ),
    "full": (
        *("smp-standard", 1, {"kernel.build": "full"}),
        ("protocol", "mutex", "condition", "semaphore", "events"),
    ),
}
HARDWARE_ONLY = ("weights", "monitors", "full")
# Of them those that are not for the tier nightly: each place, each group, each kernel.
KEPT_ELSEWHERE = (
    *("economy-threads-sw", "economy-mutex-hw", "economy-cancel-sw", "economy-local-hw"),
    *("fast-threads-hw", "fast-mutex-hw", "fast-condition-hw", "fast-local-sw"),
    *("one CPU-threads-hw", "one CPU-mutex-sw", "one CPU-timer-hw", "one CPU-queue-sw"),
    *("in memory-mutex-hw", "in memory-semaphore-hw", "in memory-condition-hw", "in memory-rwlock-hw"),
    *("in memory-barrier-hw", "in memory-queue-hw", "in memory-semaphore-sw", "in memory-condition-sw"),
    *("four CPUs-condition-hw", "low jitter-threads-hw", "low jitter-time-hw", "low jitter-time-sw"),
    *("weights-threads-hw", "weights-mutex-hw", "weights-condition-hw", "full-protocol-hw", "full-mutex-hw"),
    *("full-condition-hw", "full-semaphore-hw", "full-events-hw", "monitors-condition-hw"),
)


@pytest.mark.parametrize(
    ("place", "group", "kernel"),
    [
        (place, group, kernel)
        for place, (_, _, _, groups) in OTHERS.items()
        for group in groups
        for kernel in (("hw",) if place in HARDWARE_ONLY else ("hw", "sw"))
    ],
)
@pytest.mark.runtime
@pytest.mark.nightly(but=KEPT_ELSEWHERE)
def test_the_suite_passes_elsewhere(place: str, group: str, kernel: str) -> None:
    name, cpus, changes, _ = OTHERS[place]
    conforms(group, platform.load(name, cpus, changes=changes), kernel)


@pytest.mark.nightly  # to compile the model
@pytest.mark.parametrize("kernel", ["hw", "sw"])
@pytest.mark.parametrize("group", ["threads", "mutex", "condition", "local"])
def test_the_suite_passes_on_sixteen_cpus(group: str, kernel: str) -> None:
    conforms(group, dataclasses.replace(platform.load("smp-standard"), cpus=16, ipc=None), kernel)
