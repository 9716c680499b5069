# SPDX-License-Identifier: Apache-2.0
"""Area and clock of units: Yosys makes a netlist of each, nextpnr places it with several seeds.

A unit is measured between registers of its own: every input comes from one and every output goes to one, so
that a path through the unit counts. These registers are left out of the area.
Everything lies under build/synth, named by what it was made from: a netlist by the elaborated unit, so that a
comment changes nothing, a placement by the netlist and the options.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from coreloom import packages, sources, uses
from coreloom.files import digest, file_lock, made_once
from coreloom.jobs import job as many
from coreloom.paths import BUILD, RTL
from coreloom.synthesis import pnr
from coreloom.synthesis.pnr import EXTRA, Netlist, Target, TimingPath
from coreloom.synthesis.units import Job
from coreloom.toolchain import yosys, yowasp
from coreloom.toolchain.verilate import Design
from coreloom.toolchain.yosys import relative

FOLDER = BUILD / "synth"
SEEDS = 3
_KEPT = 8  # old netlists of a unit

_TOP = "bench"  # the module with the registers around the unit
_UNIT = "u."  # the unit in it
_CLOCK, _RESET = "clk_i", "rst_ni"  # these two come from outside
_NAME = re.compile(r"\w+")
_CLOCKS = re.compile(r"(\w+_)?clk\d*_i")  # a unit's: all of them are the same one there
_RESETS = re.compile(r"(\w+_)?rst\d*_ni")


@dataclass(frozen=True)
class Made:
    """A netlist, and which cells of it are the registers around the unit."""

    netlist: Path
    around: frozenset[str]


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """Area and clock of one unit of one size; clocks in MHz, of all seeds."""

    unit: str
    build: str | None
    threads: int | None
    priorities: int | None
    lut4: int
    ff: int
    bram: int  # blocks of 18 kbit
    dram: int  # RAM16x4
    dsp: int
    fmax_mhz: float  # median
    fmax_min: float
    fmax_max: float
    seeds: int
    device: str
    critical: TimingPath  # of the median seed

    @property
    def title(self) -> str:
        name = self.unit if self.build is None else f"{self.unit}:{self.build}"
        return name if self.threads is None else f"{name} {self.threads} x {self.priorities}"


class Gates(msgspec.Struct, frozen=True, kw_only=True):
    """A unit in gates of two inputs, four transistors each; its memories in bits."""

    unit: str
    threads: int | None
    priorities: int | None
    gates: int
    memory_bits: int


@dataclass(frozen=True)
class Placed:
    """One placement of a unit, and what is counted in its netlist: registers around it, cells of RAM16x4."""

    report: pnr.Report
    around: int
    dram: int


Measure = Callable[[Sequence[many.Job[Placed]]], list[Placed]]  # what runs the jobs, as a pool does


def run(
    jobs: Sequence[Job],
    measure: Measure,
    seeds: int = SEEDS,
    target: Target | None = None,
    device: str | None = None,
    wide: bool = False,
) -> list[Row]:
    """Measure all jobs; the rows are in the order of `jobs`.

    device overrides what each unit says; wide: LUTs may be joined by multiplexers.
    Raises UserError when a tool is missing or a unit cannot be built; what was done by then is kept.
    """
    asked = target or Target()
    versions = (yowasp.version(yowasp.YOSYS, EXTRA), yowasp.version(yowasp.NEXTPNR, EXTRA))

    def target_of(job: Job) -> Target:
        return Target(device or job.unit.device, asked.speed, asked.mhz)

    def placement(job: Job, seed: int) -> many.Job[Placed]:
        # The first seed of each unit begins first, as it makes the netlist.
        run = partial(_placed, job, seed, target_of(job), wide, versions)
        return many.Job(f"{job.label}, seed {seed}", many.whole(run), -seed)

    placed = iter(measure([placement(job, seed) for job in jobs for seed in job.seeds(seeds)]))
    if uses.plan():
        return []
    return [_row(job, [next(placed) for _ in job.seeds(seeds)], target_of(job)) for job in jobs]


def _placed(job: Job, seed: int, target: Target, wide: bool, versions: tuple[str, str]) -> list[Placed]:
    _begins(job)
    made = _netlist(job, wide, versions[0])
    report = _report(made, seed, target, versions[1])
    netlist = Netlist.read(made.netlist, _TOP)
    return [
        Placed(
            pnr.read_report(json.loads(report.read_text()), _UNIT),
            netlist.count_named(made.around),
            netlist.count("TRELLIS_DPR16X4"),
        )
    ]


def lut4(job: Job) -> int:
    """LUT4 of a unit before it is placed: look-up tables, two of each carry cell, six of each RAM16x4.

    Raises UserError when Yosys is missing or cannot build the unit.
    """
    _begins(job)
    netlist = Netlist.read(_netlist(job, False, yowasp.version(yowasp.YOSYS, EXTRA)).netlist, _TOP)
    return netlist.count("LUT4") + 2 * netlist.count("CCU2C") + 6 * netlist.count("TRELLIS_DPR16X4")


# Flip-flops without a reset are the only ones whose transistors Yosys knows: a reset is a gate before one.
_GATES = """read_rtlil {unit}
hierarchy -top {top}
chformal -remove
async2sync
synth -top {top} -flatten -noabc -run begin:fine
opt -fast -full
techmap
dfflegalize -cell $_DFF_P_ 01
abc -g cmos4
opt_clean -purge
write_json {netlist}
tee -q -o {statistics} stat -json -tech cmos
"""


def gates(job: Job) -> Gates:
    """The gates of a unit, made by Yosys from inverters, NAND, NOR, AOI and OAI: transistors divided by four.

    Raises UserError when Yosys is missing or cannot build the unit.
    """
    _begins(job)
    version, top = yowasp.version(yowasp.YOSYS, EXTRA), job.unit.top
    unit = elaborate(job, job.unit.design(), job.params(), version) / "unit.il"
    folder = FOLDER / f"{job.label}-gates-{digest(version.encode(), _GATES.encode(), unit.read_bytes())}"

    def make(work: Path) -> None:
        names = {"unit": unit, "netlist": work / "netlist.json", "statistics": work / "statistics.json"}
        places = {name: relative([path]) for name, path in names.items()}
        yosys.build(_GATES.format(top=top, **places), EXTRA, job.label, FOLDER)

    _once(folder, make)
    module = json.loads((folder / "statistics.json").read_text())["design"]
    cells = json.loads((folder / "netlist.json").read_text())["modules"][top]["cells"].values()
    threads, priorities = job.size or (None, None)
    return Gates(
        unit=top,
        threads=threads,
        priorities=priorities,
        # The + stands for what it does not count: the memories.
        gates=round(int(module["estimated_num_transistors"].rstrip("+")) / 4),
        memory_bits=sum(
            int(cell["parameters"]["WIDTH"], 2) * int(cell["parameters"]["SIZE"], 2)
            for cell in cells
            if cell["type"] == "$mem_v2"
        ),
    )


# ---------------------------------------------------------------------------------------------------------
# The netlist


def _netlist(job: Job, wide: bool, version: str) -> Made:
    """The netlist of a unit, made unless it is there."""
    design, params = job.unit.design(), job.params()
    elaborated = elaborate(job, design, params, version)
    ports = json.loads((elaborated / "ports.json").read_text())["modules"][design.top]["ports"]
    text, around = registered(design.top, ports, job.unit.outputs)
    options = "" if wide or job.unit.wide else _NARROW
    rtlil = (elaborated / "unit.il").read_bytes()
    folder = (
        FOLDER
        / f"{job.label}-{digest(version.encode(), text.encode(), _SYNTH.encode(), options.encode(), rtlil)}"
    )

    def make(work: Path) -> None:
        (work / "around.v").write_text(text)
        names = {
            "unit": elaborated / "unit.il",
            "around": work / "around.v",
            "netlist": work / "netlist.json",
        }
        places = {name: relative([path]) for name, path in names.items()}
        yosys.build(_SYNTH.format(top=_TOP, options=options, **places), EXTRA, job.label, FOLDER)

    _once(folder, make)
    return Made(folder / "netlist.json", around)


_READ = """{read}
hierarchy -check -top {top}
proc
setattr -unset src *
setattr -mod -unset src *
write_rtlil {unit}
write_json {ports}
"""

# Without the multiplexers behind LUTs the bitmap queue came out 28 % smaller and 4 % faster, the kernel 5 %
# smaller and 4 % slower. Registers are named after what they drive before abc9 forgets it.
_NARROW = "-nowidelut"
_SYNTH = """read_rtlil {unit}
read_verilog {around}
synth_ecp5 -top {top} {options} -run begin:map_luts
rename -wire
synth_ecp5 -top {top} {options} -run map_luts: -json {netlist}
"""


def elaborate(job: Job, design: Design, params: Mapping[str, int | str], version: str) -> Path:
    """Folder with the unit as Yosys reads it: unit.il and ports.json."""
    content = [
        version,
        _READ,
        *map(str, design.defines),
        *(f"{key}={value}" for key, value in params.items()),
    ]
    content += [f"{name} {packages.version(name)}" for name in design.packages]
    files = sorted(RTL.glob("**/rtl/*.sv"))
    key = digest(*(text.encode() for text in content), *(sources.bare(path) for path in files))
    folder = FOLDER / f"{job.label}-read-{key}"

    def make(work: Path) -> None:
        script = _READ.format(
            read=yosys.read_command(design, params, work),
            top=design.top,
            unit=relative([work / "unit.il"]),
            ports=relative([work / "ports.json"]),
        )
        yosys.build(script, EXTRA, job.label, FOLDER)

    _once(folder, make)
    return folder


def _begins(job: Job) -> None:
    """Says what is synthesised; in a plan that is all."""
    if uses.noting():
        uses.note(f"unit {content(job)}")
    uses.runs()


def content(job: Job) -> str:
    """A key of all that a unit's netlist is made of: of our files those that its top module comes to."""
    design, unit = job.unit.design(), job.unit
    # The ROM is an image, which is noted where it is made.
    params = {name: value for name, value in job.params().items() if not str(value).endswith('.hex"')}
    parts = [*design.defines, *(f"{key}={value}" for key, value in sorted(params.items()))]
    parts += [f"{name} {packages.version(name)}" for name in design.packages]
    parts += [design.top, str(unit.wide), str(unit.outputs)]
    known = [*design.sources, *(path for folder in design.library_dirs for path in folder.glob("*.sv"))]
    ours = {path.stem: path for path in known if path.is_relative_to(RTL) or path.is_relative_to(BUILD)}
    found: dict[str, bytes] = {}
    left = {design.top} & ours.keys()
    while left:
        name = left.pop()
        found[name] = sources.bare(ours[name])
        left |= (set(_NAME.findall(found[name].decode())) & ours.keys()) - found.keys()
    return digest(*map(str.encode, parts), *(text for _, text in sorted(found.items())))


