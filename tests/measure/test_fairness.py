# SPDX-License-Identifier: Apache-2.0
"""The bench of fairness: its cases, what it checks, its page."""

from __future__ import annotations

import copy
import xml.etree.ElementTree as ET
from dataclasses import replace
from typing import Any

import pytest

from coreloom.benches import model_tables
from coreloom.benches import pages as report
from coreloom.benches.fairness import bench as fairness
from coreloom.benches.model import bench as scale
from coreloom.errors import UserError
from coreloom.scheduling.workload import Machine


def test_the_balance_rule_finds_what_the_paper_says() -> None:
    assert fairness.balance() == {
        "loads": [1024, 1340],
        "average": 1182,
        "imbalance": 158,
        "lightest": 335,
        "moved": 0,
    }


def test_the_counterexample_under_cfs_and_dwrr() -> None:
    case = replace(fairness.counterexample(), seconds=10)
    cfs, dwrr = (fairness.measure(case, policy) for policy in ("cfs", "dwrr"))
    assert round(cfs["share_ratio"], 3) == 4
    assert (cfs["moved"], cfs["migrations"]) == (0, 0)
    assert round(cfs["ideal_ratio"], 4) == round(1024 / 335, 4)
    assert round(dwrr["share_ratio"], 2) == 3.06
    assert dwrr["gap_in_B"] <= 2 == dwrr["bound_in_B"]
    assert (dwrr["cpus"], dwrr["threads"], dwrr["case"]) == (2, 5, "counterexample")
    assert len(dwrr["gaps_in_B"]) == 100
    assert max(dwrr["gaps_in_B"]) == dwrr["gap_in_B"]


def test_five_threads_on_four_cpus() -> None:
    case = replace(fairness.five_on_four(), seconds=10)
    cfs, dwrr = (fairness.measure(case, policy) for policy in ("cfs", "dwrr"))
    assert sorted(round(part, 2) for part in cfs["utilisation"]) == [0.5, 0.5, 1, 1, 1]
    assert {round(part, 2) for part in dwrr["utilisation"]} == {0.8}
    assert cfs["cpu_utilisation"] == dwrr["cpu_utilisation"] == [1, 1, 1, 1]
    assert dwrr["utilisation_stddev"] < 0.001 < cfs["utilisation_stddev"]


def test_a_run_that_breaks_the_bound_ends_the_bench() -> None:
    row = fairness.measure(replace(fairness.ticking(fairness.five_on_four()), seconds=2), "dwrr")
    assert row["bound_in_B"] == 2.04
    with pytest.raises(UserError) as error:
        fairness.check(row | {"gap_in_B": 2.0400001})
    assert str(error.value) == (
        "dwrr breaks its bound in case 'five on four, tick' (seed 1): gap 2.040000 B, bound 2.040000 B"
    )
    fairness.check(row | {"gap_in_B": 2.04})
    fairness.check(row | {"gap_in_B": 9.0, "policy": "cfs"})
    fairness.check(row | {"gap_in_B": 9.0, "lightest": 40})  # a tick is longer than its slice


def test_weights_are_made_feasible() -> None:
    assert fairness.feasible([1024, 335, 335, 335, 335], 2) == [1024, 335, 335, 335, 335]
    assert fairness.feasible([10240, 1024, 1024, 1024], 2) == [3072, 1024, 1024, 1024]
    assert fairness.feasible([88761, 1024, 29154, 1024, 1024], 4) == [1536, 1024, 1536, 1024, 1024]
    assert fairness.feasible([7, 9], 2) == [1, 1]


def test_priority_is_that_of_the_nearest_nice_value() -> None:
    assert [fairness.priority(weight) for weight in (88761, 1 << 20, 1024, 335, 330, 15, 1)] == [
        *(100, 100, 120, 125, 125, 139, 139),
    ]


def test_the_sweep_is_the_same_every_time_and_no_slice_is_below_a_tick() -> None:
    first = fairness.sweep(24)
    assert first == fairness.sweep(24)
    assert [case.seed for case in first] == list(range(1, 25))
    assert len({case.machine.cpus for case in first}) > 3
    for case in first:
        weights = [thread.weight for thread in case.workload.threads]
        assert case.machine.cpus < len(weights) <= 5 * case.machine.cpus
        assert case.machine.tick_us * 1024 <= case.machine.slice_us * min(weights)
        assert case.machine.slice_us >= Machine().slice_us
        assert (case.machine.tick_us > 0) == (case.seed % 4 == 0)


