# SPDX-License-Identifier: Apache-2.0
"""The note in an ELF file: for which platform, kernel and runtime it was linked."""

from __future__ import annotations

import functools
import json
import struct
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from coreloom.design import keys
from coreloom.design.keys import Platform
from coreloom.paths import RUNTIME
from coreloom.toolchain import zig

SECTION = ".note.coreloom"
_NAME = b"Coreloom"
_TYPE = 1
_HEAD = struct.Struct("<III")
_PADDED = _NAME.ljust(12, b"\0")  # with its NUL, to whole words


@dataclass(frozen=True)
class Note:
    """For what a program was linked."""

    ground: str  # hw, sw, freertos ..., linux
    platform: str  # its name, or the path of its file
    cpus: int
    policy: str  # of the software kernel; "": it has none of its own
    runtime: str  # digest of what was linked to it
    macros: Mapping[str, str | int]  # the platform, as programs see it

    def text(self) -> str:
        return json.dumps(asdict(self), sort_keys=True)

    def source(self, work: Path) -> Path:
        """An assembly file with the note, in `work`."""
        said = self.text().encode()
        content = _HEAD.pack(len(_NAME) + 1, len(said), _TYPE) + _PADDED + said + bytes(-len(said) % 4)
        bytes_ = ",".join(map(str, content))
        file = work / "note.S"
        file.write_text(f'.section {SECTION},"",%note\n.balign 4\n.byte {bytes_}\n', encoding="ascii")
        return file


def of(platform: Platform, ground: str, policy: str = "") -> Note:
    """The note of a program that is linked now."""
    name = platform.name if platform.home is None else str(platform.home / f"{platform.name}.toml")
    return Note(ground, name, platform.cpus, policy, runtime(), keys.macros(platform))


def read(content: bytes) -> Note | None:
    """The note of an ELF file; None if it has none."""
    at = content.find(_PADDED + b"{")
    if at < _HEAD.size:
        return None
    _, length, _ = _HEAD.unpack_from(content, at - _HEAD.size)
    start = at + len(_PADDED)
    try:
        return Note(**json.loads(content[start : start + length]))
    except (ValueError, TypeError):
        return None


@functools.cache
def runtime() -> str:
    """A digest of all that is linked to programs, whichever they are."""
    files = sorted(path for path in RUNTIME.rglob("*") if path.suffix in (".c", ".h", ".S", ".ld"))
    return zig.digest([zig.LIBC.name], files)


def difference(note: Note, platform: Platform) -> str:
    """In what a platform is not that of a program; "" if they are alike for it."""
    macros = keys.macros(platform)
    names = {entry.key.c: entry.name for entry in keys.table() if isinstance(entry.key.c, str)}
    for macro in sorted({*macros, *note.macros}, key=lambda name: (not name.startswith("CL_CORE_"), name)):
        if (theirs := note.macros.get(macro)) != (here := macros.get(macro)):
            if macro.startswith("CL_CORE_"):
                return f"core {platform.core}"
            return f"{names.get(macro, macro)} {here}, not {theirs}"
    return ""
