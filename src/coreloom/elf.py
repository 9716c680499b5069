"""Where the functions and labels of a program are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from coreloom.errors import UserError


def address(program: Path, symbol: str) -> int:
    """Address of a function or label of an ELF file; a UserError if it has none of that name."""
    with program.open("rb") as file:
        table = ELFFile(file).get_section_by_name(".symtab")
        found = table.get_symbol_by_name(symbol) if isinstance(table, SymbolTableSection) else None
    if not found:
        raise UserError(f"{program.name} has no symbol '{symbol}'")
    return int(found[0]["st_value"])


def copies(program: Path, labels: Sequence[str]) -> dict[str, list[int]]:
    """Addresses of every copy (label.1, label.2 ...) of these labels; a UserError if one has none."""
    found: dict[str, list[int]] = {label: [] for label in labels}
    with program.open("rb") as file:
        table = ELFFile(file).get_section_by_name(".symtab")
        if isinstance(table, SymbolTableSection):
            for symbol in table.iter_symbols():
                label, _, number = symbol.name.rpartition(".")
                if label in found and number.isdecimal():
                    found[label].append(int(symbol["st_value"]))
    for label, addresses in found.items():
        if not addresses:
            raise UserError(f"{program.name} has no label '{label}'")
    return found
