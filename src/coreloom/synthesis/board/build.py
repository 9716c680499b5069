# SPDX-License-Identifier: Apache-2.0
"""An SoC on a board as a bitstream: Yosys, nextpnr, ecppack. What is made lies below build/board.

A netlist is named by what it is made of, a placement by the netlist and the options.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coreloom import packages, sources
from coreloom.design import keys, manifest, record
from coreloom.errors import UserError
from coreloom.files import digest, made_once
from coreloom.paths import BUILD
from coreloom.synthesis import pnr
from coreloom.synthesis.board import boards, boot
from coreloom.synthesis.board.boards import BAUD, Machine
from coreloom.synthesis.pnr import EXTRA
from coreloom.toolchain import verilate, yosys, yowasp
from coreloom.toolchain.verilate import Design
from coreloom.toolchain.yosys import relative

FOLDER = BUILD / "board"
SEEDS = 4  # at most, until one meets the clock
_WIDE_CORES = ("standard",)  # synthesis/units.py

_SYNTH = """{read}
hierarchy -check -top {top}
proc
{synth} -run begin:map_luts
rename -wire
{synth} -run map_luts:
write_verilog -noattr {folder}/netlist.v
"""


@dataclass(frozen=True)
class Made:
    """A netlist, placed: the bitstream and what it reaches."""

    machine: Machine
    folder: Path  # of the netlist: netlist.json, netlist.v
    bitstream: Path
    report: pnr.Report
    room: Mapping[str, int]  # cells of each type that the device has
    seed: int

    @property
    def met(self) -> bool:
        return self.report.mhz >= self.machine.mhz


def design(machine: Machine) -> Design:
    """The RTL of a machine: the SoC's, the board's, and the top with its primitives."""
    soc = verilate.platform_design(machine.soc)
    wanted = [*boards.UNITS, *["cl_debug"] * (machine.soc.core in boards.DEBUGGED)]
    units = [path for unit in wanted for path in manifest.units()[unit].files]
    return dataclasses.replace(
        soc,
        top=machine.board.top,
        sources=(
            *soc.sources,
            *units,
            *sorted(boards.FOLDER.glob("*.sv")),
            *sorted(machine.board.folder.glob("*.sv")),
        ),
        defines=tuple(dict.fromkeys((*soc.defines, "SYNTHESIS"))),
    )


def parameters(machine: Machine) -> dict[str, Any]:
    """Those of the top module, without the files of the memories."""
    of_soc = {**keys.rtl_parameters(machine.soc), "RamBytes": machine.ram_bytes}
    return {**record.made("cl_board", of_soc), "Mhz": machine.mhz, "Baud": BAUD}


def netlist(machine: Machine, program: bytes | None = None) -> Path:
    """The folder with the netlist: netlist.json for nextpnr, netlist.v for simulators.

    program: the memory's contents when the board is switched on, only of block RAM.
    UserError if Yosys is missing or refuses the design.
    """
    rom = boot.rom(machine).read_text()
    ram = "" if program is None else boot.words(program, machine.ram_bytes)
    made, params, board = design(machine), parameters(machine), machine.board
    ours = [path for path in made.sources if path.suffix == ".sv"]
    key = digest(
        *(
            text.encode()
            for text in (_SYNTH, board.family.synth, rom, ram, *map(str, params.items()), *made.defines)
        ),
        *(f"{name} {packages.version(name)}".encode() for name in (*made.packages, yowasp.YOSYS)),
        *sorted(sources.bare(path) for path in ours),
    )
    folder = FOLDER / f"{machine.label}-{key}"

    def make(work: Path) -> None:
        (work / "boot.hex").write_text(rom)
        files = {"RomFile": work / "boot.hex"}
        if ram:
            (work / "ram.hex").write_text(ram)
            files["RamFile"] = work / "ram.hex"
        named = {name: f'"{relative([path])}"' for name, path in files.items()}
        wide = "" if machine.soc.core in _WIDE_CORES else " -nowidelut"
        netlist = relative([work / "netlist.json"])
        script = _SYNTH.format(
            read=yosys.read_command(made, {**params, **named}, work),
            top=made.top,
            synth=f"{board.family.synth} -top {made.top}{wide} -json {netlist}",
            folder=relative([work]),
        )
        yosys.build(script, EXTRA, machine.label, FOLDER)

    made_once(folder, make)
    return folder


def place(machine: Machine, folder: Path, seed: int) -> Made:
    """A netlist placed and routed with a seed, and its bitstream. UserError if it does not fit."""
    board, family = machine.board, machine.board.family
    device = [word.format(pins=relative([board.pins])) for word in board.device]
    key = digest(
        yowasp.version(family.nextpnr, EXTRA).encode(),
        *(word.encode() for word in (*device, *board.chip, str(machine.mhz))),
        board.pins.read_bytes(),
    )
    target = folder / f"placed-{seed}-{key}"

    def make(work: Path) -> None:
        routed, report = work / "board.config", work / "report.json"
        arguments = [
            *(*device, "--freq", str(machine.mhz), "--timing-allow-fail"),
            *("--seed", str(seed), "-q", "--threads", "1"),
            *("--json", relative([folder / "netlist.json"]), "--report", relative([report])),
            *(family.routed, relative([routed])),
        ]
        done = yowasp.run(family.nextpnr, arguments, EXTRA)
        if done.status:
            errors = [line.removeprefix("ERROR: ") for line in done.said.splitlines() if "ERROR" in line]
            raise UserError(
                f"nextpnr cannot place {machine.label}: {errors[0] if errors else done.said.strip()[-200:]}: "
                "choose fewer processors, or a smaller kernel"
            )
        files = {"routed": relative([routed]), "bits": relative([work / f"board.{family.bitstream}"])}
        packing = [*board.chip, *(word.format(**files) for word in family.packing)]
        packed = yowasp.run(family.pack, packing, EXTRA)
        if packed.status:
            raise UserError(
                f"{family.pack} cannot make a bitstream of {machine.label}: {packed.said.strip()[-200:]}"
            )

    made_once(target, make)
    said = json.loads((target / "report.json").read_text())
    report = pnr.read_report(said, "u_board.u_soc.")
    room = {kind: int(count["available"]) for kind, count in said["utilization"].items()}
    return Made(machine, folder, target / f"board.{machine.board.family.bitstream}", report, room, seed)


def build(machine: Machine, program: bytes | None = None, seeds: int = SEEDS) -> Made:
    """The bitstream of the first seed that meets the clock, else of the best one.

    UserError if a tool is missing, or as for netlist() and place().
    """
    for tool in (yowasp.YOSYS, machine.board.family.nextpnr, machine.board.family.pack):
        yowasp.find(tool, EXTRA)  # before Yosys takes minutes
    folder = netlist(machine, program)
    best: Made | None = None
    for seed in range(1, seeds + 1):
        made = place(machine, folder, seed)
        if best is None or made.report.mhz > best.report.mhz:
            best = made
        if best.met:
            break
    assert best is not None
    return best


def check_clock(made: Made) -> None:
    """UserError if the clock is not met: by how much, and which path."""
    if made.met:
        return
    path = made.report.critical
    raise UserError(
        f"{made.machine.label} reaches {made.report.mhz:.1f} MHz, not the {made.machine.mhz} asked for: "
        f"the path from {path.start} to {path.end} takes {path.ns:.1f} ns, "
        f"{path.ns - 1000 / made.machine.mhz:.1f} more than a cycle; choose a lower --mhz, fewer --cpus or a "
        "smaller kernel"
    )
