# SPDX-License-Identifier: Apache-2.0
"""Harts under a debugger at the JTAG port: each register of the debug module, and what it does with harts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from coreloom.paths import RTL

from .jtag import (
    ABSTRACTAUTO,
    ABSTRACTCS,
    ACK_RESET,
    ACTIVE,
    BUSY,
    BYPASS,
    CANNOT,
    COMMAND,
    DATA0,
    DCSR,
    DMCONTROL,
    DPC,
    DTMCS,
    HALTREQ,
    HALTSUM0,
    HARTINFO,
    IDCODE,
    NDMRESET,
    NOT_HALTED,
    PROGBUF0,
    RESUMEREQ,
    S0,
    S1,
    TRAP,
    Debugger,
    model,
)

HARTS = 2
T0 = 5
COUNT = (0x00128293, 0xFFDFF06F)  # addi t0, t0, 1; j of it
BOOT = 0x80  # where harts start
MTVEC = 0x305
REQUESTED, EBROKE, STEPPED = 3, 1, 4  # why debug mode was entered
EBREAKM, STEP = 1 << 15, 1 << 2


@pytest.fixture
def debugger() -> Iterator[Debugger]:
    with Debugger(model(HARTS)) as made:
        made.choose(0)
        yield made


def why(debugger: Debugger) -> int:
    return debugger.csr(DCSR) >> 6 & 7


def run(debugger: Debugger, hart: int, at: int) -> None:
    debugger.choose(hart)
    debugger.set_csr(DPC, at)
    debugger.resume(hart)


def test_the_tap(debugger: Debugger) -> None:
    """REQ-debug-1: the TAP of IEEE 1149.1: IDCODE after reset; BYPASS, one bit, for each unknown register."""
    with Debugger(model(HARTS)) as fresh:
        fresh._instruction = IDCODE  # by reset
        assert fresh.register(IDCODE, 0, 32) == 0x10000001
    assert debugger.register(IDCODE, 0, 32) == 0x10000001
    assert debugger.register(DTMCS, 0, 32) == 0x71
    assert debugger.register(BYPASS, 0b10110, 5) == 0b01100
    assert debugger.register(0x05, 0b10110, 5) == 0b01100
    assert debugger.instruction(BYPASS) & 3 == 0b01


def test_registers_of_the_module(debugger: Debugger) -> None:
    """REQ-debug-2: what the module is."""
    assert debugger.status() == 0x004C0C82  # has been reset, runs
    assert debugger.read(HARTINFO) == 0
    assert debugger.read(ABSTRACTCS) == 8 << 24 | 1
    debugger.choose(1)
    assert debugger.read(DMCONTROL) == 1 << 16 | ACTIVE
    debugger.choose(0, ACK_RESET)
    assert debugger.status() == 0x00400C82
    debugger.choose(0x3FF)
    assert debugger.read(DMCONTROL) == 0x3FF << 16 | ACTIVE  # as many bits as there are
    assert debugger.status() == 0x0040C082  # no such hart
    for at in range(8):
        debugger.write(PROGBUF0 + at, 0x1000 + at)
    assert [debugger.read(PROGBUF0 + at) for at in range(8)] == [0x1000 + at for at in range(8)]
    debugger.write(ABSTRACTAUTO, 0xFFFFFFFF)
    assert debugger.read(ABSTRACTAUTO) == 0x00FF0001
    debugger.write(DMCONTROL, 0)
    assert debugger.read(DMCONTROL) == 0
    debugger.choose(0)
    assert debugger.read(ABSTRACTAUTO) == 0


@pytest.mark.parametrize("hart", range(HARTS))
def test_registers_of_a_hart(debugger: Debugger, hart: int) -> None:
    """REQ-debug-3: every register is read and written, and nothing else changes."""
    debugger.halt(hart)
    for number in range(1, 32):
        debugger.set(number, 0x01010101 * number)
    assert [debugger.get(number) for number in range(32)] == [0x01010101 * number for number in range(32)]
    assert debugger.csr(0xF14) == hart
    assert [debugger.get(number) for number in range(32)] == [0x01010101 * number for number in range(32)]


def test_memory(debugger: Debugger) -> None:
    """REQ-debug-4: memory by the program buffer, a word after another by the same command."""
    debugger.halt(0)
    words = [0x11111111 * n ^ 0xDEADBEEF for n in range(16)]
    debugger.store(0x1000, *words)
    assert debugger.load(0x1000, 16) == words
    debugger.choose(1)
    debugger.halt(1)
    assert debugger.load(0x1020, 4) == words[8:12]


def test_one_hart_runs_while_another_is_halted(debugger: Debugger) -> None:
    """REQ-debug-5: a hart halts when it is asked to, goes on where it was, and others do not notice."""
    for hart in range(HARTS):
        debugger.halt(hart)
        assert why(debugger) == REQUESTED
    assert debugger.read(HALTSUM0) == 0b11
    debugger.store(BOOT, *COUNT)
    debugger.set(T0, 0)
    run(debugger, 1, BOOT)
    assert debugger.read(HALTSUM0) == 0b01
    assert debugger.status() >> 8 & 0xF == 0b1100
    debugger.halt(1)
    first = debugger.get(T0)
    assert first > 10
    assert debugger.csr(DPC) in (BOOT, BOOT + 4)
    debugger.resume(1)
    debugger.halt(1)
    assert debugger.get(T0) > first
    debugger.choose(0)
    assert debugger.status() >> 8 & 0xF == 0b0011


def test_a_step_is_one_instruction(debugger: Debugger) -> None:
    """REQ-debug-6."""
    debugger.halt(0)
    debugger.store(BOOT, *COUNT)
    debugger.set(T0, 7)
    debugger.set_csr(DPC, BOOT)
    debugger.set_csr(DCSR, debugger.csr(DCSR) | STEP)
    for count, at in ((8, BOOT + 4), (8, BOOT), (9, BOOT + 4)):
        debugger.resume(0)
        debugger.idle(40)
        assert debugger.status() >> 8 & 3 == 3
        assert (debugger.get(T0), debugger.csr(DPC), why(debugger)) == (count, at, STEPPED)


def test_a_breakpoint(debugger: Debugger) -> None:
    """REQ-debug-7: an ebreak halts if the debugger wants it."""
    debugger.halt(0)
    debugger.store(BOOT, COUNT[0], 0x00100073, COUNT[1])
    debugger.set(T0, 0)
    debugger.set_csr(DCSR, debugger.csr(DCSR) | EBREAKM)
    run(debugger, 0, BOOT)
    debugger.idle(40)
    assert debugger.status() >> 8 & 3 == 3
    assert (debugger.get(T0), debugger.csr(DPC), why(debugger)) == (1, BOOT + 4, EBROKE)


def test_what_a_command_may_not(debugger: Debugger) -> None:
    """REQ-debug-8: each error, which stays until it is cleared, and after which nothing is carried out."""
    assert debugger.command(0x221008) == NOT_HALTED
    debugger.halt(0)
    for wrong in (0x02221008, 0x321008, 0x2A1008, 0x220300, 0x221020, 0x01000000):
        assert debugger.command(wrong) == CANNOT
    debugger.set(S0, 0x50000000)
    debugger.set(S1, 3)
    assert debugger.execute(0x00042483) == TRAP  # lw s1, 0(s0)
    assert (debugger.get(S0), debugger.get(S1)) == (0x50000000, 3)
    debugger.write(COMMAND, 0x221020)
    debugger.write(DATA0, 5)
    debugger.write(COMMAND, 0x231005)
    assert debugger.read(ABSTRACTCS) >> 8 & 7 == CANNOT
    debugger.write(ABSTRACTCS, 7 << 8)
    assert debugger.get(T0) != 5


def test_a_program_that_does_not_end(debugger: Debugger) -> None:
    """REQ-debug-9: the module is busy, refuses what would disturb it, and a reset ends it."""
    debugger.halt(0)
    debugger.write(PROGBUF0, 0x0000006F)  # j of itself
    debugger.write(COMMAND, 1 << 18)
    debugger.idle(60)
    assert debugger.read(ABSTRACTCS) >> 8 & 0x1F == 1 << 4  # busy, no error
    debugger.write(DATA0, 5)
    assert debugger.read(ABSTRACTCS) >> 8 & 0x1F == 1 << 4 | BUSY
    debugger.choose(0, NDMRESET)
    debugger.choose(0)
    assert debugger.read(ABSTRACTCS) >> 12 & 1 == 0
    assert debugger.read(DATA0) != 5


def test_a_reset_that_ends_halted(debugger: Debugger) -> None:
    """REQ-debug-10: all but the module is reset; a hart that is to halt does so before it does anything."""
    debugger.halt(0)
    debugger.choose(0, ACK_RESET)
    assert debugger.status() >> 18 & 3 == 0
    debugger.store(BOOT, *COUNT)
    debugger.choose(0, HALTREQ | NDMRESET)
    assert debugger.status() >> 18 & 3 == 3
    debugger.choose(0, HALTREQ)
    debugger.idle(60)
    assert debugger.status() >> 8 & 3 == 3
    assert debugger.csr(DPC) == BOOT
    assert debugger.csr(MTVEC) != 0
    debugger.choose(1)
    assert debugger.status() >> 8 & 0xF == 0b1100


def test_a_hart_that_runs_is_told_to_resume(debugger: Debugger) -> None:
    """REQ-debug-11: it has done so."""
    debugger.choose(0, RESUMEREQ)
    assert debugger.status() >> 16 & 3 == 3


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("if (asks) halted_q[asker] <= ~leaves;", "if (asks) halted_q[0] <= ~leaves;"),
        ("? Dscratch0 : Dscratch1, S0)", "? Dscratch1 : Dscratch0, S0)"),
        ("(doer_q == asker);\n  assign ends", "1'b1;\n  assign ends"),
        ("error_q <= ErrTrap;\n      if (leaves)", ";\n      if (leaves)"),
        ("if (command_q == Idle && is_data) data_q", "if (is_data) data_q"),
        ("resumed_q[asker] <= 1'b1;", ";"),
    ],
    ids=["another-hart", "another-register", "another-doer", "trap-untold", "busy-written", "unacknowledged"],
)
@pytest.mark.nightly(but=("another-register",))
def test_a_planted_fault_is_noticed(old: str, new: str, tmp_path: Path) -> None:
    text = (RTL / "debug" / "rtl" / "cl_debug_module.sv").read_text()
    assert text.count(old) == 1
    checks = (
        lambda debugger: test_registers_of_a_hart(debugger, 1),
        test_one_hart_runs_while_another_is_halted,
        test_what_a_command_may_not,
        test_a_program_that_does_not_end,
    )
    noticed = 0
    for check in checks:
        with Debugger(model(HARTS, text.replace(old, new), tmp_path)) as debugger:
            debugger.choose(0)
            try:
                check(debugger)
            except AssertionError:
                noticed += 1
    assert noticed