def test_the_quick_bench_has_every_kind_of_case() -> None:
    cases = fairness.cases(quick=True)
    assert sum(case.kind == fairness.SWEEP for case in cases) == fairness.QUICK_RUNS >= 30
    assert sum(case.kind == fairness.SWEEP for case in fairness.cases(quick=False)) == fairness.RUNS >= 200
    assert {case.kind for case in cases} == {
        *(fairness.COUNTEREXAMPLE, fairness.FIVE_ON_FOUR, fairness.INFEASIBLE, fairness.INTERACTIVE),
        *(fairness.SWEEP, fairness.COARSE, fairness.LOCKS, fairness.RESERVE),
    }
    assert len({case.name for case in cases}) == len(cases)


@pytest.fixture(scope="module")
def content() -> dict[str, Any]:
    """As build/results/fairness.json, but with short runs."""
    cases = [case for case in fairness.cases(quick=True) if case.seed < 3]
    rows = [
        fairness.measure(replace(case, seconds=min(case.seconds, 2)), policy)
        for case in cases
        for policy in case.policies
    ]
    reached = [figure.row() for figure in fairness.figures(rows)]
    facts = {"commit": "0", "tools": {"ziglang": "1"}, "method": "How.\n", "reach": reached}
    return {"rows": rows, "balance": fairness.balance(), **facts}


def test_the_page_has_all_tables_and_plots(content: dict[str, Any]) -> None:
    page = report.fairness_page(content)
    assert "| 1 024 and 1 340 | 1 182 | 158 | 167.5 | 0 |" in page
    assert page.count("\n## ") == 10
    assert "](fairness-share.svg)" in page
    assert "](fairness-gap.svg)" in page
    for file, (_, svg) in report.fairness_plots(content).items():
        assert ET.fromstring(svg).tag.endswith("svg"), file
    shown = model_tables.fairness_readme(content["rows"])
    assert [row[0] for row in shown.rows] == list(fairness.SWEPT)


def test_a_figure_that_is_not_reached_says_so(content: dict[str, Any]) -> None:
    rows = copy.deepcopy(content["rows"])
    next(row for row in rows if row["policy"] == "dwrr")["gap_in_B"] = 3.0
    worst = fairness.figures(rows)[-1]
    assert (worst.measured, worst.reached) == (1.5, False)


def scaled(cpus: int, threads: int, ns: float) -> dict[str, Any]:
    return {
        **{"cpus": cpus, "threads": threads, "policy": "dwrr", "events": 10, "ns_per_event": ns, "runs": 3},
        "events_per_s": round(1e9 / ns),
    }


def test_growth_is_beside_the_logarithms() -> None:
    rows = [scaled(4, 100, 100), scaled(64, 1600, 150), scaled(4096, 100_000, 400)]
    assert scale.growth(rows, "dwrr") == pytest.approx({"cost": 4, "log_cpus": 6, "log_threads": 2.5})
    figures = scale.figures(rows)
    assert [(figure.measured, figure.reached) for figure in figures] == [(10, True), (4, True)]
    slow = scale.figures([scaled(4, 100, 400), scaled(4096, 100_000, 4000)])
    assert [(figure.measured, figure.reached) for figure in slow] == [(2.5, False), (10, False)]
    assert model_tables.model_growth(rows).rows == (("dwrr", "4.00", "6.00", "2.50"),)


def test_a_run_of_the_scale_has_its_size_and_its_events() -> None:
    row = scale.measure(4, 100, "dwrr", 1.0)
    assert (row["cpus"], row["threads"], row["policy"]) == (4, 100, "dwrr")
    assert row == scale.measure(4, 100, "dwrr", 1.0) | {
        key: row[key] for key in ("events_per_s", "ns_per_event")
    }
    assert scale.cases(quick=True)[0] == ("dwrr", 4, 100)
    assert ("dwrr", 4096, 100_000) in scale.cases(quick=False)
