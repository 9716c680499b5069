# SPDX-License-Identifier: Apache-2.0
"""Small assembly programs for the tests: one prelude for all core families, built with zig."""

from __future__ import annotations

import subprocess
from pathlib import Path

from coreloom.toolchain import cache, elf, zig

_LINK = """
ENTRY(_start)
SECTIONS {
  . = BASE;
  .text : AT(0x40000000) { *(.start) *(.text*) *(.rodata*) *(.data*) *(.bss*) . = ALIGN(4); _end = .; }
}
"""

# Entry points of the cores, offsets in the local device, PicoRV32's own instructions as macros. Leaves the
# CPU id in s0 and the addresses of local device, RAM data (uncached), UART and kernel port in s1 to s4, then
# runs into the test; from the local memory if LOCAL.
_PRELUDE = """
#define CPU_ID 0x00
#define CPU_COUNT 0x04
#define CYCLE 0x08
#define CYCLEH 0x0C
#define BUS_COUNT 0x10
#define LOCK_ADDRESS 0x20
#define LOCK_GRANT 0x24
#define LOCK_ACQUIRE 0x28
#define LOCK_RELEASE 0x2C
#define READY 0x40
#define DONE 0x4C
#define MARK 0x54
#define EXIT 0x80
#define MTIME_LO 0xC0
#define MTIME_HI 0xC4
#define MTIMECMP_LO 0xC8
#define MTIMECMP_HI 0xCC
#define IPI 0xD0
#define IPI_CLEAR 0xD4
#define LINE_PENDING 0xE0
#define LINE_CLEAR 0xE4
#define LINE_ENABLE 0xE8
.macro getq rd, q
  .word 0x0000000B | (\\rd << 7) | (\\q << 15)
.endm
.macro retirq
  .word 0x0400000B
.endm
.macro maskirq rd, rs
  .word 0x0600000B | (\\rd << 7) | (\\rs << 15)
.endm
.macro waitirq rd
  .word 0x0800000B | (\\rd << 7)
.endm
.section .start, "ax"
.globl _start
_start:
  j _start
.org 0x10
  j irq_entry
.org 0x80
#if LOCAL
  li t0, 0x40000000
  li t1, 0x20000000
  lui t2, %hi(_end)
  addi t2, t2, %lo(_end)
1: lw t3, 0(t0)
  sw t3, 0(t1)
  addi t0, t0, 4
  addi t1, t1, 4
  bltu t1, t2, 1b
  lui t0, %hi(begin)
  jr %lo(begin)(t0)
#endif
  j begin
.text
begin:
  li s1, 0xF0100000
#if FAST
  li s2, 0xC0100000
#else
  li s2, 0x40100000
#endif
  li s3, 0xE0000000
  li s4, 0xF0000000
  lw s0, CPU_ID(s1)
#if STANDARD
  csrwi 0x7C0, ICACHE
#endif
"""

_TARGET = ("-target", "riscv32-freestanding-none", "-mcpu=generic_rv32+m", "-nostdlib", "-g")


def assemble(source: str, core: str, icache: bool = True, local: bool = False, rom: bool = False) -> Path:
    """Builds `source` (after the prelude) for a core family; returns the flat image. Cached by content.

    The ELF file lies beside it (.elf). local: each processor copies the program to its local memory first and
    runs it there. rom: for processor 1 behind a Back-Door, instead of its loader.
    """
    text = _PRELUDE + source + "\n"
    if "irq_entry:" not in source:
        text += ".balign 4\nirq_entry: j irq_entry\n"
    flags = [f"-D{core.upper()}", f"-DICACHE={int(icache)}", f"-DLOCAL={int(local)}"]
    link = _LINK.replace("BASE", "0x20000000" if local else "0x10000000" if rom else "0x40000000")
    flags = [*_TARGET, *flags]
    key = zig.digest([text, link, *flags], [Path(__file__), Path(elf.__file__)])

    def make(work: Path) -> None:
        (work / "test.S").write_text(text)
        (work / "test.ld").write_text(link)
        command = [*zig.cc(), *flags, "-Wl,-T,test.ld", "test.S", "-o", "test.elf"]
        subprocess.run(command, check=True, env=zig.environment(), cwd=work)
        (work / "test.bin").write_bytes(elf.flat(work / "test.elf"))

    return cache.made(cache.place("assembly") / key, make) / "test.bin"
