# SPDX-License-Identifier: Apache-2.0
"""What a program's memory says of its threads after the end of a run: who waits for what, and where."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from elftools.elf.elffile import ELFFile

from coreloom.design.address_map import place
from coreloom.toolchain import elf as elf_file
from coreloom.toolchain import zig

_BLOCKED = 4  # state of a thread, in either kernel
_NAME_BYTES = 16
_BLOCK_BYTES = 16  # of a control block at least
_DEEPEST = 30  # calls that are followed
_RA, _SP = 1, 2  # registers
_OURS = f"{zig.PLACE}/runtime/"
_FIRST = ("cl_thread_main", "cl_boot_main")  # of each thread
_SWITCH_FRAME = 64  # of cl_switch, above the 16 bytes that every suspended thread has (runtime/README.md)
_APART_T0 = 52  # where the return address of cl_hw_settle_apart is in that
KINDS = (
    "port",
    "condition variable",
    "mutex",
    "semaphore",
    "the end of thread",
)  # as the harness counts them


def options(elf: Path) -> list[str]:
    """Options of the harness with which it watches threads; none for a program without our POSIX layer."""
    symbols = elf_file.extents(elf)
    if "cl_threads" not in symbols or "cl_switch_away" not in symbols:
        return []
    threads, stride, count = _blocks(symbols)
    pool, pool_bytes = symbols.get("cl_stacks", (0, 0))
    start, size = symbols["cl_switch_away"]
    numbers = [
        threads,
        stride,
        count,
        pool,
        pool_bytes // count,
        symbols.get("cl_given_stacks", (0, 0))[0],
        *symbols["cl_main_stack"],
        *symbols["cl_boot_stacks"],
        start,
        start + size,
    ]
    found = ["--stacks", ",".join(map(str, numbers))]
    found += ["--timers", str(symbols.get("cl_timers_count", (0, 0))[0])]
    if "cl_takes_faults" in symbols:
        found += ["--takes-faults", "1"]
    return found


def _blocks(symbols: Mapping[str, tuple[int, int]]) -> tuple[int, int, int]:
    """Where the threads' control blocks are, the bytes of one, and how many threads there can be."""
    at, size = symbols["cl_threads"]
    # The compiler drops names that no thread has.
    count = symbols.get("cl_names", (0, 0))[1] // _NAME_BYTES or size // _BLOCK_BYTES
    # A power of two; behind the threads' there may be others.
    return at, 1 << (size // count).bit_length() - 1, count


class Wait(NamedTuple):
    """A thread that waits for an object; kind: its place in KINDS."""

    thread: int
    kind: int
    number: int


class Core(NamedTuple):
    """Registers of an idle CPU, which waits as the thread that was the last there."""

    tp: int
    pc: int
    sp: int
    ra: int


@dataclass(frozen=True)
class Machine:
    """The memory of a program after a run."""

    elf: Path
    memory: bytes
    cores: Sequence[Core] = ()
    blocked: Sequence[int] = ()  # threads, as the hardware kernel has them
    waits: Sequence[Wait] = ()  # the same: those for objects that have lists of waiters
    owners: Mapping[int, int] = field(default_factory=dict)  # mutex to thread, the same

    @cached_property
    def _symbols(self) -> dict[str, tuple[int, int]]:
        return elf_file.extents(self.elf)

    @cached_property
    def _dwarf(self) -> Any:
        with self.elf.open("rb") as file:
            return ELFFile(file, None).get_dwarf_info()

    def word(self, address: int) -> int:
        """A word of the memory; 0 outside of it."""
        at = place(address)
        return int.from_bytes(self.memory[at : at + 4], "little") if 0 <= at < len(self.memory) else 0

    def thread_of(self, tp: int) -> int | None:
        """The thread whose control block tp points to."""
        at, stride, count = _blocks(self._symbols)
        return (tp - at) // stride if at <= tp < at + stride * count else None

    def name(self, thread: int) -> str:
        """How a thread is called in messages: its number, and its name if it has one."""
        at, size = self._symbols.get("cl_names", (0, 0))
        text = ""
        if (thread + 1) * _NAME_BYTES <= size:
            start = place(at) + thread * _NAME_BYTES
            text = self.memory[start : start + _NAME_BYTES].split(b"\0")[0].decode("utf-8", "replace")
        return f"thread {thread} ({text or 'main'})" if text or thread == 0 else f"thread {thread}"

    # --- who waits for what -------------------------------------------------------------------------------

    def table(self) -> str:
        """A line for each thread that waits."""
        waits, owners = list(self.waits), dict(self.owners)
        threads = set(self.blocked)
        if "k_threads" in self._symbols:
            found = _Software(self, _layouts(self._dwarf))
            waits, owners, threads = found.waits(), found.owners(), found.blocked()
        lot = self.word(self._symbols["lot_plus_1"][0]) - 1 if "lot_plus_1" in self._symbols else -1
        by_thread = {wait.thread: wait for wait in waits}
        return "\n".join(
            f"  {self.name(thread)} waits{self._object(by_thread.get(thread), owners, lot)}"
            f"{self._place(thread)}"
            for thread in sorted(threads)
        )

    def _object(self, wait: Wait | None, owners: Mapping[int, int], lot: int) -> str:
        if wait is None:
            return ""
        if wait.kind == 1 and wait.number == lot:
            return " for an object in memory"
        owner = f" of {self.name(owners[wait.number])}" if wait.kind == 2 and wait.number in owners else ""
        return f" for {KINDS[wait.kind]} {wait.number}{owner}"

    # --- where a thread is ----------------------------------------------------------------------------------

    def _place(self, thread: int) -> str:
        calls = self.calls(thread)
        return f", in {' < '.join(calls)}" if calls else ""

    def calls(self, thread: int) -> list[str]:
        """The functions that a suspended thread is in, the innermost first, without those of the runtime."""
        found: list[str] = []
        for pc in self._frames(thread):
            functions = _functions(self._dwarf, pc)
            found += [function.name for function in functions if not function.ours]
            if any(function.name in _FIRST for function in functions):
                break
        return [name for name, _ in itertools.groupby(found)]

    def _frames(self, thread: int) -> Iterator[int]:
        """An address in each function that a suspended thread is in."""
        at, stride, _ = _blocks(self._symbols)
        block = at + thread * stride
        ra = 0
        if core := next((core for core in self.cores if core.tp == block), None):
            pc, sp, ra = core.pc + 1, core.sp, core.ra
        else:
            sp = self.word(block)
            pc = self.word(sp)
            sp += 16
            start, length = self._symbols.get("cl_switch", (0, 0))
            apart, size = self._symbols.get("cl_hw_settle_apart", (0, 0))
            if start <= pc < start + length:
                pc = self.word(sp)
                sp += _SWITCH_FRAME
            elif apart <= pc < apart + size:  # called by a function without a frame, whose ra it keeps
                pc, ra = self.word(sp + _APART_T0), self.word(sp)
                sp += _SWITCH_FRAME
        for _ in range(_DEEPEST):
            yield pc - 1  # in the call, which may be the function's last instruction
            row = _unwinding(self._dwarf, pc - 1)
            if row is None or row["cfa"].reg != _SP:
                return
            cfa = sp + row["cfa"].offset
            if _RA not in row and not ra:
                return
            pc, sp, ra = self.word(cfa + row[_RA].arg) if _RA in row else ra, cfa, 0


def _unwinding(dwarf: Any, pc: int) -> dict[Any, Any] | None:
    """How to find the caller of the function at an address."""
    for entry in dwarf.CFI_entries() if dwarf.has_CFI() else ():
        start = entry.header.get("initial_location")
        if start and start <= pc < start + entry.header["address_range"]:
            rows = [row for row in entry.get_decoded().table if row["pc"] <= pc]
            return rows[-1] if rows else None
    return None


class _Function(NamedTuple):
    """A function; ours: it is inside the runtime, and no name that a program uses."""

    name: str
    ours: bool


def _file_of(die: Any) -> str:
    """The source file of a function."""
    program = die.dwarfinfo.line_program_for_CU(die.cu)
    if program is None or "DW_AT_decl_file" not in die.attributes:
        return ""
    shift = (
        0 if program.header.version >= 5 else 1
    )  # before DWARF 5 files count from 1, folder 0 is the unit's
    entry = program.header.file_entry[die.attributes["DW_AT_decl_file"].value - shift]
    folders = program.header.include_directory
    base = die.cu.get_top_DIE().attributes["DW_AT_comp_dir"].value.decode()
    folder = folders[entry.dir_index - shift].decode() if entry.dir_index >= shift else base
    return str(Path(base) / folder / entry.name.decode())


def _functions(dwarf: Any, pc: int) -> list[_Function]:
    """The functions whose code is at an address, with those that are inlined there, the innermost first."""
    ranges = dwarf.range_lists()

    def covers(die: Any, base: int) -> bool:
        attributes = die.attributes
        if "DW_AT_low_pc" in attributes and "DW_AT_high_pc" in attributes:
            low, high = attributes["DW_AT_low_pc"].value, attributes["DW_AT_high_pc"]
            return bool(low <= pc < (high.value if high.form == "DW_FORM_addr" else low + high.value))
        if "DW_AT_ranges" not in attributes:
            return False
        for entry in ranges.get_range_list_at_offset(attributes["DW_AT_ranges"].value, cu=die.cu):
            if hasattr(entry, "base_address"):
                base = entry.base_address
            elif base + entry.begin_offset <= pc < base + entry.end_offset:
                return True
        return False

    def function(die: Any) -> _Function | None:
        while "DW_AT_abstract_origin" in die.attributes:
            die = die.get_DIE_from_attribute("DW_AT_abstract_origin")
        if "DW_AT_name" not in die.attributes:
            return None
        name = die.attributes["DW_AT_name"].value.decode()
        hidden = "DW_AT_external" not in die.attributes or name.startswith("cl_")
        return _Function(name, hidden and _file_of(die).startswith(_OURS))

    def inside(die: Any, base: int) -> list[_Function]:
        for child in die.iter_children():
            if child.tag == "DW_TAG_lexical_block" and covers(child, base):
                return inside(child, base)
            if child.tag == "DW_TAG_inlined_subroutine" and covers(child, base):
                return [*inside(child, base), *filter(None, [function(child)])]
        return []

    for unit in dwarf.iter_CUs():
        top = unit.get_top_DIE()
        base = top.attributes["DW_AT_low_pc"].value if "DW_AT_low_pc" in top.attributes else 0
        for die in top.iter_children():
            if die.tag == "DW_TAG_subprogram" and covers(die, base):
                return [*inside(die, base), *filter(None, [function(die)])]
    return []


# --- the software kernel ----------------------------------------------------------------------------------


class _Layout(NamedTuple):
    """A struct: its size, and where its members are."""

    size: int
    members: dict[str, int]


def _layouts(dwarf: Any) -> dict[str, _Layout]:
    """The structs of the software kernel, by the names of its tables."""
    wanted = {
        "k_thread": "k_threads",
        "k_mutex": "k_mutexes",
        "k_semaphore": "k_semaphores",
        "k_condition": "k_conditions",
        "k_port": "k_ports",
    }
    found: dict[str, _Layout] = {}
    for unit in dwarf.iter_CUs():
        for die in unit.get_top_DIE().iter_children():
            if die.tag not in ("DW_TAG_structure_type", "DW_TAG_typedef"):
                continue
            name = die.attributes["DW_AT_name"].value.decode() if "DW_AT_name" in die.attributes else ""
            if name not in wanted:
                continue
            if die.tag == "DW_TAG_typedef":
                if "DW_AT_type" not in die.attributes:
                    continue
                die = die.get_DIE_from_attribute("DW_AT_type")
            if "DW_AT_byte_size" not in die.attributes:
                continue
            members = {
                child.attributes["DW_AT_name"].value.decode(): child.attributes[
                    "DW_AT_data_member_location"
                ].value
                for child in die.iter_children()
                if child.tag == "DW_TAG_member" and "DW_AT_name" in child.attributes
            }
            found[wanted[name]] = _Layout(die.attributes["DW_AT_byte_size"].value, members)
    return found


@dataclass(frozen=True)
class _Software:
    """The software kernel's tables in the memory."""

    machine: Machine
    layouts: Mapping[str, _Layout]

    def _rows(self, table: str) -> Iterator[tuple[int, int]]:
        """Number and address of each row of a table; none if the program does not use it."""
        at, size = self.machine._symbols.get(table, (0, 0))
        if table in self.layouts:
            for number in range(size // self.layouts[table].size):
                yield number, at + number * self.layouts[table].size

    def _member(self, table: str, address: int, member: str) -> int:
        return self.machine.word(address + self.layouts[table].members[member])

    def _thread(self, address: int) -> int:
        return (address - self.machine._symbols["k_threads"][0]) // self.layouts["k_threads"].size

    def blocked(self) -> set[int]:
        return {
            number
            for number, at in self._rows("k_threads")
            if self._member("k_threads", at, "state") == _BLOCKED
        }

    def waits(self) -> list[Wait]:
        blocked = self.blocked()
        found = []
        lists = (("k_ports", "senders"), ("k_conditions", "waiters"), ("k_mutexes", "waiters"))
        for kind, (table, member) in enumerate((*lists, ("k_semaphores", "waiters"))):
            for number, at in self._rows(table):
                waiter = self._member(table, at, member)
                while waiter and self._thread(waiter) in blocked:
                    found.append(Wait(self._thread(waiter), kind, number))
                    waiter = self._member("k_threads", waiter, "next")
                    if len(found) > 4096:
                        break
        for number, at in self._rows("k_threads"):
            joiner = self._member("k_threads", at, "joiner")
            if joiner and self._thread(joiner) in blocked and self._member("k_threads", at, "state"):
                found.append(Wait(self._thread(joiner), len(KINDS) - 1, number))
        return found

    def owners(self) -> dict[int, int]:
        owners = ((number, self._member("k_mutexes", at, "owner")) for number, at in self._rows("k_mutexes"))
        return {number: self._thread(owner) for number, owner in owners if owner}


_FAULT = (b"fault: ", b"bus error: ", b"stack overflow: ")


def tells_of_fault(line: bytes) -> bool:
    """Whether a line that a program prints may have an `at pc` for with_places."""
    return line.startswith(_FAULT)


_PC = re.compile(r"^((?:fault|bus error|stack overflow): .* at pc 0x([0-9a-f]{8}))(?! \()", re.MULTILINE)


def with_places(text: str, elf: Path) -> str:
    """The text with the function behind each `at pc` of a line that tells of a fault."""

    def place(found: re.Match[str]) -> str:
        where = elf_file.place(elf, int(found[2], 16))
        return f"{found[1]} ({where})" if where else found[1]

    return _PC.sub(place, text)
