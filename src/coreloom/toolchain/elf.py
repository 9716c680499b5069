# SPDX-License-Identifier: Apache-2.0
"""Where the functions and labels of a program are, and what of it lies in memory."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from coreloom import uses
from coreloom.errors import UserError


def _opened(program: Path) -> BinaryIO:
    uses.reads()
    return program.open("rb")


def image_bytes(program: Path) -> int:
    """Size of the flat image beside an ELF file."""
    uses.reads()
    return program.with_suffix(".bin").stat().st_size


def symbols(program: Path) -> list[tuple[str, int]]:
    """Name and address of each symbol of an ELF file; none of one that is stripped."""
    with _opened(program) as file:
        table = ELFFile(file).get_section_by_name(".symtab")
        if not isinstance(table, SymbolTableSection):
            return []
        return [(symbol.name, int(symbol["st_value"])) for symbol in table.iter_symbols()]


def extents(program: Path) -> dict[str, tuple[int, int]]:
    """Address and size of each function and variable of an ELF file."""
    with _opened(program) as file:
        table = ELFFile(file).get_section_by_name(".symtab")
        if not isinstance(table, SymbolTableSection):
            return {}
        return {
            symbol.name: (int(symbol["st_value"]), int(symbol["st_size"]))
            for symbol in table.iter_symbols()
            if symbol["st_shndx"] != "SHN_UNDEF"
        }


def place(program: Path, address: int) -> str | None:
    """The function at an address, and how far in it; None if there is none."""
    with _opened(program) as file:
        table = ELFFile(file).get_section_by_name(".symtab")
        for symbol in table.iter_symbols() if isinstance(table, SymbolTableSection) else ():
            past = address - int(symbol["st_value"])
            if symbol["st_info"]["type"] == "STT_FUNC" and 0 <= past < int(symbol["st_size"]):
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
    with _opened(program) as file:
        for section in ELFFile(file).iter_sections():
            if section["sh_flags"] & SH_FLAGS.SHF_EXECINSTR:
                code, at = section.data(), int(section["sh_addr"])
                words = ((n, int.from_bytes(code[n : n + 4], "little")) for n in range(0, len(code), 4))
                found += [at + n for n, each in words if each & mask == word]
    return found


def content(program: Path, symbol: str) -> bytes:
    """Initial bytes of a variable of an object file, pointers as zeros; a UserError if it has none such."""
    with _opened(program) as file:
        elf = ELFFile(file)
        table = elf.get_section_by_name(".symtab")
        for each in table.iter_symbols() if isinstance(table, SymbolTableSection) else ():
            if each.name == symbol:
                at = each["st_value"]
                section = elf.get_section(each["st_shndx"])
                return bytes(section.data()[at : at + each["st_size"]])
    raise UserError(f"{program.name} has no symbol '{symbol}'")


def thread_local(program: Path) -> tuple[int, int]:
    """Bytes and alignment of a thread's _Thread_local variables; 0 and 1 if there are none."""
    with _opened(program) as file:
        for segment in ELFFile(file).iter_segments("PT_TLS"):
            return segment["p_memsz"], max(segment["p_align"], 1)
    return 0, 1


def flat(program: Path) -> bytes:
    """The image of an ELF file from its first address of loading on, gaps as zeros: what lies in memory."""
    with _opened(program) as file:
        elf = ELFFile(file)
        segments = [segment for segment in elf.iter_segments("PT_LOAD") if segment["p_memsz"]]
        parts = []
        for section in elf.iter_sections():
            if not section["sh_flags"] & SH_FLAGS.SHF_ALLOC or section["sh_type"] == "SHT_NOBITS":
                continue
            at = section["sh_addr"]  # an empty section counts, too: objcopy pads up to it
            for segment in segments:
                if segment["p_vaddr"] <= at <= segment["p_vaddr"] + segment["p_memsz"]:
                    parts.append((at - segment["p_vaddr"] + segment["p_paddr"], section.data()))
                    break
    if not parts:
        return b""
    first = min(at for at, _ in parts)
    image = bytearray(max(at + len(data) for at, data in parts) - first)
    for at, data in parts:
        image[at - first : at - first + len(data)] = data
    return bytes(image)
