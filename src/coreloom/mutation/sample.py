# SPDX-License-Identifier: Apache-2.0
"""Which faults are planted: areas, their files, and a sample that only their content and a seed decide."""

from __future__ import annotations

import hashlib
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from fnmatch import fnmatch
from pathlib import Path

import msgspec

from coreloom.errors import UserError, suggest
from coreloom.mutation.operators import LANGUAGES, Mutant, mutants

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_DATA = Path(__file__).with_name("areas.toml")
SEED = 1


class Area(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A part of the tree with its nearest tests (areas.toml says what the keys mean)."""

    what: str
    mutants: int
    files: list[str]
    tests: list[list[str]]
    but: list[str] = []

    def nearest(self, path: str) -> tuple[str, ...]:
        """Files and folders below tests/, and options of pytest."""
        return next(
            tuple(words)
            for patterns, *words in self.tests
            if any(fnmatch(path, pattern) for pattern in patterns.split())
        )

    def paths(self, root: Path) -> list[str]:
        """Its files that have faults to plant, from the root."""
        found = {path.relative_to(root).as_posix() for pattern in self.files for path in root.glob(pattern)}
        return sorted(
            path
            for path in found
            if Path(path).suffix in LANGUAGES and not any(fnmatch(path, pattern) for pattern in self.but)
        )


def areas() -> dict[str, Area]:
    return msgspec.convert(tomllib.loads(_DATA.read_text("utf-8")), dict[str, Area])


def chosen(units: Sequence[str], root: Path) -> dict[str, list[str]]:
    """Area -> files: all, or those that a unit names: an area, or a file by its path or its name alone."""
    every = {name: area.paths(root) for name, area in areas().items()}
    if not units:
        return every
    found: dict[str, set[str]] = defaultdict(set)
    for unit in units:
        named = {
            area: {path for path in paths if unit in (path, Path(path).name, Path(path).stem)}
            for area, paths in every.items()
        }
        if unit in every:
            named = {unit: set(every[unit])}
        if not any(named.values()):
            stems = (Path(path).stem for paths in every.values() for path in paths)
            raise UserError(f"unknown unit '{unit}': {_meant(unit, [*every, *stems], list(every))}")
        for area, paths in named.items():
            found[area] |= paths
    return {area: sorted(paths) for area, paths in found.items() if paths}


def _meant(unit: str, known: Iterable[str], areas: list[str]) -> str:
    near = suggest(unit, known)
    return near if near.startswith("did you mean") else f"choose a file or one of {', '.join(areas)}"


def ranked(paths: Sequence[str], root: Path, seed: int) -> list[Mutant]:
    """All faults of these files, at most one a line, those to plant first in front.

    Each operator has its turn. A fault's place depends on its own line and on the seed, so that another
    change of the tree hardly changes the sample.
    """
    turns: dict[str, list[tuple[str, Mutant]]] = defaultdict(list)
    for path in paths:
        for mutant in mutants(path, (root / path).read_text("utf-8")):
            rank = hashlib.sha256(f"{seed}\0{mutant.ident}".encode()).hexdigest()
            turns[mutant.operator].append((rank, mutant))
    order = [
        (turn, rank, mutant)
        for of_operator in turns.values()
        for turn, (rank, mutant) in enumerate(sorted(of_operator))
    ]
    lines: set[tuple[str, int]] = set()
    found = []
    for _, _, mutant in sorted(order):
        if (mutant.path, mutant.line) not in lines:
            lines.add((mutant.path, mutant.line))
            found.append(mutant)
    return found


def shares(counts: dict[str, int], total: int) -> dict[str, int]:
    """`total` divided in proportion to the counts."""
    if total < 1:
        raise UserError(f"--sample {total} is empty: ask for at least 1")
    whole = sum(counts.values())
    exact = {name: total * count / whole for name, count in counts.items()}
    found = {name: int(share) for name, share in exact.items()}
    for name in sorted(exact, key=lambda name: found[name] - exact[name])[: total - sum(found.values())]:
        found[name] += 1
    return found