def registered(
    top: str, ports: Mapping[str, Any], outputs: Sequence[str] | None = None
) -> tuple[str, frozenset[str]]:
    """A Verilog module with a register at every bit of `top`'s ports, and the names of these registers.

    They are cells of the FPGA, which Yosys neither merges nor moves. Clocks and resets come straight in.
    Outputs not in `outputs` are left open.
    """
    parameters = '#(.GSR("AUTO"), .CEMUX("1"), .CLKMUX("CLK"), .LSRMUX("LSR"), .REGSET("RESET"))'
    lines = [f"module {_TOP}(input {_CLOCK}, input {_RESET}, input in_i);"]
    connections, names = [], []
    for port, facts in ports.items():
        if common := _CLOCK if _CLOCKS.fullmatch(port) else _RESET if _RESETS.fullmatch(port) else "":
            connections.append(f".{port}({common})")
            continue
        is_input = facts["direction"] == "input"
        if not is_input and outputs is not None and port not in outputs:
            continue
        width = len(facts["bits"])
        lines.append(f"  wire [{width - 1}:0] {port};")
        connections.append(f".{port}({port})")
        for bit in range(width):
            name = f"port.{port}.{bit}"
            data = f".DI(in_i), .Q({port}[{bit}])" if is_input else f".DI({port}[{bit}])"
            keep = "" if is_input else "(* keep *) "
            lines.append(f"  {keep}TRELLIS_FF {parameters} \\{name} (.CLK({_CLOCK}), .LSR(1'b0), {data});")
            names.append(name)
    lines.append(f"  {top} {_UNIT[:-1]} ({', '.join(connections)});")
    return "\n".join([*lines, "endmodule", ""]), frozenset(names)


