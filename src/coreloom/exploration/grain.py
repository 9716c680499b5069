# SPDX-License-Identifier: Apache-2.0
"""The map of grain: how much faster a hardware kernel is, by the cycles of work between two calls."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from coreloom.exploration.area import at


class Place(NamedTuple):
    """A point of the map. between: cycles of work from a call to the next; gain: times as fast."""

    cpus: int
    between: float
    gain: float


class Read(NamedTuple):
    """What the map says of a program; outside: it is beyond the finest or the coarsest that was measured."""

    cpus: int
    gain: float
    outside: bool


@dataclass(frozen=True)
class Map:
    """The places, in any order."""

    places: tuple[Place, ...]

    def read(self, cpus: int, between: float) -> Read:
        """The gain at that grain, with as many CPUs as the map has up to `cpus`; log-linear between places.

        Beyond the map it is that of its edge. ValueError if the map is empty.
        """
        counts = sorted({place.cpus for place in self.places})
        most = max([n for n in counts if n <= cpus], default=min(counts))
        line = [(math.log(place.between), place.gain) for place in self.places if place.cpus == most]
        low, high = min(line)[0], max(line)[0]
        x = math.log(max(between, 1))
        return Read(most, at(line, min(max(x, low), high)), not low <= x <= high)
