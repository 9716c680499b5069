# SPDX-License-Identifier: Apache-2.0
"""Points of a search that want little of everything: the Pareto front, and what a bound rules out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, TypeVar


class Point(NamedTuple):
    """What a configuration costs, and how long its program takes: less is better in both."""

    lut4: float
    seconds: float

    def covers(self, other: Point) -> bool:
        """It is nowhere worse."""
        return all(mine <= theirs for mine, theirs in zip(self, other, strict=True))


T = TypeVar("T")


def front(points: Iterable[tuple[T, Point]]) -> list[T]:
    """Those that no other point covers, in the order of their LUT4; of equal points the first."""
    kept: list[tuple[T, Point]] = []
    for name, point in sorted(points, key=lambda each: each[1]):
        if not any(other.covers(point) for _, other in kept):
            kept.append((name, point))
    return [name for name, _ in kept]


class Work(NamedTuple):
    """Cycles of a program on one core with one CPU: its own ones, without the kernel's and without waiting.

    longest: those of the thread that has most of them.
    """

    own: float
    longest: float


SLACK = 0.95  # by how much a larger cache in all may undercut the cycles of one CPU


def at_best(work: Work, cpus: int, mhz: float) -> float:
    """Seconds below which no kernel brings the program on that many CPUs: a free kernel, perfect scaling."""
    return SLACK * max(work.own / cpus, work.longest) / (mhz * 1e6)
