# SPDX-License-Identifier: Apache-2.0
"""The boards, and what an SoC on one of them is made of."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from coreloom.design import keys, platform
from coreloom.design.keys import Platform
from coreloom.errors import UserError, suggest
from coreloom.paths import RTL
from coreloom.synthesis.board.families import ECP5, GOWIN, Family

FOLDER = RTL / "board"
UNITS = ("cl_uart_line", "cl_sdram_controller", "cl_block_ram", "cl_button")
DEBUGGED = ("standard",)  # cores for which there is a debug module
MEMORIES = {
    "sdram": "the board's SDRAM",
    "block": "block RAM",
}
BAUD = 1_000_000


@dataclass(frozen=True)
class Board:
    """A board. Its top module is cl_NAME, with the ports of all tops; its pins are in a file NAME."""

    name: str
    about: str
    family: Family
    device: tuple[str, ...]  # nextpnr's options for it, {pins} is the file of the pins
    chip: tuple[str, ...]  # the device for the program that packs its bitstream
    loader: tuple[str, ...]  # the command that loads a bitstream, which follows
    clocks: range  # MHz: what there is without the PLL, and what it makes of that
    mhz: Mapping[str, int]  # the clock of each core, if no other is asked for
    soc: str  # the platform, if no other is asked for
    block_bytes: int  # memory in block RAM
    block_threads: int  # whose stacks have a quarter of that
    sdram_bytes: int = 0
    buttons: int = 0  # the level of each while it is not pressed
    dark: int = 0  # the level of each LED that is off

    @property
    def folder(self) -> Path:
        return FOLDER / self.name

    @property
    def top(self) -> str:
        return f"cl_{self.name}"

    @property
    def pins(self) -> Path:
        return self.folder / f"{self.name}.{self.family.constraints}"

    @property
    def memory(self) -> str:
        """The one if no other is asked for."""
        return "sdram" if self.sdram_bytes else "block"


BOARDS = {
    board.name: board
    for board in (
        Board(
            "ulx3s",
            "ULX3S with LFE5U-85F-6BG381C and 32 MiB of SDRAM",
            ECP5,
            ("--85k", "--package", "CABGA381", "--speed", "6", "--lpf", "{pins}"),
            (),
            ("openFPGALoader", "--board", "ulx3s"),
            clocks=range(10, 101, 5),
            mhz={"economy": 40, "standard": 25, "fast": 50},
            soc="smp-standard",
            block_bytes=1 << 18,
            block_threads=16,
            sdram_bytes=32 << 20,
            buttons=1,
        ),
        Board(
            "tang_nano_20k",
            "Tang Nano 20K with GW2AR-LV18QN88C8/I7",
            GOWIN,
            ("--device", "GW2AR-LV18QN88C8/I7", "--vopt", "family=GW2A-18C", "--vopt", "cst={pins}"),
            ("--device", "GW2A-18C"),
            ("openFPGALoader", "--board", "tangnano20k"),
            clocks=range(12, 100, 3),
            mhz={"economy": 27, "standard": 15, "fast": 27},
            soc="smp-economy",
            block_bytes=1 << 16,
            block_threads=8,
            dark=0x3F,
        ),
    )
}


@dataclass(frozen=True)
class Machine:
    """An SoC on a board: a platform, where its memory is, and its clock."""

    board: Board
    soc: Platform  # as programs know it
    memory: str
    mhz: int

    @property
    def ram_bytes(self) -> int:
        return self.board.block_bytes if self.memory == "block" else self.soc.ram_bytes

    @property
    def label(self) -> str:
        return f"{self.board.name}-{self.soc.name}-{self.soc.cpus}-{self.memory}-{self.mhz}"

    def macros(self) -> dict[str, int]:
        """What programs must know besides the platform."""
        return {"CL_RAM_BYTES": self.ram_bytes} if self.memory == "block" else {}


def board(name: str) -> Board:
    """The board of a name; UserError if there is none."""
    if name not in BOARDS:
        raise UserError(f"unknown board '{name}': {suggest(name, BOARDS)}")
    return BOARDS[name]


def machine(
    name: str,
    soc: str | None = None,
    cpus: int | None = 1,
    memory: str | None = None,
    mhz: int | None = None,
) -> Machine:
    """The SoC of a platform on a board. UserError for what the board cannot be."""
    on = board(name)
    made = platform.load(soc or on.soc, cpus, ipc=cpus != 1)
    if made.backdoor or made.local_kib or made.low_jitter:
        raise UserError(f"platform {made.name} is none for a board: choose one of interconnect smp-bus")
    clock = mhz or on.mhz[made.core]
    if clock not in on.clocks:
        possible = f"a multiple of {on.clocks.step} from {on.clocks[0]} to {on.clocks[-1]}"
        raise UserError(f"--mhz must be {possible}, not {clock}: that is what the PLL makes")
    where = memory or on.memory
    if where == "block":
        threads = min(made.kernel.threads, on.block_threads)
        stack_kib = (on.block_bytes >> 12) // on.block_threads
        kernel = dataclasses.replace(made.kernel, threads=threads)
        made = dataclasses.replace(made, kernel=kernel, thread_stack_kib=stack_kib, model="sram")
    else:
        if not on.sdram_bytes:
            raise UserError(f"{on.name} has no memory for --memory sdram: leave it out, or choose block")
        made = dataclasses.replace(made, model="sdram")
        if made.ram_bytes > on.sdram_bytes:
            raise UserError(
                f"platform {made.name} has {made.ram_mib} MiB of memory, {on.name} has "
                f"{on.sdram_bytes >> 20}: make memory.ram_mib smaller"
            )
    return Machine(on, made, where, clock)


def core_number(soc: Platform) -> int:
    return keys.CORES.index(soc.core)
