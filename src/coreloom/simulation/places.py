# SPDX-License-Identifier: Apache-2.0
"""A program's place in the source, and its callers, from an ELF file's debugging information."""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple

from coreloom.toolchain import zig

RA, SP = 1, 2  # registers
SAVED = (8, 9, *range(18, 28))  # those that a called function keeps
_OURS = f"{zig.PLACE}/runtime/"
_BOUNDS = (("DW_AT_count", 0), ("DW_AT_upper_bound", 1))
_DEEPEST = 1000  # calls that are followed


class Function(NamedTuple):
    """A function at an address."""

    name: str
    line: str  # FILE:LINE in it; "" in the runtime
    ours: bool  # it is inside the runtime, and no name that a program uses

    def __str__(self) -> str:
        return f"{self.name} ({self.line})" if self.line else self.name


class Variable(NamedTuple):
    """A variable of the program, or ours: of the runtime."""

    address: int
    size: int
    name: str
    ours: bool


@dataclass(frozen=True)
class Code:
    """The code of a program."""

    elf: Path

    @cached_property
    def dwarf(self) -> Any:
        from elftools.elf.elffile import ELFFile  # takes a tenth of the time of a short run

        with self.elf.open("rb") as file:
            return ELFFile(file, None).get_dwarf_info()

    # --- callers ------------------------------------------------------------------------------------------

    def frames(
        self,
        pc: int,
        registers: Mapping[int, int],
        word: Callable[[int], int],
        *,
        called: bool = False,
        trapped: Callable[[int, Mapping[int, int]], tuple[int, dict[int, int]] | None],
    ) -> Iterator[int]:
        """An address in each function that has been called, the innermost first.

        registers: those known, of which the stack pointer is one; word: a word of the memory. called: pc is
        where a call returns to, which may be behind the function's last instruction. trapped: of an address
        in a trap's entry and registers there, those that were interrupted.
        """
        known = dict(registers)
        pc -= called
        for depth in range(_DEEPEST):
            yield pc
            row = self._unwinding(pc)
            if row is None and (before := trapped(pc, known)):
                pc, known = before
                continue
            if row is None:
                # A call to where no function is has left nothing but its return address.
                if depth == 0 and not called and not self.functions(pc) and known.get(RA):
                    pc = known.pop(RA) - 1
                    continue
                return
            if row["cfa"].reg not in known:
                return
            cfa = known[row["cfa"].reg] + row["cfa"].offset
            if RA in row and row[RA].type != "OFFSET":
                return
            back = word(cfa + row[RA].arg) if RA in row else known.get(RA, 0)
            if not back:
                return
            pc = back - 1
            for register in SAVED:
                if register in row and row[register].type == "OFFSET":
                    known[register] = word(cfa + row[register].arg)
            known.pop(RA, None)
            known[SP] = cfa

    @cached_property
    def _descriptions(self) -> list[tuple[int, int, Any]]:
        """First and last address of what an entry of the frame information is about, and the entry."""
        entries = self.dwarf.CFI_entries() if self.dwarf.has_CFI() else ()
        return sorted(
            (
                (start, start + entry.header["address_range"], entry)
                for entry in entries
                if (start := entry.header.get("initial_location"))
            ),
            key=lambda each: each[:2],
        )

    def _unwinding(self, pc: int) -> dict[Any, Any] | None:
        """How to find the caller of the function at an address."""
        at = bisect.bisect_right(self._descriptions, pc, key=lambda each: each[0]) - 1
        if at < 0 or pc >= self._descriptions[at][1]:
            return None
        rows = [row for row in self._descriptions[at][2].get_decoded().table if row["pc"] <= pc]
        return rows[-1] if rows else None

    # --- what is there --------------------------------------------------------------------------------------

    @cached_property
    def _ranges(self) -> list[tuple[int, int, Any]]:
        """First and last address of each part of a function, and its entry."""
        found = []
        for unit in self.dwarf.iter_CUs():
            for die in unit.get_top_DIE().iter_children():
                if die.tag == "DW_TAG_subprogram":
                    # Functions that the linker has left out are at 0.
                    found += [(low, high, die) for low, high in self._parts(die) if low]
        return sorted(found, key=lambda each: each[:2])

    def _parts(self, die: Any) -> list[tuple[int, int]]:
        """The addresses of a function, or of a part of one."""
        attributes = die.attributes
        if "DW_AT_low_pc" in attributes and "DW_AT_high_pc" in attributes:
            low, high = attributes["DW_AT_low_pc"].value, attributes["DW_AT_high_pc"]
            return [(low, high.value if high.form == "DW_FORM_addr" else low + high.value)]
        if "DW_AT_ranges" not in attributes:
            return []
        of_unit = die.cu.get_top_DIE().attributes
        base = of_unit["DW_AT_low_pc"].value if "DW_AT_low_pc" in of_unit else 0
        parts = []
        for entry in self.dwarf.range_lists().get_range_list_at_offset(
            attributes["DW_AT_ranges"].value, die.cu
        ):
            if hasattr(entry, "base_address"):
                base = entry.base_address
            else:
                parts.append((base + entry.begin_offset, base + entry.end_offset))
        return parts

    def functions(self, pc: int) -> list[Function]:
        """The functions at an address: those inlined there, the innermost first, then the one they are in."""
        at = bisect.bisect_right(self._ranges, pc, key=lambda each: each[0]) - 1
        if at < 0 or pc >= self._ranges[at][1]:
            return []
        outer = self._ranges[at][2]
        chain = [outer]
        while (child := self._inlined(chain[-1], pc)) is not None:
            chain.append(child)
        found = []
        place = self._line(outer.cu, pc)
        for die in reversed(chain):
            origin = _origin(die)
            if "DW_AT_name" in origin.attributes:
                name = origin.attributes["DW_AT_name"].value.decode()
                declared = origin.attributes.get("DW_AT_decl_file")
                ours = declared is not None and _file(origin.cu, declared.value).startswith(_OURS)
                hidden = "DW_AT_external" not in origin.attributes or name.startswith("cl_")
                found.append(Function(name, "" if ours else place, hidden and ours))
            if "DW_AT_call_line" in die.attributes:
                file = _file(die.cu, die.attributes["DW_AT_call_file"].value)
                place = f"{Path(file).name}:{die.attributes['DW_AT_call_line'].value}"
        return found

    def _inlined(self, die: Any, pc: int) -> Any:
        """The function that is inlined into this one, or this block, at an address."""
        for child in die.iter_children():
            if child.tag not in ("DW_TAG_lexical_block", "DW_TAG_inlined_subroutine"):
                continue
            if any(low <= pc < high for low, high in self._parts(child)):
                return child if child.tag == "DW_TAG_inlined_subroutine" else self._inlined(child, pc)
        return None

    def begins(self, prefix: str) -> list[tuple[str, int]]:
        """Each place where a function of such a name begins, inlined or not, by address; the outer of two."""

        def of(die: Any) -> Iterator[tuple[str, int]]:
            name = _name(die)
            if name.startswith(prefix) and (parts := self._parts(die)):
                yield name, min(low for low, _ in parts)
                return
            for child in die.iter_children():
                if child.tag in ("DW_TAG_lexical_block", "DW_TAG_inlined_subroutine"):
                    yield from of(child)

        found = {each for _, _, die in self._ranges for each in of(die)}
        return sorted(found, key=lambda each: each[1])

    @cached_property
    def names(self) -> set[str]:
        """The functions that there are, inlined ones too."""
        kinds = ("DW_TAG_subprogram", "DW_TAG_inlined_subroutine")
        return {_name(each) for _, _, die in self._ranges for each in _all(die) if each.tag in kinds}

    def _line(self, unit: Any, pc: int) -> str:
        """FILE:LINE of an address in a unit; "" if that is not known."""
        lines = _lines(unit)
        at = bisect.bisect_right(lines, pc, key=lambda each: each[0]) - 1
        return lines[at][2] if at >= 0 and pc < lines[at][1] else ""

    @cached_property
    def _variables(self) -> list[Variable]:
        """Those of all files, by address."""
        from elftools.dwarf.dwarf_expr import DWARFExprParser

        found = []
        for unit in self.dwarf.iter_CUs():
            for die in _all(unit.get_top_DIE()):
                where = die.attributes.get("DW_AT_location")
                if die.tag != "DW_TAG_variable" or where is None or where.form != "DW_FORM_exprloc":
                    continue
                first, *more = DWARFExprParser(unit.structs).parse_expr(where.value)
                if first.op_name not in ("DW_OP_addr", "DW_OP_addrx"):
                    continue
                at = first.args[0]
                if first.op_name == "DW_OP_addrx":
                    at = unit.dwarfinfo.get_addr(unit, at)
                at += sum(each.args[0] for each in more if each.op_name == "DW_OP_plus_uconst")
                origin = _origin(die)
                if at and "DW_AT_name" in origin.attributes:
                    file = origin.attributes.get("DW_AT_decl_file")
                    ours = file is not None and _file(origin.cu, file.value).startswith(_OURS)
                    found.append(
                        Variable(at, _size(origin), origin.attributes["DW_AT_name"].value.decode(), ours)
                    )
        return sorted(found)

    def variable(self, address: int) -> Variable | None:
        """The variable at an address."""
        at = bisect.bisect_right(self._variables, address, key=lambda each: each.address) - 1
        found = self._variables[at] if at >= 0 else None
        return found if found and address < found.address + found.size else None


