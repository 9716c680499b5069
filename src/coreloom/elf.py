"""Where the functions and labels of a program are."""

from __future__ import annotations

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
