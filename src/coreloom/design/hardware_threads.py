# SPDX-License-Identifier: Apache-2.0
"""The table of hardware threads, rtl/hwt/data/units.toml: names, kinds, modules."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coreloom.errors import UserError
from coreloom.paths import RTL

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TABLE = RTL / "hwt" / "data" / "units.toml"
MADE = RTL / "hwt" / "rtl" / "cl_hw_unit.sv"  # from it, by `coreloom generate`
MAX_KIND = 15


@dataclass(frozen=True)
class Unit:
    """A unit that a platform file may name: `kind` is what it reads in its register UNIT, 1 to 15."""

    name: str
    kind: int
    module: str


def load(path: Path = TABLE) -> dict[str, Unit]:
    """All units, by name, in the order of the table. A UserError says what is wrong in it."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise UserError(f"table of units {path.name} cannot be read: {error}") from error
    units: dict[str, Unit] = {}
    for name, entry in table.items():
        unit = _unit(name, entry, path.name)
        for other in units.values():
            if other.kind == unit.kind:
                raise UserError(
                    f"table of units {path.name}: {other.name} and {name} both have kind {unit.kind}: "
                    "give one of them another"
                )
        units[name] = unit
    return units


def _unit(name: str, entry: Any, where: str) -> Unit:
    where = f"table of units {where}: {name}"
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise UserError(f"{where}: a name has lower-case letters, digits and _ only")
    if not isinstance(entry, dict) or set(entry) != {"kind", "module"}:
        raise UserError(f"{where} must have kind and module, and nothing else")
    kind, module = entry["kind"], entry["module"]
    if isinstance(kind, bool) or not isinstance(kind, int) or not 1 <= kind <= MAX_KIND:
        raise UserError(f"{where}: kind must be a whole number from 1 to {MAX_KIND}, not {kind!r}")
    if not isinstance(module, str) or not re.fullmatch(r"[A-Za-z_]\w*", module):
        raise UserError(f"{where}: module must be the name of a SystemVerilog module, not {module!r}")
    return Unit(name, kind, module)
