# SPDX-License-Identifier: Apache-2.0
"""Hardware threads and interrupt lines in the SoC, driven by programs without a kernel."""

from __future__ import annotations

import dataclasses
import random
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from cases import nightly_but
from coreloom.design import platform
from coreloom.errors import UserError
from coreloom.reference.kernel import SPEC
from coreloom.simulation import simulate
from coreloom.simulation.simulate import Kind, SimResult, UnitState
from coreloom.toolchain import firmware, verilate

from .asm import assemble
from .test_programs import marks

cores = pytest.mark.parametrize("core", ["economy", "standard"])
UNITS = ("script", "sort", "script")
BLOCK = 0x4020_0004  # what is given as input lies here
END, SPIN, LOAD, STORE, DELAY, JUMP = range(0x100, 0x106)
IDLE, RUNNING, STOPPED, FAULTED, REFUSED = 0, 1, 2, 3, 8
ESRCH = 3 << 16

# s5: registers of unit 0. COMMAND what: store it, log STATUS. AWAIT state: until STATUS says so.
_MACROS = """
.equ START, 1
.equ STOP, 2
.equ RESUME, 3
.equ RESET, 4
.macro COMMAND what, unit=0
  li t0, \\what
  sw t0, 0x100*\\unit(s5)
  lw t0, 0x100*\\unit+4(s5)
  sw t0, MARK(s1)
.endm
.macro AWAIT state, unit=0
7: lw t0, 0x100*\\unit+4(s5)
  andi t0, t0, 7
  addi t0, t0, -\\state
  bnez t0, 7b
.endm
.macro ARGUMENT address, unit=0
  li t0, \\address
  sw t0, 0x100*\\unit+8(s5)
.endm
.macro SHOW offset, unit=0
  lw t0, 0x100*\\unit+\\offset(s5)
  sw t0, MARK(s1)
.endm
.macro SHOW_WORD address
  li t0, \\address
  lw t0, 0(t0)
  sw t0, MARK(s1)
.endm
  li s5, 0xE1000000
"""


def machine(core: str, cpus: int = 1) -> platform.Platform:
    """The paper's machine with units for tests."""
    loaded = platform.load("hthreads")
    kernel = dataclasses.replace(loaded.kernel, hardware_threads=UNITS)
    return dataclasses.replace(loaded, name=f"hthreads-test-{core}", core=core, cpus=cpus, kernel=kernel)


def run(core: str, source: str, inputs: bytes = b"", cpus: int = 1, **options: Any) -> SimResult:
    options.setdefault("max_cycles", 200_000)
    program = assemble(_MACROS + source + "\n sw zero, EXIT(s1)\n", core)
    return simulate.run(
        verilate.build_model(machine(core, cpus)), program, simulate.Options(inputs=inputs, **options)
    )


def values(result: SimResult) -> list[int]:
    assert result.exit_status == 0
    return [value for _, value in marks(result)]


def script(*steps: tuple[int, int, int]) -> bytes:
    return b"".join(struct.pack("<5I", *step, 0, 0) for step in steps)


@cores
def test_units_are_there(core: str) -> None:
    shown = run(core, "SHOW 0x18\n SHOW 0x18, 1\n SHOW 0x18, 2\n SHOW 4\n SHOW 0x10\n")
    assert values(shown) == [15, 3, 15, IDLE, 0]


BUS_ERRORS = {
    "missing unit": ("lw t0, 0x300(s5)", 0xE100_0300),
    "store to a missing unit": ("sw t0, 0x700(s5)", 0xE100_0700),
    "beyond all units": ("li t1, 0xE1001000\n lw t0, 0(t1)", 0xE100_1000),
    "offset without a register": ("lw t0, 0x11C(s5)", 0xE100_011C),
    "store to a read-only register": ("sw t0, 4(s5)", 0xE100_0004),
    "store of a byte": ("sb t0, 8(s5)", 0xE100_0008),
}


@cores
@pytest.mark.parametrize("what", BUS_ERRORS)
def test_bus_error(core: str, what: str) -> None:
    source, address = BUS_ERRORS[what]
    with pytest.raises(UserError, match=rf": bus error: cpu 0, address 0x{address:08x}$"):
        run(core, f"{source}\n nop\n")


