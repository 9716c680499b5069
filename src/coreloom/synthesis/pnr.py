# SPDX-License-Identifier: Apache-2.0
"""Places and routes a netlist with nextpnr for ECP5, and reads what it reports."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coreloom.errors import UserError
from coreloom.files import whole
from coreloom.toolchain import yowasp
from coreloom.toolchain.yowasp import relative

EXTRA = "synth"
DEVICES = {"25k": "LFE5U-25F", "45k": "LFE5U-45F", "85k": "LFE5U-85F"}
SPEEDS = (6, 7, 8)  # 6 is the slowest grade


@dataclass(frozen=True)
class Target:
    """The device for a netlist, and the clock that is asked for."""

    device: str = "25k"
    speed: int = 6
    mhz: int = 100

    @property
    def part(self) -> str:
        return f"{DEVICES[self.device]}-{self.speed}"

    def arguments(self) -> list[str]:
        return [
            *(f"--{self.device}", "--package", "CABGA381", "--speed", str(self.speed)),
            *("--freq", str(self.mhz), "--timing-allow-fail", "--lpf-allow-unconstrained"),
        ]


@dataclass(frozen=True)
class TimingPath:
    """The longest path between two registers, in the names of the RTL."""

    start: str
    end: str
    ns: float
    logic_ns: float  # the rest is routing
    levels: int  # LUTs, multiplexers and carries passed
    through: tuple[str, ...]  # what these are near to, for the eye

    def text(self) -> str:
        """A few lines for a person."""
        lines = [
            f"{self.ns:.2f} ns ({self.logic_ns:.2f} logic, {self.ns - self.logic_ns:.2f} routing), "
            f"{self.levels} levels",
            f"  from {self.start}",
            *(f"       {name}" for name in self.through),
            f"  to   {self.end}",
        ]
        return "\n".join(lines)


@dataclass(frozen=True)
class Report:
    """Nextpnr's report on one placement."""

    used: Mapping[str, int]  # cells of each type
    mhz: float
    critical: TimingPath


class Netlist:
    """The output of Yosys: the cells by name."""

    def __init__(self, cells: Mapping[str, Any]) -> None:
        self._cells = cells

    @classmethod
    def read(cls, path: Path, top: str) -> Netlist:
        return cls(json.loads(path.read_text())["modules"][top]["cells"])

    def count(self, kind: str) -> int:
        """Cells of a type."""
        return sum(cell["type"] == kind for cell in self._cells.values())

    def count_named(self, names: frozenset[str]) -> int:
        """How many of the cells with these names are left."""
        return sum(name in names for name in self._cells)


# Suffixes that Yosys gives names: types and ports of cells on the way (\\ comes before a register's type).
_GENERATED = re.compile(r"\\|_(LUT4|PFUMX|L6MUX21|CCU2C|TRELLIS_|DP16KD|MULT18X18D|[A-Z]{1,4}\d*(_|$))")


def _base(cell: str, strip: str) -> str:
    """The part of a cell's name that somebody wrote; cells between registers are called after one nearby."""
    name = _GENERATED.split(cell.split("$")[0])[0].removeprefix(strip)
    port = re.fullmatch(r"port\.(\w+)\.(\d+)", name)
    return f"{port[1]}[{port[2]}], at the port" if port else re.sub(r"(\.\d+)+$", "", name) or "carry"


def _end(place: Mapping[str, str], strip: str) -> str:
    """A register or memory; with the port where that tells more."""
    plain = place["port"] in ("Q", "DI", "M")
    return _base(place["cell"], strip) + ("" if plain else f" ({place['port']})")


def place_and_route(netlist: Path, report: Path, seed: int, target: Target) -> None:
    """Write nextpnr's report of a netlist, whole or not at all. UserError if the netlist does not fit."""
    with whole(report) as part:
        arguments = [*target.arguments(), "--seed", str(seed), "-q", "--threads", "1"]
        arguments += ["--json", relative([netlist]), "--report", relative([part])]
        done = yowasp.run(yowasp.NEXTPNR, arguments, EXTRA)
        if done.status != 0:
            errors = [line.removeprefix("ERROR: ") for line in done.said.splitlines() if "ERROR" in line]
            raise UserError(
                f"nextpnr cannot place {netlist.parent.name.rsplit('-', 1)[0]} on a {target.part}: "
                f"{errors[0] if errors else done.said.strip()[-200:]}: choose a larger --device"
            )


def read_report(report: Mapping[str, Any], strip: str = "") -> Report:
    """A report in the names of the RTL, without the prefix `strip`."""
    used = {kind: int(count["used"]) for kind, count in report["utilization"].items() if count["used"]}
    clocks = report["fmax"]
    if not clocks:
        raise UserError("nextpnr found no path from register to register: the unit has no clocked logic")
    worst = min(clocks, key=lambda clock: float(clocks[clock]["achieved"]))
    path = next(
        path["path"]
        for path in report["critical_paths"]
        if path["from"].split()[-1] == worst and path["to"].split()[-1] == worst
    )
    return Report(used, float(clocks[worst]["achieved"]), _critical(path, strip))


def _critical(path: list[dict[str, Any]], strip: str) -> TimingPath:
    start, end = _end(path[0]["from"], strip), _end(path[-1]["to"], strip)
    through = [_base(part["from"]["cell"], strip) for part in path if part["type"] == "logic"]
    ns = sum(float(part["delay"]) for part in path)
    routing = sum(float(part["delay"]) for part in path if part["type"] == "routing")
    return TimingPath(start, end, round(ns, 3), round(ns - routing, 3), len(through), tuple(_runs(through)))


def _runs(names: list[str]) -> list[str]:
    """Repetitions in a row as one."""
    return [
        name if count == 1 else f"{name} x {count}"
        for name, count in ((name, len(list(group))) for name, group in itertools.groupby(names))
    ]
