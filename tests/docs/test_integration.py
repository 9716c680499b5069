# SPDX-License-Identifier: Apache-2.0
"""The code of docs/integration.md runs as it stands there, with no other runtime."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from coreloom.design import platform
from coreloom.paths import ROOT, RUNTIME
from coreloom.simulation import simulate
from coreloom.toolchain import elf, verilate, zig

START = """
.section .start, "ax"
.globl _start
_start:
.org 0x80
  li sp, 0x40010000
  call main
  li t0, 0xF0100080
  sw a0, 0(t0)
1: j 1b
"""
LINK = """
SECTIONS {
  . = 0x40000000;
  .text : { *(.start) *(.text*) *(.*data*) *(.*bss*) . = ALIGN(4); }
  /DISCARD/ : { *(.eh_frame*) }
}
"""
MAIN = """
static uint32_t stack[2][256];
static uint32_t turns[2];
static volatile uint32_t order;
static void play(unsigned self) {
  for (unsigned n = 0; n < 4; n++) {
    operation(CL_OP_SEMAPHORE_WAIT, turns[self], 0);
    order = order * 4 + self + 1;
    operation(CL_OP_SEMAPHORE_POST, turns[!self], 0);
  }
}
static void ping(void) { play(0); }
static void pong(void) { play(1); }
int main(void) {
  turns[0] = operation(CL_OP_SEMAPHORE_CREATE, 0, 1) & 0xFFFF;
  turns[1] = operation(CL_OP_SEMAPHORE_CREATE, 0, 0) & 0xFFFF;
  const uint32_t over = operation(CL_OP_SEMAPHORE_CREATE, 0, 0) & 0xFFFF;
  start(ping, stack[0], 256, 20);
  start(pong, stack[1], 256, 20);
  operation(CL_OP_SET_SCHED_PARAM, 0, 1);
  operation(CL_OP_YIELD, 0, 0);
  return (int)order + (int)over * 0;
}
"""


@pytest.mark.docs
def test_the_switch_runs(tmp_path: Path) -> None:
    """Two threads take turns; then main, which is less urgent, goes on."""
    text = (ROOT / "docs" / "integration.md").read_text(encoding="utf-8")
    code = re.findall(r"```c\n(.*?)```", text, re.DOTALL)[0]
    (tmp_path / "main.c").write_text(code + MAIN)
    (tmp_path / "start.S").write_text(START)
    (tmp_path / "link.ld").write_text(LINK)
    flags = ["-target", "riscv32-freestanding-none", "-mcpu=generic_rv32+m", "-nostdlib", "-O2"]
    flags += [
        "-Wall",
        "-Wextra",
        "-Werror",
        "-fno-sanitize=undefined",
        f"-I{RUNTIME / 'include'}",
        "-Wl,-T,link.ld",
    ]
    command = [*zig.cc(), *flags, "start.S", "main.c", "-o", "bare.elf"]
    subprocess.run(command, check=True, env=zig.environment(), cwd=tmp_path)
    (tmp_path / "bare.bin").write_bytes(elf.flat(tmp_path / "bare.elf"))
    model = verilate.build_model(platform.load("smp-standard", 1))
    ran = simulate.run(model, tmp_path / "bare.bin", simulate.Options(max_cycles=20_000))
    assert ran.exit_status == int("12121212", 4)
