# SPDX-License-Identifier: Apache-2.0
"""What a program is made of: an application below apps/ and its build.toml, or one C file."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from coreloom import paths
from coreloom.errors import UserError
from coreloom.paths import APPS, RUNTIME
from coreloom.toolchain import diagnostics, zig
from coreloom.toolchain.zig import LIBC
from coreloom.uses import SOURCES, plan

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@dataclass(frozen=True)
class Foreign:
    """Sources that are not ours, compiled as they are."""

    package: str  # with its version, which stands for the content
    folder: Path
    files: tuple[str, ...]  # in the folder
    flags: tuple[str, ...] = ()
    include: tuple[str, ...] = ()  # folders in it with headers for all of the program
    place: str = ""  # how debug information names the folder

    @property
    def paths(self) -> list[Path]:
        return [self.folder / file for file in self.files]


@dataclass(frozen=True)
class Application:
    """What a program is made of: an application below apps/, or one C file."""

    name: str
    files: tuple[Path, ...]
    folders: tuple[Path, ...]  # with headers
    foreign: tuple[Foreign, ...] = ()
    defines: tuple[tuple[str, str | int], ...] = ()
    alone: bool = False  # one C file, whose headers may be anywhere

    def explain(self, refused: zig.Refused, foreign: Iterable[Foreign] = ()) -> UserError:
        """What the compiler or linker has to say about it, as its author wants to read it."""
        name = self.files[0].name if self.alone else self.name
        folders = [RUNTIME, LIBC, *(each.folder for each in foreign)]
        return UserError(diagnostics.explain(str(refused), name, folders))

    @property
    def has_far_program(self) -> bool:
        """Whether some of it is for processor 1: it defines far_main."""
        return any(_FAR_MAIN.search(path.read_text(encoding="utf-8")) for path in self.files)


_FAR_MAIN = re.compile(r"^\s*int\s+far_main\s*\([^;{]*\)\s*\{", re.MULTILINE)


def application(app: str) -> Application:
    """An application below apps/, with what its build.toml adds (apps/README.md), or one C file."""
    if app.endswith(".c"):
        path = Path(app)
        if not path.is_file():
            raise UserError(f"there is no program {app}: give the path of a C file")
        return Application(path.stem, (path,), (path.parent,), alone=True)
    folder = APPS / app
    if not any(folder.glob("*.c")):
        known = sorted(path.parent.name for path in APPS.glob("*/*.c"))
        raise UserError(
            f"unknown application '{app}': choose one of {', '.join(sorted(set(known))) or '(none)'}"
        )
    more = _build_file(folder / "build.toml")
    folders = [folder, *(APPS / name for name in more.get("shared", ()))]
    files = [path for each in folders for path in sorted(each.glob("*.c"))]
    if (APPS / "include").is_dir():
        folders.append(APPS / "include")
    wheels = tuple(_wheel(entry, folder / "build.toml") for entry in more.get("wheel", ()))
    return Application(app, tuple(files), tuple(folders), wheels, tuple(more.get("defines", {}).items()))


def _build_file(path: Path) -> dict[str, Any]:
    """What an application's build.toml says; nothing if there is none. UserError for what is wrong in it."""
    if not path.exists():
        return {}
    name = f"{path.parent.name}/{path.name}"
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise UserError(f"{name} cannot be read: {error}") from error
    for key in data:
        if key not in ("shared", "defines", "wheel"):
            raise UserError(f"{name}: unknown setting '{key}', remove it")
    for folder in data.get("shared", ()):
        if not (APPS / folder).is_dir():
            raise UserError(f"{name}: there is no folder apps/{folder}")
    return data


def _wheel(entry: dict[str, Any], where: Path) -> Foreign:
    name = f"{where.parent.name}/{where.name}"
    for key in ("package", "folder", "sources"):
        if key not in entry:
            raise UserError(f"{name}: 'wheel.{key}' is missing")
    for key in set(entry) - {"package", "folder", "sources", "flags"}:
        raise UserError(f"{name}: unknown setting 'wheel.{key}', remove it")
    package = entry["package"]
    spec = importlib.util.find_spec(package.replace("-", "_"))
    if spec is None or spec.origin is None:
        raise UserError(f"{name}: the Python package {package} is missing: run `{paths.setup()}`")
    folder = Path(spec.origin).parent / entry["folder"]
    made = Foreign(
        f"{package} {metadata.version(package)}",
        folder,
        tuple(entry["sources"]),
        tuple(entry.get("flags", ())),
    )
    for file in made.paths:
        if not file.is_file():
            raise UserError(f"{name}: the Python package {package} has no file {entry['folder']}/{file.name}")
    return made


_QUOTED = re.compile(rb'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def _beside(file: Path) -> set[Path]:
    """A file, what it includes from beside itself, and what that includes."""
    found: set[Path] = set()
    left = {file}
    while left:
        path = left.pop()
        found.add(path)
        near = {(path.parent / name.decode()).resolve() for name in _QUOTED.findall(path.read_bytes())}
        left |= {each for each in near if each.is_file()} - found
    return found


def included(app: Application, flags: list[str], foreign: Iterable[Foreign]) -> list[Path]:
    """What a user's one file includes, wherever that is, without the C library."""
    (file,) = app.files
    if plan() == SOURCES:  # which asks no compiler: also what a condition leaves out
        return sorted(_beside(file) - {file})
    try:
        rule = zig.start([*zig.cc(), *flags, "-MM", str(file)]).replace("\\\n", " ")
    except zig.Refused as refused:
        raise app.explain(refused, foreign) from None
    names = re.findall(r"(?:\\ |\S)+", rule.split(": ", 1)[1])
    return sorted({Path(name.replace("\\ ", " ")) for name in names} - {file})
