# SPDX-License-Identifier: Apache-2.0
"""The units around an SoC on a board, each alone: UART, SDRAM controller, button."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from coreloom.design import manifest
from coreloom.paths import RTL
from coreloom.toolchain import verilate
from soc.formal import planted

BOARD = RTL / "board"
MHZ = (10, 25, 50, 100)

_UART = """
#include <cstdio>
#include <cstdlib>
#include "Vmodel.h"
static Vmodel top;
static int line = 1, sent = 1;
static void cycle() {
  top.rx_i = line;
  top.clk_i = 0, top.eval();
  top.clk_i = 1, top.eval();
  sent = top.tx_o;
}
static unsigned access(int we, int status, int byte) {
  top.req_i = 1, top.we_i = we, top.status_i = status, top.wdata_i = byte;
  cycle();
  top.req_i = 0;
  return top.rdata_o;
}
static void bits(unsigned what, int count, int clocks) {
  for (int i = 0; i < count; i++) {
    line = what >> i & 1;
    for (int c = 0; c < clocks; c++) cycle();
  }
  line = 1;
}
int main(int, char **argv) {
  const int clocks = std::atoi(argv[1]);   // of a bit of what is received; the UART has 32
  cycle();
  top.rst_ni = 1;
  cycle();
  std::printf("%u ", access(0, 1, 0));
  for (int n = 0; n < 18; n++) bits(0x200 | (0xA0 + n) << 1, 10, clocks);   // 18 bytes, for 16 places
  std::printf("%u ", access(0, 1, 0));
  for (int n = 0; n < 16; n++) std::printf("%02x", access(0, 0, 0));
  std::printf(" %u", access(0, 1, 0));
  access(1, 1, 0);
  std::printf(" %u %u", access(0, 1, 0), access(0, 0, 0));
  bits(0, 1, 8);                       // a disturbance
  for (int c = 0; c < 400; c++) cycle();
  bits(0x0FE, 10, clocks);             // no stop bit: no byte
  for (int c = 0; c < 80; c++) cycle();
  std::printf(" %u ", access(0, 1, 0));
  access(1, 0, 0x5A);
  std::printf("%u", access(0, 1, 0));
  access(1, 0, 0xFF);                  // not ready: lost
  for (int n = 0; n < 12; n++) {
    std::printf("%d", sent);
    for (int c = 0; c < 32; c++) cycle();
  }
  std::printf(" %u", access(0, 1, 0));
}
"""


@pytest.mark.parametrize("clocks", [31, 32, 33])
def test_uart(tmp_path: Path, clocks: int) -> None:
    """What is received, 3 % too fast or too slow; a byte that is lost; what is sent."""
    harness = tmp_path / "uart.cpp"
    harness.write_text(_UART)
    design = verilate.Design("cl_uart_line", (BOARD / "rtl" / "cl_uart_line.sv",))
    model = verilate.build(design, harness, {"ClocksPerBit": 32}, name="uart-line")
    said = subprocess.run([model, str(clocks)], capture_output=True, text=True, check=True).stdout
    taken = "".join(f"{0xA0 + n:02x}" for n in range(16))
    # STATUS: 1 ready, 2 a byte is there, 4 one was lost
    assert said == f"1 7 {taken} 5 1 0 1 0" + "0" + f"{0x5A:08b}"[::-1] + "1" + "11" + " 1"


def _controller(mhz: int, text: str | None = None, folder: Path | None = None) -> Path:
    file = BOARD / "rtl" / "cl_sdram_controller.sv"
    if text is not None:
        assert folder is not None
        file = folder / file.name
        file.write_text(text)
    design = verilate.Design("cl_sdram_controller", (*manifest.files("cl_soc_pkg"), file))
    hz = mhz * 1_000_000
    return verilate.build(
        design,
        BOARD / "sim" / "sdram.cpp",
        {"ClockHz": hz},
        name="sdram-controller",
        cxx_defines={"CLOCK_HZ": hz},
    )


def _said(model: Path, seed: int, accesses: int, spread: int) -> list[str]:
    words = [str(model), *map(str, (seed, accesses, spread))]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()


@pytest.mark.parametrize("mhz", MHZ)
def test_sdram_controller(mhz: int) -> None:
    """Every word is right, and the part sees no time that is too short, at any clock."""
    model = _controller(mhz)
    for seed, spread in ((1, 8), (2, 256)):
        (said,) = _said(model, seed, 20_000, spread)
        assert said.startswith("20000 accesses, ")
        assert " 0 differ; " in said
        assert said.endswith("refreshes 1")


FAULTS = {
    "tRCD": ("wait_q       <= WaitW'(Rcd - 1);", "wait_q       <= '0;"),
    "tRP": ("wait_q <= WaitW'(Rp - 1);", "wait_q <= '0;"),
    "tRAS": ("pre_q        <= PreW'(Ras - 1);", "pre_q        <= '0;"),
    "tWR": ("if (32'(pre_q) < Wr) pre_q <= PreW'(Wr - 1);", ""),
    "tRFC": ("wait_q <= WaitW'(Rfc - 1);", "wait_q <= '0;"),
    "tMRD": ("wait_q  <= WaitW'(Mrd - 1);", "wait_q  <= '0;"),
    "tREF": ("64'd8_192_000) - Slack", "64'd8_192_000) + Slack"),
    "a burst that is over at once": ("localparam int unsigned ReadEnd  = Cas + Burst + 1;",
                              "localparam int unsigned ReadEnd  = Cas;"),
    "an access to a closed bank": ("else                   open_q[bank] <= 1'b0;", ""),
    "an open bank is activated": ("if (!ready_q || due_q) open_q <= '0;", "if (!ready_q) open_q <= '0;"),
    "differ": ("has[i] && cmd_i.be[b]", "1'b0 && cmd_i.be[b]"),
}  # fmt: skip

NO_ANSWER = ("a burst that is over at once", "an open bank is activated")


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.nightly(but=("tRCD",))
def test_the_part_notices_a_fault(fault: str, tmp_path: Path) -> None:
    source = (BOARD / "rtl" / "cl_sdram_controller.sv").read_text()
    model = _controller(100, planted(source, *FAULTS[fault]), tmp_path)
    done = subprocess.run([model, "1", "20000", "8"], capture_output=True, text=True)
    if fault in NO_ANSWER:
        assert (done.returncode, done.stdout + done.stderr) == (1, "no answer\n")
        return
    said, *wrong = done.stdout.splitlines()
    assert fault in wrong or (fault == "differ" and " 0 differ" not in said)