# ---------------------------------------------------------------------------------------------------------
# The figures


def _report(made: Made, seed: int, target: Target, version: str) -> Path:
    key = digest(version.encode(), *(text.encode() for text in target.arguments()), str(seed).encode())
    report = made.netlist.parent / f"pnr-{target.device}-{seed}-{key}.json"
    if not report.exists():
        with file_lock(report.with_suffix(".lock")):
            if not report.exists():
                pnr.place_and_route(made.netlist, report, seed, target)
    return report


def _row(job: Job, placed: Sequence[Placed], target: Target) -> Row:
    reports = sorted((one.report for one in placed), key=lambda report: report.mhz)
    used = reports[0].used
    threads, priorities = job.size or (None, None)
    return Row(
        unit=job.unit.top,
        build=job.unit.build or None,
        threads=threads,
        priorities=priorities,
        lut4=used.get("TRELLIS_COMB", 0),
        ff=used.get("TRELLIS_FF", 0) - placed[0].around,
        bram=used.get("DP16KD", 0),
        dram=placed[0].dram,
        dsp=used.get("MULT18X18D", 0),
        fmax_mhz=round(statistics.median(report.mhz for report in reports), 1),
        fmax_min=round(reports[0].mhz, 1),
        fmax_max=round(reports[-1].mhz, 1),
        seeds=len(reports),
        device=target.part,
        critical=reports[(len(reports) - 1) // 2].critical,
    )


# ---------------------------------------------------------------------------------------------------------
# The store


def _once(folder: Path, make: Callable[[Path], None]) -> None:
    """Make a folder whole unless it is there; of its older fellows only some are kept."""
    if not made_once(folder, make):
        os.utime(folder)
        return
    label = folder.name.rsplit("-", 1)[0]
    fellows = [
        path for path in FOLDER.glob(f"{label}-*") if path.is_dir() and path.name.rsplit("-", 1)[0] == label
    ]
    for old in sorted(fellows, key=lambda path: path.stat().st_mtime)[:-_KEPT]:
        shutil.rmtree(old, ignore_errors=True)
