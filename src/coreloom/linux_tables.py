"""Tables of `coreloom bench linux`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from coreloom.bench.linux import DWRR, EEVDF, FAILED, better, middle
from coreloom.bench.linux_loads import TESTS, Case, Metric
from coreloom.tables import Table, number, reach

_Row = dict[str, Any]


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
            f"{metric.name}{unit} ({'more' if metric.more else 'less'} is better)",
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
        linux_failures(rows),
        reach(content["reach"], "kernel of today"),
        linux_about(rows),
    ]
    return [table for table in shown if table.rows]
