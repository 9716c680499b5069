# SPDX-License-Identifier: Apache-2.0
"""A program for `coreloom run`: an application, sources, a folder with coreloom.toml, or an ELF file."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coreloom.apps import APPS
from coreloom.commands.console import err, shown
from coreloom.design import platform
from coreloom.design.platform import Platform
from coreloom.errors import UserError, suggest
from coreloom.paths import EXAMPLES
from coreloom.toolchain import driver, firmware, front_end, note, project
from coreloom.toolchain.application import Application, of_user
from coreloom.toolchain.elf import MAGIC
from coreloom.toolchain.note import Note

# Warnings are shown and stop nothing, unless the user says -Werror.
_SHOWN = ("-Wall", "-Wextra", "-Wformat")
_OBJECTS = (".o", ".a")


@dataclass(frozen=True)
class Given:
    """A program; elf and its note: it is linked."""

    name: str  # of an application in APPS, or of a program
    app: str | Application
    arguments: tuple[str, ...] = ()
    elf: Path | None = None
    note: Note | None = None


def resolve(args: argparse.Namespace) -> Given:
    """The program args.app, with args.flags for the compiler; settings missing in args are filled in.

    Of a folder they are its coreloom.toml's, of an ELF file its own. UserError for anything else.
    """
    words: list[str] = args.app
    first = Path(words[0])
    if len(words) == 1 and words[0] in APPS:
        if args.flags:
            raise UserError(
                f"{args.flags[0]} is for programs of your own, not for the application {words[0]}"
            )
        return Given(words[0], words[0])
    if len(words) == 1 and first.is_dir():
        return _project(args, first)
    if len(words) == 1 and is_elf(first) and first.suffix not in _OBJECTS:
        return _linked(args, first)
    return _sources(args, words)


def is_elf(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(4) == MAGIC
    except OSError:
        return False


def _sources(args: argparse.Namespace, words: list[str]) -> Given:
    files = [Path(word) for word in words if not word.endswith(_OBJECTS)]
    objects = [word for word in words if word.endswith(_OBJECTS)]
    for word in words:
        if not Path(word).exists():
            if len(words) == 1 and "/" not in word and not Path(word).suffix:
                example = EXAMPLES / f"{word}.c"
                meant = f"did you mean {shown(example)}?" if example.is_file() else ""
                meant = meant or suggest(word, APPS, ", or give a C file")
                raise UserError(f"unknown application '{word}': {meant}")
            raise UserError(f"there is no file {word}: check the path")
    for file in files:
        if file.suffix in ("", ".elf", ".out") and not is_elf(file):
            raise UserError(f"{file} is neither an ELF file nor a C source: check the path")
    app = front_end.of(_user(files, args.flags, objects), args.api)
    return Given(app.name, app, tuple(args.arguments))


def _user(files: list[Path], flags: list[str], objects: list[str], name: str = "") -> Application:
    asked = driver.parse(flags, {})
    for text in dict.fromkeys(asked.notes):
        err.print(f"coreloom: warning: {text}")
    return of_user(files, [*_SHOWN, *asked.flags], [*objects, *driver.linked(asked.inputs)], name)


def _project(args: argparse.Namespace, folder: Path) -> Given:
    found = project.load(folder)
    for key, value in found.settings.items():
        if getattr(args, key) is None:
            setattr(args, key, Path(value) if key == "input" else value)
    app = front_end.of(_user(list(found.sources), [*found.flags, *args.flags], [], found.name), args.api)
    return Given(found.name, app, tuple(args.arguments) or found.arguments)


def _linked(args: argparse.Namespace, elf: Path) -> Given:
    if args.flags:
        raise UserError(f"{args.flags[0]} comes too late: {elf} is linked already")
    for name in OF_PROGRAMS:
        if getattr(args, name, None) is not None:
            raise UserError(f"--{name.replace('_', '-')} comes too late: {elf} is linked already")
    said = note.read(elf.read_bytes())
    if said is None:
        raise UserError(f"{elf} is not a program for Coreloom: link it with `coreloom cc`")
    if said.runtime != note.runtime():
        raise UserError(f"{elf} is linked with the runtime of another version of Coreloom: link it again")
    if args.kernel not in (None, said.ground):
        raise UserError(
            f"{elf} is linked for kernel {said.ground}, not {args.kernel}: leave out --on, or link it "
            f"with `coreloom cc --on {args.kernel}`"
        )
    if said.ground == "sw" and args.policy not in (None, said.policy):
        raise UserError(
            f"{elf} is linked with policy {said.policy}, not {args.policy}: leave out --policy, or link it "
            f"with `coreloom cc --policy {args.policy}`"
        )
    args.kernel = said.ground
    if said.ground == "sw":
        args.policy = said.policy
    if args.platform is None:
        args.platform = said.platform
    if args.cpus is None and said.ground != firmware.LINUX:
        args.cpus = said.cpus
    app = Application(elf.stem, (), theirs=True)
    return Given(elf.stem, app, tuple(args.arguments), elf, said)


def check_fits(given: Given, soc: Platform) -> None:
    """UserError if the program is linked for another platform."""
    if given.note is None or given.note.ground == firmware.LINUX:
        return
    if other := note.difference(given.note, soc):
        raise UserError(
            f"{given.elf} is linked for platform {given.note.platform} with {given.note.cpus} CPUs; "
            f"{soc.name} has {other}: leave out --platform and --cpus, or link it for that"
        )


def chosen(args: argparse.Namespace) -> Platform:
    """The platform that the options name, or the usual one."""
    return platform.load(args.platform or DEFAULT_PLATFORM, args.cpus, changes=changes(args))


def changes(args: argparse.Namespace) -> dict[str, Any]:
    """The keys of the platform that options set."""
    given = {key: getattr(args, name, None) for name, key in OF_PROGRAMS.items()}
    return {key: value for key, value in given.items() if value is not None}


# Options that are keys of the platform which only programs know.
OF_PROGRAMS = {
    "clock_hz": "clock_hz",
    "stack": "memory.stack_kib",
    "thread_stack": "memory.thread_stack_kib",
    "heap": "memory.heap_kib",
}
DEFAULT_PLATFORM, DEFAULT_KERNEL = "smp-standard", "hw"
