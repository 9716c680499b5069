# SPDX-License-Identifier: Apache-2.0
"""Units of hardware threads: from the table rtl/hwt/data/units.toml, or next to a platform file.

Next to a platform file of one's own, units/NAME.sv with a module NAME is the unit NAME.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
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
    file: Path | None = None  # of a unit that is not in the table


def own(home: Path | None) -> dict[str, Path]:
    """The files of units next to a platform file in `home`, by name; some may only be parts of others."""
    files = sorted((home / "units").glob("*.sv")) if home is not None else []
    return {path.stem: path for path in files}


def known(home: Path | None) -> list[str]:
    """The units that a platform file in `home` may name."""
    return [*load(), *own(home)]


def chosen(names: Iterable[str], home: Path | None) -> dict[str, Unit]:
    """The units `names` of a platform file in `home`; its own ones get the kinds that the table leaves free.

    A UserError for a file that has the name of a unit of the table or no module of its own name, and for more
    units than there are kinds.
    """
    table, files = load(), own(home)
    free = iter(sorted(set(range(1, MAX_KIND + 1)) - {unit.kind for unit in table.values()}))
    found: dict[str, Unit] = {}
    for name in dict.fromkeys(names):
        if name not in files:
            found[name] = table[name]
            continue
        if name in table:
            raise UserError(f"units/{name}.sv has the name of a built-in unit: rename it, and its module")
        if not re.search(rf"^\s*module\s+{name}\b", files[name].read_text("utf-8", "replace"), re.MULTILINE):
            raise UserError(f"units/{name}.sv has no module {name}: a unit has the name of its file")
        if (kind := next(free, None)) is None:
            raise UserError(
                f"a platform has at most {MAX_KIND - len(table)} units of its own: leave out {name}"
            )
        found[name] = _unit(name, {"kind": kind, "module": name}, f"units/{name}.sv", files[name])
    return found


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


def _unit(name: str, entry: Any, where: str, file: Path | None = None) -> Unit:
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
    return Unit(name, kind, module, file)
