# SPDX-License-Identifier: Apache-2.0
"""A published result as text: a line of facts, then a table for each of its lists, a line for each row.

    {"name": "smp", "commit": ...}

    rows	2	{"unit": "pixels"}
    core	cpus	done
    standard	1	278
        2	340

Behind the name of a list stand how many rows it has, and what they have in common. Cells are separated by
tabs. An empty one is as the one above it; MISSING: the row has no such field. A cell is JSON; a word needs no
quotes. `a.b` is the field b of the object a. Numbers have DIGITS digits, more than a page shows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, pairwise
from typing import Any

SUFFIX = ".tsv"
MISSING = "-"
DIGITS = 10
_WORD = re.compile(r"(?!(?:true|false|null|NaN|Infinity)$)[A-Za-z][^\t\n\"]*")
_MOST_PARTS = 16  # fields of an object that become columns

Rows = Sequence[Mapping[str, Any]]


def encode(content: Mapping[str, Any]) -> bytes:
    """The text of a result of plain values."""
    tables = {name: value for name, value in content.items() if _is_table(value)}
    facts = {name: value for name, value in content.items() if name not in tables}
    lines = [json.dumps(_rounded(facts), ensure_ascii=False)]
    for name, rows in tables.items():
        lines += ["", *_table(name, [_flat(row) for row in _rounded(rows)])]
    return ("\n".join(lines) + "\n").encode()


def decode(text: bytes) -> dict[str, Any]:
    """The result of a text. ValueError for one that is none."""
    lines = iter(text.decode().split("\n"))
    content = json.loads(next(lines))
    if not isinstance(content, dict):
        raise ValueError("it does not begin with facts")
    for head in lines:
        if head:
            name, count, same = head.split("\t")
            fields, *rows = islice(lines, int(count) + 1)
            content[name] = [_nested(row) for row in _rows(fields.split("\t"), rows, json.loads(same))]
    return content


def _is_table(value: Any) -> bool:
    return isinstance(value, list | tuple) and bool(value) and all(isinstance(row, dict) for row in value)


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, dict):
        return {str(name): _rounded(each) for name, each in value.items()}
    return [_rounded(each) for each in value] if isinstance(value, list | tuple) else value


def _flat(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row with a field for each of those of its objects."""
    found: dict[str, Any] = {}
    for name, value in row.items():
        parts = isinstance(value, dict) and 0 < len(value) <= _MOST_PARTS
        if parts and all(re.fullmatch(r"[A-Za-z]\w*", part) for part in value):
            found |= {f"{name}.{part}": each for part, each in value.items()}
        else:
            found[name] = value
    return found


def _nested(row: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in row.items():
        whole, _, part = name.partition(".")
        if part:
            found.setdefault(whole, {})[part] = value
        else:
            found[name] = value
    return found


def _table(name: str, rows: Rows) -> Iterator[str]:
    fields = list(dict.fromkeys(field for row in rows for field in row))
    cells = [{field: _cell(row[field]) if field in row else MISSING for field in fields} for row in rows]
    same = [field for field in fields if len(rows) > 1 and len({row[field] for row in cells}) == 1]
    varying = [field for field in fields if field not in same]
    yield f"{name}\t{len(rows)}\t{json.dumps({field: rows[0][field] for field in same}, ensure_ascii=False)}"
    yield "\t".join(varying)
    above: Mapping[str, str] = {}
    for above, row in pairwise(({}, *cells)):
        yield "\t".join("" if above.get(field) == row[field] else row[field] for field in varying)


def _rows(fields: Sequence[str], lines: Sequence[str], same: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    above: list[str] = [MISSING] * len(fields)
    for line in lines:
        cells = line.split("\t")
        if len(cells) != len(fields):
            raise ValueError(f"a row has {len(cells)} cells, not {len(fields)}: {line}")
        above = [cell or before for cell, before in zip(cells, above, strict=True)]
        own = {field: _value(cell) for field, cell in zip(fields, above, strict=True) if cell != MISSING}
        yield {**same, **own}


def _cell(value: Any) -> str:
    if isinstance(value, str) and _WORD.fullmatch(value):
        return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _value(cell: str) -> Any:
    return cell if _WORD.fullmatch(cell) else json.loads(cell)
