# SPDX-License-Identifier: Apache-2.0
"""The state of a program's threads after a run, from its memory: which waits for what, and where."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from coreloom.design.address_map import place
from coreloom.simulation.places import RA, SAVED, SP, Code
from coreloom.toolchain import elf as elf_file

_CREATED, _READY, _RUNNING, _BLOCKED, _EXITED, _SUSPENDED = range(1, 7)  # of a thread, in either kernel
NAME_BYTES = 16
_BLOCK_BYTES = 16  # of a control block at least
_TP = 4  # a register
_FIRST = ("cl_thread_main", "cl_boot_main")  # of each thread
_GIVE_UP = (["abort"], ["__assert_func"])  # ends of a program by itself that are told
_LAST = ("_exit", "_Exit")  # of a program
_SWITCH_FRAME = 64  # of cl_switch, above the 16 bytes that every suspended thread has (runtime/README.md)
# A trap's frame: ra and others, pc, then the saved registers of a preempted thread. The entry's length.
_TRAP_PC, _TRAP_S0, _LOWEST, _ENTRY_BYTES = 64, 72, 16, 1024
_ADDI_SP, _JUMP = 0x10113, 0x6F  # addi sp, sp, ... and jal x0, ...
_LOAD, _ADD_CONSTANT, _LUI, _ATOMIC = 0x03, 0x13, 0x37, 0x2F  # low 7 bits of an instruction
_NO_RESULT = (0x23, 0x63)  # the same: store, branch
_BACK = 8  # instructions that are followed
_NEAR = 4096  # bytes of a stack
_SHOWN = 4  # of a list
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
        (main := symbols["__main_stack"][0]),
        symbols["__main_stack_end"][0] - main,
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
    count = symbols.get("cl_names", (0, 0))[1] // NAME_BYTES or size // _BLOCK_BYTES
    # A power of two; behind the threads' there may be others.
    return at, 1 << (size // count).bit_length() - 1, count


class Wait(NamedTuple):
    """A thread that waits for an object; kind: its place in KINDS."""

    thread: int
    kind: int
    number: int


class Core(NamedTuple):
    """A CPU at the end of a run. If it is idle, it waits as the thread that was the last there."""

    pc: int
    registers: Sequence[int]
    left: Sequence[int] | None = None  # those that it had before it went to its boot stack, if it is there


class Visit(NamedTuple):
    """An instruction that was executed with `tp`: cycles there, and the register that a load adds to."""

    tp: int
    pc: int
    cycles: int
    base: int


@dataclass
class _Span:
    """Lines of a function in which a thread was."""

    first: int = 0
    last: int = 0
    cycles: int = 0

    def add(self, line: int, cycles: int) -> None:
        self.first, self.last = min(self.first or line, line), max(self.last, line)
        self.cycles += cycles

    def __str__(self) -> str:
        return str(self.first) if self.first == self.last else f"{self.first}-{self.last}"


def _some(names: Sequence[str]) -> str:
    """The first few of them."""
    more = [f"{len(names) - _SHOWN} more"] if len(names) > _SHOWN else []
    return ", ".join([*names[:_SHOWN], *more])


@dataclass(frozen=True)
class Machine:
    """The memory of a program after a run."""

    elf: Path
    memory: bytes
    cores: Sequence[Core] = ()
    states: Mapping[int, int] = field(default_factory=dict)  # of threads, as the hardware kernel has them
    waits: Sequence[Wait] = ()  # the same: those for objects that have lists of waiters
    owners: Mapping[int, int] = field(default_factory=dict)  # mutex to thread, the same

    @cached_property
    def _symbols(self) -> dict[str, tuple[int, int]]:
        return elf_file.extents(self.elf)

    @cached_property
    def _code(self) -> Code:
        return Code(self.elf)

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
        if (thread + 1) * NAME_BYTES <= size:
            start = place(at) + thread * NAME_BYTES
            text = self.memory[start : start + NAME_BYTES].split(b"\0")[0].decode("utf-8", "replace")
        return f"thread {thread} ({text or 'main'})" if text or thread == 0 else f"thread {thread}"

    # --- who waits for what -------------------------------------------------------------------------------

    def table(self, everyone: bool = False) -> str:
        """A line for each thread that waits; everyone: and for all others that have not ended."""
        waits, owners, states = list(self.waits), dict(self.owners), dict(self.states)
        if "k_threads" in self._symbols:
            found = _Software(self, layouts(self._code.dwarf))
            waits, owners, states = found.waits(), found.owners(), found.states()
        lot = self.word(self._symbols["lot_plus_1"][0]) - 1 if "lot_plus_1" in self._symbols else -1
        by_thread = {wait.thread: wait for wait in waits}
        cpus = {self.thread_of(core.registers[_TP]): cpu for cpu, core in enumerate(self.cores)}
        does = {
            _CREATED: " has not begun",
            _READY: " is ready",
            _RUNNING: " is about to run",
            _SUSPENDED: " is suspended",
        }
        lines = []
        for thread, state in sorted(states.items()):
            if state == _BLOCKED:
                what = f" waits{self._object(by_thread.get(thread), owners, lot)}"
            elif everyone and state == _RUNNING and thread in cpus:
                what = f" runs on CPU {cpus[thread]}"
            elif everyone and state in does:
                what = does[state]
            else:
                continue
            lines.append(f"  {self.name(thread)}{what}{self.place(thread) if state != _CREATED else ''}")
        most = _blocks(self._symbols)[2]
        if sum(state in (_BLOCKED, *does) for state in states.values()) >= most:
            lines.append(
                f"  all {most} threads that the platform has are in use, and no more can be created: "
                "kernel.threads in a platform file"
            )
        return "\n".join(lines)

    def _object(self, wait: Wait | None, owners: Mapping[int, int], lot: int) -> str:
        if wait is None:
            return ""
        if wait.kind == 1 and wait.number == lot:
            return " for an object in memory"
        owner = f" of {self.name(owners[wait.number])}" if wait.kind == 2 and wait.number in owners else ""
        return f" for {KINDS[wait.kind]} {wait.number}{owner}"

    # --- what was executed at the end -----------------------------------------------------------------------

    def loops(self, visits: Iterable[Visit]) -> str:
        """A line for each thread that ran: where, in the program's own functions, and what it read."""
        by_thread: dict[int, list[Visit]] = {}
        for visit in visits:
            thread = self.thread_of(visit.tp)
            if thread is not None:
                by_thread.setdefault(thread, []).append(visit)
        lines = []
        for thread, own in sorted(by_thread.items()):
            spans: dict[tuple[str, str], _Span] = {}
            read: dict[bool, dict[str, None]] = {False: {}, True: {}}  # in the runtime, in the program
            executed = {visit.pc for visit in own}
            for visit in sorted(own, key=lambda visit: visit.pc):
                functions = self._code.functions(visit.pc)
                theirs = bool(functions and functions[0].line)
                if theirs:
                    file, _, line = functions[0].line.rpartition(":")
                    spans.setdefault((functions[0].name, file), _Span()).add(int(line), visit.cycles)
                if name := self._read(visit, executed, self._stack(thread)):
                    read[theirs][name] = None
            most = sorted(spans.items(), key=lambda each: -each[1].cycles)
            places = [f"{name} ({file}:{span})" for (name, file), span in most]
            where = _some(places) or " < ".join(self.calls(thread))
            looks = f", looks at {_some(list(read[bool(places)]))}" if read[bool(places)] else ""
            if where:
                lines.append(f"  {self.name(thread)}: {where}{looks}")
        return "\n".join(lines)

    def _stack(self, thread: int) -> range:
        """Addresses around a thread's stack pointer: what is there is its own."""
        at, stride, _ = _blocks(self._symbols)
        block = at + thread * stride
        core = next((core for core in self.cores if core.registers[_TP] == block), None)
        sp = core.registers[SP] if core else self.word(block)
        return range(sp - _NEAR, sp + _NEAR)

    def _read(self, visit: Visit, executed: Collection[int], stack: range) -> str:
        """The variable that an instruction loads, and its value now; "" if none, or on its stack."""
        instruction = self.word(visit.pc)
        if instruction & 0x7F == _LOAD:
            address = self._sum(instruction, visit.pc, visit.base, executed)
        elif instruction & 0x7F == _ATOMIC:
            address = visit.base
        else:
            return ""
        if not 0 <= place(address) < len(self.memory):
            return ""
        bits = 8 << (instruction >> 12 & 3)
        value = self.word(address & ~3) >> 8 * (address & 3) & (1 << bits) - 1
        shown = f"0x{value:x}" if value > 9 else str(value)
        if found := self._code.variable(address):
            past = f"+{address - found.address}" if address != found.address else ""
            return "" if found.ours else f"{found.name}{past} ({shown})"
        return "" if address in stack else f"0x{address:08x} ({shown})"

    def _sum(self, instruction: int, pc: int, base: int, executed: Collection[int]) -> int:
        """Register and constant of a load or an addi.

        base: the register as the harness has seen it; in a pipeline that is too early when an instruction
        just before computes it, so what these do is followed.
        """
        register = instruction >> 15 & 31
        for behind in range(pc - 4, pc - 4 * _BACK, -4):
            before = self.word(behind)
            code, source = before & 0x7F, before >> 15 & 31
            if behind not in executed or code in _NO_RESULT or before >> 7 & 31 != register:
                continue
            if code == _LUI:
                base = before & 0xFFFFF000
            elif code == _ADD_CONSTANT and before >> 12 & 7 == 0:
                base = self._sum(before, behind, base, executed)
            elif code == _LOAD and source != register:
                base = self.word(self._sum(before, behind, base, executed))
            break
        return base + ((instruction >> 20 ^ 0x800) - 0x800) & 0xFFFFFFFF

    # --- where a thread is ----------------------------------------------------------------------------------

    def place(self, thread: int, pc: int | None = None) -> str:
        """ ", in " and the functions that a thread is in, if any is known; pc: where it had a fault."""
        calls = self.calls(thread, pc)
        return f", in {' < '.join(calls)}" if calls else ""

    def calls(self, thread: int, pc: int | None = None) -> list[str]:
        """The functions that a thread is in, the innermost first, without the runtime's."""
        calls, whole = self._calls(thread, pc)
        if pc is None or whole:
            return calls
        more, whole = self._calls(thread, pc, self._trap_frame)  # which it took before it found the fault
        return more if whole else calls

    def _calls(self, thread: int, pc: int | None, taken: int = 0) -> tuple[list[str], bool]:
        """The same, and whether the thread's first function is among them; taken: bytes of its stack."""
        found: list[tuple[str, str]] = []
        whole = False
        for at in self._frames(thread, pc, taken):
            functions = self._code.functions(at)
            found += [
                (function.name, str(function))
                for function in functions
                if not function.ours and (found or function.name not in _LAST)
            ]
            if whole := any(function.name in _FIRST for function in functions):
                break
        groups = [list(group) for _, group in itertools.groupby(found, lambda each: each[0])]
        return [group[0][1] + (f" x {len(group)}" if len(group) > 1 else "") for group in groups], whole

    @cached_property
    def _trap_frame(self) -> int:
        """Bytes that a trap takes of the stack of the interrupted thread, as its first instruction says."""
        first = self.word(self._symbols.get("cl_trap_entry", (0, 0))[0])
        return (1 << 12) - (first >> 20) if first & 0xFFFFF == _ADDI_SP and first >> 31 else 0

    def _in_entry(self, pc: int) -> bool:
        entry, _ = self._symbols.get("cl_trap_entry", (0, 0))
        return self._trap_frame > 0 and entry <= pc < entry + _ENTRY_BYTES and not self._code.functions(pc)

    def _trapped(self, pc: int, registers: Mapping[int, int]) -> tuple[int, dict[int, int]] | None:
        """Pc and registers of a thread before the trap in whose entry it is."""
        if not self._in_entry(pc):
            return None
        frame = registers[SP] + (_LOWEST if self._trap_frame > _TRAP_S0 + 4 * len(SAVED) else 0)
        kept = {register: registers[register] for register in SAVED if register in registers}
        return self.word(frame + _TRAP_PC), {
            **kept,
            SP: registers[SP] + self._trap_frame,
            RA: self.word(frame),
        }

    def _frames(self, thread: int, pc: int | None = None, taken: int = 0) -> Iterator[int]:
        """An address in each function that a thread is in."""
        at, stride, _ = _blocks(self._symbols)
        block = at + thread * stride
        if core := next((core for core in self.cores if core.registers[_TP] == block), None):
            registers = core.registers if pc is None or core.left is None else core.left
            known = dict(enumerate(registers))
            known[SP] += taken
            if pc is None:
                before = self.word(core.pc - 4)
                loops = before & 0xFFF == _JUMP and (before == _JUMP or before >> 31)
                pc = core.pc - 4 if loops else core.pc  # it has decoded what stands behind a loop
            return self._code.frames(pc, known, self.word, trapped=self._trapped)
        sp = self.word(block)
        back = self.word(sp)
        known = {SP: sp + 16}
        if self._in_entry(back):  # preempted, by the hardware kernel on the standard core
            known |= {register: self.word(known[SP] + _TRAP_S0 + 4 * n) for n, register in enumerate(SAVED)}
            known[RA] = self.word(known[SP])
            back, known[SP] = self.word(known[SP] + _TRAP_PC), sp + self._trap_frame
            return self._code.frames(back, known, self.word, trapped=self._trapped)
        if back == self._symbols.get("cl_thread_entry", (0, 0))[0]:  # about to begin
            return self._code.frames(self.word(known[SP]), known, self.word, trapped=self._trapped)
        switches = [self._symbols.get(name, (0, 0)) for name in ("cl_switch", "cl_switch_in_trap")]
        apart, size = self._symbols.get("cl_hw_settle_apart", (0, 0))
        if any(start <= back < start + length for start, length in switches):
            back = self.word(known[SP])
            known |= {register: self.word(known[SP] + 4 * n) for n, register in enumerate(SAVED, 1)}
            known[SP] += _SWITCH_FRAME
        elif apart <= back < apart + size:  # called by a function without a frame, whose ra it keeps
            back, known[RA] = self.word(known[SP] + _APART_T0), self.word(known[SP])
            known[SP] += _SWITCH_FRAME
        return self._code.frames(back, known, self.word, called=True, trapped=self._trapped)


