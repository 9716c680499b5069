# SPDX-License-Identifier: Apache-2.0
"""The kernel's threads while the time stands still: which there are, their names and registers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from elftools.elf.elffile import ELFFile

from coreloom.design import spec
from coreloom.design.address_map import ROM_BASE, ROM_BYTES
from coreloom.simulation.gdb.harness import Cpu
from coreloom.simulation.stuck import NAME_BYTES, _blocks, layouts
from coreloom.toolchain import elf as elf_file
from coreloom.toolchain import zig

PC = 32  # as gdb counts registers: behind x0 to x31
_RA, _SP, _GP, _TP, _A0 = 1, 2, 3, 4, 10
_SAVED = (8, 9, *range(18, 28))  # s0 to s11
# States of a thread, in either kernel: one that is free or created or has ended has no context.
HAS_CONTEXT = {2: "ready", 3: "running", 4: "waits", 6: "suspended"}
_ASSEMBLY = f"{zig.PLACE}/runtime/arch/"
_STORED = 12  # bytes of cl_switch_away until a thread is saved
_SWITCHES = (  # functions that end in a switch, in the order in which they are, and what follows them
    *("cl_switch", "cl_hw_settle_apart", "cl_switch_by", "cl_switch_in_trap", "cl_thread_entry"),
    "cl_switch_end",
)
_BOOT = "cl_start"  # code after it is not a trap

Registers = dict[int, int]  # those whose values are known
Memory = Callable[[int, int], bytes | None]


@dataclass
class Context:
    """Registers of a suspended thread: their values, or where in the memory they are."""

    word: Callable[[int], int]
    values: Registers = field(default_factory=dict)
    places: dict[int, int] = field(default_factory=dict)

    def registers(self) -> Registers:
        return {**self.values, **{register: self.word(place) for register, place in self.places.items()}}


@dataclass(frozen=True)
class Program:
    """The debugger's knowledge of a program; all of it is empty for one without our POSIX layer."""

    elf: Path
    memory: Memory = field(repr=False)

    @cached_property
    def symbols(self) -> dict[str, tuple[int, int]]:
        return elf_file.extents(self.elf)

    @cached_property
    def _dwarf(self) -> Any:
        with self.elf.open("rb") as file:
            return ELFFile(file, None).get_dwarf_info()

    @cached_property
    def blocks(self) -> tuple[int, int, int]:
        """Where the control blocks are, the bytes of one, and how many threads there can be."""
        return _blocks(self.symbols) if "cl_threads" in self.symbols else (0, 0, 0)

    @cached_property
    def assembly(self) -> list[tuple[int, int]]:
        """Ranges of the code that switches threads and enters and leaves traps."""
        found = []
        for unit in self._dwarf.iter_CUs():
            top = unit.get_top_DIE().attributes
            if "DW_AT_name" not in top or not top["DW_AT_name"].value.decode().startswith(_ASSEMBLY):
                continue
            if "DW_AT_ranges" in top:
                base = 0
                lists = self._dwarf.range_lists()
                for entry in lists.get_range_list_at_offset(top["DW_AT_ranges"].value, cu=unit):
                    if hasattr(entry, "base_address"):
                        base = entry.base_address
                    else:
                        found.append((base + entry.begin_offset, base + entry.end_offset))
            elif "DW_AT_low_pc" in top:
                low, high = top["DW_AT_low_pc"].value, top["DW_AT_high_pc"]
                found.append((low, high.value if high.form == "DW_FORM_addr" else low + high.value))
        return sorted(found)

    @cached_property
    def traps(self) -> list[tuple[int, int]]:
        """Of these: where a thread comes only by a trap."""
        boot = self.symbols.get(_BOOT, (0, 0))[0]
        switch = self.symbols.get("cl_switch_away", (0, 0))[0]
        found = []
        for low, high in self.assembly:
            if low <= boot < high:
                found.append((low, boot))
            elif not low <= switch < high:
                found.append((low, high))
        next_one = self._next_in_trap
        if next_one:
            inside = [each for each in found if each[0] < next_one.start < each[1]]
            found += [(next_one.stop, high) for _, high in inside]
            found = [(low, next_one.start) if (low, high) in inside else (low, high) for low, high in found]
        return sorted(each for each in found if each[0] < each[1])

    @cached_property
    def _next_in_trap(self) -> range:
        """With two banks of registers: the end of a trap's code, which runs as the next thread already."""
        start = self.symbols.get("cl_switch_from_trap", (0, 0))[0]
        ends = (at for name, at in elf_file.symbols(self.elf) if name == "go_on" and at > start)
        return range(start, min(ends)) if start else range(0)

    def prepare(self) -> None:
        """Reads what takes long, before a gdb that waits for answers comes."""
        _ = self.traps, self._software

    # --- threads ------------------------------------------------------------------------------------------

    def word(self, address: int) -> int:
        data = self.memory(address, 4)
        return 0 if data is None else int.from_bytes(data, "little")

    def name(self, thread: int) -> str:
        """The name of a thread; empty if it has none."""
        at, size = self.symbols.get("cl_names", (0, 0))
        text = b""
        if (thread + 1) * NAME_BYTES <= size:
            text = (self.memory(at + thread * NAME_BYTES, NAME_BYTES) or b"").split(b"\0")[0]
        return text.decode("utf-8", "replace") or ("main" if thread == 0 else "")

    def states(self, hardware: list[int]) -> dict[int, int]:
        """The states of the threads; `hardware`: those in the hardware kernel."""
        count = self.blocks[2]
        if not self._software:
            return dict(enumerate(hardware[:count]))
        at, step, state = self._software
        return {number: self.word(at + number * step + state) for number in range(count)}

    @cached_property
    def _software(self) -> tuple[int, int, int] | None:
        """The software kernel's table of threads: where, the bytes of a row, and where in it the state is."""
        if "k_threads" not in self.symbols:
            return None
        layout = layouts(self._dwarf)["k_threads"]
        return self.symbols["k_threads"][0], layout.size, layout.members["state"]

    def in_switch(self, thread: int, pc: int) -> bool:
        """Whether a CPU at pc has stored the thread's registers, or not loaded all of them yet."""
        away, size = self.symbols.get("cl_switch_away", (0, 0))
        if away + _STORED <= pc < away + size or pc in self._next_in_trap:
            return True
        at, stride, _ = self.blocks
        resumes = self.word(self.word(at + thread * stride))
        if not any(low <= resumes < high and low <= pc < high for low, high in self.assembly):
            return False
        ends = (self.symbols[name][0] for name in _SWITCHES if name in self.symbols)
        return resumes <= pc < min((end for end in ends if end > resumes), default=resumes)

    def suspended(self, thread: int) -> Context:
        """Where the registers of a thread are that gave way, as they will be when it goes on in C."""
        at, stride, _ = self.blocks
        block = at + thread * stride
        frame = self.word(block)
        if not frame:
            return Context(self.word)
        pc, sp = self.word(frame), frame + 16
        found = Context(self.word, {0: 0, _GP: 0, _TP: block})

        def inside(name: str) -> bool:
            start, size = self.symbols.get(name, (0, 0))
            return start <= pc < start + size

        if pc == self.symbols.get("cl_thread_entry", (0, 0))[0]:
            # It is new: shown where its C code begins, which nobody has called.
            found.places |= {_A0: sp, _A0 + 1: sp + 4}
            found.values |= {_RA: 0, _SP: sp + 16, PC: self.symbols.get("cl_thread_main", (pc, 0))[0]}
        elif inside("cl_switch") or inside("cl_hw_settle_apart"):
            found.places |= {register: sp + 4 + 4 * n for n, register in enumerate(_SAVED)}
            found.places |= {_RA: sp, PC: sp}
            found.values[_SP] = sp + 64
            if inside("cl_hw_settle_apart"):
                found.places |= {PC: sp + 52, _A0 + 1: sp + 56}
        else:  # in place: nothing else is in use
            found.values |= {_SP: sp, PC: pc}
        return found


