# SPDX-License-Identifier: Apache-2.0
"""The bench of fairness: its cases, what it checks, its page."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest
from msgspec.structs import replace as changed

from coreloom.benches import pages
from coreloom.benches.fairness import BENCH, page
from coreloom.benches.fairness import bench as fairness
from coreloom.benches.fairness.cases import (
    QUICK_RUNS,
    RUNS,
    SWEPT,
    Kind,
    cases,
    counterexample,
    feasible,
    five_on_four,
    interactive,
    priority,
    sweep,
    ticking,
)
from coreloom.benches.model import bench as scale
from coreloom.benches.model.page import grown
from coreloom.errors import UserError
from coreloom.scheduling.workload import Machine


def test_the_balance_rule_finds_what_the_paper_says() -> None:
    assert fairness.balance() == fairness.Balance(
        loads=[1024, 1340], average=1182, imbalance=158, lightest=335, moved=0
    )


def test_the_counterexample_under_cfs_and_dwrr() -> None:
    case = replace(counterexample(), seconds=10)
    cfs, dwrr = (fairness.measure(case, policy) for policy in ("cfs", "dwrr"))
    assert round(cfs.ratio, 3) == 4
    assert (cfs.moved, cfs.migrations) == (0, 0)
    assert round(cfs.ideal_ratio, 4) == round(1024 / 335, 4)
    assert round(dwrr.ratio, 2) == 3.06
    assert dwrr.gap_in_B <= 2 == dwrr.bound_in_B
    assert (dwrr.cpus, dwrr.threads, dwrr.case) == (2, 5, "counterexample")
    assert len(dwrr.gaps_in_B) == 100
    assert max(dwrr.gaps_in_B) == dwrr.gap_in_B


def test_five_threads_on_four_cpus() -> None:
    case = replace(five_on_four(), seconds=10)
    cfs, dwrr = (fairness.measure(case, policy) for policy in ("cfs", "dwrr"))
    assert sorted(round(part, 2) for part in cfs.utilisation or ()) == [0.5, 0.5, 1, 1, 1]
    assert {round(part, 2) for part in dwrr.utilisation or ()} == {0.8}
    assert cfs.cpu_utilisation == dwrr.cpu_utilisation == [1, 1, 1, 1]
    assert dwrr.utilisation_stddev < 0.001 < cfs.utilisation_stddev


def test_a_run_that_breaks_the_bound_ends_the_bench() -> None:
    row = fairness.measure(replace(ticking(five_on_four()), seconds=2), "dwrr")
    assert row.bound_in_B == 2.04
    with pytest.raises(UserError) as error:
        fairness.check(changed(row, gap_in_B=2.0400001))
    assert str(error.value) == (
        "dwrr breaks its bound in case 'five on four, tick' (seed 1): gap 2.040000 B, bound 2.040000 B"
    )
    fairness.check(changed(row, gap_in_B=2.04))
    fairness.check(changed(row, gap_in_B=9.0, policy="cfs"))
    fairness.check(changed(row, gap_in_B=9.0, lightest=40))  # a tick is longer than its slice


def test_weights_are_made_feasible() -> None:
    assert feasible([1024, 335, 335, 335, 335], 2) == [1024, 335, 335, 335, 335]
    assert feasible([10240, 1024, 1024, 1024], 2) == [3072, 1024, 1024, 1024]
    assert feasible([88761, 1024, 29154, 1024, 1024], 4) == [1536, 1024, 1536, 1024, 1024]
    assert feasible([7, 9], 2) == [1, 1]


def test_priority_is_that_of_the_nearest_nice_value() -> None:
    assert [priority(weight) for weight in (88761, 1 << 20, 1024, 335, 330, 15, 1)] == [
        *(100, 100, 120, 125, 125, 139, 139),
    ]


def test_the_sweep_is_the_same_every_time_and_no_slice_is_below_a_tick() -> None:
    first = sweep(24)
    assert first == sweep(24)
    assert [case.seed for case in first] == list(range(1, 25))
    assert len({case.machine.cpus for case in first}) > 3
    for case in first:
        weights = [thread.weight for thread in case.workload.threads]
        assert case.machine.cpus < len(weights) <= 5 * case.machine.cpus
        assert case.machine.tick_us * 1024 <= case.machine.slice_us * min(weights)
        assert case.machine.slice_us >= Machine().slice_us
        assert (case.machine.tick_us > 0) == (case.seed % 4 == 0)


def test_the_quick_bench_has_every_kind_of_case() -> None:
    some, whole = cases(quick=True), cases(quick=False)
    assert sum(case.kind == Kind.SWEEP for case in some) == QUICK_RUNS >= 30
    assert sum(case.kind == Kind.SWEEP for case in whole) == RUNS >= 200
    assert {case.kind for case in some} == set(Kind)
    assert len({case.name for case in some}) == len(some)


def test_artis_is_measured_with_the_real_time_thread_that_it_is_made_for() -> None:
    """The thread waits for a round of all, like each of the others."""
    found = [replace(case, seconds=20) for case in interactive()]
    of_artis = {case.text: fairness.measure(case, "artis") for case in found if "artis" in case.policies}
    realtime = {text for text in of_artis if text.endswith(", real-time")}
    assert len(realtime) == len(found) / 2
    assert [case.policies for case in found if case.text in realtime] == [("artis",)] * len(realtime)
    for text in realtime:
        assert of_artis[text].latency_p50_us < of_artis[text.removesuffix(", real-time")].latency_p50_us
    assert of_artis["1 ms in 11 among 16, real-time"].latency_max_us == 0


@pytest.fixture(scope="module")
def content() -> fairness.Result:
    """A result like build/results/fairness.json, with short runs."""
    rows = [
        fairness.measure(replace(case, seconds=min(case.seconds, 2)), policy)
        for case in cases(quick=True)
        if case.seed < 3
        for policy in case.policies
    ]
    return fairness.Result(
        name="fairness",
        commit="0",
        tools={"ziglang": "1"},
        reach=fairness.figures(rows),
        rows=rows,
        balance=fairness.balance(),
    )


def test_tables_pictures_and_summary(content: fairness.Result) -> None:
    tables = {table.title: table.rows for table in page.tables(content)}
    assert len(tables) == 11
    assert ("1 024 and 1 340", "1 182", "158", "167.5", "0") in tables[
        "The balance rule of cfs in the counter-example, computed by the policy"
    ]
    assert [row[0] for row in page.overview(content.rows, content.sweeps()).rows] == list(SWEPT)
    assert [chart.text[:7] for chart in BENCH.charts(content)] == ["Service", "Largest"]
    assert [row[0] for row in BENCH.summary(BENCH.shown(content)).table.rows] == list(SWEPT)


def test_the_published_form_has_the_same_page(content: fairness.Result) -> None:
    assert sum(row.kind == Kind.SWEEP for row in content.rows) > 1
    shown = BENCH.shown(content)
    assert not [row for row in shown.rows if row.kind == Kind.SWEEP]
    assert pages.published(BENCH, content) == pages.published(BENCH, shown)


def test_a_result_is_read_as_it_was_written(content: fairness.Result) -> None:
    assert msgspec.json.decode(msgspec.json.encode(content), type=fairness.Result) == content


def test_a_lightest_thread_that_had_nothing_has_no_ratio_and_an_infinite_one_is_shown(
    content: fairness.Result,
) -> None:
    row = changed(content.rows[0], share_ratio=None)
    assert page.counterexample([row]).rows[0][2] == "inf"


def test_a_figure_that_is_not_reached_says_so(content: fairness.Result) -> None:
    rows = list(content.rows)
    first = next(n for n, row in enumerate(rows) if row.policy == "dwrr")
    rows[first] = changed(rows[first], gap_in_B=3.0)
    worst = fairness.figures(rows)[-1]
    assert (worst.measured, worst.reached) == (1.5, False)


def scaled(cpus: int, threads: int, ns: float) -> scale.Row:
    return scale.Row(
        cpus=cpus,
        threads=threads,
        policy="dwrr",
        events=10,
        ns_per_event=ns,
        events_per_s=round(1e9 / ns),
    )


def test_growth_is_beside_the_logarithms() -> None:
    rows = [scaled(4, 100, 100), scaled(64, 1600, 150), scaled(4096, 100_000, 400)]
    assert scale.growth(rows, "dwrr") == pytest.approx((4, 6, 2.5))
    figures = scale.figures(rows)
    assert [(figure.measured, figure.reached) for figure in figures] == [(10, True), (4, True)]
    slow = scale.figures([scaled(4, 100, 400), scaled(4096, 100_000, 4000)])
    assert [(figure.measured, figure.reached) for figure in slow] == [(2.5, False), (10, False)]
    assert grown(rows).rows == (("dwrr", "4.00", "6.00", "2.50"),)


def test_a_run_of_the_scale_has_its_size_and_its_events() -> None:
    case = scale.Case("dwrr", 4, 100)
    row = scale.measure(case, 1.0)
    assert (row.cpus, row.threads, row.policy) == (4, 100, "dwrr")
    again = scale.measure(case, 1.0)
    assert row == changed(again, events_per_s=row.events_per_s, ns_per_event=row.ns_per_event)
    assert scale.cases(quick=True)[0] == case
    assert ("dwrr", 4096, 100_000) in scale.cases(quick=False)
