# SPDX-License-Identifier: Apache-2.0
"""Platform amp: the local memories, programs that run from them, and the counter of bus transfers."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from cases import nightly_but
from conforms import conforms
from coreloom.design import platform
from coreloom.errors import UserError
from coreloom.paths import ROOT
from coreloom.simulation import profile, simulate
from coreloom.simulation.simulate import Kind
from coreloom.toolchain import firmware, verilate
from coreloom.toolchain.elf import address

from .asm import assemble
from .conftest import Run
from .test_programs import ALL_DONE, HANDLER, marks

PROGRAMS = Path(__file__).with_name("programs")
CORES = ("economy", "standard")
MACHINES = [(core, cpus) for core in CORES for cpus in (1, 2)]
MANY = [*MACHINES, ("standard", 8), pytest.param("economy", 8, marks=pytest.mark.nightly)]
cores = pytest.mark.parametrize("core", CORES)
END = 0x2000_0000 + (128 << 10)


@pytest.mark.parametrize(("core", "cpus"), MANY)
def test_local_memories_are_private(run: Run, core: str, cpus: int) -> None:
    """REQ-local-2: the same addresses hold what each processor has stored there, first and last word too."""
    source = """
  la s5, data
  li s6, 0x2001FFFC
  addi t0, s0, 0x100
  sw t0, 0(s5)
  slli t0, t0, 8
  sw t0, 0(s6)
  slli t1, s0, 2       // all have stored before one loads
  add t1, t1, s2
  li t2, 1
  sw t2, 0x200(t1)
  lw t3, CPU_COUNT(s1)
  addi t1, s2, 0x200
1: lw t2, 0(t1)
  beqz t2, 1b
  addi t1, t1, 4
  addi t3, t3, -1
  bnez t3, 1b
  lw t0, 0(s5)
  sw t0, MARK(s1)
  lw t0, 0(s6)
  sw t0, MARK(s1)
"""
    result = run(core, cpus, source + ALL_DONE + ".balign 4\ndata: .word 0\n", local=True)
    assert result.exit_status == 0
    for cpu in range(cpus):
        assert [v for c, v in marks(result) if c == cpu] == [0x100 + cpu, 0x10000 + 256 * cpu]


@cores
def test_bytes_and_halfwords(run: Run, core: str) -> None:
    """Stores change their bytes and no others; loads of each width and sign."""
    source = """
  li s5, 0x20010000
  li t0, 0x80C0A0F0
  sw t0, 0(s5)
  sw zero, 4(s5)
  li t1, 0x11
  sb t1, 1(s5)
  lw t2, 0(s5)
  sw t2, MARK(s1)
  sb t1, 3(s5)
  li t1, 0x2233
  sh t1, 4(s5)
  sh t1, 6(s5)
  lw t2, 0(s5)
  sw t2, MARK(s1)
  lw t2, 4(s5)
  sw t2, MARK(s1)
  lb t2, 0(s5)
  sw t2, MARK(s1)
  lbu t2, 2(s5)
  sw t2, MARK(s1)
  lh t2, 0(s5)
  sw t2, MARK(s1)
  sb t1, 6(s5)
  sb zero, 5(s5)
  lhu t2, 6(s5)
  sw t2, MARK(s1)
  lw t2, 4(s5)
  sw t2, MARK(s1)
