# SPDX-License-Identifier: Apache-2.0
"""Objects of `coreloom cc` hold machine code, which other tools read, and bitcode, which is linked.

So a program is optimised as a whole with the runtime, whether it was built by a makefile or by `coreloom
run`. zig does not pass the option on by which its linker would take the bitcode itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from coreloom.toolchain import zig
from coreloom.toolchain.elf import MAGIC, Elf

FAT = "-ffat-lto-objects"
_SECTION = ".llvm.lto"
ARCHIVE = b"!<arch>\n"
_MEMBER = 60  # bytes of its header


def preferred(inputs: Sequence[str], work: Path) -> list[str]:
    """The linker's inputs with bitcode instead of each object that has some; made in `work`."""
    taken: list[str] = []
    for number, given in enumerate(inputs):
        path = Path(given)
        content = path.read_bytes() if not given.startswith("-") and path.is_file() else b""
        if (found := _bitcode(content)) is not None:
            made = work / f"{number}-{path.stem}.o"
            made.write_bytes(found)
            taken.append(str(made))
        elif content.startswith(ARCHIVE):
            taken.append(str(_archive(content, work / f"{number}-{path.stem}")))
        else:
            taken.append(given)
    return taken


def _bitcode(content: bytes) -> bytes | None:
    """The bitcode in an object; None if it has none."""
    try:
        return Elf(content).section(_SECTION) if content.startswith(MAGIC) else None
    except ValueError:
        return None


def _archive(content: bytes, folder: Path) -> Path:
    """An archive of the same members, with bitcode."""
    folder.mkdir(exist_ok=True)  # a program may be linked again for what it turns out to use
    members = []
    for number, member in enumerate(_members(content)):
        made = folder / f"{number}.o"
        made.write_bytes(_bitcode(member) or member)
        members.append(str(made))
    archive = folder / "all.a"
    zig.run([*zig.command(), "ar", "rcs", str(archive), *members], archive.name)
    return archive


def _members(content: bytes) -> Iterator[bytes]:
    """The members of an archive, without its tables."""
    at = len(ARCHIVE)
    while at + _MEMBER <= len(content):
        name = content[at : at + 16].rstrip()
        size = int(content[at + 48 : at + 58])
        at += _MEMBER
        if name not in (b"/", b"//", b"/SYM64/", b"__.SYMDEF"):
            yield content[at : at + size]
        at += size + size % 2