def test_without_hardware_threads_there_are_no_registers() -> None:
    model = verilate.build_model(platform.load("smp-standard", 1))
    with pytest.raises(UserError, match=r"bus error: cpu 0, address 0xe1000018$"):
        simulate.run(
            model,
            assemble("li s5, 0xE1000000\n lw t0, 0x18(s5)\n", "standard"),
            simulate.Options(max_cycles=1000),
        )


@cores
def test_bare_start(core: str) -> None:
    """A program without a kernel starts a unit, polls, and finds its work done."""
    numbers = random.Random(1).sample(range(1 << 32), 40)
    inputs = struct.pack("<2I", BLOCK + 8, len(numbers)) + struct.pack("<40I", *numbers)
    source = f"""
  ARGUMENT {BLOCK}, 1
  COMMAND START, 1
  AWAIT 0, 1
  SHOW 0xC, 1
  li t1, {BLOCK + 8}
  li t2, 40
1: lw t0, 0(t1)
  sw t0, MARK(s1)
  addi t1, t1, 4
  addi t2, t2, -1
  bnez t2, 1b
"""
    assert values(run(core, source, inputs)) == [RUNNING, 0, *sorted(numbers)]


@cores
def test_a_bare_run_has_no_thread_to_call_for(core: str) -> None:
    inputs = script((4, 0, 0), (STORE, 0xABC, BLOCK + 0x1000), (END, 0, 55))
    source = f"ARGUMENT {BLOCK}\n COMMAND START\n AWAIT 0\n SHOW 0xC\n SHOW_WORD {BLOCK + 12}\n"
    source += f"SHOW_WORD {BLOCK + 0x1000}\n SHOW 4\n"
    assert values(run(core, source, inputs)) == [RUNNING, 55, ESRCH, 0xABC, IDLE]


@cores
def test_stop_resume_reset(core: str) -> None:
    """While it is stopped a counter that it increases stands still; everything else goes on."""
    counter = BLOCK + 0x1000
    steps = [(STORE, n, counter) for n in range(1, 200)]
    source = f"""
  ARGUMENT {BLOCK}
  COMMAND START
  li t2, 30
1: addi t2, t2, -1
  bnez t2, 1b
  COMMAND STOP
  li t1, {counter}
  lw t2, 0(t1)
  li t3, 1000
1: addi t3, t3, -1
  bnez t3, 1b
  lw t3, 0(t1)
  sub t3, t3, t2
  sw t3, MARK(s1)
  snez t2, t2
  sw t2, MARK(s1)
  COMMAND RESUME
  AWAIT 0
  SHOW 0xC
  SHOW_WORD {counter}
  COMMAND START
  COMMAND RESET
  SHOW 0xC
  COMMAND START
  AWAIT 0
  SHOW 0xC
"""
    seen = values(run(core, source, script(*steps, (END, 0, 9))))
    assert seen == [RUNNING, STOPPED, 0, 1, RUNNING, 9, 199, RUNNING, IDLE, 0xFFFF_FFFF, RUNNING, 9]


@cores
def test_refused_commands_change_nothing(core: str) -> None:
    source = f"""
  COMMAND STOP
  COMMAND RESUME
  COMMAND RESET
  COMMAND 0
  COMMAND 5
  ARGUMENT {BLOCK}
  COMMAND START
  COMMAND START
  COMMAND RESUME
  COMMAND STOP
  COMMAND START
  COMMAND STOP
  COMMAND RESUME
  AWAIT 0
  SHOW 0xC
"""
    states = [IDLE | REFUSED] * 5 + [RUNNING, RUNNING | REFUSED, RUNNING | REFUSED]
    states += [STOPPED, STOPPED | REFUSED, STOPPED | REFUSED, RUNNING, 3]
    assert values(run(core, source, script((DELAY, 0, 3000), (END, 0, 3)))) == states


