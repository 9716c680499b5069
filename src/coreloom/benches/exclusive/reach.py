# SPDX-License-Identifier: Apache-2.0
"""What is compared between methods, the figures to reach, and where another method is as good as ours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter

from coreloom.benches.exclusive import killed
from coreloom.benches.exclusive.bench import Row, Start
from coreloom.benches.exclusive.cases import (
    CPUS,
    FULL,
    IDLE,
    METHODS,
    MOST_HOGS,
    OURS,
    PLAIN,
    THREADS,
)
from coreloom.report.figure import Figure


@dataclass(frozen=True)
class Compared:
    """A figure of a row. tolerance: fraction of ours that is still as good; more: higher is better."""

    text: str
    of: Callable[[Row], float | None]
    tolerance: float = 1.01
    more: bool = False

    def as_good(self, theirs: float, ours: float) -> bool:
        limit = self.tolerance * ours
        return theirs >= limit if self.more else theirs <= limit

    def values(self, rows: Sequence[Row]) -> list[float]:
        """The values that exist."""
        return [value for row in rows if (value := self.of(row)) is not None]


WALL = Compared("wall time over CPU time", attrgetter("wall_over_cpu"))
SWITCHES = Compared("involuntary switches", attrgetter("involuntary"), tolerance=1)
LATE = Compared("latency of the probe, 99th percentile", attrgetter("probe_p99_us"))
LATEST = Compared("latency of the probe, maximum", attrgetter("probe_max_us"))
OTHERS = Compared("throughput of the others", attrgetter("others_throughput"), 0.99, more=True)


def single(rows: Sequence[Row], method: str) -> list[Row]:
    """A method's rows of jobs with one thread."""
    return [row for row in rows if row.method == method and row.job != "threads"]


def figures(rows: Sequence[Row], starts: Sequence[Start], kills: Sequence[killed.Kill]) -> list[Figure]:
    """The figures to reach."""

    def slowest(method: str) -> float:
        return max(WALL.values([row for row in single(rows, method) if row.load == MOST_HOGS]))

    switches = {
        method: sum(row.involuntary for row in single(rows, method) if row.load.endswith(" hogs"))
        for method in METHODS
    }
    fewest = min((method for method in METHODS if method != OURS), key=lambda method: switches[method])
    job = f"slowdown under {MOST_HOGS} on {CPUS} CPUs, worst job and seed (plain {slowest(PLAIN):.1f})"
    taken = f"involuntary switches of all jobs under hogs (best other method: {fewest}, {switches[fewest]})"
    cleared = max(row.cleared_ms for row in starts if row.machine == FULL)
    longest = max(row.ours_ms - row.alone_ms for row in starts if row.machine == IDLE)
    alone = "start-up time added to the command's own, idle machine, maximum (ms)"
    full = f"clearing the CPU with {THREADS} threads on the machine, maximum (ms)"
    return [
        Figure(job, round(slowest(OURS), 3), at_most=1.01, bound=1),
        Figure(taken, switches[OURS], at_most=switches[fewest] - 1, bound=0),
        Figure(full, round(cleared, 1), at_most=50),
        Figure(alone, round(longest, 1), at_most=150),
        *killed.figures(kills),
    ]


def as_good(rows: Sequence[Row], figure: Compared, method: str) -> tuple[int, int]:
    """Cases (one thread) in which a method's figure is no worse than ours, of how many; times within 1 %."""
    case = attrgetter("job", "load", "seed")
    others = {case(row): figure.of(row) for row in single(rows, method)}
    pairs = [(others[case(row)], figure.of(row)) for row in single(rows, OURS)]
    good = [figure.as_good(theirs, ours) for theirs, ours in pairs if theirs is not None and ours is not None]
    return sum(good), len(good)
