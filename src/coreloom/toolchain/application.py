# SPDX-License-Identifier: Apache-2.0
"""The parts of a program: an application below apps/ and its build.toml, or files of a user's."""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coreloom import packages, sources
from coreloom.errors import UserError, suggest
from coreloom.paths import APPS, RUNTIME
from coreloom.toolchain import cache, diagnostics, zig
from coreloom.toolchain import elf as elf_file
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


SUFFIXES = (".c", ".S", ".s")  # what a user's program may have; objects and archives besides
_CXX = (".cc", ".cpp", ".cxx", ".C", ".c++", ".cp")
# Mistakes that C compilers have long only warned about, and that public programs make.
_LENIENT = (
    "implicit-function-declaration", "implicit-int", "int-conversion", "incompatible-pointer-types",
    "incompatible-function-pointer-types", "return-mismatch",
)  # fmt: skip


def user_defaults(flags: Sequence[str]) -> list[str]:
    """The flags before a user's own, which override them."""
    lenient = () if "-Werror" in flags else _LENIENT
    # Programs define _GNU_SOURCE themselves, and say when they were compiled, which is an error of zig's.
    return [
        "-std=gnu17",
        "-Wno-macro-redefined",
        "-Wno-date-time",
        *(f"-Wno-error={warning}" for warning in lenient),
    ]


@dataclass(frozen=True)
class Application:
    """The parts of a program: an application below apps/, or files of a user's."""

    name: str
    files: tuple[Path, ...]
    folders: tuple[Path, ...] = ()  # with headers
    foreign: tuple[Foreign, ...] = ()
    defines: tuple[tuple[str, str | int], ...] = ()
    api: str = ""  # in front_end.LAYERS; "": POSIX
    # Of a user's program, whose headers may be anywhere and whose warnings stop nothing:
    theirs: bool = False
    flags: tuple[str, ...] = ()  # for the compiler
    inputs: tuple[str, ...] = ()  # objects, archives and options of the linker, in their order
    seen: tuple[Path, ...] = ()  # sources of some of the objects

    def explain(
        self, refused: zig.Refused, foreign: Iterable[Foreign] = (), file: Path | None = None
    ) -> UserError:
        """The compiler's text about a file, or the linker's about all, as its author wants to read it."""
        only = self.files[0] if self.theirs and len(self.files) == 1 else None
        name = found.name if (found := file or only) else self.name
        folders = [RUNTIME, LIBC, *(each.folder for each in foreign)]
        return UserError(diagnostics.explain(str(refused), name, folders))

    @property
    def has_far_program(self) -> bool:
        """Whether some of it is for processor 1: it defines far_main."""
        return self.mentions(_FAR_MAIN)

    @property
    def takes_arguments(self) -> bool:
        """Whether main may have parameters: unless a source defines it as main(void) or main()."""
        mains = [found for text in self._texts() for found in _MAIN.findall(text)]
        return self.theirs and any(found.strip() not in ("", "void") for found in mains or ["?"])

    def mentions(self, what: re.Pattern[str]) -> bool:
        """Whether it is in one of the sources, or in a file of the user's that one includes."""
        files = {*self.files, *self.seen}
        files |= {path for file in files for path in sources.included(file)}
        return any(what.search(path.read_text("utf-8", "replace")) for path in files)

    def _texts(self) -> Iterator[str]:
        return (path.read_text("utf-8", "replace") for path in (*self.files, *self.seen))


_FAR_MAIN = re.compile(r"^\s*int\s+far_main\s*\([^;{]*\)\s*\{", re.MULTILINE)
_MAIN = re.compile(r"\bmain\s*\(([^)]*)\)\s*\{")


def of_user(
    files: Sequence[Path], flags: Sequence[str] = (), inputs: Sequence[str] = (), name: str = ""
) -> Application:
    """A user's program of sources; UserError for a file that there is not, or that is no C."""
    for file in files:
        check_source(file)
    name = name or next((file.stem for file in files), "") or Path(inputs[0]).stem
    return Application(name, tuple(files), theirs=True, flags=tuple(flags), inputs=tuple(inputs))


def check_source(file: Path) -> None:
    """UserError unless it is there, and C or assembly."""
    if not file.is_file():
        raise UserError(f"there is no file {file}: check the path")
    if file.suffix in _CXX:
        raise UserError(f"{file} is C++, which Coreloom does not compile: write it in C")
    if file.suffix not in SUFFIXES:
        raise UserError(f"{file} is no C source: give files that end in .c, .S or .s")


def loaded(elf: Path) -> Path:
    """A copy of a user's ELF file in the cache, with its flat image next to it, as for one that was built."""
    content = elf.read_bytes()

    def make(work: Path) -> None:
        (work / f"{elf.stem}.elf").write_bytes(content)
        (work / f"{elf.stem}.bin").write_bytes(elf_file.flat(work / f"{elf.stem}.elf"))

    key = hashlib.sha256(content).hexdigest()[:16]
    return cache.made(cache.place("firmware") / f"{elf.stem}-{key}", make) / f"{elf.stem}.elf"


