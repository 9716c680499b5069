# SPDX-License-Identifier: Apache-2.0
"""The Pareto front and the bound on time."""

from __future__ import annotations

import pytest

from coreloom.exploration import pareto
from coreloom.exploration.pareto import Point, Work


def test_the_front_has_what_no_other_point_covers() -> None:
    points = {
        "small": Point(10, 9.0),
        "same": Point(10, 9.0),
        "covered": Point(11, 9.0),
        "slower": Point(12, 10.0),
        "middle": Point(20, 5.0),
        "large": Point(30, 5.0),
        "fast": Point(40, 4.9),
    }
    assert pareto.front(points.items()) == ["small", "middle", "fast"]
    assert pareto.front(reversed(points.items())) == ["same", "middle", "fast"]
    assert pareto.front([]) == []


@pytest.mark.parametrize(
    ("other", "covered"), [((10, 9), True), ((11, 9), True), ((10, 8), False), ((9, 10), False)]
)
def test_to_cover_is_to_be_nowhere_worse(other: tuple[float, float], covered: bool) -> None:
    assert Point(10, 9).covers(Point(*other)) is covered


@pytest.mark.parametrize(
    ("cpus", "milliseconds"),
    [(1, 950), (2, 475), (4, 285), (16, 285)],  # from 4 CPUs on it is the longest thread's 300 of 1 000
)
def test_the_bound_is_perfect_scaling_up_to_the_longest_thread(cpus: int, milliseconds: float) -> None:
    work = Work(own=1e6, longest=3e5)
    assert pareto.at_best(work, cpus, 1.0) == pytest.approx(milliseconds / 1e3)
    assert pareto.at_best(work, cpus, 10.0) == pytest.approx(milliseconds / 1e4)
