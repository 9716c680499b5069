# SPDX-License-Identifier: Apache-2.0
"""A debugger at the JTAG port of cl_debug, see rtl/debug/tb, and what it does by the registers there."""

from __future__ import annotations

import dataclasses
import subprocess
from functools import cache
from pathlib import Path
from types import TracebackType

from coreloom.design import manifest
from coreloom.paths import RTL
from coreloom.toolchain import verilate

CLOCKS = 4  # cycles of the clock in half a period of TCK: eight in a period, the fewest
IDCODE, DTMCS, DMI, BYPASS = 0x01, 0x10, 0x11, 0x1F
DATA0, DMCONTROL, DMSTATUS, HARTINFO, ABSTRACTCS, COMMAND, ABSTRACTAUTO = (
    4,
    0x10,
    0x11,
    0x12,
    0x16,
    0x17,
    0x18,
)
PROGBUF0, HALTSUM0 = 0x20, 0x40
BUSY, CANNOT, TRAP, NOT_HALTED = 1, 2, 3, 4  # errors of a command
HALTREQ, RESUMEREQ, ACK_RESET, NDMRESET, ACTIVE = 1 << 31, 1 << 30, 1 << 28, 2, 1
S0, S1 = 8, 9
DCSR, DPC = 0x7B0, 0x7B1
EBREAK = 0x00100073


@cache
def model(harts: int, text: str | None = None, where: Path | None = None) -> Path:
    """Harts around cl_debug. text: of cl_debug_module.sv, if another one, which is written to a folder."""
    core = verilate.core_design("standard")
    ours = manifest.files("cl_debug")
    if text is not None:
        assert where is not None
        changed = where / "cl_debug_module.sv"
        changed.write_text(text)
        ours = tuple(changed if path.name == changed.name else path for path in ours)
    soc = RTL / "soc" / "rtl"
    own = (soc / "prim_clock_gating.sv", soc / "prim_ram_1p.sv", RTL / "debug" / "tb" / "cl_debug_bench.sv")
    design = dataclasses.replace(core, top="cl_debug_bench", sources=(*core.sources, *ours, *own))
    return verilate.build(
        design,
        RTL / "debug" / "tb" / "debug.cpp",
        {"Harts": harts},
        name=f"debug-{harts}",
        config=[RTL / "soc" / "sim" / "cl_soc.vlt"],
        cxx_defines={"CLOCKS": CLOCKS},
    )


class Debugger:
    """Harts with a debugger that does what one of OpenOCD's kind does, step by step."""

    def __init__(self, binary: Path) -> None:
        self._process = subprocess.Popen([binary], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._sent: list[str] = []
        self._instruction = -1
        self._step([1] * 5 + [0])

    def __enter__(self) -> Debugger:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.communicate()

    # --- the TAP ---

    def _bit(self, tms: int, tdi: int, read: bool = False) -> None:
        wires = tms << 1 | tdi
        self._sent.append(f"{wires}{'R' if read else ''}{wires | 4}")

    def _step(self, tms: list[int]) -> None:
        for bit in tms:
            self._bit(bit, 0)

    def _flush(self, answers: int = 0) -> str:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write("".join(self._sent).encode())
        self._process.stdin.flush()
        self._sent = []
        return self._process.stdout.read(answers).decode()

    def _shift(self, value: int, width: int) -> int:
        """From Shift to Update, and back to Run-Test/Idle: what comes out."""
        for at in range(width):
            self._bit(int(at == width - 1), value >> at & 1, read=True)
        self._step([1, 0])
        return int(self._flush(width)[::-1], 2)

    def instruction(self, code: int) -> int:
        self._step([1, 1, 0, 0])
        self._instruction = code
        return self._shift(code, 5)

    def register(self, code: int, value: int, width: int) -> int:
        if self._instruction != code:
            self.instruction(code)
        self._step([1, 0, 0])
        return self._shift(value, width)

    def idle(self, bits: int) -> None:
        self._step([0] * bits)

    # --- the debug module ---

    def write(self, address: int, value: int) -> None:
        self.register(DMI, address << 34 | value << 2 | 2, 41)

    def read(self, address: int) -> int:
        self.register(DMI, address << 34 | 1, 41)
        got = self.register(DMI, 0, 41)
        assert got >> 34 == address
        assert got & 3 == 0
        return got >> 2 & 0xFFFFFFFF

    def choose(self, hart: int, also: int = 0) -> None:
        self.write(DMCONTROL, ACTIVE | hart << 16 | also)

    def status(self) -> int:
        return self.read(DMSTATUS)

    def halt(self, hart: int) -> None:
        self.choose(hart, HALTREQ)
        self.idle(40)
        assert self.status() >> 8 & 0xF == 0b0011
        self.choose(hart)

    def resume(self, hart: int) -> None:
        self.choose(hart, RESUMEREQ)
        self.idle(20)
        assert self.status() >> 16 & 3 == 3

    def command(self, value: int) -> int:
        """Its error, which is cleared."""
        self.write(COMMAND, value)
        self.idle(60)
        state = self.read(ABSTRACTCS)
        assert not state >> 12 & 1
        self.write(ABSTRACTCS, 7 << 8)
        return state >> 8 & 7

    def get(self, number: int) -> int:
        """A register of the chosen hart."""
        assert self.command(0x220000 | 0x1000 | number) == 0
        return self.read(DATA0)

    def set(self, number: int, value: int) -> None:
        self.write(DATA0, value)
        assert self.command(0x230000 | 0x1000 | number) == 0

    def execute(self, *program: int) -> int:
        """Its error; an ebreak is behind what fills the program buffer."""
        for at, word in enumerate((*program, EBREAK)[:8]):
            self.write(PROGBUF0 + at, word)
        return self.command(1 << 18)

    def csr(self, number: int) -> int:
        kept = self.get(S0)
        assert self.execute(number << 20 | 0x2473) == 0  # csrr s0, number
        got = self.get(S0)
        self.set(S0, kept)
        return got

    def set_csr(self, number: int, value: int) -> None:
        kept = self.get(S0)
        self.set(S0, value)
        assert self.execute(number << 20 | S0 << 15 | 0x1073) == 0  # csrw number, s0
        self.set(S0, kept)

    def store(self, address: int, *words: int) -> None:
        """By sw s1, 0(s0); addi s0, s0, 4 again for each word."""
        kept = self.get(S0), self.get(S1)
        self.set(S0, address)
        self.write(PROGBUF0, 0x00942023)
        self.write(PROGBUF0 + 1, 0x00440413)
        self.write(PROGBUF0 + 2, EBREAK)
        for word in words:
            self.write(DATA0, word)
            assert self.command(0x271009) == 0
        self.set(S0, kept[0])
        self.set(S1, kept[1])

    def load(self, address: int, count: int) -> list[int]:
        """By lw s1, 0(s0); addi s0, s0, 4, which each look at the last word starts again."""
        kept = self.get(S0), self.get(S1)
        self.set(S0, address)
        assert self.execute(0x00042483, 0x00440413) == 0
        self.write(ABSTRACTAUTO, 1)
        assert self.command(0x261009) == 0
        found = []
        for _ in range(count):
            found.append(self.read(DATA0))
            self.idle(60)
        self.write(ABSTRACTAUTO, 0)
        self.set(S0, kept[0])
        self.set(S1, kept[1])
        return found
