# SPDX-License-Identifier: Apache-2.0
"""The kernel's threads for a gdb whose threads are harts, as behind OpenOCD. gdb itself runs this file.

Commands: `kernel-threads` lists them; `kernel-backtrace N` shows the calls of one that no hart runs. The
harts must be halted. A program says by its symbols where its threads are; with the hardware kernel the states
are read at the port of the chosen hart.
"""

from __future__ import annotations

from collections.abc import Iterator

import gdb  # gdb's own, no package
from gdb.unwinder import Unwinder, register_unwinder

# As in runtime/include/cl_kernel_ops.h and cl_soc_map.h; tests compare them.
PORT, OP_LSB, ID_LSB, THREAD_READ = 0xF000_0000, 12, 2, 21
STATE_MASK, CPU_LSB, CPU_MASK = 0x7, 11, 0x1F
STATES = ("free", "created", "ready", "running", "waits", "ended", "suspended")
WITH_CONTEXT = ("ready", "waits", "suspended")
_FRAME = 16  # bytes on the stack of a thread that gave way, the first word is where it goes on
_WHOLE = 64  # bytes more, if a function keeps its registers: ra and s0 to s11
_SAVED = ("s0", "s1", *(f"s{n}" for n in range(2, 12)))


def _word(address: int) -> int:
    data = gdb.selected_inferior().read_memory(address, 4)
    return int.from_bytes(bytes(data), "little")


def _symbol(name: str) -> gdb.Value | None:
    try:
        return gdb.parse_and_eval(name)
    except gdb.error:
        return None


class _Threads:
    """Those of the program that is loaded."""

    def __init__(self) -> None:
        blocks = _symbol("cl_threads")
        names = _symbol("cl_names")
        if blocks is None or names is None:
            raise gdb.GdbError("the program has no threads of Coreloom's: load it by `file PROGRAM.elf`")
        self._blocks, self._names = blocks, names
        self._software = _symbol("k_threads")
        self.count = int(names.type.range()[1]) + 1

    def name(self, number: int) -> str:
        return str(self._names[number].string()) or ("main" if number == 0 else "")

    def state(self, number: int) -> tuple[str, int | None]:
        """And the CPU, if it runs and the kernel says on which."""
        if self._software is not None:
            return STATES[int(self._software[number]["state"])], None
        word = _word(PORT | THREAD_READ << OP_LSB | number << ID_LSB)
        state = STATES[word & STATE_MASK]
        return state, (word >> CPU_LSB & CPU_MASK) if state == "running" else None

    def registers(self, number: int) -> dict[str, int]:
        """Those of a thread that gave way, as it goes on in C; empty: it has none."""
        frame = int(self._blocks[number]["sp"])
        if not frame:
            return {}
        pc, sp = _word(frame), frame + _FRAME
        at = gdb.execute(f"info symbol {pc}", to_string=True).split()[0]
        if at == "cl_thread_entry":
            return {"pc": int(gdb.parse_and_eval("(unsigned long)&cl_thread_main")), "sp": sp + 16, "ra": 0}
        if at not in ("cl_switch", "cl_hw_settle_apart"):
            return {"pc": pc, "sp": sp}
        found = {name: _word(sp + 4 + 4 * n) for n, name in enumerate(_SAVED)}
        resumes = _word(sp + 52) if at == "cl_hw_settle_apart" else _word(sp)
        return {**found, "ra": _word(sp), "pc": resumes, "sp": sp + _WHOLE}


class _FrameId:
    def __init__(self, sp: gdb.Value, pc: gdb.Value) -> None:
        self.sp, self.pc = sp, pc


class _Seam(Unwinder):  # type: ignore[misc]
    """While `registers` are set: the caller of the function that the hart runs is where they are."""

    def __init__(self) -> None:
        super().__init__("coreloom kernel threads")
        self.registers: dict[str, int] = {}

    def __call__(self, frame: gdb.PendingFrame) -> gdb.UnwindInfo | None:
        if not self.registers:
            return None
        here = _FrameId(frame.read_register("sp"), frame.read_register("pc"))
        found = frame.create_unwind_info(here)
        for name, value in self.registers.items():
            found.add_saved_register(name, gdb.Value(value).cast(frame.read_register(name).type))
        self.registers = {}  # the others are as usual
        return found


_seam = _Seam()
register_unwinder(None, _seam, replace=True)


class _List(gdb.Command):  # type: ignore[misc]
    """kernel-threads: the kernel's threads, with name, state and where they are."""

    def __init__(self) -> None:
        super().__init__("kernel-threads", gdb.COMMAND_STACK)

    def invoke(self, argument: str, from_tty: bool) -> None:
        threads = _Threads()
        for number in range(threads.count):
            state, cpu = threads.state(number)
            if state in ("free", "ended"):
                continue
            where = f"on CPU {cpu}" if cpu is not None else ""
            if state in WITH_CONTEXT and (registers := threads.registers(number)):
                where = "in " + gdb.execute(f"info symbol {registers['pc']}", to_string=True).split()[0]
            gdb.write(f"{number:3}  {threads.name(number):16} {state:10} {where}".rstrip() + "\n")


def _calls(frame: gdb.Frame | None) -> Iterator[str]:
    while frame is not None:
        place = frame.find_sal()
        line = f" at {place.symtab.filename}:{place.line}" if place.symtab else ""
        yield f"{frame.name() or hex(frame.pc())}{line}"
        frame = frame.older()


class _Backtrace(gdb.Command):  # type: ignore[misc]
    """kernel-backtrace N: the calls of kernel thread N, which no hart runs."""

    def __init__(self) -> None:
        super().__init__("kernel-backtrace", gdb.COMMAND_STACK)

    def invoke(self, argument: str, from_tty: bool) -> None:
        threads = _Threads()
        if not argument.isdecimal() or int(argument) >= threads.count:
            raise gdb.GdbError(f"give a thread from 0 to {threads.count - 1}: kernel-threads lists them")
        number = int(argument)
        state, _ = threads.state(number)
        registers = threads.registers(number) if state in WITH_CONTEXT else {}
        if not registers:
            raise gdb.GdbError(
                f"thread {number} ({state}) has not given way: `thread` chooses a hart and shows its calls"
            )
        _seam.registers = registers
        gdb.invalidate_cached_frames()
        try:
            frame = gdb.newest_frame()
            while frame.type() == gdb.INLINE_FRAME:
                frame = frame.older()
            for level, each in enumerate(_calls(frame.older())):
                gdb.write(f"#{level}  {each}\n")
        finally:
            _seam.registers = {}
            gdb.invalidate_cached_frames()


_List()
_Backtrace()
