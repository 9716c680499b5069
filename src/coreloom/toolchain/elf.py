# SPDX-License-Identifier: Apache-2.0
"""Where the functions and labels of a program are, and what of it lies in memory.

A reader of its own for ELF files of 32 bits, little-endian, since every run needs their symbols: pyelftools,
which stuck.py reads debug information with, takes longer than the run of a short program.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import NamedTuple

from coreloom import uses
from coreloom.errors import UserError

MAGIC = b"\x7fELF"
RISCV = 243  # e_machine
_HEADER = struct.Struct("<16sHHIIIIIHHHHHH")
_SEGMENT = struct.Struct("<8I")
_SECTION = struct.Struct("<10I")
_SYMBOL = struct.Struct("<IIIBBH")
_LOAD, _TLS = 1, 7  # p_type
_SYMTAB, _NOBITS = 2, 8  # sh_type
_ALLOC, _EXEC = 2, 4  # sh_flags
_FUNC = 2  # type of a symbol
_UNDEFINED = 0  # section of a symbol


class Segment(NamedTuple):
    type: int
    offset: int
    vaddr: int
    paddr: int
    filesz: int
    memsz: int
    flags: int
    align: int


class Section(NamedTuple):
    name: str
    type: int
    flags: int
    addr: int
    offset: int
    size: int
    link: int
    data: bytes


class Symbol(NamedTuple):
    name: str
    value: int
    size: int
    type: int
    section: int


@dataclass(frozen=True)
class Elf:
    """The bytes of an ELF file. ValueError if they are none of 32 bits, little-endian."""

    content: bytes

    def __post_init__(self) -> None:
        if self.content[:7] != MAGIC + b"\x01\x01\x01" or len(self.content) < _HEADER.size:
            raise ValueError("no ELF file of 32 bits, little-endian")

    @property
    def machine(self) -> int:
        return int(_HEADER.unpack_from(self.content)[2])

    @cached_property
    def segments(self) -> list[Segment]:
        fields = _HEADER.unpack_from(self.content)
        start, size, number = fields[5], fields[9], fields[10]
        return [Segment(*_SEGMENT.unpack_from(self.content, start + n * size)) for n in range(number)]

    @cached_property
    def sections(self) -> list[Section]:
        fields = _HEADER.unpack_from(self.content)
        start, size, number, names = fields[6], *fields[11:]
        if not number:
            return []
        raw = [_SECTION.unpack_from(self.content, start + n * size) for n in range(number)]
        found = []
        for name, kind, flags, addr, offset, length, link, *_ in raw:
            data = b"" if kind == _NOBITS else self.content[offset : offset + length]
            text = self._text(raw[names][4] + name)
            found.append(Section(text, kind, flags, addr, offset, length, link, data))
        return found

    def section(self, name: str) -> bytes | None:
        return next((section.data for section in self.sections if section.name == name), None)

    @cached_property
    def symbols(self) -> list[Symbol]:
        found = []
        for section in self.sections:
            if section.type == _SYMTAB:
                names = self.sections[section.link].offset
                found += [
                    Symbol(self._text(names + name), value, size, info & 15, index)
                    for name, value, size, info, _, index in _SYMBOL.iter_unpack(section.data)
                ]
        return found

    def loaded(self) -> Iterator[tuple[int, bytes]]:
        """Address of loading and content of each section that lies in the file and in memory."""
        segments = [segment for segment in self.segments if segment.type == _LOAD and segment.memsz]
        for section in self.sections:
            if not section.flags & _ALLOC or section.type == _NOBITS:
                continue
            for segment in segments:
                if segment.vaddr <= section.addr <= segment.vaddr + segment.memsz:
                    yield section.addr - segment.vaddr + segment.paddr, section.data
                    break

    def _text(self, at: int) -> str:
        return self.content[at : self.content.index(b"\0", at)].decode("utf-8", "replace")


def read(program: Path) -> Elf:
    """The ELF file `program`. UserError if it is not one for a SoC."""
    uses.reads()
    status = program.stat()
    try:
        return _content(program, status.st_mtime_ns, status.st_size)
    except ValueError:
        raise UserError(f"{program} is no ELF file for a 32-bit processor: check the path") from None


@lru_cache(maxsize=4)  # one run asks several times
def _content(program: Path, when: int, size: int) -> Elf:
    return Elf(program.read_bytes())


def image_bytes(program: Path) -> int:
    """Size of the flat image next to an ELF file."""
    uses.reads()
    return program.with_suffix(".bin").stat().st_size


def symbols(program: Path) -> list[tuple[str, int]]:
    """Name and address of each symbol of an ELF file; none of one that is stripped."""
    return [(symbol.name, symbol.value) for symbol in read(program).symbols]


def extents(program: Path) -> dict[str, tuple[int, int]]:
    """Address and size of each function and variable of an ELF file."""
    return {
        symbol.name: (symbol.value, symbol.size)
        for symbol in read(program).symbols
        if symbol.section != _UNDEFINED
    }


def place(program: Path, address: int) -> str | None:
    """The function at an address, and how far in it; None if there is none."""
    for symbol in read(program).symbols:
        past = address - symbol.value
        if symbol.type == _FUNC and 0 <= past < symbol.size:
            return f"{symbol.name}+0x{past:x}"
    return None


def address(program: Path, symbol: str) -> int:
    """Address of a function or label of an ELF file; a UserError if it has none of that name."""
    for name, value in symbols(program):
        if name == symbol:
            return value
    raise UserError(f"{program.name} has no symbol '{symbol}'")


def copies(program: Path, labels: Sequence[str]) -> dict[str, list[int]]:
    """Addresses of every copy (label.1, label.2 ...) of these labels; a UserError if one has none."""
    found: dict[str, list[int]] = {label: [] for label in labels}
    for name, value in symbols(program):
        label, _, number = name.rpartition(".")
        if label in found and number.isdecimal():
            found[label].append(value)
    for label, addresses in found.items():
        if not addresses:
            raise UserError(f"{program.name} has no label '{label}'")
    return found


def instructions(program: Path, word: int, mask: int = 0xFFFF_FFFF) -> list[int]:
    """Addresses of an instruction of 32 bits. mask: 0 in the bits of operands that may be any."""
    found = []
    for section in read(program).sections:
        if section.flags & _EXEC:
            code, at = section.data, section.addr
            words = ((n, int.from_bytes(code[n : n + 4], "little")) for n in range(0, len(code), 4))
            found += [at + n for n, each in words if each & mask == word]
    return found


def content(program: Path, symbol: str) -> bytes:
    """Initial bytes of a variable of an object file, pointers as zeros; a UserError if it has none such."""
    elf = read(program)
    for each in elf.symbols:
        if each.name == symbol and each.section < len(elf.sections):
            section = elf.sections[each.section]
            data = section.data or bytes(section.size)
            return data[each.value : each.value + each.size]
    raise UserError(f"{program.name} has no symbol '{symbol}'")


def thread_local(program: Path) -> tuple[int, int]:
    """Bytes and alignment of a thread's _Thread_local variables; 0 and 1 if there are none."""
    for segment in read(program).segments:
        if segment.type == _TLS:
            return segment.memsz, max(segment.align, 1)
    return 0, 1


def offset(program: Path, address: int) -> int:
    """Where in the image flat() an address of the running program is."""
    elf = read(program)
    segment = next(s for s in elf.segments if s.type == _LOAD and s.vaddr <= address < s.vaddr + s.filesz)
    return address - segment.vaddr + segment.paddr - min(at for at, _ in elf.loaded())


def flat(program: Path) -> bytes:
    """The image of an ELF file from its first address of loading on, gaps as zeros: what lies in memory."""
    parts = list(read(program).loaded())
    if not parts:
        return b""
    first = min(at for at, _ in parts)
    image = bytearray(max(at + len(data) for at, data in parts) - first)
    for at, data in parts:
        image[at - first : at - first + len(data)] = data
    return bytes(image)
