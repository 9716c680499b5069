# SPDX-License-Identifier: Apache-2.0
"""Programs in assembly on all cores, 1, 2 and 4 processors: every register does its job."""

from __future__ import annotations

import itertools
import struct
from pathlib import Path

import pytest

from cases import nightly_but
from coreloom.design import platform
from coreloom.errors import UserError
from coreloom.simulation import simulate
from coreloom.simulation.simulate import Kind, SimResult
from coreloom.toolchain import verilate

from .asm import assemble
from .conftest import Run

CORES = ("economy", "standard", "fast")
MACHINES = nightly_but(
    itertools.product(CORES, (1, 2, 4)), [*itertools.product(CORES, (1, 2)), ("standard", 4)]
)
machines = pytest.mark.parametrize(("core", "cpus"), MACHINES)
cores = pytest.mark.parametrize("core", CORES)

# Every processor says that it is done; processor 0 waits for all of them and exits with status 0.
# Expects s2 to be RAM that nobody else uses (zero at the start), leaves with the flags of all set.
ALL_DONE = """
  slli t0, s0, 2
  add t0, t0, s2
  li t1, 1
  sw t1, 0x400(t0)
  bnez s0, 9f
  lw t2, CPU_COUNT(s1)
  addi t0, s2, 0x400
7: lw t1, 0(t0)
  beqz t1, 7b
  addi t0, t0, 4
  addi t2, t2, -1
  bnez t2, 7b
  sw zero, EXIT(s1)
9: j 9b
"""

# An interrupt handler for all cores: sets MTIMECMP to never, clears the IPI, logs MARK with 1 for a timer
# interrupt and 2 for an IPI. IRQ_ON turns on both interrupts.
HANDLER = """
  j main
#if STANDARD
.balign 256
vectors:
  .rept 3
  j .
  .endr
  j on_ipi
  .rept 3
  j .
  .endr
  j on_timer
.macro IRQ_ON
  la t0, vectors
  csrw mtvec, t0
  li t0, 0x88
  csrw mie, t0
  csrsi mstatus, 8
.endm
irq_entry:
on_timer:
  li a0, 1
  j handle
on_ipi:
  li a0, 2
handle:
#elif FAST
.macro IRQ_ON
  la t0, irq_entry
  csrw mtvec, t0
  li t0, 0x88
  csrw mie, t0
  csrsi mstatus, 8
.endm
.balign 4
irq_entry:
  csrr a0, mcause          // 7 or 3
  andi a0, a0, 4
  srli a0, a0, 2
  xori a0, a0, 3
  addi a0, a0, -1
#else
.macro IRQ_ON
  li t0, ~0x60
  maskirq 0, 5
.endm
irq_entry:
  getq 10, 1
  srli a0, a0, 5
#endif
  sw a0, MARK(s1)
  li a1, -1
  sw a1, MTIMECMP_HI(s1)
  sw a1, IPI_CLEAR(s1)
#if ECONOMY
  retirq
#else
  mret
#endif
main:
"""


def marks(result: SimResult) -> list[tuple[int, int]]:
    """(cpu, value) of every MARK."""
    return [(event.cpu, event.value) for event in result.events if event.kind == Kind.MARK]


@machines
def test_every_processor_knows_its_number(run: Run, core: str, cpus: int) -> None:
    result = run(
        core, cpus, "lw t0, CPU_COUNT(s1)\n slli t0, t0, 8\n or t0, t0, s0\n sw t0, MARK(s1)\n" + ALL_DONE
    )
    assert result.exit_status == 0
    assert sorted(marks(result)) == [(cpu, cpus << 8 | cpu) for cpu in range(cpus)]


@pytest.mark.parametrize("cpus", [1, 4])
def test_hart_id_of_the_standard_core(run: Run, cpus: int) -> None:
    result = run("standard", cpus, "csrr t0, mhartid\n sw t0, MARK(s1)\n" + ALL_DONE)
    assert sorted(marks(result)) == [(cpu, cpu) for cpu in range(cpus)]


