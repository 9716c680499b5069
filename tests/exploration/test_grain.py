# SPDX-License-Identifier: Apache-2.0
"""The map of grain, and what it says of a program."""

from __future__ import annotations

import pytest

from coreloom.exploration import published
from coreloom.exploration.grain import Map, Place, Read

MAP = Map(
    (Place(1, 10, 1.2), Place(1, 1000, 1.0), Place(2, 10, 2.0), Place(2, 100, 1.5), Place(2, 1000, 1.1))
)


@pytest.mark.parametrize(
    ("cpus", "between", "read"),
    [
        (1, 100, Read(1, 1.1, False)),  # half way, as a logarithm
        (2, 100, Read(2, 1.5, False)),
        (2, 1000, Read(2, 1.1, False)),
        (8, 10, Read(2, 2.0, False)),  # as many as the map has
        (2, 1, Read(2, 2.0, True)),
        (2, 5000, Read(2, 1.1, True)),
    ],
)
def test_a_program_has_a_place_on_it(cpus: int, between: float, read: Read) -> None:
    found = MAP.read(cpus, between)
    assert (found.cpus, found.outside) == (read.cpus, read.outside)
    assert found.gain == pytest.approx(read.gain)


def test_the_published_map_falls_with_the_grain() -> None:
    found = published.grain()
    assert {place.cpus for place in found.places} == {1, 2, 4, 8, 16}
    for cpus in (1, 2, 8):
        assert found.read(cpus, 50).gain > found.read(cpus, 5000).gain >= 1