# --- the software kernel ----------------------------------------------------------------------------------


class _Layout(NamedTuple):
    """A struct: its size, and where its members are."""

    size: int
    members: dict[str, int]


def layouts(dwarf: Any) -> dict[str, _Layout]:
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

    def states(self) -> dict[int, int]:
        return {number: self._member("k_threads", at, "state") for number, at in self._rows("k_threads")}

    def waits(self) -> list[Wait]:
        blocked = {thread for thread, state in self.states().items() if state == _BLOCKED}
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


def explain(result: Mapping[str, Any], elf: Path, memory: bytes, uart: str) -> str:
    """The user's message about the end of a run, from the harness's report."""
    machine = Machine(
        elf,
        memory,
        [Core(**core) for core in result["cores"]],
        dict(result["threads"]),
        [Wait(*wait) for wait in result["waits"]],
        dict(result["owners"]),
    )
    reason, cpu = result["reason"], result.get("cpu")
    if reason == "deadlock":
        return f"deadlock: every thread is blocked and no event is pending\n{machine.table()}"
    if cpu is None:
        loops = machine.loops(Visit(*visit) for visit in result.get("visits", ()))
        rounds = result.get("recorded")
        if reason == "endless":
            what = f"livelock: the same {rounds} cycles repeat for ever, and no event is pending"
            return f"{what}\n{machine.table(everyone=True)}\neach time:\n{loops}"
        table = machine.table(everyone=True)
        return f"{table}\nin the last {rounds} cycles:\n{loops}" if loops else table
    thread = machine.thread_of(machine.cores[cpu].registers[_TP])
    if reason == "stack":
        thread = result["thread"]
    who = f"cpu {cpu}" if thread is None else f"cpu {cpu}, {machine.name(thread)}"
    pc = _fault_pc(uart) if reason == "exit" else None
    calls = [] if thread is None else machine.calls(thread, pc)
    where = f"\n  in {' < '.join(calls)}" if calls else ""
    if reason == "exit":
        return where.removeprefix("\n") if pc is not None or calls[:1] in _GIVE_UP else ""
    at = f", at pc 0x{result['pc']:08x}"
    if reason == "stack":
        deep = f"{result['used']} bytes deep in a stack of {result['bytes']}"
        return with_places(f"stack overflow: {who}{at}, {deep}", elf) + where
    if reason == "bus-error":
        return with_places(f"bus error: {who}, address 0x{result['address']:08x}{at}", elf) + where
    return f"{who} halted{at}{where}"