@machines
@pytest.mark.test("standard-2")
def test_lock_excludes(run: Run, core: str, cpus: int) -> None:
    """REQ-lock-1: 1000 increments by each processor, a load and a store apart, none lost."""
    source = """
  li s5, 1000
1: sw s2, LOCK_ADDRESS(s1)
  lw t0, LOCK_ACQUIRE(s1)
  lw t1, 0(s2)
  addi t1, t1, 1
  sw t1, 0(s2)
  sw zero, LOCK_RELEASE(s1)
  addi s5, s5, -1
  bnez s5, 1b
"""
    report = ALL_DONE.replace("sw zero, EXIT(s1)", "lw t0, 0(s2)\n sw t0, EXIT(s1)")
    result = run(core, cpus, source + report)
    assert result.exit_status == 1000 * cpus


@cores
def test_without_the_lock_increments_are_lost(run: Run, core: str) -> None:
    """The test above would not notice a lock that does nothing unless this one loses some."""
    source = "li s5, 1000\n1: lw t1, 0(s2)\n addi t1, t1, 1\n sw t1, 0(s2)\n addi s5, s5, -1\n bnez s5, 1b\n"
    result = run(core, 2, source + ALL_DONE.replace("sw zero, EXIT(s1)", "lw t0, 0(s2)\n sw t0, EXIT(s1)"))
    assert result.exit_status is not None and result.exit_status < 2000


@machines
def test_different_addresses_do_not_exclude(run: Run, core: str, cpus: int) -> None:
    """REQ-lock-3: all processors hold a lock of their own at the same time, or ALL_DONE never ends."""
    source = "slli t0, s0, 2\n add t0, t0, s2\n sw t0, LOCK_ADDRESS(s1)\n lw t1, LOCK_ACQUIRE(s1)\n"
    source += "lw t2, LOCK_GRANT(s1)\n slli t2, t2, 1\n or t2, t2, t1\n sw t2, MARK(s1)\n"
    result = run(core, cpus, source + ALL_DONE)
    assert result.exit_status == 0
    assert sorted(marks(result)) == [(cpu, 3) for cpu in range(cpus)]


@cores
def test_lock_unit_views(run: Run, core: str) -> None:
    """GRANT does not wait, ACQUIRE without a request reads 0, a second request is ignored."""
    source = """
  bnez s0, other
  lw t0, LOCK_ACQUIRE(s1)
  sw t0, MARK(s1)            // 0: nothing asked for
  lw t0, LOCK_GRANT(s1)
  sw t0, MARK(s1)            // 0
  sw s2, LOCK_ADDRESS(s1)
  lw t0, LOCK_ACQUIRE(s1)
  sw t0, MARK(s1)            // 1
  sw zero, LOCK_ADDRESS(s1)  // ignored: s2 stays locked
  li t0, 1
  sw t0, 4(s2)               // go, processor 1
1: lw t0, 8(s2)
  beqz t0, 1b
  sw zero, LOCK_RELEASE(s1)
  lw t0, LOCK_GRANT(s1)
  sw t0, MARK(s1)            // 0
  sw zero, EXIT(s1)
other:
  lw t0, 4(s2)
  beqz t0, other
  sw s2, LOCK_ADDRESS(s1)
  nop
  nop
  lw t0, LOCK_GRANT(s1)
  sw t0, MARK(s1)            // 0: processor 0 holds it
  sw zero, LOCK_RELEASE(s1)  // gives up
  lw t0, LOCK_ACQUIRE(s1)
  sw t0, MARK(s1)            // 0: nothing asked for
  sw zero, LOCK_ADDRESS(s1)  // address 0 is free
  lw t0, LOCK_ACQUIRE(s1)
  sw t0, MARK(s1)            // 1
  sw t0, 8(s2)
  j .
"""
    result = run(core, 2, source)
    assert result.exit_status == 0
    assert [value for cpu, value in marks(result) if cpu == 0] == [0, 0, 1, 0]
    assert [value for cpu, value in marks(result) if cpu == 1] == [0, 0, 1]


@machines
def test_interrupt_of_another_processor(run: Run, core: str, cpus: int) -> None:
    """Processor 0 wakes the last one (itself if alone); no one else hears of it."""
    source = """
  IRQ_ON
  lw s5, CPU_COUNT(s1)
  addi s5, s5, -1
  bnez s0, 1f
  sw s5, IPI(s1)
1: bne s0, s5, 9f
  .rept 40
  nop
  .endr
  sw zero, EXIT(s1)
9: j 9b
"""
    result = run(core, cpus, HANDLER + source)
    assert result.exit_status == 0
    assert marks(result) == [(cpus - 1, 2)]


