# SPDX-License-Identifier: Apache-2.0
"""Exact cycle counts of what a program does on the SoC; the tables in rtl/soc/README.md are these."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import pytest

from cases import nightly_but

from .conftest import Run
from .test_programs import ALL_DONE

REPEAT = 32

# Runs BODY 32 times between two reads of CYCLE, over and over until the instruction cache holds it, and logs
# the last difference. The cache is filled only 300 cycles after reset: until then it invalidates its lines.
_MEASURE = """
  li s5, 20
  la a5, again
  li a3, 0xF0003000  // kernel: WORD0
  li a4, 0xF0004000  // kernel: SELF
  slli s6, s0, 12
  add s6, s6, s2
  li s10, 0x20008000
.balign 64
again:
  lw s7, CYCLE(s1)
  .rept REPEAT
  BODY
  .endr
  lw s8, CYCLE(s1)
  sub s9, s8, s7
  addi s5, s5, -1
  bnez s5, again
  sw s9, MARK(s1)
"""


def measure(
    run: Run,
    core: str,
    body: str,
    cpus: int = 1,
    icache: bool = True,
    local: bool = False,
    changes: Mapping[str, Any] | None = None,
) -> list[int]:
    """Cycles of 32 times `body` on each processor, all at the same time."""

    def cycles(text: str) -> list[int]:
        source = _MEASURE.replace("REPEAT", str(REPEAT if text else 0)).replace("BODY", text)
        result = run(core, cpus, source + ALL_DONE, icache, local, changes)
        return [event.value for event in sorted(result.events, key=lambda event: event.cpu)]

    # The pair of reads of CYCLE alone takes one load.
    nothing = {"economy": 5, "standard": 1, "fast": 4}[core]
    return [value - nothing for value in cycles(body)]


# body: cycles on the economy core, on the standard core with its cache, with that off, and on the fast core
BODIES = {
    "addi t0, t0, 1": (3, 1, 1, 1),
    "mul t0, t1, t2": (6, 1, 1, 1),
    "beq zero, zero, 1f\n1:": (5, 2, 2, 4),
    "lw t0, 0(s6)": (5, 1, 2, 4),
    "sw t0, 0(s6)": (5, 1, 2, 1),
    "lw t0, 0(s6)\n addi t0, t0, 1": (8, 3, 3, 7),
    "lw t0, CPU_ID(s1)": (5, 1, 1, 4),
    "sw t0, IPI_CLEAR(s1)": (5, 1, 1, 2),
    "lw t0, CPU_ID(s1)\n addi t0, t0, 1": (8, 3, 3, 7),
    # Kernel: the argument register, an operation (economy and fast: with the fast kernel)
    "sw t0, 0(a3)": (5, 1, 1, 2),
    "lw t0, 0(a3)": (5, 1, 1, 4),
    "lw t0, 0(a4)": (9, 3, 3, 8),
    "lw t0, 0(a4)\n addi t0, t0, 1": (12, 5, 5, 11),
    # Lock unit: take (store, load), release (store)
    "sw s6, LOCK_ADDRESS(s1)\n lw t0, LOCK_ACQUIRE(s1)\n sw zero, LOCK_RELEASE(s1)": (15, 3, 3, 8),
    "sw s6, LOCK_ADDRESS(s1)\n lw t0, LOCK_ACQUIRE(s1)\n addi t0, t0, 1\n sw zero, LOCK_RELEASE(s1)": (
        18,
        5,
        5,
        11,
    ),
    "sw zero, LOCK_RELEASE(s1)": (5, 1, 1, 2),
}


@pytest.mark.parametrize("body", BODIES)
def test_economy(run: Run, body: str) -> None:
    assert measure(run, "economy", body) == [REPEAT * BODIES[body][0]]


@pytest.mark.parametrize("icache", [True, False], ids=["icache", "no icache"])
@pytest.mark.parametrize("body", BODIES)
def test_standard(run: Run, body: str, icache: bool) -> None:
    assert measure(run, "standard", body, icache=icache) == [REPEAT * BODIES[body][1 if icache else 2]]


# What only the fast core has to show: a constant from its data cache, branches predicted by their sign.
ONLY_FAST = {
    "lw t0, 0(a5)": 1,
    "lw t0, 0(a5)\n addi t0, t0, 1": 4,
    "li t1, 9\n1: addi t1, t1, -1\n bnez t1, 1b": 1 + 9 * 3 + 2,
    "bnez zero, 1f\n1:": 1,
    "sll t0, t1, t2": 1,
}


@pytest.mark.parametrize("body", [*BODIES, *ONLY_FAST])
def test_fast(run: Run, body: str) -> None:
    cycles = ONLY_FAST[body] if body in ONLY_FAST else BODIES[body][3]
    # The load of CYCLE behind the last branch comes a cycle later.
    assert measure(run, "fast", body) == [REPEAT * cycles + ("beq zero" in body)]


# The same for local memories.
LOCAL = {
    "lw t0, 0(s10)": (5, 1),
    "sw t0, 0(s10)": (5, 1),
    "lw t0, 0(s10)\n addi t0, t0, 1": (8, 3),
}
# On amp, whose kernel is small.
WITHOUT_PIPELINE = {
    "lw t0, 0(a4)": (7, 3),
    "lw t0, 0(a4)\n addi t0, t0, 1": (10, 5),
}


# On the fast core with bus_pipeline, 32 times: alone, and each of 4.
STAGED = {
    "addi t0, t0, 1": (32, 32),
    "lw t0, 0(s6)": (192, 192),
    "sw t0, 0(s6)": (96, 127),
    "lw t0, CPU_ID(s1)": (128, 128),
}


@pytest.mark.parametrize("body", STAGED)
def test_registers_at_the_bus(run: Run, body: str) -> None:
    for cpus, cycles in zip((1, 4), STAGED[body], strict=True):
        assert measure(run, "fast", body, cpus, changes={"bus_pipeline": True}) == [cycles] * cpus


@pytest.mark.parametrize("core", ["economy", "standard"])
@pytest.mark.parametrize("body", [*BODIES, *LOCAL])
def test_local_memory(run: Run, core: str, body: str) -> None:
    """From a local memory everything takes what it takes from a cache."""
    cycles = {**BODIES, **LOCAL, **WITHOUT_PIPELINE}[body][core == "standard"]
    assert measure(run, core, body, local=True) == [REPEAT * cycles]


@pytest.mark.parametrize("body", LOCAL)
def test_local_memories_are_not_shared(run: Run, body: str) -> None:
    for core, cycles in zip(("economy", "standard"), LOCAL[body], strict=True):
        assert measure(run, core, body, cpus=2, local=True) == [REPEAT * cycles] * 2


@pytest.mark.parametrize("body", [body for body in BODIES if "s1" in body])
def test_private_devices_are_not_shared(run: Run, body: str) -> None:
    """Four processors at their private ports take what one takes: the instructions come from the caches."""
    assert measure(run, "standard", body, cpus=4) == [REPEAT * BODIES[body][1]] * 4
    assert measure(run, "fast", body, cpus=4) == [REPEAT * BODIES[body][3]] * 4


def test_handing_a_lock_over(run: Run) -> None:
    """REQ-lock-4: in the order of asking, without a cycle lost: four processors hold it 2 cycles each."""
    take = "sw s2, LOCK_ADDRESS(s1)\n lw t0, LOCK_ACQUIRE(s1)\n sw s0, MARK(s1)\n sw zero, LOCK_RELEASE(s1)"
    result = run("standard", 4, f".balign 64\n1: .rept 8\n {take}\n .endr\n j 1b\n", max_cycles=4000)
    turns = result.events[-200:]
    assert {after.cycle - turn.cycle for turn, after in itertools.pairwise(turns)} == {2}
    assert {(after.cpu - turn.cpu) % 4 for turn, after in zip(turns, turns[4:], strict=False)} == {0}


# Instructions per cycle of a loop of 15 instructions, a count and a branch, on 1, 2 and 4 processors at once,
# by body, core and icache. The bus carries one word a cycle: where they fall, it is busy in every cycle.
LOOPS = {
    "ALU": ".rept 15\n addi t0, t0, 1\n .endr",
    "loads": ".rept 15\n lw t0, 0(s6)\n .endr",
    "stores": ".rept 15\n sw t0, 0(s6)\n .endr",
    "mix": ".rept 5\n lw t0, 0(s6)\n addi t1, t1, 1\n add t2, t2, t0\n .endr",
}
LOOPS |= {f"local {name}": LOOPS[name].replace("s6", "s10") for name in ("loads", "mix")}
RATES = {
    ("ALU", "standard", True): (0.945, 0.945, 0.945),
    ("ALU", "standard", False): (0.945, 0.472, 0.236),
    ("ALU", "economy", True): (0.321, 0.321, 0.236),
    ("loads", "standard", True): (0.945, 0.532, 0.278),
    ("loads", "standard", False): (0.516, 0.258, 0.129),
    ("loads", "economy", True): (0.205, 0.205, 0.129),
    ("stores", "standard", True): (0.945, 0.532, 0.278),
    ("mix", "standard", True): (0.945, 0.945, 0.712),
    ("mix", "standard", False): (0.739, 0.370, 0.185),
    ("mix", "economy", True): (0.270, 0.270, 0.185),
    ("ALU", "fast", True): (0.943, 0.943, 0.943),
    ("loads", "fast", True): (0.270, 0.270, 0.270),
    ("stores", "fast", True): (0.943, 0.567, 0.284),
    ("mix", "fast", True): (0.447, 0.447, 0.447),
}


# The same on platform amp with 1, 2 and 8 processors; local: the data are in the local memories, too.
AMP_RATES = {
    ("ALU", "standard"): {1: 0.945, 2: 0.945, 8: 0.945},
    ("ALU", "economy"): {1: 0.321, 2: 0.321, 8: 0.321},
    ("loads", "standard"): {1: 0.945, 2: 0.532, 8: 0.142},
    ("loads", "economy"): {1: 0.205, 2: 0.205, 8: 0.136},
    ("local loads", "standard"): {1: 0.945, 2: 0.945, 8: 0.945},
    ("local loads", "economy"): {1: 0.205, 2: 0.205, 8: 0.205},
    ("stores", "standard"): {1: 0.945, 2: 0.532, 8: 0.142},
    ("mix", "standard"): {1: 0.945, 2: 0.945, 8: 0.426},
    ("mix", "economy"): {1: 0.270, 2: 0.270, 8: 0.270},
    ("local mix", "standard"): {1: 0.945, 2: 0.945, 8: 0.945},
}


def rates(run: Run, core: str, body: str, cpus: int, icache: bool = True, local: bool = False) -> set[float]:
    """Instructions per cycle of the loop around `body`, of each processor."""
    source = f"""
  slli s6, s0, 12
  add s6, s6, s2
  li s10, 0x20008000
  .balign 64