"""
    result = run(core, 1, source + ALL_DONE, local=True)
    assert [value for _, value in marks(result)] == [
        *(0x80C0_11F0, 0x11C0_11F0, 0x2233_2233, 0xFFFF_FFF0, 0xC0, 0x11F0, 0x2233, 0x2233_0033),
    ]


BUS_ERRORS = {
    "load beyond the end": (f"li t0, {END}\n lw t1, 0(t0)", END),
    "store beyond the end": (f"li t0, {END}\n sw t1, 0x10(t0)", END + 0x10),
    "fetch beyond the end": (f"li t0, {END}\n jr t0", END),
    "load before": ("li t0, 0x1FFFFFFC\n lw t1, 0(t0)", 0x1FFF_FFFC),
    "beyond the communication port": ("li t0, 0xF0400000\n lw t1, 0(t0)", 0xF040_0000),
    "store of a byte to the communication port": ("li t0, 0xF0200000\n sb t1, 8(t0)", 0xF020_0008),
    "no such operation": ("li t0, 0xF020FC00\n lw t1, 0(t0)", 0xF020_FC00),
}


@cores
@pytest.mark.parametrize("what", BUS_ERRORS)
def test_bus_error(run: Run, core: str, what: str) -> None:
    source, where = BUS_ERRORS[what]
    with pytest.raises(UserError, match=rf": bus error: cpu 1, address 0x{where:08x}$"):
        run(core, 2, f"beqz s0, .\n{source}\n nop\n j .\n", local=True)


@cores
@pytest.mark.parametrize("what", ["lw t1, 0(t0)", "sw t1, 0(t0)", "jr t0"])
def test_no_local_memory(run: Run, core: str, what: str) -> None:
    """On platform smp-bus its addresses are nothing."""
    with pytest.raises(UserError, match=r": bus error: cpu 0, address 0x20000000$"):
        run(core, 2, f"bnez s0, .\nli t0, 0x20000000\n{what}\n nop\n j .\n")


def test_no_communication_port() -> None:
    """Without the table [ipc] its addresses are nothing."""
    chosen = platform.load("hthreads")
    program = assemble("li t0, 0xF0200000\n lw t1, 0(t0)\n nop\n j .\n", chosen.core)
    with pytest.raises(UserError, match=r": bus error: cpu 0, address 0xf0200000$"):
        simulate.run(verilate.build_model(chosen), program, simulate.Options(max_cycles=10_000))


@pytest.mark.parametrize(("core", "cpus"), MACHINES)
def test_the_bus_is_for_global_memory_only(run: Run, core: str, cpus: int) -> None:
    """REQ-local-1: fetches, loads and stores of a local memory are no transfers; BUS_COUNT tells exactly."""
    bodies = (
        "nop",
        "lw t0, 0(s5)\n sw t0, 0(s5)\n lw t1, CPU_ID(s1)\n lw t1, 0(s4)",
        "lw t0, 0(s2)",
        "sb t0, 0(s2)\n lw t1, 4(s3)",
    )
    counted = "".join(
        f"lw s7, BUS_COUNT(s1)\n .rept 10\n {body}\n .endr\n nop\n nop\n lw s8, BUS_COUNT(s1)\n"
        "sub s8, s8, s7\n sw s8, MARK(s1)\n"
        for body in bodies
    )
    source = f"""
  la s5, data
  bnez s0, 2f
  .rept 600            // until the others have come to where they loop
  nop
  .endr
  {counted}
  sw zero, EXIT(s1)
2: lw t0, 0(s5)
  sw t0, 0(s5)
  j 2b
.balign 4
data: .word 0
"""
    result = run(core, cpus, source, local=True)
    assert marks(result) == [(0, 0), (0, 0), (0, 10), (0, 20)]


@cores
def test_fetches_are_transfers_on_platform_smp(run: Run, core: str) -> None:
    """BUS_COUNT with the cache off: each instruction and each load from RAM is one."""
    source = """
.balign 64
  lw s7, BUS_COUNT(s1)
  .rept 100
  lw t0, 0(s2)
  .endr
  lw s8, BUS_COUNT(s1)
  sub s8, s8, s7
  sw s8, MARK(s1)
"""
    ((_, count),) = marks(run(core, 1, source + ALL_DONE, icache=False))
    assert count == 201


@cores
def test_bus_count_is_read_only(run: Run, core: str) -> None:
    with pytest.raises(UserError, match=r": bus error: cpu 0, address 0xf0100010$"):
        run(core, 1, "sw zero, BUS_COUNT(s1)\n nop\n j .\n")


@pytest.mark.parametrize(("core", "cpus"), MACHINES)
def test_interrupts_from_local_memory(run: Run, core: str, cpus: int) -> None:
    """The vectors of both cores are in the local memory; the last processor is woken."""
    source = """
  IRQ_ON
  lw s5, CPU_COUNT(s1)
  addi s5, s5, -1
  bnez s0, 1f
  .rept 1000           // until all have copied the program
  nop
  .endr
  sw s5, IPI(s1)
