# SPDX-License-Identifier: Apache-2.0
"""Which figures of a result differ from those of another one of the same bench.

Rows are told apart by their first fields, as few as are needed; by their texts, if that finds more in both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

LEAST = 0.01  # of a figure; what moves less is not told
_NOT_MEASURED = {"reach"}  # which repeats figures, with their targets
_TIMES = {"seconds", "sim_cycles_per_second"}  # of this machine

_KIND = "part"  # the field that says of which kind a row is, where a part of a result has several
_ALONE = ""  # a field that a row has as its whole name

Row = Mapping[str, Any]
_Named = dict[str, dict[str, float]]


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
    moved, alike = [], 0
    gone: list[str] = []
    more: list[str] = []
    for part in dict.fromkeys((*now, *before)):
        if part in _NOT_MEASURED:
            continue
        old, new = _named(part, _listed(before.get(part)), _listed(now.get(part)))
        gone += [name for name in old if name not in new]
        more += [name for name in new if name not in old]
        for name in new.keys() & old.keys():
            for figure in new[name].keys() & old[name].keys():
                one = Moved(name, figure, old[name][figure], new[name][figure])
                if abs(one.now - one.before) > LEAST * abs(one.before):
                    moved.append(one)
                else:
                    alike += 1
    moved.sort(key=lambda one: (-abs(one.change or float("inf")), one.row, one.figure))
    return Difference(moved, alike, gone, more)


def _listed(part: Any) -> list[Row]:
    """The rows of a part of a result. A mapping of figures is one row, which needs no name."""
    if isinstance(part, Mapping):
        return [{_ALONE: None, **part}] if any(_figures("", part)) else []
    return part if isinstance(part, list) else []


def _named(part: str, before: Sequence[Row], now: Sequence[Row]) -> tuple[_Named, _Named]:
    """The figures of every row of both, by the row's name."""
    named: tuple[_Named, _Named] = {}, {}
    for kind in dict.fromkeys(row.get(_KIND) for row in (*before, *now)):
        sides = [[row for row in rows if row.get(_KIND) == kind] for rows in (before, now)]
        key = _key(*sides)
        for found, rows in zip(named, sides, strict=True):
            for row in rows:
                rest = {field: value for field, value in row.items() if field not in key}
                found[_name(part, key, row)] = dict(_figures("", rest))
    return named


def _name(part: str, key: Sequence[str], row: Row) -> str:
    said = ", ".join(str(row[field]) for field in key if row.get(field) is not None)
    return f"{part}: {said}" if said else part


def _key(before: Sequence[Row], now: Sequence[Row]) -> Sequence[str]:
    """The fields that tell rows apart: the first ones, or texts first if more rows are in both by these.

    A row may lack a field with its usual value; a field that all rows of one side lack came or went.
    """
    sides = [rows for rows in (before, now) if rows]
    known = dict.fromkeys(field for rows in sides for row in rows for field in row)
    fields = [field for field in known if all(any(field in row for row in rows) for rows in sides)]
    every = [*before, *now]
    texts = [field for field in fields if all(isinstance(row.get(field), str | None) for row in every)]
    keys = []
    for order in (fields, [*texts, *(field for field in fields if field not in texts)]):
        keys.append(order[: max(_needed(order, rows) for rows in sides)])
    both = [
        len({_name("", key, row) for row in before} & {_name("", key, row) for row in now}) for key in keys
    ]
    return keys[int(both[1] > both[0])]


def _needed(fields: Sequence[str], rows: Sequence[Row]) -> int:
    """How many of the first fields tell all rows apart."""
    for count in range(1, len(fields)):
        if len({tuple(str(row.get(field)) for field in fields[:count]) for row in rows}) == len(rows):
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
