# SPDX-License-Identifier: Apache-2.0
"""Our models of the cells of FPGAs (rtl/board/sim): netlists of memories are as their RTL, in each cycle."""

from __future__ import annotations

import dataclasses
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from coreloom.paths import BUILD
from coreloom.synthesis.board import build, families, simulate
from coreloom.synthesis.board.families import Family
from coreloom.toolchain import verilate, yosys
from coreloom.toolchain.verilate import Design

RTL = Path(__file__).parent / "programs" / "rams.sv"
CYCLES = 20_000

# Both, driven alike: which outputs have differed, one bit for each.
_TOP = """
module pair (
  input logic clk_i, rst_ni, read_i, write_i, input logic [9:0] at_i, to_i, input logic [35:0] data_i,
  input logic [3:0] be_i, output logic [10:0] differs_o
);
  logic [31:0] bytes, words, reset, filled, nbytes, nwords, nreset, nfilled;
  logic [35:0] both, nboth;
  logic [15:0] first, second, nfirst, nsecond;
  logic  [3:0] narrow, nnarrow;
  logic        one, none;
  logic [65:0] sign, nsign;
  logic [33:0] product, nproduct;
  rams u_rtl (
    .*, .bytes_o(bytes), .words_o(words), .both_o(both), .first_o(first), .second_o(second),
    .narrow_o(narrow), .bit_o(one), .reset_o(reset), .filled_o(filled), .signed_o(sign), .product_o(product)
  );
  rams_netlist u_netlist (
    .*, .bytes_o(nbytes), .words_o(nwords), .both_o(nboth), .first_o(nfirst), .second_o(nsecond),
    .narrow_o(nnarrow), .bit_o(none), .reset_o(nreset), .filled_o(nfilled), .signed_o(nsign),
    .product_o(nproduct)
  );
  assign differs_o = {bytes != nbytes, words != nwords, both != nboth, first != nfirst, second != nsecond,
                      narrow != nnarrow, one != none, reset != nreset, filled != nfilled, sign != nsign,
                      product != nproduct};
endmodule
"""
_HARNESS = """
#include <cstdio>
#include <cstdlib>
#include <random>
#include "Vmodel.h"
int main(int, char **argv) {
  Vmodel top;
  std::mt19937_64 random(1);
  unsigned differs = 0;
  for (int cycle = 0; cycle < std::atoi(argv[1]); cycle++) {
    const uint64_t bits = random();
    top.clk_i = 0, top.eval();
    // Few addresses, so that what is written is read; the first reads come after a reset.
    top.rst_ni = cycle > 2 && bits % 61 != 0, top.read_i = bits >> 8 & 1;
    top.write_i = cycle > 4 && (bits >> 9 & 1);
    top.at_i = bits >> 10 & (bits >> 20 & 1 ? 0x3FF : 7);
    top.to_i = bits >> 21 & (bits >> 31 & 1 ? 0x3FF : 7);
    top.be_i = bits >> 32 & 15, top.data_i = random() & 0xFFFFFFFFFull;
    top.eval();
    top.clk_i = 1, top.eval();
    if (cycle > 200) differs |= top.differs_o;
  }
  std::printf("%03x\\n", differs);
}
"""
# The cells of which models are ours, that come of it
KINDS = {
    "ecp5": {"DP16KD", "MULT18X18D"},
    "gowin": {"SP", "SPX9", "SDPX9B", "DPB", "DPX9B", "MULT18X18", "MULT36X36"},
}


def _netlist(family: Family, folder: Path) -> Path:
    """The netlist of rams.sv, by the commands that a board's is made with."""
    synth = f"{family.synth} -top rams -json {yosys.relative([folder / 'netlist.json'])}"
    script = build._SYNTH.format(
        read=yosys.read_command(Design("rams", (RTL,)), {}, folder),
        top="rams",
        synth=synth,
        folder=yosys.relative([folder]),
    )
    done = yosys.run(script, "synth")
    assert done.status == 0, done.log[-2000:]
    return folder / "netlist.v"


@pytest.mark.parametrize("family", [families.ECP5, families.GOWIN], ids=lambda family: family.name)
@pytest.mark.nightly(but=("ecp5",))
def test_cells(family: Family, tmp_path: Path) -> None:
    folder = BUILD / f"test-cells-{tmp_path.parent.name}-{family.name}"
    folder.mkdir(parents=True, exist_ok=True)
    try:
        text = _netlist(family, folder).read_text()
    finally:
        shutil.rmtree(folder)
    kinds = set().union(*KINDS.values())
    assert {kind for kind in kinds if re.search(rf"^  {kind}\b", text, re.MULTILINE)} == KINDS[family.name]
    renamed = tmp_path / "rams_netlist.v"
    renamed.write_text(text.replace("module rams(", "module rams_netlist("))
    top = tmp_path / "pair.sv"
    top.write_text(_TOP)
    harness = tmp_path / "harness.cpp"
    harness.write_text(_HARNESS)
    design = simulate.cells(family, "pair", renamed)
    design = dataclasses.replace(design, sources=(*design.sources, RTL, top))
    model = verilate.build(design, harness, name=f"cells-{family.name}")
    said = subprocess.run([model, str(CYCLES)], capture_output=True, text=True, check=True).stdout
    assert said == "000\n"