1: li s5, 100
2: {body}
  addi s5, s5, -1
  bnez s5, 2b
  sw zero, MARK(s1)
  j 1b
"""
    result = run(core, cpus, source, icache, local, max_cycles=200_000)
    found = set()
    for cpu in range(cpus):
        cycles = [event.cycle for event in result.events if event.cpu == cpu]
        instructions = (17 * 100 + 3) * (len(cycles) - 3)  # without the rounds that fill the cache
        found.add(round(instructions / (cycles[-1] - cycles[2]), 3))
    return found


# Quick: with four processors that other tests have, too.
@pytest.mark.parametrize(
    ("name", "core", "icache", "cpus"),
    nightly_but(
        [(*case, cpus) for case in RATES for cpus in (1, 2, 4)],
        [(*case, cpus) for case in RATES for cpus in (1, 2, 4) if cpus < 4 or "standard" in case],
    ),
)
@pytest.mark.nightly(
    but=(
        "ALU-standard-True-1",
        "ALU-standard-False-4",
        "loads-standard-False-2",
        "mix-economy-True-1",
        "stores-fast-True-2",
    )
)
def test_instructions_per_cycle(run: Run, name: str, core: str, icache: bool, cpus: int) -> None:
    """REQ-bus-2: one word a cycle, evenly shared."""
    rate = dict(zip((1, 2, 4), RATES[name, core, icache], strict=True))[cpus]
    assert rates(run, core, LOOPS[name], cpus, icache) == {rate}


@pytest.mark.parametrize("cpus", [1, 2, pytest.param(8, marks=pytest.mark.nightly)])
@pytest.mark.parametrize(("name", "core"), AMP_RATES)
@pytest.mark.nightly(
    but=(
        "ALU-standard-1",
        "loads-economy-2",
        "local loads-standard-1",
        "stores-standard-1",
        "mix-economy-2",
        "local mix-standard-2",
    )
)
def test_instructions_per_cycle_of_amp(run: Run, name: str, core: str, cpus: int) -> None:
    """REQ-local-1: what is in a local memory is not slowed by other processors."""
    assert rates(run, core, LOOPS[name], cpus, local=True) == {AMP_RATES[name, core][cpus]}
