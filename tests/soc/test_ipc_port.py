# SPDX-License-Identifier: Apache-2.0
"""The communication port in the SoC: its place, its interrupt on both cores, and what ends its waits.

Its operations are tested by themselves in tests/ipc_rtl.
"""

from __future__ import annotations

import pytest

from cases import nightly_but
from coreloom.simulation.simulate import SimResult

from .conftest import Run
from .test_programs import ALL_DONE, marks

CORES = ("economy", "standard")
cores = pytest.mark.parametrize("core", CORES)
platforms = pytest.mark.parametrize("local", [False, True], ids=["smp", "amp"])

FOREVER = 31
PUT, GET, RECEIVED, RING, TAKE, PENDING, ENABLE = 0, 8, 10, 16, 17, 18, 20


def at(op: int, index: int = 0, patience: int = 0) -> str:
    return f"{0xF020_0000 | patience << 16 | op << 10 | index << 2:#x}"


def values(result: SimResult, cpu: int) -> list[int]:
    return [value for who, value in marks(result) if who == cpu]


# What a word costs from the cycle that the sender has read to the one that the receiver reads behind it.
# By core and whether its program is in a local memory; the kernel of smp-economy is fast.
CYCLES = {("economy", True): 10, ("economy", False): 11, ("standard", True): 3, ("standard", False): 3}


@platforms
@cores
def test_word_to_a_processor_that_waits(run: Run, core: str, local: bool) -> None:
    source = f"""
  li s5, {at(PUT, 0b10)}
  li s6, {at(GET, 0, FOREVER)}
  li s7, 20
  bnez s0, 2f
1: li t0, 60               // the receiver is there long before
3: addi t0, t0, -1
  bnez t0, 3b
  lw t1, CYCLE(s1)
  sw t1, 0(s5)
  addi s7, s7, -1
  bnez s7, 1b
  j 4f
2: lw t1, 0(s6)
  lw t0, CYCLE(s1)
  sub t0, t0, t1
  sw t0, MARK(s1)
  addi s7, s7, -1
  bnez s7, 2b
4:
"""
    result = run(core, 2, source + ALL_DONE, local=local)
    assert values(result, 1)[5:] == [CYCLES[core, local]] * 15


@pytest.mark.parametrize("core", nightly_but(CORES, ["standard"]))
def test_eight_processors(run: Run, core: str) -> None:
    """A word goes around: each adds its number; the end of all of them is a barrier of words."""
    source = f"""
  li s5, {at(PUT)}
  addi t0, s0, 1
  andi t0, t0, 7
  li t1, 4
  sll t1, t1, t0
  add s5, s5, t1           // to the next
  li s6, {at(GET, 0, FOREVER)}
  addi t0, s0, 7
  andi t0, t0, 7
  slli t0, t0, 2
  add s6, s6, t0           // from the one before
  bnez s0, 1f
  li t0, 1000
  sw t0, 0(s5)
1: lw t0, 0(s6)
  add t0, t0, s0
  sw t0, MARK(s1)
  beqz s0, 2f
  sw t0, 0(s5)
2:
"""
    result = run(core, 8, source + ALL_DONE, local=True)
    assert result.exit_status == 0
    sums = [1028, 1001, 1003, 1006, 1010, 1015, 1021, 1028]
    assert sorted(marks(result)) == list(enumerate(sums))


# A handler that silences the bells and logs MARK with which they were.
_HANDLER = f"""
  j main
#if STANDARD
.balign 256
vectors:
  .rept 17
  j .
  .endr
  j handle
.macro IRQ_ON
  la t0, vectors
  csrw mtvec, t0
  li t0, 1 << 17
  csrw mie, t0
  csrsi mstatus, 8
.endm
irq_entry:
#else
.macro IRQ_ON
  li t0, ~0x100
  maskirq 0, 5
.endm
irq_entry:
  getq 10, 1
  srli a0, a0, 8
  li a1, 1
  beq a0, a1, handle       // no other than 8
  j .
#endif
handle:
  li a1, {at(TAKE, 0xFF)}
  lw a0, 0(a1)
  sw a0, MARK(s1)
#if STANDARD
  mret
#else
  retirq
#endif
main:
"""


@platforms
@cores
def test_interrupt(run: Run, core: str, local: bool) -> None:
    """Its bell rings while it computes; only enabled bells interrupt."""
    source = f"""
  IRQ_ON
  bnez s0, 2f
  .rept 1000
  nop
  .endr
  li s5, {at(RING, 0b10)}
  li t0, 0x50
  sw t0, 0(s5)
  li t0, 0x05
  sw t0, 0(s5)
  j 3f
2: li s5, {at(ENABLE)}
  li t0, 0x0F
  sw t0, 0(s5)
  .rept 3000
  nop
  .endr
3:
"""
    result = run(core, 2, _HANDLER + source + ALL_DONE, local=local)
    assert result.exit_status == 0
    assert marks(result) == [(1, 0x55)]


@platforms
@cores
@pytest.mark.parametrize("what", ["timer", "ipi", "bell"])
def test_interrupts_end_a_wait(run: Run, core: str, local: bool, what: str) -> None:
    """With interrupts off: the load that waits for a word is answered with the sentinel and error 2."""
    wake = {
        "timer": "li t0, 3000\n sw t0, MTIMECMP_LO(s1)\n sw zero, MTIMECMP_HI(s1)",
        "ipi": "nop",
        "bell": f"li t0, {at(ENABLE)}\n li t1, 1\n sw t1, 0(t0)",
    }[what]
    source = f"""
  li s5, {at(RING, 0b10)}
  li s6, {at(GET, 0, FOREVER)}
  li s7, {at(RECEIVED, 0)}
  bnez s0, 2f
1: lw t0, CYCLE(s1)
  li t1, 3000
  bltu t0, t1, 1b
  li t0, 1
  {"sw t0, IPI(s1)" if what == "ipi" else "sw t0, 0(s5)"}
  j 3f
2: {wake}
  lw t0, 0(s6)
  sw t0, MARK(s1)
  lw t0, 0(s7)
  sw t0, MARK(s1)
  lw t0, CYCLE(s1)
  li t1, 2990
  sltu t0, t0, t1
  sw t0, MARK(s1)
3:
"""
    result = run(core, 2, source + ALL_DONE, local=local)
    assert result.exit_status == 0
    assert values(result, 1) == [0x8000_0000, 0x2000_0000, 0]
