# SPDX-License-Identifier: Apache-2.0
"""Figures that a text cites, compared with the published data (docs/results/data).

Those of texts that a person writes, such as the README, are listed in docs/engineering/figures.toml:

    [[figures]]
    file = "README.md"
    says = "an interrupt reaches its thread in 46 cycles"  # words of the file, on one line or over two
    number = "46"  # the figure among them, with as many digits as it is compared with
    data = "switch"  # the row of docs/results/data/switch.tsv with these fields
    where = { kernel = "hw", core = "standard", cpus = 1 }
    field = "max"
    over = { kernel = "sw" }  # optional: divided by the row that differs in this
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import msgspec

from coreloom import paths
from coreloom.errors import UserError
from coreloom.report import compact, results
from coreloom.report.table import number

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

MISSING = "not in the published data"
LIST = "docs/engineering/figures.toml"
Field = str | int | float | bool


class Place(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A figure: `field` of the one row of a published result that fits `where`; the median of its seeds."""

    data: str  # docs/results/data/NAME
    field: str
    where: dict[str, Field] = {}
    list: str = "rows"  # which list of the file; "reach" has the targets


class Cited(Place, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A figure of a text."""

    file: str
    says: str
    number: str
    over: dict[str, Field] = {}


def check() -> None:
    """Raise a UserError for each figure that a text cites and the published data do not have."""
    if found := wrong():
        raise UserError("\n".join(found))


def wrong() -> list[str]:
    """What is wrong with a cited figure, and what to do."""
    path = paths.ROOT / LIST
    if not path.exists():
        return []
    try:
        figures = msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8"))["figures"], list[Cited])
    except (tomllib.TOMLDecodeError, msgspec.ValidationError, KeyError) as error:
        raise UserError(f"{LIST} is wrong ({error}): correct it there") from None
    return [f"{each.file}: {what}" for each in figures if (what := _defect(each))]


def _defect(figure: Cited) -> str:
    path = paths.ROOT / figure.file
    text = " ".join(path.read_text(encoding="utf-8").split()) if path.exists() else ""
    if figure.says not in text or figure.number not in figure.says:
        return f"it does not say '{figure.says}' with {figure.number} in it: correct {LIST}"
    other = Place(data=figure.data, field=figure.field, where=figure.where | figure.over, list=figure.list)
    for place in (figure, other):
        if (many := len(rows(place))) != 1:
            return f"'{figure.says}': {many} rows of {place.data} ({place.list}) fit, not one: correct {LIST}"
    here = value(figure) / value(other) if figure.over else value(figure)
    if not agree(figure.number, here):
        return f"it says '{figure.says}', {figure.data} has {words(here)}: correct the text"
    return ""


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