def application(app: str | Application) -> Application:
    """An application below apps/, with what its build.toml adds (apps/README.md), or one C file."""
    if isinstance(app, Application):
        return app
    if app.endswith(".c"):
        return of_user([Path(app)], ["-w"])
    folder = APPS / app
    if not any(folder.glob("*.c")):
        known = sorted(path.parent.name for path in APPS.glob("*/*.c"))
        raise UserError(f"unknown application '{app}': {suggest(app, sorted(set(known)))}")
    more = _build_file(folder / "build.toml")
    folders = [folder, *(APPS / name for name in more.get("shared", ()))]
    files = [path for each in folders for path in sorted(each.glob("*.c"))]
    if (APPS / "include").is_dir():
        folders.append(APPS / "include")
    wheels = tuple(_wheel(entry, folder / "build.toml") for entry in more.get("wheel", ()))
    return Application(app, tuple(files), tuple(folders), wheels, tuple(more.get("defines", {}).items()))


def _build_file(path: Path) -> dict[str, Any]:
    """The contents of an application's build.toml; nothing if there is none. UserError if it is wrong."""
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
    try:
        folder = packages.folder(package) / entry["folder"]
    except UserError as missing:
        raise UserError(f"{name}: {missing}") from None
    made = Foreign(
        f"{package} {packages.version(package)}",
        folder,
        tuple(entry["sources"]),
        tuple(entry.get("flags", ())),
    )
    for file in made.paths:
        if not file.is_file():
            raise UserError(f"{name}: the Python package {package} has no file {entry['folder']}/{file.name}")
    return made


def included(app: Application, flags: Sequence[str], foreign: Iterable[Foreign]) -> dict[Path, list[Path]]:
    """The headers that each of a user's sources includes, wherever they are, but ours and the compiler's."""

    def of(file: Path) -> list[Path]:
        if plan() == SOURCES:  # which asks no compiler: also what a condition leaves out
            return sorted(sources.included(file))
        if plain and _only_ours(file.read_text("utf-8", "replace")):
            return []
        try:
            rule = zig.start([*zig.cc(), *flags, "-M", str(file)]).replace("\\\n", " ")
        except zig.Refused as refused:
            raise app.explain(refused, foreign, file) from None
        names = (name.replace("\\ ", " ") for name in re.findall(r"(?:\\ |\S)+", rule.split(": ", 1)[1]))
        return sorted({Path(name) for name in names if not name.startswith(ours)} - {file})

    ours = tuple(f"{folder}/" for folder in (RUNTIME, LIBC, zig.home()))
    others = any(flag.startswith(("-I", "-i", "-X", "-B", "-F", "@")) for flag in app.flags)
    plain = not (others or foreign or {"CPATH", "C_INCLUDE_PATH"} & set(os.environ))
    if len(app.files) == 1 or plan():  # which is told in this thread
        return {file: of(file) for file in app.files}
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        return dict(zip(app.files, pool.map(of, app.files), strict=True))


_INCLUDES = re.compile(r"^[ \t]*#[ \t]*include[ \t]*<[\w./+-]+>", re.MULTILINE)
_MAY_INCLUDE = re.compile("include|import|embed")


def _only_ours(text: str) -> bool:
    """Whether it certainly includes system headers alone, where no folder was given: asking takes as long as
    compiling a short program."""
    text = text.replace("\\\n", "").replace("\\\r\n", "")
    return len(_MAY_INCLUDE.findall(text)) == len(_INCLUDES.findall(text))


def objects(
    app: Application,
    flags: Sequence[str],
    headers: Mapping[Path, Sequence[Path]],
    foreign: Iterable[Foreign],
    warnings: list[str],
) -> list[Path]:
    """The objects of a user's sources, each made once for its content; the compiler's warnings are added."""

    ours = sorted(RUNTIME.rglob("*.h"))  # of which included() does not tell

    def entry(file: Path) -> Path:
        def make(work: Path) -> None:
            said: list[str] = []
            zig.start([*zig.cc(), *flags, "-c", str(file), "-o", str(work / f"{file.stem}.o")], warnings=said)
            (work / "warnings").write_text("\n".join(said), encoding="utf-8")

        key = zig.digest([*flags, str(file)], [file, *headers[file], *ours])
        try:
            return cache.made(cache.place("objects") / f"{file.stem}-{key}", make)
        except zig.Refused as refused:
            raise app.explain(refused, foreign, file) from None

    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        made = list(pool.map(entry, app.files))
    warnings += [said for each in made if (said := (each / "warnings").read_text(encoding="utf-8"))]
    return [each / f"{file.stem}.o" for each, file in zip(made, app.files, strict=True)]
