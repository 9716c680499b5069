# SPDX-License-Identifier: Apache-2.0
"""The tables of `coreloom bench linux`."""

from __future__ import annotations

from collections.abc import Sequence

from coreloom.benches.linux import verifier
from coreloom.benches.linux.bench import BOUND, FAILED, Result, Row
from coreloom.benches.linux.loads import GAP_99, MOVES, TESTS, Case, Metric
from coreloom.benches.linux.reach import better, largest, middle
from coreloom.benches.linux.schedulers import DWRR, EEVDF, SETTINGS
from coreloom.report.page import ROWS, Summary, prose
from coreloom.report.plots import Bars
from coreloom.report.table import Table, number

_DIRECTION = {True: " (higher is better)", False: " (lower is better)", None: ""}


def tables(content: Result) -> list[Table]:
    """All tables that have rows."""
    rows = content.rows
    shown = [
        *(tests(rows), settings(rows), gaps(rows), failures(rows), instructions(rows)),
        about(rows),
    ]
    return [table for table in shown if table.rows]


def _schedulers(rows: Sequence[Row]) -> list[str]:
    """Without those that have [DWRR]'s settings."""
    return [name for name in dict.fromkeys(row.scheduler for row in rows) if name not in SETTINGS]


def _measured(rows: Sequence[Row]) -> list[Case]:
    names = {row.test for row in rows}
    return [test for test in TESTS if test.name in names]


def _cell(rows: Sequence[Row], test: str, metric: Metric, name: str) -> str:
    if any((row.test, row.scheduler, row.metric) == (test, name, FAILED) for row in rows):
        return "failed"
    value = middle(rows, test, metric.name, name)
    return number(value, 0 if value is None or value >= 1000 else 1 if value >= 100 else 3)


def tests(rows: Sequence[Row]) -> Table:
    """Every metric under every scheduler, the paper's figure beside it."""
    names = _schedulers(rows)
    both = {EEVDF, DWRR} <= set(names)

    def line(test: Case, metric: Metric) -> tuple[str, ...]:
        unit = f", {metric.unit}" if metric.unit else ""
        return (
            test.name,
            f"{metric.text}{unit}{_DIRECTION[metric.more]}",
            metric.paper,
            *(_cell(rows, test.name, metric, name) for name in names),
            *((number(better(rows, test, metric), 2),) if both else ()),
        )

    return Table(
        "Tests by scheduler, median of the seeds (units in the figure column)",
        (
            "test",
            "figure",
            "[DWRR]",
            *names,
            *((f"{DWRR} relative to EEVDF (above 1: better)",) if both else ()),
        ),
        tuple(line(test, metric) for test in _measured(rows) for metric in test.metrics),
        text_columns=3,
    )


def settings(rows: Sequence[Row]) -> Table:
    """[DWRR]'s tests with its settings: a base slice for each of its granularities, and its round slice."""
    names = [name for name in dict.fromkeys(row.scheduler for row in rows) if name in SETTINGS]

    def line(test: Case, metric: Metric) -> tuple[str, ...]:
        unit = f", {metric.unit}" if metric.unit else ""
        cells = (_cell(rows, test.name, metric, name) for name in names)
        return (test.name, f"{metric.text}{unit}{_DIRECTION[metric.more]}", metric.paper, *cells)

    return Table(
        "[DWRR]'s tests with its settings: base slices of 0.75, 0.5, 0.25 ms, and a round slice of 25 ms",
        ("test", "figure", "[DWRR]: CFS by granularity, DWRR", *names),
        tuple(line(test, metric) for test in _measured(rows) if test.papers for metric in test.metrics)
        if names
        else (),
        text_columns=3,
    )