@machines
def test_interrupt_wakes_a_sleeper(run: Run, core: str, cpus: int) -> None:
    """REQ-ipi-1: an IPI sent before the target sleeps, with interrupts off, is latched and ends the sleep."""
    source = """
  lw s5, CPU_COUNT(s1)
  addi s5, s5, -1
  bnez s0, 1f
  sw s5, IPI(s1)
1: bne s0, s5, 9f
  .rept 100
  nop
  .endr
#if STANDARD
  csrwi mie, 8
  wfi
#elif FAST
1: csrr t0, mip            // its wfi does nothing
  andi t0, t0, 8
  beqz t0, 1b
#else
  waitirq 5
#endif
  sw zero, EXIT(s1)
9: j 9b
"""
    result = run(core, cpus, source)
    assert result.exit_status == 0


@machines
@pytest.mark.test("standard-2")
def test_timer_interrupt(run: Run, core: str, cpus: int) -> None:
    """Each processor sets its own time; the line rises in the cycle after it and not before."""
    source = """
  IRQ_ON
  slli t0, s0, 8
  addi t0, t0, 1000
  sw t0, MTIMECMP_LO(s1)
  sw zero, MTIMECMP_HI(s1)
  li s5, 2500
1: lw t0, MTIME_LO(s1)
  bltu t0, s5, 1b
"""
    result = run(core, cpus, HANDLER + source + ALL_DONE)
    assert result.exit_status == 0
    assert sorted(marks(result)) == [(cpu, 1) for cpu in range(cpus)]
    for event in result.events:
        # Interrupt entry takes a core at most 40 cycles out of this loop, with four of them on the bus.
        assert 0 < event.cycle - (1000 + 256 * event.cpu) < 100


@cores
def test_time_is_common_and_64_bits(run: Run, core: str) -> None:
    source = """
  lw t0, CYCLE(s1)
  lw t1, MTIME_LO(s1)
  lw t2, CYCLEH(s1)
  lw t3, MTIME_HI(s1)
  sub t1, t1, t0
  sw t1, MARK(s1)
  or t2, t2, t3
  sw t2, MARK(s1)
  sw t0, MARK(s1)
"""
    result = run(core, 1, source + ALL_DONE)
    distance, high, cycle = (value for _, value in marks(result))
    assert distance == {"economy": 5, "standard": 1, "fast": 4}[core]
    assert high == 0
    assert 0 < cycle < result.cycles


@machines
@pytest.mark.test("standard-2")
def test_uart_and_exit_status(run: Run, core: str, cpus: int) -> None:
    source = """
  bnez s0, 9f
  la a0, text
1: lbu t0, 0(a0)
  beqz t0, 3f
2: lw t1, 4(s3)
  beqz t1, 2b
  sw t0, 0(s3)
  addi a0, a0, 1
  j 1b
3: li t0, 0xC0DE0042
  sw t0, EXIT(s1)
9: j 9b
text: .string "Hello, Wörld\\n"
"""
    result = run(core, cpus, source)
    assert result.uart == "Hello, Wörld\n"
    assert result.exit_status == 0xC0DE0042
    assert result.reason == "exit"


@cores
def test_input_and_output_regions(run: Run, core: str) -> None:
    """Length words in both regions; byte accesses in every lane."""
    source = """
  li a0, 0x40200000
  li a1, 0x41000000
  lw t0, 0(a0)
  sw t0, 0(a1)
1: beqz t0, 2f
  lbu t1, 4(a0)
  addi t1, t1, 1
  sb t1, 4(a1)
  addi a0, a0, 1
  addi a1, a1, 1
  addi t0, t0, -1
  j 1b
2: sw zero, EXIT(s1)
"""
    data = bytes(range(250)) + b"\x00\x01\x02"
    result = run(core, 1, source, inputs=data)
    assert result.output == bytes((value + 1) & 0xFF for value in data)


KINDS = [kind for kind in range(16) if kind != 10]  # which asks the host


