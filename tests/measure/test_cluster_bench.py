# SPDX-License-Identifier: Apache-2.0
"""What `coreloom bench cluster` makes of its passes."""

from __future__ import annotations

from coreloom.benches import registry
from coreloom.benches.cluster.bench import FAIRNESS, SWEEP, Result, Row, figures, machine


def _row(load: str, workers: int, seconds: float, busy: float) -> Row:
    return Row(load=load, workers=workers, runs=100, seconds=seconds, busy=busy)


_ROWS = [
    *(_row(SWEEP, 1, 100, 95), _row(SWEEP, 2, 50, 98), _row(SWEEP, 2, 54, 102), _row(SWEEP, 1, 100, 97)),
    *(_row(FAIRNESS, 1, 20, 19), _row(FAIRNESS, 2, 20, 35)),
]


def test_speed_and_use_are_of_all_passes() -> None:
    assert [(figure.what, figure.measured, figure.bound) for figure in figures(_ROWS, 1.95)] == [
        ("sweep, 100 jobs: speed of 2 workers over 1", 1.92, 1.95),
        ("sweep, 100 jobs: jobs at a time on 2 workers", 1.92, 2),
        ("bench fairness, 100 jobs: speed of 2 workers over 1", 1.0, 1.95),
        ("bench fairness, 100 jobs: jobs at a time on 2 workers", 1.75, 2),
    ]


def test_the_tables() -> None:
    bench = registry.get("cluster")
    content = Result(name="cluster", rows=_ROWS, machine=1.95, reach=figures(_ROWS, 1.95))
    passes, compared = bench.tables(content)
    assert passes.rows[0] == ("sweep", "1", "100", "100.0", "1.00", "0.95")
    assert compared.rows == (
        ("sweep", "1.92", "1.95", "1.92"),
        ("bench fairness", "1.00", "1.95", "1.75"),
    )


def test_a_busy_machine_is_told_from_a_slow_pool() -> None:
    assert machine(0.05) > 0
