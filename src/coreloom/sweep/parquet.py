# SPDX-License-Identifier: Apache-2.0
"""Rows of a sweep as a Parquet file: a column for each platform key and macro, and the usual ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, get_type_hints

from coreloom import paths
from coreloom.errors import UserError
from coreloom.files import whole
from coreloom.sweep.file import shown
from coreloom.sweep.point import Row

EXTRA = "cluster"
_FREE = ("parameters", "defines")  # dictionaries, of which each key is a column


def check() -> None:
    """UserError if what writes the file is not installed."""
    if find_spec("pyarrow") is None:
        raise UserError(f"a sweep needs the package pyarrow: run `{paths.setup(EXTRA)}`")


def write(rows: Sequence[Row], path: Path, facts: Mapping[str, str]) -> Path:
    """The file; all rows have the same parameters and defines. facts: texts kept next to the rows."""
    import pyarrow
    from pyarrow import parquet

    kinds = {int: pyarrow.int64(), float: pyarrow.float64(), str: pyarrow.string(), bool: pyarrow.bool_()}
    columns: dict[str, tuple[Any, list[Any]]] = {}
    for name, hint in get_type_hints(Row).items():
        if name not in _FREE:
            kind = next(
                kind for kind in (bool, int, float, str) if kind in getattr(hint, "__args__", (hint,))
            )
            columns[name] = kinds[kind], [getattr(row, name) for row in rows]
    for free in _FREE:
        for name in getattr(rows[0], free):
            values = [getattr(row, free)[name] for row in rows]
            kind = type(values[0])
            if kind not in kinds or any(type(value) is not kind for value in values):
                kind, values = str, list(map(shown, values))
            columns[name] = kinds[kind], values
    schema = pyarrow.schema([(name, kind) for name, (kind, _) in columns.items()], metadata=dict(facts))
    table = pyarrow.table([values for _, values in columns.values()], schema=schema)
    with whole(path) as part:
        parquet.write_table(table, part)
    return path
