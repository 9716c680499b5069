# SPDX-License-Identifier: Apache-2.0
"""Where the functions and labels of a program are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from coreloom.errors import UserError


def symbols(program: Path) -> list[tuple[str, int]]:
    """Name and address of each symbol of an ELF file; none of one that is stripped."""
    with program.open("rb") as file:
        table = ELFFile(file).get_section_by_name(".symtab")
        if not isinstance(table, SymbolTableSection):
            return []
        return [(symbol.name, int(symbol["st_value"])) for symbol in table.iter_symbols()]


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
