# SPDX-License-Identifier: Apache-2.0
"""Figures that a text cites, as the published data (docs/results/data) have them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import msgspec

from coreloom.report import compact, results
from coreloom.report.table import number

MISSING = "not in the published data"
Field = str | int | float | bool


class Place(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A figure: `field` of the one row of a published result that fits `where`; the median of its seeds."""

    data: str  # docs/results/data/NAME
    field: str
    where: dict[str, Field] = {}
    list: str = "rows"  # which list of the file; "reach" has the targets


def rows(place: Place) -> list[Mapping[str, Any]]:
    """Of the published data those that fit; of runs that differ in their seed, the one of the median."""
    found = [
        row
        for row in _data(results.published(place.data)).get(place.list, ())
        if place.field in row and all(row.get(name) == wanted for name, wanted in place.where.items())
    ]
    seeds = {row.get("seed") for row in found}
    cases = {tuple((name, each) for name, each in row.items() if isinstance(each, str)) for row in found}
    if len(seeds) == len(found) > 1 == len(cases):
        found = [sorted(found, key=lambda row: row[place.field])[(len(found) - 1) // 2]]
    return found


def value(place: Place) -> Any:
    """The figure; None unless exactly one row of the published data fits."""
    found = rows(place)
    return found[0][place.field] if len(found) == 1 else None


def agree(said: str, here: Any) -> bool:
    """Whether a number as a text has it, with as many digits, is that of the data."""
    try:
        digits = len(said.partition(".")[2])
        return round(float(here), digits) == float(re.sub(r"\s", "", said))
    except (TypeError, ValueError):
        return said == str(here)


def words(found: Any) -> str:
    """A figure of the data as a page has it."""
    if isinstance(found, float):
        return f"{found:.4g}" if abs(found) < 10_000 else number(found)
    if isinstance(found, int) and not isinstance(found, bool):
        return number(found)
    return MISSING if found is None else str(found)


def _data(path: Any) -> Mapping[str, Any]:
    other = path.with_suffix(".json")  # of a measurement that is no bench
    path = path if path.exists() else other
    return _read(path, path.stat().st_mtime_ns) if path.exists() else {}


@lru_cache(maxsize=32)
def _read(path: Any, _changed: int) -> Mapping[str, Any]:
    content: dict[str, Any] = (
        compact.decode(path.read_bytes()) if path.suffix == compact.SUFFIX else json.loads(path.read_text())
    )
    return content