@dataclass(frozen=True)
class Far:
    """The debugger's knowledge of processor 1 behind a Back-Door: of its loader, which runs there first."""

    loader: Path

    @cached_property
    def _symbols(self) -> dict[str, tuple[int, int]]:
        return elf_file.extents(self.loader)

    @property
    def end(self) -> int:
        """Where the loader comes when a program has ended."""
        return self._symbols["cl_loader_end"][0]

    def commands(self) -> list[tuple[str, int, int]]:
        """What the harness is told: the loader's code shows in no step, and it has the interrupts."""
        symbols = self._symbols
        # Where interrupts begin: the table of vectors, or for the economy core one place.
        traps, size = (symbols["vectors"][0], 4 * 32) if "vectors" in symbols else (ROM_BASE + 0x10, 4)
        fault = spec.backdoor().enums["state"]["fault"].code
        return [
            ("hide", ROM_BASE, ROM_BASE + ROM_BYTES),
            ("trap", traps, traps + size),
            ("end", symbols["cl_start"][0], 0),
            ("end", self.end, 0),
            ("fault", self.end, fault),
        ]

    @staticmethod
    def signal(cause: int) -> int:
        """For a cause that the loader tells."""
        name = next(name for name, (code, _) in spec.backdoor().enums["cause"].items() if code == cause)
        return {"illegal": 4, "breakpoint": 5, "alignment": 10}.get(name, 11)

    @staticmethod
    def loads(pc: int) -> bool:
        """Whether no program runs there."""
        return 0 <= pc - ROM_BASE < ROM_BYTES


def running(cpu: Cpu) -> Registers:
    """The registers of what a CPU runs."""
    return {**dict(enumerate(cpu.registers)), PC: cpu.pc}
