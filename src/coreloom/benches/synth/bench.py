# SPDX-License-Identifier: Apache-2.0
"""Units on an FPGA beside the scheduler of [HT]."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from coreloom.report import results
from coreloom.report.figure import Figure
from coreloom.synthesis.synth import Row
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

UNITS = {"fmax_mhz": "MHz", "lut4": "LUT4 sites", "bram": "18 kbit blocks", "dram": "RAM16x4"}


class Result(results.Result, kw_only=True):
    """What `coreloom synth` writes."""

    rows: list[Row]
    units: dict[str, str] = msgspec.field(default_factory=UNITS.copy)
    asked_mhz: int = 100
    wide_luts: bool = False
    paths: bool = False  # whether the longest paths were asked for


def paper(row: Row) -> Paper:
    """The paper's figures for this unit and size."""
    if row.unit == "cl_scheduler" and row.build and (row.threads, row.priorities) == DEFAULT:
        return PAPER[row.build]
    return Paper()


def figures(rows: Sequence[Row]) -> list[Figure]:
    """What was to be reached beside what is; of the hybrid scheduler of the size of the paper only."""
    found = []
    for row in rows:
        lut4 = paper(row).lut4
        if row.build == "hybrid" and lut4 is not None:
            found += [
                Figure(f"{row.title}: MHz, median of the seeds", row.fmax_mhz, at_least=100),
                Figure(f"{row.title}: LUT4 (paper: {lut4})", row.lut4, at_most=lut4 - 1),
            ]
    return found