1: bne s0, s5, 9f
  .rept 2000
  nop
  .endr
  sw zero, EXIT(s1)
9: j 9b
"""
    result = run(core, cpus, HANDLER + source, local=True)
    assert result.exit_status == 0
    assert marks(result) == [(cpus - 1, 2)]


# --- Programs in C ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", firmware.KERNELS)
@pytest.mark.parametrize(("core", "cpus"), nightly_but([*MACHINES, *((core, 8) for core in CORES)], MACHINES))
@pytest.mark.nightly(but=("economy-1-hw", "standard-2-sw"))
def test_program(core: str, cpus: int, kernel: str) -> None:
    """A thread on each processor; each has its own copy of what is in section .local."""
    chosen = platform.load(f"amp-{core}", cpus)
    elf = firmware.build(str(PROGRAMS / "local.c"), chosen, kernel)
    result = simulate.run(verilate.build_model(chosen), elf, simulate.Options(max_cycles=10_000_000))
    assert result.uart == "".join(f"cpu {cpu}: {100 + cpu}\n" for cpu in range(cpus)) + "ok\n"
    assert result.exit_status == 0
    assert result.names == ["a constant"]


CONFORMANCE = ("threads", "mutex", "semaphore", "condition")
SLOW = ("priorities", "stress", "pileup", "pipeline", "interrupted", "suspend", "hthreads")


def passes(name: str, cpus: int, kernel: str, program: str) -> None:
    chosen = platform.load(name, cpus)
    elf = firmware.build(str(ROOT / "tests" / "runtime" / "programs" / f"{program}.c"), chosen, kernel)
    result = simulate.run(verilate.build_model(chosen), elf, simulate.Options(max_cycles=40_000_000))
    assert (result.exit_status, result.uart.splitlines()[-1]) == (0, "ok")


@pytest.mark.parametrize(
    ("program", "core", "kernel"),
    nightly_but(
        product(("ports", *SLOW), CORES, firmware.KERNELS),
        [*product(["ports"], CORES, firmware.KERNELS)],
    ),
)
@pytest.mark.nightly(but=("ports-standard-hw", "ports-economy-sw"))
def test_programs_of_both_kernels(program: str, core: str, kernel: str) -> None:
    """What runs on smp-bus runs here."""
    passes(f"amp-{core}", 2, kernel, program)


@pytest.mark.nightly
@pytest.mark.parametrize("kernel", firmware.KERNELS)
@pytest.mark.parametrize("name", ["amp-economy", "amp-standard", "smp-economy", "smp-standard"])
def test_eight_processors(name: str, kernel: str) -> None:
    for program in ("ports", *SLOW):
        passes(name, 8, kernel, program)
    for group in CONFORMANCE:
        conforms(group, platform.load(name, 8), kernel)


@pytest.mark.parametrize("kernel", firmware.KERNELS)
@pytest.mark.parametrize("core", nightly_but(CORES, ["standard"]))
@pytest.mark.parametrize("group", CONFORMANCE)
def test_conformance(group: str, core: str, kernel: str) -> None:
    conforms(group, platform.load(f"amp-{core}", 2), kernel)


@cores
def test_harness_follows_programs_into_local_memory(core: str) -> None:
    """Profile and watched addresses are those of the local memory."""
    chosen = platform.load(f"amp-{core}")
    elf = firmware.build(str(PROGRAMS / "local.c"), chosen, "hw")
    here = address(elf, "own")
    assert 0x2000_0000 <= here < END
    result = simulate.run(
        verilate.build_model(chosen), elf, simulate.Options(max_cycles=10_000_000, profile=True, watch=[here])
    )
    assert sorted(event.cpu for event in result.events if event.kind == Kind.WATCH) == [0, 1]
    assert {0x2000_0000 <= sample.address < END for sample in result.profile} == {True}
    cycles = profile.by_owner(result.profile, profile.LineTable(elf))
    assert cycles["kernel"] > 0 and sum(cycles.values()) == sum(s.cycles for s in result.profile)


def test_program_larger_than_the_local_memory(tmp_path: Path) -> None:
    chosen = platform.load("amp-standard")
    source = (PROGRAMS / "local.c").read_text()
    program = tmp_path / "large.c"

    def build(words: int) -> Path:
        more = f'__attribute__((section(".local"), used)) unsigned more[{words}];\n'
        program.write_text(source + more)
        return firmware.build(str(program), chosen, "hw")

    elf = build(1)
    free = END - address(elf, "more") - 4
    for words in range(free // 4, free // 4 + 5):  # what else is there may lie behind it
        try:
            build(words)
        except UserError as error:
            assert str(error).startswith("large does not fit into the local memory of amp-standard: text, ")
            break
    with pytest.raises(UserError) as caught:
        build(free // 4 + 1001)
    assert str(caught.value) == (
        "large does not fit into the local memory of amp-standard: text, constants and CL_LOCAL_DATA have "
        "4004 bytes more than its 128 KiB; make memory.local_kib larger (up to 1024)"
    )


# A thread on CPU 0 whose stack is in the local memory, as its code is: how many transfers the bus has had.
CONTEXT = """
#include <coreloom.h>
#include <pthread.h>
#include "cl_machine.h"

