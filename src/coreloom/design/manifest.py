# SPDX-License-Identifier: Apache-2.0
"""The units of rtl/ and their files (rtl/sources.toml): every list of source files is made of it."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from coreloom.paths import RTL

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@dataclass(frozen=True)
class Part:
    """Files that belong together; `needs` are units, `outside` FuseSoC cores of others."""

    files: tuple[Path, ...] = ()
    needs: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()


@dataclass(frozen=True)
class Parameter:
    """A parameter of a module that FuseSoC can set: a number or a text."""

    name: str
    number: bool
    text: str


@dataclass(frozen=True)
class Unit(Part):
    """A unit, which has a folder; `parts` are those of which a target has some."""

    name: str = ""
    folder: Path = RTL
    about: str = ""
    parts: Mapping[str, Part] = field(default_factory=dict)
    targets: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    lint: Mapping[str, Any] = field(default_factory=dict)  # its parts, top, Verilator's options, if others
    unsimulated: str = ""  # why it has no testbench

    @property
    def library(self) -> str:
        return f"coreloom:{self.folder.relative_to(RTL).parts[0]}:{self.name}"

    @property
    def testbench(self) -> Path | None:
        """What FuseSoC's target sim runs; None: there is none, as for packages."""
        path = self.folder / "tb" / f"{self.name}_tb.sv"
        return path if path.exists() else None

    def parameters(self) -> list[Parameter]:
        """Those of its module, with their comments."""
        text = next(path for path in self.files if path.stem == self.name).read_text(encoding="utf-8")
        return [
            Parameter(name, kind != "", comment or name)
            for kind, name, comment in _PARAMETER.findall(text.partition(") (")[0])
        ]


_PARAMETER = re.compile(r"^  parameter +(int unsigned|bit|) *(\w+) += [^/\n]*(?:// *(.*))?$", re.MULTILINE)


def in_order(files: Iterable[Path]) -> tuple[Path, ...]:
    """Packages first, else by name."""
    return tuple(sorted(files, key=lambda path: (not _package(path), path.name)))


def _package(path: Path) -> bool:
    return path.stem.endswith("_pkg")


@cache
def units() -> dict[str, Unit]:
    """By name, each behind those that it needs."""
    data: dict[str, dict[str, Any]] = tomllib.loads((RTL / "sources.toml").read_text(encoding="utf-8"))
    named = {
        RTL / unit["folder"] / "rtl" / f"{name}.sv"
        for unit in data.values()
        for part in (unit, *unit.get("parts", {}).values())
        for name in part.get("files", ())
    }
    return {name: _unit(name, unit, named) for name, unit in data.items()}


def _unit(name: str, data: Mapping[str, Any], named: set[Path]) -> Unit:
    folder = RTL / data["folder"]

    def part(data: Mapping[str, Any], rest: Iterable[Path] = ()) -> dict[str, tuple[Any, ...]]:
        listed = [folder / "rtl" / f"{file}.sv" for file in data.get("files", ())] or rest
        return {
            "files": in_order(listed),
            **{key: tuple(data[key]) for key in ("needs", "outside") if key in data},
        }

    return Unit(
        **part(data, set((folder / "rtl").glob("*.sv")) - named),
        name=name,
        folder=folder,
        about=data["about"],
        parts={key: Part(**part(each)) for key, each in data.get("parts", {}).items()},
        targets={key: tuple(parts) for key, parts in data.get("targets", {}).items()},
        lint=data.get("lint", {}),
        unsimulated=data.get("unsimulated", ""),
    )


def files(name: str, parts: Iterable[str] | None = None) -> tuple[Path, ...]:
    """The files of a unit and of all that it needs, in the order in which tools want them.

    parts: those of the unit that are wanted; None: all.
    """
    found: dict[Path, None] = {}
    for each in _parts(name, parts):
        found |= dict.fromkeys(each.files)
    return tuple(sorted(found, key=lambda path: not _package(path)))


def _parts(name: str, parts: Iterable[str] | None) -> Iterator[Part]:
    unit = units()[name]
    wanted = [unit.parts[part] for part in (unit.parts if parts is None else parts)]
    for part in (unit, *wanted):
        for need in part.needs:
            yield from _parts(need, None)
    yield from (unit, *wanted)


def unit_of(module: str) -> str:
    """The name of the unit that has the file of a module."""
    return next(
        unit.name
        for unit in units().values()
        for part in (unit, *unit.parts.values())
        if any(path.stem == module for path in part.files)
    )
