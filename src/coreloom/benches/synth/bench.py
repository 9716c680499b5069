# SPDX-License-Identifier: Apache-2.0
"""Units on an FPGA beside the scheduler of [HT]."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from coreloom.report import results
from coreloom.report.figure import Figure
from coreloom.synthesis.synth import Gates, Row
from coreloom.synthesis.units import DEFAULT


class Paper(NamedTuple):
    """[HT], Virtex-II Pro 30: the scheduler at 256 x 128; None for what is not in the paper."""

    slices: int | None = None
    ff: int | None = None
    lut4: int | None = None
    bram: int | None = None
    mhz: float | None = None


PAPER = {
    "linear": Paper(484, 573, 873, 1, 166.7),
    "bitmap": Paper(1034, 522, 1900, 2, 143.8),
    "hybrid": Paper(1455, 973, 2425, 3, 119.6),
}

# MHz at least, by unit and build; the bound of a SoC is its core alone
CLOCKS = {
    ("cl_kernel", "fast-wide"): 90,
    ("cl_kernel", "fast-8-cpus"): 75,
    ("cl_soc", "smp-economy"): 75,
    ("cl_soc", "smp-fast"): 70,
    ("cl_soc", "smp-fast-8-cpus"): 60,
    ("cl_soc", "smp-standard"): 31,
}

SMP_GATES = 20_000  # about: [SMP] section 4, of all that it adds, by Synopsys Design Compiler
UNITS = {"fmax_mhz": "MHz", "lut4": "LUT4 sites", "bram": "18 kbit blocks", "dram": "RAM16x4"}


class Result(results.Result, kw_only=True):
    """What `coreloom synth` writes."""

    rows: list[Row]
    gates: list[Gates] = msgspec.field(default_factory=list)
    units: dict[str, str] = msgspec.field(default_factory=UNITS.copy)
    asked_mhz: int = 100
    wide_luts: bool = False
    paths: bool = False  # whether the longest paths were asked for


def paper(row: Row) -> Paper:
    """The paper's figures for this unit and size."""
    if row.unit == "cl_scheduler" and row.build and (row.threads, row.priorities) == DEFAULT:
        return PAPER[row.build]
    return Paper()


def _bound(row: Row, alone: dict[str | None, float]) -> float | None:
    """The clock of the core of a SoC alone."""
    return alone.get((row.build or "").split("-")[1]) if row.unit == "cl_soc" else None


def figures(rows: Sequence[Row]) -> list[Figure]:
    """The scheduler beside the paper's, each build of the size of the paper; and clocks."""
    alone = {row.build: row.fmax_mhz for row in rows if row.unit == "cl_core"}
    found = [
        Figure(f"clock in MHz: {row.title}", row.fmax_mhz, at_least=least, bound=_bound(row, alone))
        for row in rows
        if row.build and (least := CLOCKS.get((row.unit, row.build)))
    ]
    for row in rows:
        of = paper(row)
        if of.mhz is None or of.lut4 is None:
            continue
        found += [
            Figure(
                f"MHz, median of the seeds: {row.title} (paper: {of.mhz:g})", row.fmax_mhz, at_least=of.mhz
            ),
            Figure(f"LUT4: {row.title} (paper: {of.lut4})", row.lut4, at_most=of.lut4 - 1),
            Figure(f"18 kbit block RAMs: {row.title} (paper: {of.bram})", row.bram, at_most=of.bram),
        ]
    return found
