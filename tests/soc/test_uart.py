# SPDX-License-Identifier: Apache-2.0
"""The serial line of the UART, which the simulated platform leaves out."""

from __future__ import annotations

import subprocess
from pathlib import Path

from coreloom.paths import RTL
from coreloom.toolchain import verilate

_HARNESS = """
#include <cstdio>
#include "Vmodel.h"
int main() {
  Vmodel top;
  const auto cycle = [&](int req, int we, int status, int byte) {
    top.req_i = req, top.we_i = we, top.status_i = status, top.wdata_i = byte;
    top.clk_i = 0, top.eval();
    if (top.byte_valid_o) std::printf("<%02x>", top.byte_o);
    top.clk_i = 1, top.eval();
  };
  cycle(0, 0, 0, 0);
  top.rst_ni = 1;
  cycle(1, 0, 1, 0);
  std::printf("%u", top.rdata_o);  // STATUS before
  cycle(1, 1, 0, 0xA5);
  std::printf("%u", top.tx_o);
  cycle(1, 1, 0, 0xFF);            // not ready: lost
  std::printf("%u", top.tx_o);
  cycle(1, 0, 1, 0);
  std::printf("%u", top.tx_o);
  const int status = top.rdata_o;
  for (int i = 3; i < 32; ++i) { cycle(0, 0, 0, 0); std::printf("%u", top.tx_o); }
  cycle(1, 0, 1, 0);
  std::printf(" %d%u", status, top.rdata_o);
}
"""


def test_serial_line(tmp_path: Path) -> None:
    """8N1, three clocks a bit: start bit, 0xA5 from the lowest bit on, stop bit."""
    harness = tmp_path / "uart.cpp"
    harness.write_text(_HARNESS)
    design = verilate.Design("cl_uart", (RTL / "soc" / "rtl" / "cl_uart.sv",))
    model = verilate.build(design, harness, {"ClocksPerBit": 3}, name="uart")
    said = subprocess.run([model], capture_output=True, text=True, check=True).stdout
    line = "".join(bit * 3 for bit in "0" + f"{0xA5:08b}"[::-1] + "1") + "11"
    assert said == f"1<a5>{line} 01"
