# SPDX-License-Identifier: Apache-2.0
"""Tables of `coreloom bench linux`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from coreloom.benches.linux import verifier
from coreloom.benches.linux.bench import BOUND, DWRR, EEVDF, FAILED, GAP_99, MOVES, better, largest, middle
from coreloom.benches.linux.loads import TESTS, Case, Metric
from coreloom.report.table import Table, number, reach

_Row = dict[str, Any]
_DIRECTION = {True: " (more is better)", False: " (less is better)", None: ""}


def _schedulers(rows: Sequence[_Row]) -> list[str]:
    return list(dict.fromkeys(row["scheduler"] for row in rows))


def _measured(rows: Sequence[_Row]) -> list[Case]:
    names = {row["test"] for row in rows}
    return [test for test in TESTS if test.name in names]


def _digits(value: float | None) -> int:
    return 0 if value is None or value >= 1000 else 1 if value >= 100 else 3


def _cell(rows: Sequence[_Row], test: str, metric: Metric, name: str) -> str:
    if any((row["test"], row["scheduler"], row["metric"]) == (test, name, FAILED) for row in rows):
        return "failed"
    value = middle(rows, test, metric.name, name)
    return number(value, _digits(value))


def linux_tests(rows: Sequence[_Row]) -> Table:
    """Every metric under every scheduler, the paper's figure beside it."""
    names = _schedulers(rows)
    both = {EEVDF, DWRR} <= set(names)

    def line(test: Case, at: int) -> tuple[str, ...]:
        metric = test.metrics[at]
        ratio = better(rows, test, at)
        unit = f", {metric.unit}" if metric.unit else ""
        return (
            test.name,
            f"{metric.name}{unit}{_DIRECTION[metric.more]}",
            metric.paper,
            *(_cell(rows, test.name, metric, name) for name in names),
            *((number(ratio, 2),) if both else ()),
        )

    return Table(
        "Tests by scheduler, median of the seeds",
        ("test", "figure", "[DWRR]", *names, *((f"{DWRR}, times as good as EEVDF",) if both else ())),
        tuple(line(test, at) for test in _measured(rows) for at in range(len(test.metrics))),
        text_columns=3,
    )


def linux_gaps(rows: Sequence[_Row]) -> Table:
    """What lagmeter says, a scheduler after the other."""
    names = _schedulers(rows)

    def line(test: str) -> tuple[str, ...]:
        bounds = [row["value"] for row in rows if (row["test"], row["metric"]) == (test, BOUND)]
        return (
            test,
            *(number(largest(rows, test, name), 1) for name in names),
            number(max(bounds, default=None), 1),
            *(number(middle(rows, test, GAP_99.name, name), 1) for name in names),
            *(number(middle(rows, test, MOVES.name, name)) for name in names),
        )

    return Table(
        "Gap of weighted service of two runnable threads, by lagmeter",
        (
            "test",
            *(f"largest, ms: {name}" for name in names),
            f"bound of {DWRR}: 2 B + 2 ticks",
            *(f"99 % of the time, ms: {name}" for name in names),
            *(f"migrations a second: {name}" for name in names),
        ),
        tuple(line(test.name) for test in _measured(rows)),
    )


def linux_failures(rows: Sequence[_Row]) -> Table:
    """What a peer did not come through."""
    return Table(
        "Runs that failed",
        ("test", "scheduler", "seed", "why"),
        tuple(
            (row["test"], row["scheduler"], number(row["seed"]), row["why"])
            for row in rows
            if row["metric"] == FAILED
        ),
        text_columns=4,
    )


def linux_verifier(rows: Sequence[_Row]) -> Table:
    """What loading scx_dwrr costs, once."""
    found = {(row["metric"], row["kernel"]): row["value"] for row in rows if row["test"] == verifier.TEST}
    kernels = list(dict.fromkeys(kernel for _, kernel in found))
    programs = list(dict.fromkeys(program for program, _ in found))
    sums = [sum(value for (_, at), value in found.items() if at == kernel) for kernel in kernels]
    lines = [(name, *(number(found.get((name, kernel))) for kernel in kernels)) for name in programs]
    return Table(
        "Instructions that the kernel's verifier went through (of a million it allows each)",
        (f"BPF program of {DWRR}", *kernels),
        (*lines, ("sum", *(number(value) for value in sums))) if lines else (),
    )


def linux_about(rows: Sequence[_Row]) -> Table:
    return Table(
        "What the tests are",
        ("test", "what runs", "CPUs"),
        tuple((test.name, test.text, number(test.cpus)) for test in _measured(rows)),
        text_columns=2,
    )


def linux_tables(content: dict[str, Any]) -> list[Table]:
    rows = content["rows"]
    shown = [
        linux_tests(rows),
        linux_gaps(rows),
        linux_failures(rows),
        linux_verifier(rows),
        reach(content["reach"], "kernel of today"),
        linux_about(rows),
    ]
    return [table for table in shown if table.rows]