@cores
def test_trace_events(run: Run, core: str) -> None:
    source = "".join(f"li t0, {0x1000 + kind}\n sw t0, {0x40 + 4 * kind}(s1)\n" for kind in KINDS)
    result = run(core, 1, source + ALL_DONE)
    assert [(event.kind, event.value) for event in result.events] == [(k, 0x1000 + k) for k in KINDS]
    cycles = [event.cycle for event in result.events]
    assert cycles == sorted(set(cycles))


def test_watched_addresses(run: Run) -> None:
    source = """
      la t1, 1f
      sw t1, MARK(s1)
      li t0, 200
    1: nop
      addi t0, t0, -1
      bnez t0, 1b
    """
    probe = run("standard", 1, source + ALL_DONE).events
    address = next(event.value for event in probe if event.kind == Kind.MARK)
    events = run("standard", 1, source + ALL_DONE, watch=[0, address]).events
    seen = [event for event in events if event.kind >= Kind.WATCH]
    assert [(event.kind, event.value) for event in seen] == [(Kind.WATCH + 1, address)] * 200
    # The first rounds run without the instruction cache, which clears itself.
    assert seen[-1].cycle - seen[-2].cycle == 4


def test_interrupt_lines_rise_at_random_times(run: Run) -> None:
    source = """
      li t0, 2000
    1: addi t0, t0, -1
      bnez t0, 1b
    """
    trains = [simulate.Pulses(0, 500, 10, 13, 30, seed=7), simulate.Pulses(3, 600, 2, 2, 4, seed=7)]
    seen = [
        e for e in run("standard", 1, source + ALL_DONE, pulses=trains).events if e.kind == Kind.INTERRUPT
    ]
    first, last = ([event.cycle for event in seen if event.value == line] for line in (0, 3))
    gaps = [after - before for before, after in itertools.pairwise(first)]
    assert (len(first), min(gaps), max(gaps)) == (30, 10, 13)
    assert [after - before for before, after in itertools.pairwise(last)] == [2, 2, 2]


@cores
def test_window_and_limit(run: Run, core: str) -> None:
    loop = "1: sw s0, MARK(s1)\n j 1b\n"
    result = run(core, 2, "bnez s0, 1f\n sw zero, READY(s1)\n" + loop, window=5000)
    ready = next(event for event in result.events if event.kind == Kind.READY)
    assert (result.exit_status, result.reason, result.cycles) == (None, "window", ready.cycle + 5000)
    assert all(event.cycle <= ready.cycle + 5000 for event in result.events)
    result = run(core, 2, loop, max_cycles=12_345)
    assert (result.exit_status, result.reason, result.cycles) == (None, "max-cycles", 12_345)


BUS_ERRORS = {
    "beyond the RAM": ("li t0, 0x42000000\n lw t1, 0(t0)", 0x4200_0000),
    "nothing there": ("li t0, 0x50000000\n sw t1, 0x10(t0)", 0x5000_0010),
    "fetch": ("li t0, 0x60000000\n jr t0", 0x6000_0000),
    "fetch from a private device": ("jr s1", 0xF010_0000),
    "beyond the UART": ("lw t1, 8(s3)", 0xE000_0008),
    "beyond the private devices": ("li t0, 0xF1100000\n lw t1, 0(t0)", 0xF110_0000),
    "offset without a register": ("lw t1, 0x14(s1)", 0xF010_0014),
    "store to a read-only register": ("sw t1, CPU_ID(s1)", 0xF010_0000),
    "store of a byte to a device": ("sb t1, EXIT(s1)", 0xF010_0080),
    "store of a half to the kernel": ("sh t1, 8(s4)", 0xF000_0008),
    "IPI to no one": ("li t1, 2\n sw t1, IPI(s1)", 0xF010_00D0),
}


@cores
@pytest.mark.parametrize("what", BUS_ERRORS)
def test_bus_error(run: Run, core: str, what: str) -> None:
    if core == "economy" and what == "fetch from a private device":
        pytest.skip(
            "PicoRV32's look-ahead does not tell a fetch from a load: it executes what the device answers"
        )
    if core == "fast" and what.startswith("fetch"):
        pytest.skip("VexRiscv fetches ahead, so a fetch from nowhere is no error: see the next test")
    source, address = BUS_ERRORS[what]
    with pytest.raises(UserError, match=rf": bus error: cpu 1, address 0x{address:08x}$"):
        run(core, 2, f"beqz s0, .\n{source}\n nop\n j .\n")