_FAULT = (b"fault: ", b"bus error: ", b"stack overflow: ", b"heap: ")


def tells_of_fault(line: bytes) -> bool:
    """Whether a line that a program prints may have an `at pc` for with_places."""
    return line.startswith(_FAULT)


def may_tell_of_fault(begin: bytes) -> bool:
    """The same of the beginning of a line."""
    return any(begin.startswith(fault) or fault.startswith(begin) for fault in _FAULT)


_PC = re.compile(r"^((?:fault|bus error|stack overflow): .* at pc 0x([0-9a-f]{8}))(?! \()", re.MULTILINE)


_HEAP = re.compile(r"^heap: .*", re.MULTILINE)  # of runtime/check/heap.c
_IN_PC = re.compile(r"pc 0x([0-9a-f]{8})")


def _fault_pc(uart: str) -> int | None:
    """Where the program's last line says that it had a fault."""
    last = uart.rstrip("\n").rpartition("\n")[2]
    found = _PC.match(last)
    return int(found[2], 16) if found else None


def with_places(text: str, elf: Path) -> str:
    """The text with the function behind each `at pc` of a line that tells of a fault."""

    def place(found: re.Match[str]) -> str:
        where = elf_file.place(elf, int(found[2], 16))
        return f"{found[1]} ({where})" if where else found[1]

    def function(found: re.Match[str]) -> str:
        pc = int(found[1], 16)
        functions = Code(elf).functions(pc)
        theirs = next((str(each) for each in functions if not each.ours), None)
        return theirs or elf_file.place(elf, pc) or found[0]

    text = _HEAP.sub(lambda line: _IN_PC.sub(function, line[0]), text)
    return _PC.sub(place, text)
