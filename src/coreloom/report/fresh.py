# SPDX-License-Identifier: Apache-2.0
"""Whether a result still is what the tree would give: a digest of all that decides its figures.

Comments decide nothing (coreloom.sources).
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from coreloom import sources
from coreloom.paths import ROOT
from coreloom.report.results import tools

# What says how something is made or runs; texts, pictures and published results decide no figure.
_SUFFIXES = {".sv", ".svh", ".v", ".vlt", ".c", ".h", ".S", ".ld", ".cpp", ".toml", ".py", ".json", ".j2"}
_SUFFIXES |= {".sh", ".js"}  # what runs in a guest
_PROOFS = "formal"  # a folder of properties, beside the RTL that they are about

# Of our packages those whose code decides a figure by itself. The others decide models and programs, which
# count by what they are, or say and show what was found.
_DECIDING = (
    "apps",
    "benches",
    "comparison",
    "programs",
    "reference",
    "scheduling",
    "simulation",
    "sweep",
    "synthesis",
    "vm",
)
_SHOWING = {"coreloom.benches.bench", "coreloom.benches.pages", "coreloom.benches.registry"}
_PAGE = "page"  # the module of a bench that makes its tables


def digest(places: Iterable[str], packages: Sequence[str], used: Iterable[str] = ()) -> str:
    """Of the files in these folders of the checkout (or of single files), and of packages' versions.

    used: what else decides, in any order (coreloom.uses).
    """
    made = hashlib.sha256()
    for name in sorted(set(_files(places))):
        made.update(name.encode() + b"\0" + sources.bare(ROOT / name) + b"\0")
    for package, version in tools(packages).items():
        if package != "coreloom":  # whose files are among the places
            made.update(f"{package} {version}".encode() + b"\0")
    for each in sorted(used):
        made.update(each.encode() + b"\0")
    return made.hexdigest()[:16]


def _files(places: Iterable[str]) -> Iterator[str]:
    for place in places:
        path = ROOT / place
        # A file that is named counts whatever its suffix, as scripts have none.
        found = (f for f in path.rglob("*") if f.suffix in _SUFFIXES) if path.is_dir() else (path,)
        files = (file.relative_to(ROOT) for file in found if file.is_file())
        yield from (str(file) for file in files if _PROOFS not in file.parts)


def code(module: str) -> set[str]:
    """The files of a module of ours and of all that it imports, as far as they decide figures."""
    found: set[str] = set()
    left = [module]
    while left:
        name = left.pop()
        path = _file(name)
        if path is None or (file := str(path.relative_to(ROOT))) in found:
            continue
        found.add(file)
        left += [each for each in _imported(path) if _decides(each)]
    return found


def _decides(module: str) -> bool:
    parts = module.split(".")
    return (
        parts[0] == "coreloom"
        and len(parts) > 1
        and parts[1] in _DECIDING
        and parts[-1] != _PAGE
        and module not in _SHOWING
    )


def _file(module: str) -> Path | None:
    path = ROOT / "src" / Path(*module.split("."))
    return next((p for p in (path.with_suffix(".py"), path / "__init__.py") if p.is_file()), None)


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