@pytest.mark.parametrize("what", [what for what in BUS_ERRORS if what.startswith("fetch")])
def test_fetch_from_nowhere(run: Run, what: str) -> None:
    """On the fast core it is an illegal instruction at that address."""
    source, address = BUS_ERRORS[what]
    handler = "irq_entry: csrr t0, mcause\n sw t0, MARK(s1)\n csrr t0, mepc\n sw t0, EXIT(s1)\n j .\n"
    result = run("fast", 1, f"la t0, irq_entry\n csrw mtvec, t0\n{source}\n .balign 4\n{handler}")
    assert (marks(result), result.exit_status) == ([(0, 2)], address)


def test_core_that_stops_for_good(run: Run) -> None:
    # PicoRV32 stops at an illegal instruction with its interrupts masked, Ibex at a fault in its trap entry.
    with pytest.raises(UserError, match=r"cpu 0 halted$"):
        run("economy", 1, "li t0, -1\n maskirq 0, 5\n .word 0\n j .\n")
    with pytest.raises(UserError, match=r"cpu 0 halted$"):
        run("standard", 1, "la t0, trap\n csrw mtvec, t0\n .word 0\n .balign 256\ntrap: .word 0\n")


@pytest.mark.parametrize("icache", [False, True])
def test_bus_is_fair(run: Run, icache: bool) -> None:
    """REQ-bus-1: four processors that ask in every cycle are served in turn."""
    source = "1: .rept 16\n lw t0, 0(s2)\n .endr\n sw zero, MARK(s1)\n j 1b\n"
    result = run("standard", 4, source, icache, max_cycles=20_000)
    counts = [sum(cpu == which for cpu, _ in marks(result)) for which in range(4)]
    assert max(counts) - min(counts) <= 1
    assert min(counts) > 100


@pytest.mark.nightly
@pytest.mark.parametrize("core", ["economy", "fast"])
def test_bus_is_fair_to_slower_cores(run: Run, core: str) -> None:
    source = "1: .rept 16\n lw t0, 0(s2)\n .endr\n sw zero, MARK(s1)\n j 1b\n"
    result = run(core, 4, source, max_cycles=20_000)
    counts = [sum(cpu == which for cpu, _ in marks(result)) for which in range(4)]
    assert max(counts) - min(counts) <= 1
    assert min(counts) > 100


def test_progress(run: Run) -> None:
    seen: list[int] = []
    run("economy", 1, "j .\n", max_cycles=6_000_000, progress=seen.append)
    assert seen == sorted(seen)
    assert all(0 < cycles <= 6_000_000 for cycles in seen)


def test_wrong_use(tmp_path: Path) -> None:
    model = verilate.build_model(platform.load("smp-economy", 1))
    program = assemble("sw zero, EXIT(s1)\n", "economy")
    with pytest.raises(UserError, match=r"program .*none.bin is missing"):
        simulate.run(model, tmp_path / "none.bin", simulate.Options(max_cycles=1))
    with pytest.raises(UserError, match=r"simulator .* is missing"):
        simulate.run(tmp_path / "sim", program, simulate.Options(max_cycles=1))
    with pytest.raises(UserError, match="input has 14680062 bytes, at most 14680060 fit"):
        simulate.run(model, program, simulate.Options(inputs=bytes(14_680_062), max_cycles=1))
    big = tmp_path / "big.bin"
    with big.open("wb") as file:
        file.truncate((32 << 20) + 1)
    with pytest.raises(UserError, match=r"big.bin is too long; at most 33554432 bytes fit"):
        simulate.run(model, big, simulate.Options(max_cycles=1))


def test_event_log_format() -> None:
    data = struct.pack("<QIBBH", 1 << 40, 0xFFFF_FFFF, 3, 7, 0)
    assert simulate.read_events(data) == [simulate.Event(1 << 40, 3, 7, 0xFFFF_FFFF)]