@cores
def test_hangs_and_faults_are_no_trouble_to_others(core: str) -> None:
    """Unit 0 hangs, unit 2 makes a bus error; unit 1 sorts, the processor runs; both come back."""
    numbers = random.Random(2).sample(range(1 << 32), 100)
    block = struct.pack("<2I", BLOCK + 0x108, 100) + struct.pack("<100I", *numbers)
    inputs = script((SPIN, 0, 0), (END, 0, 1)).ljust(0x40, b"\0") + script((LOAD, 0, 0x5000_0010))
    inputs = inputs.ljust(0x80, b"\0") + script((END, 0, 77))
    inputs = inputs.ljust(0x100, b"\0") + block
    source = f"""
  ARGUMENT {BLOCK}
  ARGUMENT {BLOCK + 0x100}, 1
  ARGUMENT {BLOCK + 0x40}, 2
  COMMAND START
  COMMAND START, 2
  COMMAND START, 1
  AWAIT 3, 2
  SHOW 0x14, 2
  SHOW 0xC, 2
  COMMAND START, 2
  COMMAND RESET, 2
  AWAIT 0, 1
  SHOW_WORD {BLOCK + 0x108}
  SHOW_WORD {BLOCK + 0x108 + 4 * 99}
  SHOW 4
  COMMAND RESET
  ARGUMENT {BLOCK + 0x80}
  ARGUMENT {BLOCK + 0x80}, 2
  COMMAND START
  COMMAND START, 2
  AWAIT 0
  AWAIT 0, 2
  SHOW 0xC
  SHOW 0xC, 2
"""
    seen = [RUNNING, RUNNING, RUNNING, 0x5000_0010, 0xFFFF_FFFF, FAULTED | REFUSED, IDLE]
    seen += [min(numbers), max(numbers), RUNNING, IDLE, RUNNING, RUNNING, 77, 77]
    assert values(run(core, source, inputs)) == seen


def lines(core: str, source: str, pulses: Sequence[simulate.Pulses], cpus: int = 1) -> list[int]:
    return values(run(core, source, cpus=cpus, pulses=pulses))


_ON_LINE = """
  j main
#if STANDARD
.balign 256
vectors:
  .rept 16
  j .
  .endr
irq_entry:
  j on_line
#else
irq_entry:
  getq 10, 1
#endif
on_line:
  lw a1, LINE_PENDING(s1)
  sw a1, LINE_CLEAR(s1)
#if !STANDARD
  slli a0, a0, 16
  or a1, a1, a0
#endif
  sw a1, MARK(s1)
  addi s7, s7, 1
#if STANDARD
  mret
#else
  retirq
#endif
main:
  li s7, 0
"""


@cores
def test_lines_interrupt_processor_0(core: str) -> None:
    """Every edge of an enabled line is one interrupt: mie bit 16, PicoRV32's irq 7."""
    source = (
        _ON_LINE
        + """
#if STANDARD
  la t0, vectors
  csrw mtvec, t0
  li t0, 0x10000
  csrw mie, t0
  csrsi mstatus, 8
#else
  li t0, ~0x80
  maskirq 0, 5
#endif
  li t0, 10
  sw t0, LINE_ENABLE(s1)
  lw t0, LINE_ENABLE(s1)
  sw t0, MARK(s1)
1: li t0, 6
  blt s7, t0, 1b
  lw t0, LINE_PENDING(s1)
  sw t0, MARK(s1)
"""
    )
    pulses = [simulate.Pulses(1, 1000, 400, 700, 3, 1), simulate.Pulses(3, 1200, 400, 700, 3, 2)]
    pulses.append(simulate.Pulses(2, 900, 100, 100, 2, 3))  # not enabled: only pending
    seen = lines(core, source, pulses)
    number = 0 if core == "standard" else 0x80 << 16
    assert seen[0] == 10
    assert len(seen) == 8
    edges = [value & 0xFFFF for value in seen[1:7]]
    assert sum(value & 2 == 2 for value in edges) == sum(value & 8 == 8 for value in edges) == 3
    assert all(value & ~0xFFFF == number for value in seen[1:7])


