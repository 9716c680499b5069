# SPDX-License-Identifier: Apache-2.0
"""A run that is cut short, and one that a fault ends, tell where the threads are, with calls and lines."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest

from cases import nightly_but
from coreloom.design import platform
from coreloom.simulation import simulate
from coreloom.simulation.simulate import Halted, SimResult
from coreloom.toolchain import firmware, verilate

PROGRAMS = Path(__file__).with_name("programs")
CORES = ("economy", "standard", "fast")
ENDS = "end (places.c:{}) < ends (places.c:49)"
# HOW: name and line
FAULTS = {"null": (1, 29), "copy": (2, 30), "assert": (3, 31), "abort": (4, 32), "illegal": (5, 33)}


def run(program: str, core: str, kernel: str, max_cycles: int, **defines: int | str) -> SimResult:
    chosen = platform.load(f"smp-{core}", 2)
    elf = firmware.build(str(PROGRAMS / f"{program}.c"), chosen, kernel, defines)
    return simulate.run(verilate.build_model(chosen), elf, simulate.Options(max_cycles=max_cycles))


@pytest.mark.parametrize("kernel", firmware.KERNELS)
@pytest.mark.parametrize("core", CORES)
def test_the_limit_of_cycles_tells_where_each_thread_is(core: str, kernel: str) -> None:
    result = run("places", core, kernel, 300_000, HOW=0)
    locks = {"hw": "pthread_mutex_lock < locks", "sw": "locks"}[kernel]
    assert result.reason == "max-cycles"
    assert result.why == (
        "  thread 0 (main) waits for the end of thread 3, in pthread_join < main (places.c:63)\n"
        "  thread 1 waits for an object in memory, "
        "in clock_nanosleep < nanosleep < sleep < naps (places.c:44)\n"
        f"  thread 2 (locker) waits for mutex 0 of thread 0 (main), in {locks} (places.c:39)\n"
        f"  thread 3 (ender) runs on CPU 1, in {ENDS.format(27)}\n"
        "in the last 21472 cycles:\n"
        "  thread 3 (ender): end (places.c:27), looks at go_on (0)"
    )


@pytest.mark.parametrize("kernel", firmware.KERNELS)
@pytest.mark.parametrize("core", CORES)
def test_preempted_threads_are_where_they_were_interrupted(core: str, kernel: str) -> None:
    """A core that runs may have decoded what follows its loop."""
    result = run("spinners", core, kernel, 200_500)  # half-way between two ticks
    main, *spinners = result.why.partition("\nin the last")[0].splitlines()
    assert main == "  thread 0 (main) waits for the end of thread 4, in pthread_join < main (spinners.c:23)"
    does = []
    for line in spinners:
        found = re.fullmatch(
            r"  thread \d (.*), in spin \(spinners\.c:(?:9|10)\) < go \(spinners\.c:14\)",
            line,
        )
        assert found, line
        does.append(found[1])
    assert sorted(does) == ["is ready", "is ready", "runs on CPU 0", "runs on CPU 1"]


@pytest.mark.parametrize(
    ("fault", "core", "kernel"),
    nightly_but(
        itertools.product(FAULTS, CORES, firmware.KERNELS),
        [(fault, core, "hw") for fault in FAULTS for core in CORES],
    ),
)
def test_a_fault_has_its_calls_and_lines(fault: str, core: str, kernel: str) -> None:
    how, line = FAULTS[fault]
    inside = {"copy": "memcpy (memcpy.c:82) < ", "assert": "__assert_func < ", "abort": "abort < "}
    try:
        result = run("places", core, kernel, 1_000_000, HOW=how)
        why = result.why
        assert result.exit_status in (132, 134, 139)
    except Halted as halted:  # of economy and fast the simulator tells
        first, _, why = str(halted).partition("\n")
        assert re.fullmatch(
            r"places: bus error: cpu \d, thread 3 \(ender\), address 0x[09]0000000, at pc 0x4000\w{4} "
            r"\((end|memcpy)\+0x\w+\)",
            first,
        )
        assert fault in ("null", "copy")
    assert why == f"  in {inside.get(fault, '')}{ENDS.format(line)}"


def endless(core: str, kernel: str, end: int, max_cycles: int, cpus: int = 2) -> SimResult:
    chosen = platform.load(f"smp-{core}", cpus)
    elf = firmware.build(str(PROGRAMS / "livelock.c"), chosen, kernel, {"END": end, "CL_SLICE_TICKS": 0})
    return simulate.run(
        verilate.build_model(chosen), elf, simulate.Options(max_cycles=max_cycles, endless=True)
    )


LOOPS = (
    "  thread 0 (main): is_full (livelock.c:24), main (livelock.c:44), looks at box+4 (0)\n"
    "  thread 1: await_go (livelock.c:18), looks at go (0)\n"
    "  thread 2: await_go (livelock.c:18), looks at go (0)"
)


@pytest.mark.parametrize("core", CORES)
def test_a_run_that_repeats_itself_for_ever_ends_and_names_the_loop(core: str) -> None:
    result = endless(core, "hw", 0, 20_000_000)
    assert result.reason == "endless" and result.exit_status is None
    first, *table, head, main, one, two = result.why.splitlines()
    assert re.fullmatch(r"livelock: the same \d+000 cycles repeat for ever, and no event is pending", first)
    assert len(table) == 3 and head == "each time:"
    assert "\n".join((main, one, two)) == LOOPS


@pytest.mark.parametrize("end", (1, 2, 3))
@pytest.mark.parametrize("kernel", firmware.KERNELS)
def test_a_loop_that_the_time_ends_is_not_taken_for_endless(kernel: str, end: int) -> None:
    result = endless("standard", kernel, end, 20_000_000)
    assert (result.reason, result.uart) == ("exit", "ok\n") and result.cycles > 2_500_000


@pytest.mark.parametrize(("kernel", "end"), [("sw", 0), ("hw", 4)])
def test_the_limit_of_cycles_names_the_loop(kernel: str, end: int) -> None:
    result = endless("standard", kernel, end, 1_500_000)
    assert result.reason == "max-cycles"
    *table, head, main, one, two = result.why.splitlines()
    assert len(table) == 3 and re.fullmatch(r"in the last \d+ cycles:", head)
    assert (one, two) == tuple(LOOPS.splitlines()[1:])
    assert end == 4 or main.endswith(", looks at box+4 (0)")  # 4 prints, and reads what it prints, too
