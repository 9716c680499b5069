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
    return simulate.run(verilate.build_model(chosen), elf, max_cycles=max_cycles)


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
        f"  thread 3 (ender) runs on CPU 1, in {ENDS.format(27)}"
    )


@pytest.mark.parametrize("kernel", firmware.KERNELS)
@pytest.mark.parametrize("core", CORES)
def test_preempted_threads_are_where_they_were_interrupted(core: str, kernel: str) -> None:
    """A core that runs may have decoded what follows its loop."""
    result = run("spinners", core, kernel, 200_000)
    main, *spinners = result.why.splitlines()
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