static CL_LOCAL_DATA unsigned char stack[1024] __attribute__((aligned(16)));

CL_LOCAL_CODE static void *work(void *argument) {
  volatile unsigned sum = 0;
  cl_trace(CL_TRACE_MARK, cl_local_read(CL_BUS_COUNT));
  for (unsigned i = 0; i < 50; i++) sum += i;
  cl_trace(CL_TRACE_MARK, cl_local_read(CL_BUS_COUNT));
  return argument;
}

int main(void) {
  pthread_attr_t attr;
  pthread_t thread;
  if (pthread_attr_init(&attr) || pthread_attr_setstack(&attr, stack, sizeof stack)) return 1;
  if (pthread_attr_setplacement_np(&attr, PTHREAD_PLACEMENT_STATIC_NP, 0)) return 1;
  return pthread_create(&thread, &attr, work, NULL) || pthread_join(thread, NULL);
}
"""


@pytest.mark.parametrize("kernel", firmware.KERNELS)
@cores
def test_stack_and_code_in_a_context_memory_need_no_bus(core: str, kernel: str, tmp_path: Path) -> None:
    """REQ-local-1 with low jitter: the other code is in the shared memory."""
    (tmp_path / "context.c").write_text(CONTEXT)
    chosen = platform.load(f"smp-{core}", 1, changes={"low_jitter": True})
    elf = firmware.build(str(tmp_path / "context.c"), chosen, kernel)
    result = simulate.run(verilate.build_model(chosen), elf, simulate.Options(max_cycles=1_000_000))
    assert result.exit_status == 0
    before, after = (event.value for event in result.events if event.kind == Kind.MARK)
    assert before > 0
    assert after == before


def test_what_does_not_fit_into_a_context_memory(tmp_path: Path) -> None:
    (tmp_path / "context.c").write_text(CONTEXT.replace("stack[1024]", "stack[8192]"))
    chosen = platform.load("smp-standard", changes={"low_jitter": True})
    with pytest.raises(UserError) as caught:
        firmware.build(str(tmp_path / "context.c"), chosen, "hw")
    said, more = str(caught.value).split(" have "), "bytes more than its 8 KiB"
    assert said[0] == (
        "context does not fit into the local memory of smp-standard: the code of traps, CL_LOCAL_CODE and "
        "CL_LOCAL_DATA"
    )
    assert said[1].endswith(f"{more}; put less there")