def _all(die: Any) -> Iterator[Any]:
    """An entry and all below it."""
    yield die
    for child in die.iter_children():
        yield from _all(child)


def _origin(die: Any) -> Any:
    """The entry that says what another one is."""
    for name in ("DW_AT_abstract_origin", "DW_AT_specification"):
        if name in die.attributes:
            return _origin(die.get_DIE_from_attribute(name))
    return die


def _name(die: Any) -> str:
    """The name of a function; "" without one."""
    named = _origin(die).attributes.get("DW_AT_name")
    return "" if named is None else str(named.value.decode())


def _size(die: Any) -> int:
    """Bytes of a type, or of a variable."""
    if "DW_AT_byte_size" in die.attributes:
        return int(die.attributes["DW_AT_byte_size"].value)
    if "DW_AT_type" not in die.attributes:
        return 4
    size = _size(die.get_DIE_from_attribute("DW_AT_type"))
    for bound in die.iter_children() if die.tag == "DW_TAG_array_type" else ():
        counts = [bound.attributes[name].value + past for name, past in _BOUNDS if name in bound.attributes]
        size *= counts[0] if counts and isinstance(counts[0], int) else 1
    return size


@cache
def _lines(unit: Any) -> list[tuple[int, int, str]]:
    """First and last address of each part of a line of a unit, and FILE:LINE."""
    program = unit.dwarfinfo.line_program_for_CU(unit)
    found = []
    before = None
    for entry in program.get_entries() if program else ():
        state = entry.state
        if state is None or (state.line == 0 and not state.end_sequence):  # of no line: as before
            continue
        if before is not None and before.address < state.address:
            place = f"{Path(_file(unit, before.file)).name}:{before.line}"
            found.append((before.address, state.address, place))
        before = None if state.end_sequence else state
    return sorted(found)


def _file(unit: Any, number: int) -> str:
    """A source file of a unit."""
    program = unit.dwarfinfo.line_program_for_CU(unit)
    if program is None:
        return ""
    shift = int(program.header.version < 5)  # then files count from 1, and folder 0 is the unit's
    entry = program.header.file_entry[number - shift]
    folders = program.header.include_directory
    base = unit.get_top_DIE().attributes["DW_AT_comp_dir"].value.decode()
    folder = folders[entry.dir_index - shift].decode() if entry.dir_index >= shift else base
    return str(Path(base) / folder / entry.name.decode())
