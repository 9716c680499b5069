# SPDX-License-Identifier: Apache-2.0
"""What follows from the rows of `coreloom bench linux`: figures to reach, and a verdict."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from coreloom.benches.linux.bench import BOUND, Row
from coreloom.benches.linux.loads import GAP, TESTS, Case, Metric
from coreloom.benches.linux.schedulers import DWRR, EEVDF
from coreloom.report.figure import Figure


def _values(rows: Sequence[Row], test: str, metric: str, scheduler: str) -> list[float]:
    keys = (test, metric, scheduler)
    of = (row.value for row in rows if (row.test, row.metric, row.scheduler) == keys)
    return [value for value in of if value is not None]


def middle(rows: Sequence[Row], test: str, metric: str, scheduler: str) -> float | None:
    """The median of the seeds; None for what was not measured."""
    values = _values(rows, test, metric, scheduler)
    return float(statistics.median(values)) if values else None


def largest(rows: Sequence[Row], test: str, scheduler: str) -> float | None:
    """The largest gap of any seed."""
    return max(_values(rows, test, GAP.name, scheduler), default=None)


def better(rows: Sequence[Row], test: Case, metric: Metric) -> float | None:
    """How many times as good a metric is under scx_dwrr as under EEVDF; above 1: better; None: neither."""
    ours, kernels = (middle(rows, test.name, metric.name, name) for name in (DWRR, EEVDF))
    if not ours or not kernels or metric.more is None:
        return None
    return ours / kernels if metric.more else kernels / ours


def figures(rows: Sequence[Row]) -> list[Figure]:
    """The figures to reach, as far as they were measured."""
    tests = {test.name: test for test in TESTS}

    def both(test: str, number: int) -> tuple[float | None, float | None]:
        metric = tests[test].metrics[number].name
        return middle(rows, test, metric, DWRR), middle(rows, test, metric, EEVDF)

    found = []
    gaps = {test: gap for test in tests if (gap := largest(rows, test, DWRR)) is not None}
    bounds = [bound for test in tests if (bound := middle(rows, test, BOUND, DWRR)) is not None]
    if gaps and bounds:
        most = max(gaps, key=lambda test: gaps[test])
        theirs = largest(rows, most, EEVDF)
        text = "" if theirs is None else f" (EEVDF: {theirs:.0f})"
        what = f"largest gap of weighted service in all tests, ms: in {most}{text}"
        found.append(Figure(what, round(gaps[most], 2), at_most=max(bounds)))
    ours, kernels = both("five", 0)
    if ours is not None:
        text = "" if kernels is None else f" (EEVDF: {kernels:.2f})"
        what = f"5 threads on 4 CPUs: standard deviation over mean of CPU time, %{text}"
        found.append(Figure(what, ours, at_most=0.2))
    for test in (tests["threads"], tests["oltp"]):
        ratio = better(rows, test, test.metrics[0])
        if ratio is not None:
            found.append(Figure(f"throughput relative to EEVDF, {test.name}", round(ratio, 3), at_least=0.95))
    ours, kernels = both("latency", 1)
    if ours is not None and kernels is not None:
        what = f"latency of an interactive thread, 99th percentile, relative to EEVDF ({kernels:.0f} us)"
        found.append(Figure(what, round(ours / kernels, 2), at_most=1.5))
    return found


def verdict(rows: Sequence[Row]) -> str:
    """In words: where scx_dwrr is worse than EEVDF by more than 2 %, and where it is better."""
    worse, well = [], []
    for test in TESTS:
        for metric in test.metrics:
            ratio = better(rows, test, metric)
            if ratio is not None and ratio < 0.98:
                worse.append(f"{test.name}, {metric.text} (by a factor of {1 / ratio:.2f})")
            elif ratio is not None and ratio > 1.02:
                well.append(f"{test.name}, {metric.text} (by a factor of {ratio:.2f})")
    return "".join(
        f"{DWRR} is {how} than EEVDF in: {'; '.join(found)}.\n"
        for how, found in (("worse", worse), ("better", well))
        if found
    )