@cores
def test_lines_are_latched_edges(core: str) -> None:
    """An edge stays pending until it is cleared; a new one after that is a new one."""
    source = """
1: lw t0, LINE_PENDING(s1)
  beqz t0, 1b
  li t1, 500
2: addi t1, t1, -1
  bnez t1, 2b
  lw t0, LINE_PENDING(s1)
  sw t0, MARK(s1)
  li t0, 1
  sw t0, LINE_CLEAR(s1)
  lw t0, LINE_PENDING(s1)
  sw t0, MARK(s1)
  li t0, 2
  sw t0, LINE_CLEAR(s1)
  lw t0, LINE_PENDING(s1)
  sw t0, MARK(s1)
3: lw t0, LINE_PENDING(s1)
  beqz t0, 3b
  sw t0, MARK(s1)
"""
    pulses = [simulate.Pulses(0, 400, 10, 10, 1, 1), simulate.Pulses(1, 450, 20_000, 20_000, 2, 1)]
    assert lines(core, source, pulses) == [3, 2, 0, 2]


# A second processor is a model of its own.
@pytest.mark.parametrize("core", nightly_but(["economy", "standard"], ["standard"]))
@pytest.mark.parametrize("offset", [0xE0, 0xE4, 0xE8])
def test_lines_are_of_processor_0_only(core: str, offset: int) -> None:
    with pytest.raises(UserError, match=f"bus error: cpu 1, address 0xf01000{offset:x}"):
        run(core, f"beqz s0, .\n lw t0, {offset}(s1)\n nop\n", cpus=2)


@cores
def test_pending_is_read_only(core: str) -> None:
    with pytest.raises(UserError, match="bus error: cpu 0, address 0xf01000e0"):
        run(core, "sw t0, 0xE0(s1)\n nop\n")


def operation(name: str, id: int = 0, word0: int = 0) -> str:
    load = 0xF000_0000 | SPEC.ops[name].code << 12 | id << 2
    return f"li t0, {word0}\n li t1, 0xF0003000\n sw t0, 0(t1)\n li t1, {load}\n lw t0, 0(t1)\n"


@cores
def test_events_of_a_thread(core: str) -> None:
    """It runs, waits for a semaphore, goes on, is stopped, goes on, ends; a bare run is no thread."""
    wait = "li t2, 100\n1: addi t2, t2, -1\n bnez t2, 1b\n"
    source = f"""
  ARGUMENT {BLOCK + 40}, 2
  COMMAND START, 2
  AWAIT 0, 2
  ARGUMENT {BLOCK}
  {operation("semaphore_create")}
  {operation("thread_create", word0=128)}
  {operation("thread_start", 1)}
  {wait}
  sw zero, MARK(s1)
  {operation("semaphore_post")}
  {wait}
  COMMAND STOP
  {wait}
  COMMAND RESUME
1: lw t0, 4(s5)
  andi t0, t0, 16
  bnez t0, 1b
"""
    result = run(core, source, script((SPEC.ops["semaphore_wait"].code, 0, 0), (DELAY, 0, 5000), (END, 0, 1)))
    its_thread = 1 << 16 | 16
    assert values(result) == [RUNNING, 0, its_thread | STOPPED, its_thread | RUNNING]
    events = [event for event in result.events if event.kind == Kind.UNIT]
    runs, waits, stopped, ended = UnitState.RUNS, UnitState.WAITS, UnitState.STOPPED, UnitState.ENDED
    assert [event.unit_state() for event in events] == [
        (state, 1) for state in (runs, waits, runs, stopped, runs, ended)
    ]
    assert {event.cpu for event in events} == {0}
    at = [event.cycle for event in events]
    posted = [event.cycle for event in result.events if event.kind == Kind.MARK][1]
    assert at[1] < posted < at[2] < posted + 30
    assert 5000 < at[3] - at[2] + at[5] - at[4] < 5050  # the delay does not pass while it is stopped


@pytest.mark.parametrize(("core", "cpus"), [("standard", 1), ("standard", 2), ("economy", 1)])
def test_threads_of_the_kernel(core: str, cpus: int) -> None:
    """Every kind of operation from hardware, with the real kernel and pthread_create; see the program."""
    program = firmware.build(str(Path(__file__).with_name("programs") / "units.c"), machine(core, cpus), "hw")
    result = simulate.run(
        verilate.build_model(machine(core, cpus)), program, simulate.Options(max_cycles=2_000_000)
    )
    assert (result.uart, result.exit_status) == ("ok\n", 0)