def gaps(rows: Sequence[Row]) -> Table:
    """What lagmeter measured, by scheduler."""
    names = _schedulers(rows)

    def line(test: str) -> tuple[str, ...]:
        bounds = [row.value for row in rows if (row.test, row.metric) == (test, BOUND)]
        return (
            test,
            *(number(largest(rows, test, name), 1) for name in names),
            number(max((bound for bound in bounds if bound is not None), default=None), 1),
            *(number(middle(rows, test, GAP_99.name, name), 1) for name in names),
            *(number(middle(rows, test, MOVES.name, name)) for name in names),
        )

    return Table(
        "Gap of weighted service between two runnable threads, measured by lagmeter",
        (
            "test",
            *(f"largest, ms: {name}" for name in names),
            f"bound of {DWRR}, 2 B + 2 ticks, ms",
            *(f"99th percentile over time, ms: {name}" for name in names),
            *(f"migrations per second: {name}" for name in names),
        ),
        tuple(line(test.name) for test in _measured(rows)),
    )


def failures(rows: Sequence[Row]) -> Table:
    """The tests that a peer failed."""
    return Table(
        "Failed runs",
        ("test", "scheduler", "seed", "reason"),
        tuple((row.test, row.scheduler, number(row.seed), row.why) for row in rows if row.metric == FAILED),
        text_columns=4,
    )


def instructions(rows: Sequence[Row]) -> Table:
    """What loading scx_dwrr costs, once."""
    of = [row for row in rows if row.test == verifier.TEST]
    found = {(row.metric, row.kernel): row.value or 0 for row in of}
    kernels = list(dict.fromkeys(row.kernel for row in of))
    programs = dict.fromkeys(row.metric for row in of)
    sums = [sum(found.get((name, kernel), 0) for name in programs) for kernel in kernels]
    lines = [(name, *(number(found.get((name, kernel))) for kernel in kernels)) for name in programs]
    return Table(
        "Instructions processed by the kernel's verifier (limit: one million per program)",
        (f"BPF program of {DWRR}", *kernels),
        (*lines, ("sum", *(number(value) for value in sums))) if lines else (),
    )


def about(rows: Sequence[Row]) -> Table:
    return Table(
        "The tests",
        ("test", "what runs", "CPUs"),
        tuple((test.name, test.text, number(test.cpus)) for test in _measured(rows)),
        text_columns=2,
    )


def summary(content: Result) -> Summary:
    rows = content.rows
    lines, gaps = [], {}
    ratios = {
        f"{test.name}, {metric.text}": ratio
        for test in TESTS
        for metric in test.metrics
        if (ratio := better(rows, test, metric)) is not None
    }
    for test in TESTS:
        metric = test.metrics[0]
        pair = [middle(rows, test.name, metric.name, name) for name in (EEVDF, DWRR)]
        most = [largest(rows, test.name, name) for name in (EEVDF, DWRR)]
        cells = [f"{value:.4g}" for value in (*pair, *most) if value is not None]
        if len(cells) == 4:
            gaps[test.name] = {EEVDF: most[0] or 0, DWRR: most[1] or 0}
            lines.append((test.name, metric.text, *cells))
    worst = [max(of[name] for of in gaps.values()) for name in (EEVDF, DWRR)]
    low, high = min(ratios, key=ratios.__getitem__), max(ratios, key=ratios.__getitem__)
    answer = (
        f"Under scx_dwrr no thread fell more than {prose(worst[1])} ms of weighted service behind another, "
        f"under EEVDF {prose(worst[0])} ms. Of all its figures the best is {prose(ratios[high])} times as "
        f"good as EEVDF's (test {high.partition(',')[0]}), the worst {prose(ratios[low], 2)} times ({low})."
    )
    columns = ("test", "figure", "EEVDF", "scx_dwrr", "largest gap, EEVDF (ms)", "largest gap, scx_dwrr (ms)")
    table = Table("EEVDF and scx_dwrr", columns, tuple(lines[:ROWS]), text_columns=2)
    return Summary(answer, table, Bars("Largest gap between two threads", "ms, logarithmic", gaps, log=True))
