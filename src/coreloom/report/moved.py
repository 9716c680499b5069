# SPDX-License-Identifier: Apache-2.0
"""Which figures of a result differ from those of another one of the same bench.

Rows are told apart by their first fields, as few as are needed; the figures come behind them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

LEAST = 0.01  # of a figure; what moves less is not told
_NOT_MEASURED = {"reach"}  # which repeats figures beside their targets
_TIMES = {"seconds", "sim_cycles_per_second"}  # of this machine

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Moved:
    """A figure of a row that both results have."""

    row: str
    figure: str
    before: float
    now: float

    @property
    def change(self) -> float | None:
        """Of the earlier figure; None if that is 0."""
        return self.now / self.before - 1 if self.before else None


@dataclass(frozen=True)
class Difference:
    """moved: by more than LEAST, the most first; alike: figures that did not; rows that only one has."""

    moved: Sequence[Moved]
    alike: int
    gone: Sequence[str]
    new: Sequence[str]


def difference(before: Mapping[str, Any], now: Mapping[str, Any]) -> Difference:
    """Of two results, as their files have them."""
    old, new = dict(_rows(before, now)), dict(_rows(now, before))
    moved, alike = [], 0
    for row in new.keys() & old.keys():
        for figure in new[row].keys() & old[row].keys():
            one = Moved(row, figure, old[row][figure], new[row][figure])
            if abs(one.now - one.before) > LEAST * abs(one.before):
                moved.append(one)
            else:
                alike += 1
    moved.sort(key=lambda one: (-abs(one.change or float("inf")), one.row, one.figure))
    gone, more = [row for row in old if row not in new], [row for row in new if row not in old]
    return Difference(moved, alike, gone, more)


def _rows(result: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, float]]]:
    """The name of every row, and its figures. other: whose rows are told apart by the same fields."""
    for part, rows in result.items():
        if part in _NOT_MEASURED or not isinstance(rows, list):
            continue
        for fields in dict.fromkeys(tuple(row) for row in rows):
            here = [row for row in rows if tuple(row) == fields]
            there = [row for row in other.get(part, []) if tuple(row) == fields]
            count = max(_needed(fields, here), _needed(fields, there))
            for row in here:
                name = ", ".join(str(row[field]) for field in fields[:count] if row[field] is not None)
                yield f"{part}: {name}", dict(_figures("", {field: row[field] for field in fields[count:]}))


def _needed(fields: Sequence[str], rows: Sequence[Row]) -> int:
    """How many of the first fields tell all rows apart."""
    for count in range(1, len(fields)):
        if len({tuple(str(row[field]) for field in fields[:count]) for row in rows}) == len(rows):
            return count
    return len(fields)


def _figures(name: str, value: Any) -> Iterator[tuple[str, float]]:
    """The numbers in a value, with their names."""
    if isinstance(value, Mapping):
        for key, each in value.items():
            if key not in _TIMES:
                yield from _figures(f"{name} {key}".strip(), each)
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from _figures(f"{name} {index}", each)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield name, value
