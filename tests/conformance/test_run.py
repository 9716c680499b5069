# SPDX-License-Identifier: Apache-2.0
"""How tests are run: their outcomes, and that the suite passes."""

from __future__ import annotations

from pathlib import Path

import pytest

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
    ("two_fails", "fail", "line 9: 2 + 2 is 4, not 3"),
    ("three_untested", "untested", "no reason"),
    ("four_exits", "ended", "with exit status 5"),
    ("five_fails_by_errno", "fail", "line 21: errno is 1, not 2"),
]


@pytest.mark.parametrize("kernel", ["hw", "sw"])
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


GROUPS = sorted({test.group for test in suite.tests()})


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize(
    "ground", ["linux", *(pytest.param(kernel, marks=pytest.mark.slow) for kernel in ("hw", "sw"))]
)
def test_the_suite_passes(group: str, ground: str) -> None:
    rows = run.group(suite.chosen([group]), ground, platform.load("smp-standard", 2))
    assert [(row.name, row.outcome, row.detail) for row in rows if not row.good] == []


@pytest.mark.quick(1)  # each key is another model
@pytest.mark.parametrize(
    ("group", "key"),
    [
        *((group, "inheritance") for group in ("protocol", "mutex", "condition")),
        ("events", "events"),
    ],
)
def test_a_service_placed_in_hardware(group: str, key: str) -> None:
    soc = platform.load("smp-standard", 1, changes={f"kernel.{key}": True})
    rows = run.group(suite.chosen([group]), "hw", soc)
    assert len(rows) > 10
    assert [(row.name, row.detail) for row in rows if not row.good] == []


def test_threads_that_yield_on_one_cpu_do_not_stop_the_other() -> None:
    """On the fast core the kernel's interrupt fell before each trap looked at it, and rose before its end."""
    [row] = run.group(suite.chosen(["errno_per_thread"]), "hw", platform.load("smp-fast", 2))
    assert row.good, row.detail


@pytest.mark.quick(1)
@pytest.mark.parametrize("group", ["mutex", "semaphore", "condition"])
def test_a_service_placed_in_memory(group: str) -> None:
    changes = {"kernel.mutexes": 0, "kernel.semaphores": 0, "kernel.conditions": 1}
    rows = run.group(suite.chosen([group]), "hw", platform.load("smp-standard", 1, changes=changes))
    assert len(rows) > 10
    assert [(row.name, row.detail) for row in rows if not row.good] == []
