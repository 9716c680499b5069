# SPDX-License-Identifier: Apache-2.0
"""Self-checking programs on the simulated SoC: both kernels, all cores, one and two CPUs.

The same source must print the same on both kernels.
"""

from __future__ import annotations

import dataclasses
import itertools
import re
from pathlib import Path
from typing import Any

import pytest

from cases import nightly_but
from coreloom.design import platform
from coreloom.errors import UserError
from coreloom.simulation import simulate
from coreloom.simulation.simulate import Halted, Pulses, SimResult
from coreloom.toolchain import elf as elf_file
from coreloom.toolchain import far, firmware, verilate

PROGRAMS = Path(__file__).with_name("programs")
CORES = ("economy", "standard", "fast")
CHECKED = (
    "atomics",
    "ports",
    "priorities",
    "placement",
    "affinity",
    "main_exit",
    "reports",
    "stress",
    "pileup",
    "pipeline",
    "interrupted",
    "naps",
    "interrupts",
    "suspend",
    "hthreads",
    "timeouts",
    "heap",
    "cancel",
    "attributes",
    "policies",
    "queues",
    "clocks",
    "wakes",
    "limits",
    "numbers",
    "protocols",
)
# Those that depend on the core (its switch, atomics, interrupts and thread pointer), or on having one CPU,
# which never waits for another one.
OF_CORES = ("atomics", "interrupts", "interrupted", "cancel")
OF_ONE_CPU = ("priorities", "main_exit", "naps", "interrupts", "suspend", "hthreads")
OF_TEST = (  # which run in a second
    *("atomics", "ports", "clocks", "heap", "protocols", "cancel", "queues", "attributes", "policies"),
    *("limits", "numbers"),
)
LONG = ("timeouts",)  # test_time_limits_are_kept_closely runs it, too
CALL, RUN, DONE, MARK, NAME = 1, 2, 3, 5, 6


def run(
    program: str,
    core: str,
    cpus: int,
    kernel: str,
    inputs: bytes = b"",
    changes: dict[str, Any] | None = None,
    **defines: int | str,
) -> SimResult:
    """changes: keys of the platform that are not as in its file; defines: macros of the program."""
    chosen = platform.load(f"smp-{core}", cpus, changes=changes)
    elf = firmware.build(str(PROGRAMS / f"{program}.c"), chosen, kernel, defines)
    model = verilate.build_model(chosen)
    return simulate.run(model, elf, simulate.Options(inputs=inputs, max_cycles=40_000_000))


def by_weight(core: str, cpus: int) -> platform.Platform:
    chosen = platform.load(f"smp-{core}", cpus)
    kernel = dataclasses.replace(chosen.kernel, policy="dwrr")
    return dataclasses.replace(chosen, kernel=kernel)


# Nothing of the policy depends on the core.
@pytest.mark.parametrize(("core", "cpus"), nightly_but(itertools.product(CORES, (1, 2)), [("standard", 2)]))
def test_a_pipeline_passes_by_weights(core: str, cpus: int) -> None:
    """Policy dwrr in the hardware kernel."""
    chosen = by_weight(core, cpus)
    elf = firmware.build(str(PROGRAMS / "pipeline.c"), chosen, "hw", {})
    model = verilate.build_model(chosen)
    result = simulate.run(model, elf, simulate.Options(max_cycles=40_000_000))
    assert result.uart.endswith("ok\n"), f"{result.reason}: {result.uart}"


def test_threads_share_by_their_weights() -> None:
    """Of the time of an economy core its traps take more of a light thread's slices than of a heavy one's."""
    chosen = by_weight("standard", 2)
    elf = firmware.build(str(PROGRAMS / "weights.c"), chosen, "hw", {"CL_SLICE_TICKS": 1})
    result = simulate.run(verilate.build_model(chosen), elf, simulate.Options(max_cycles=40_000_000))
    assert result.uart == "ok\n", f"{result.reason}: {result.uart}"


@pytest.mark.parametrize(
    ("program", "core", "cpus"),
    nightly_but(
        itertools.product(CHECKED, CORES, (1, 2)),
        [
            *((program, "standard", 2) for program in CHECKED if program not in LONG),
            *((program, "standard", 1) for program in OF_ONE_CPU),
            *((program, core, 2) for program in OF_CORES for core in ("economy", "fast")),
        ],
    ),
)
@pytest.mark.test(*(f"{program}-standard-2" for program in OF_TEST))
def test_program_passes_and_prints_the_same_on_both_kernels(program: str, core: str, cpus: int) -> None:
    printed = []
    for kernel in firmware.KERNELS:
        result = run(program, core, cpus, kernel)
        assert result.uart.endswith("ok\n"), f"{kernel}: {result.reason}: {result.uart}"
        assert result.exit_status == 0
        printed.append(result.uart)
    assert printed[0] == printed[1]


@pytest.mark.parametrize("kernel", firmware.KERNELS)
def test_a_thread_goes_on_while_better_ones_hand_over(kernel: str) -> None:
    """On the fast core the interrupt rose again before the end of each trap that had found nothing."""
    for pause in range(2, 6) if kernel == "hw" else [4]:
        result = run("handovers", "fast", 2, kernel, PAUSE=pause)
        assert result.uart == "ok\n", f"{pause}: {result.reason}: {result.uart}"


@pytest.mark.parametrize("core", ("economy", "standard"))
@pytest.mark.parametrize("program", ("interrupts", "interrupted", "cancel", "clocks", "pileup"))
def test_program_passes_with_low_jitter(program: str, core: str) -> None:
    chosen = platform.load(f"smp-{core}", 2, changes={"low_jitter": True})
    model = verilate.build_model(chosen)
    for kernel in firmware.KERNELS:
        elf = firmware.build(str(PROGRAMS / f"{program}.c"), chosen, kernel, {})
        assert elf_file.address(elf, "cl_trap_entry") >> 28 == 2
        assert elf_file.address(elf, "main") >> 28 == 4
        result = simulate.run(model, elf, simulate.Options(max_cycles=40_000_000))
        assert result.uart.endswith("ok\n"), f"{kernel}: {result.reason}: {result.uart}"


@pytest.mark.parametrize("cpus", [1, 2, 4])
@pytest.mark.parametrize(
    "program",
    [
        *("interrupts", "interrupted", "cancel", "clocks"),
        *("pileup", "naps", "pipeline", "timeouts", "stress"),
    ],
)
@pytest.mark.nightly(but=("naps-1", "interrupts-2"))
def test_program_passes_on_the_hardware_kernel_with_low_jitter(program: str, cpus: int) -> None:
    """Its traps with two banks. PREEMPT's answer may come with the next thread's message in WORD0: naps,
    pipeline and timeouts notice if that one is in a frame.
    """
    chosen = platform.load("smp-standard", cpus, changes={"low_jitter": True})
    elf = firmware.build(str(PROGRAMS / f"{program}.c"), chosen, "hw", {})
    result = simulate.run(verilate.build_model(chosen), elf, simulate.Options(max_cycles=40_000_000))
    assert result.uart.endswith("ok\n"), f"{result.reason}: {result.uart}"


def test_a_thread_that_moves_itself_runs_on_the_other_cpu_soon() -> None:
    """Hardware kernel, from the call to the first instruction there; that CPU waits. No cache here."""
    events = [event for event in run("affinity", "economy", 2, "hw").events if event.kind in (CALL, RUN)]
    took = [
        there.cycle - call.cycle
        for call, there in itertools.pairwise(events)
        if (call.kind, there.kind, there.value) == (CALL, RUN, 0) and call.cpu != there.cpu
    ]
    assert took[5:18] == [333] * 13


@pytest.mark.parametrize("kernel", firmware.KERNELS)
@pytest.mark.parametrize("core", CORES)
@pytest.mark.nightly(but=("economy-hw", "standard-sw", "fast-hw"))
def test_priorities_run_in_the_expected_order(core: str, kernel: str) -> None:
    assert run("priorities", core, 1, kernel).uart.splitlines()[0] == "bcad1u23e45f6gh7"


# What is better runs first: marks by interrupt threads, by suspended and idle ones.
PRINTED = {
    "interrupts": "uz1u23u4zz5u6\nok\n",
    "suspend": "1a2c3b45ed6\nok\n",
    "hthreads": "jobs 60\nresult 42\ninterrupts 3\nok\n",
}


@pytest.mark.parametrize("kernel", firmware.KERNELS)
@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("program", PRINTED)
@pytest.mark.nightly(
    but=("interrupts-economy-hw", "suspend-standard-sw", "suspend-fast-hw", "hthreads-economy-sw")
)
def test_exact_output(program: str, core: str, kernel: str) -> None:
    assert run(program, core, 2, kernel).uart == PRINTED[program]


@pytest.mark.parametrize("kernel", firmware.KERNELS)
@pytest.mark.parametrize("core", nightly_but(CORES, ["standard"]))
@pytest.mark.parametrize(
    "program",
    (
        *("stress", "pipeline", "naps", "hthreads", "first_use"),
        pytest.param("timeouts", marks=pytest.mark.nightly),
    ),
)
@pytest.mark.nightly(but=("stress-standard-hw", "pipeline-standard-sw", "naps-standard-hw"))
def test_four_cpus(program: str, core: str, kernel: str) -> None:
    assert run(program, core, 4, kernel).uart == PRINTED.get(program, "ok\n")


@pytest.mark.nightly  # to compile the model
@pytest.mark.parametrize("kernel", firmware.KERNELS)
@pytest.mark.parametrize("program", ("affinity", "stress", "first_use"))
def test_sixteen_cpus(program: str, kernel: str) -> None:
    chosen = dataclasses.replace(platform.load("smp-standard"), cpus=16, ipc=None)
    elf = firmware.build(str(PROGRAMS / f"{program}.c"), chosen, kernel)
    result = simulate.run(verilate.build_model(chosen), elf, simulate.Options(max_cycles=40_000_000))
    assert result.uart.endswith("ok\n"), f"{result.reason}: {result.uart}"


@pytest.mark.parametrize("kernel", firmware.KERNELS)
@pytest.mark.parametrize(("core", "cpus"), [("standard", 1), ("standard", 2), ("economy", 2)])
@pytest.mark.nightly(but=("standard-1-hw", "economy-2-sw"))
def test_lines_of_threads_stay_whole(core: str, cpus: int, kernel: str) -> None:
    *lines, written, formatted, last = run("streams", core, cpus, kernel).uart.splitlines()
    assert sorted(lines) == [f"a thread {number} {line}" for number in range(3) for line in range(6)]
    assert (written, formatted, last) == ("written", "formatted", "ok")


@pytest.mark.parametrize(("cpus", "kernel", "late"), [(1, "hw", 600), (2, "hw", 600), (2, "sw", 1300)])
def test_time_limits_are_kept_closely(cpus: int, kernel: str, late: int) -> None:
    """Standard core: never early (the program looks), and a few cycles late, with a cold cache, too."""
    assert run("timeouts", "standard", cpus, kernel, LATE=late, STEP=late // 10).uart == "ok\n"


FULL = {"kernel.build": "full"}


@pytest.mark.parametrize("cpus", nightly_but((1, 2), [2]))
def test_time_limits_of_the_kernel_are_kept_more_closely(cpus: int) -> None:
    assert run("timeouts", "standard", cpus, "hw", changes=FULL, LATE=400, STEP=40).uart == "ok\n"


# Of late.c, standard core, 1 CPU, warm cache: with the kernel's timeouts, and with the timer.
LATE = {
    True: """\
beside a thread that computes: semaphore 110, mutex 99, condition variable 112, receive 108, send 99
alone: semaphore 43, mutex 37, condition variable 47, receive 43, send 37
ok
""",
    False: """\
beside a thread that computes: semaphore 217, mutex 225, condition variable 261, receive 228, send 225
alone: semaphore 237, mutex 242, condition variable 259, receive 238, send 236
ok
""",
}


@pytest.mark.parametrize("in_kernel", LATE)
def test_cycles_from_a_time_limit_to_the_return(in_kernel: bool) -> None:
    changes = FULL if in_kernel else None
    assert run("late", "standard", 1, "hw", changes=changes).uart == LATE[in_kernel]


MONITORS = {"kernel.services": ["monitors"]}
# Cycles of a round of two threads that take turns by conditions: whether a wait is one operation, and CPUs.
TURNS = {
    (True, 1): (287, 241, 290),
    (True, 2): (117, 77, 104),
    (False, 1): (319, 275, 316),
    (False, 2): (115, 111, 135),
}


@pytest.mark.parametrize("cpus", nightly_but((1, 2, 4), [2]))
def test_a_wait_for_a_condition_ends_with_the_mutex(cpus: int) -> None:
    assert run("monitors", "standard", cpus, "hw", changes=MONITORS, ORDERED=1).uart == "ok\n"


@pytest.mark.parametrize("kernel", ["hw", "sw", "fine"])
def test_it_does_so_in_steps(kernel: str) -> None:
    """On kernels that do not have it as one operation. On fine a mutex may go to one that polls for it."""
    assert run("monitors", "standard", 2, kernel, ORDERED=int(kernel != "fine")).uart == "ok\n"


@pytest.mark.parametrize("cpus", [1, 2])
@pytest.mark.parametrize("in_one", [True, False], ids=["in one", "in steps"])
@pytest.mark.golden
def test_cycles_of_taking_turns(in_one: bool, cpus: int) -> None:
    result = run("monitors", "standard", cpus, "hw", changes=MONITORS if in_one else None, TURNS=1)
    each, held, asked = TURNS[in_one, cpus]
    assert result.uart == f"locked for each turn: {each}\nheld: {held}\nasked: {asked}\nok\n"


# Cycles of what inheritance.c measures, standard core, 1 CPU, warm cache.
PROTOCOLS = """\
none: lock 12, unlock 11
inherit: lock 340, unlock 299
protect: lock 425, unlock 328
inherit, one waits: lock 637, unlock 807
inherit, a chain of three: lock 859, unlock 1967
ok
"""


PROTOCOLS_IN_KERNEL = """\
none: lock 12, unlock 11
inherit: lock 12, unlock 11
protect: lock 12, unlock 11
inherit, one waits: lock 123, unlock 107
inherit, a chain of three: lock 119, unlock 226
ok
"""


def run_inheriting(program: str, core: str, cpus: int) -> str:
    """On a kernel with inheritance: what it prints."""
    return run(program, core, cpus, "hw", changes=FULL).uart


def test_cycles_of_mutexes_with_a_protocol() -> None:
    assert run("inheritance", "standard", 1, "hw").uart == PROTOCOLS
    assert run_inheriting("inheritance", "standard", 1) == PROTOCOLS_IN_KERNEL


@pytest.mark.parametrize(
    ("core", "cpus"),
    [("standard", 1), ("standard", 2), pytest.param("economy", 2, marks=pytest.mark.nightly)],
)
def test_mutexes_keep_their_rules_in_a_kernel_with_inheritance(core: str, cpus: int) -> None:
    assert run_inheriting("protocols", core, cpus) == "ok\n"


@pytest.mark.parametrize(("kernel", "build"), [("sw", "small"), ("hw", "small"), ("hw", "full")])
@pytest.mark.parametrize(
    "core", ["standard", *(pytest.param(core, marks=pytest.mark.nightly) for core in CORES[::2])]
)
@pytest.mark.nightly(but=("standard-sw-small", "standard-hw-full"))
def test_a_time_limit_is_kept_though_the_owner_is_raised(core: str, kernel: str, build: str) -> None:
    changes = {"kernel.build": build}
    assert run("inherited_limits", core, 1, kernel, changes=changes, CL_SLICE_TICKS=0).uart == "ok\n"


@pytest.mark.parametrize("kernel", firmware.KERNELS)
@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize(("cpus", "words"), [(2, 4), pytest.param(1, 8, marks=pytest.mark.nightly)])
@pytest.mark.nightly(but=("2-4-economy-hw", "2-4-standard-sw", "2-4-fast-hw"))
def test_messages_of_several_words_arrive_whole(core: str, cpus: int, words: int, kernel: str) -> None:
    changes = {"kernel.port_words": words}
    assert run("words", core, cpus, kernel, changes=changes, CL_SLICE_TICKS=1).uart == "ok\n"


def test_cycles_of_a_message_of_four_words() -> None:
    changes = {"kernel.port_words": 4}
    *printed, last = run("words", "standard", 1, "hw", changes=changes, WARM=1).uart.splitlines()
    assert (printed, last) == (["4 words: send 28, receive 37"], "ok")


IN_MEMORY = {"kernel.mutexes": 0, "kernel.semaphores": 0, "kernel.conditions": 1}


@pytest.mark.parametrize("kernel", firmware.KERNELS)
@pytest.mark.parametrize("program", ("protocols", "heap", "cancel"))
@pytest.mark.nightly(but=("protocols-sw", "heap-hw", "cancel-hw"))
def test_all_objects_may_be_in_memory(program: str, kernel: str) -> None:
    assert run(program, "standard", 2, kernel, changes=IN_MEMORY).uart.endswith("ok\n")


# Cycles of a round, of barriers.c, standard core, warm cache: CPUs, kernel, whether its objects are there.
BARRIERS = {
    (1, "hw", True): """\
2 threads: barrier 103, mutex and condition variable 191
4 threads: barrier 260, mutex and condition variable 481
8 threads: barrier 584, mutex and condition variable 1067
ok
""",
    (1, "hw", False): """\
2 threads: barrier 610, mutex and condition variable 701
4 threads: barrier 1666, mutex and condition variable 1924
8 threads: barrier 3947, mutex and condition variable 4532
ok
""",
    (1, "sw", True): """\
2 threads: barrier 252, mutex and condition variable 483
4 threads: barrier 638, mutex and condition variable 1214
8 threads: barrier 1523, mutex and condition variable 2773
ok
""",
    (2, "hw", True): """\
2 threads: barrier 38, mutex and condition variable 86
4 threads: barrier 196, mutex and condition variable 286
8 threads: barrier 394, mutex and condition variable 607
ok
""",
    (2, "hw", False): """\
2 threads: barrier 436, mutex and condition variable 449
4 threads: barrier 1294, mutex and condition variable 1709
8 threads: barrier 3179, mutex and condition variable 4014
ok
""",
    (2, "sw", True): """\
2 threads: barrier 283, mutex and condition variable 901
4 threads: barrier 891, mutex and condition variable 3589
8 threads: barrier 1856, mutex and condition variable 8115
ok
""",
}


@pytest.mark.parametrize(("cpus", "kernel", "in_hardware"), BARRIERS)
@pytest.mark.nightly(but=("1-hw-True", "1-sw-True", "2-hw-False"))
def test_cycles_of_barriers(cpus: int, kernel: str, in_hardware: bool) -> None:
    changes = {} if in_hardware else {"kernel.conditions": 1}
    printed = run("barriers", "standard", cpus, kernel, changes=changes).uart
    assert printed == BARRIERS[cpus, kernel, in_hardware]


@pytest.mark.parametrize("kernel", firmware.KERNELS)
@pytest.mark.parametrize(
    ("core", "cpus"),
    nightly_but(itertools.product(CORES, (1, 2)), [("standard", 1), *((core, 2) for core in CORES)]),
)
@pytest.mark.nightly(but=("economy-2-hw", "standard-1-sw", "fast-2-hw"))
def test_interrupts_from_outside(core: str, cpus: int, kernel: str) -> None:
    """REQ-interrupt-1: every edge of a bound line arrives once, whether its CPU sleeps or runs."""
    chosen = platform.load(f"smp-{core}", cpus)
    each = 20
    elf = firmware.build(str(PROGRAMS / "lines.c"), chosen, kernel, {"EACH": each})
    pulses = [Pulses(line, 150_000 + 100 * line, 6000, 9000, each, line) for line in range(4)]
    result = simulate.run(
        verilate.build_model(chosen),
        elf.with_suffix(".bin"),
        simulate.Options(max_cycles=1_000_000, pulses=pulses),
    )
    assert result.uart == "ok\n"


@pytest.mark.parametrize("kernel", firmware.KERNELS)
@pytest.mark.parametrize(
    ("core", "cpus"), nightly_but(itertools.product(CORES, (1, 2)), [("standard", 2), ("economy", 1)])
)
def test_hardware_threads_among_software_threads(core: str, cpus: int, kernel: str) -> None:
    """Services from hardware, hanging and faulting units, wrong commands; none with the software kernel."""
    chosen = platform.load(f"smp-{core}", cpus)
    size = dataclasses.replace(chosen.kernel, hardware_threads=("script", "script", "sort"))
    chosen = dataclasses.replace(chosen, kernel=size)
    elf = firmware.build(str(PROGRAMS / "hardware.c"), chosen, kernel)
    result = simulate.run(verilate.build_model(chosen), elf, simulate.Options(max_cycles=1_000_000))
    assert result.uart == f"{3 if kernel == 'hw' else 0} units\nok\n"


@pytest.mark.parametrize("kernel", firmware.KERNELS)
@pytest.mark.parametrize("core", CORES)
@pytest.mark.nightly(but=("economy-hw", "standard-sw", "fast-hw"))
def test_fault_prints_one_line_and_stops(core: str, kernel: str) -> None:
    result = run("fault", core, 1, kernel)
    expected, line = result.uart.splitlines()
    assert result.exit_status == 132
    assert line.startswith(f"fault: cpu 0, thread 1, {expected}, address ")


@pytest.mark.parametrize("kernel", firmware.KERNELS)
@pytest.mark.parametrize("core", CORES)
@pytest.mark.nightly(but=("economy-hw", "standard-sw", "fast-hw"))
def test_a_fault_may_end_its_thread_alone(core: str, kernel: str) -> None:
    """Economy and fast tell the program of an illegal instruction, but not of a bus error."""
    chosen = dataclasses.replace(platform.load(f"smp-{core}", 2), fault="thread")
    faults = ["illegal instruction", *(["load access fault"] if core == "standard" else [])]
    source = str(PROGRAMS / "fault_of_thread.c")
    elf = firmware.build(source, chosen, kernel, {"THREADS": len(faults)})
    result = simulate.run(verilate.build_model(chosen), elf, simulate.Options(max_cycles=1_000_000))
    *lines, last = result.uart.splitlines()
    assert [line.split(", ")[1:3] for line in lines] == [
        ["thread 1", f"{fault} at pc {line.split()[-3][:-1]}"]
        for fault, line in zip(faults, lines, strict=True)
    ]
    assert (result.exit_status, last) == (0, "ok")


HELD, WAIT, BLOCKS = "mutexes that a thread holds", "waiters", "free blocks"
SLOTS = "a message queue's slots"


@pytest.mark.parametrize("kernel", firmware.KERNELS)
@pytest.mark.parametrize(
    ("case", "which"),
    [
        *((0, f"the list of {HELD}"), (1, f"the list of {HELD}"), (2, f"the list of {WAIT}")),
        *((3, "the list of cleanup handlers"), (4, "the block given to free or realloc")),
        *((5, f"the heap's list of {BLOCKS}"), (6, f"the heap's list of {BLOCKS}")),
        *((7, "the block given to free or realloc"), (8, "the list of messages of a block")),
        *((9, f"the list of {SLOTS}"), (10, f"the list of {SLOTS}")),
        *((11, "the list of names"), (12, "the list of names"), (13, "the heap's list of kept blocks")),
    ],
)
def test_a_broken_list_ends_the_program(kernel: str, case: int, which: str) -> None:
    result = run("broken", "standard", 1, kernel, CASE=case)
    assert re.fullmatch(
        rf"broken: cpu 0, thread \d, {which} at 0x[0-9a-f]{{8}} was overwritten, freed or initialised again "
        r"while it was in use\n",
        result.uart,
    )
    assert result.exit_status == 134


def test_a_bus_error_names_thread_and_place() -> None:
    """The standard core tells the program; of the economy core the simulator tells."""
    result = run("stuck", "standard", 1, "hw", CASE=4)
    (line,) = result.uart.splitlines()
    assert result.exit_status == 139
    assert line.startswith("fault: cpu 0, thread 1 (reader), load access fault at pc 0x4000")
    assert line.endswith(", address 0x00000010")
    with pytest.raises(
        Halted,
        match=r"^stuck: bus error: cpu 0, thread 1 \(reader\), address 0x00000010, at pc 0x4000\w{4} \(\w",
    ):
        run("stuck", "economy", 1, "sw", CASE=4)


DEADLOCK = """\
deadlock: every thread is blocked and no event is pending
  thread 1 (at barrier) waits for {barrier}, in pthread_barrier_wait < wait_at_barrier (stuck.c:22)
  thread 2 (semaphore) waits for semaphore 0, in {semaphore}
  thread 3 waits for mutex 1 of thread 4 (other way), in {mutex}
  thread 4 (other way) waits for mutex 0 of thread 3, in {mutex}"""


@pytest.mark.parametrize("kernel", firmware.KERNELS)
@pytest.mark.parametrize("core", CORES)
@pytest.mark.nightly(but=("economy-hw", "standard-sw", "fast-hw"))
def test_a_deadlock_ends_the_run_and_tells_who_waits(core: str, kernel: str) -> None:
    result = run("stuck", core, 1, kernel, CASE=0)
    assert (result.reason, result.exit_status) == ("deadlock", None)
    assert result.cycles < 100_000
    barrier, mutex = {
        "hw": ("condition variable 0", "pthread_mutex_lock < cross (stuck.c:17)"),
        "sw": ("condition variable 0", "cross (stuck.c:17)"),
    }[kernel]
    semaphore = "sem_wait < wait_for_semaphore (stuck.c:27)"
    assert result.why == DEADLOCK.format(barrier=barrier, semaphore=semaphore, mutex=mutex)


@pytest.mark.parametrize("kernel", firmware.KERNELS)
@pytest.mark.parametrize(
    ("core", "case", "who", "size"),
    [
        ("standard", 1, "thread 1 (diver)", 8192),
        ("standard", 2, "thread 1 (diver)", 16384),
        ("standard", 3, "thread 0 (main)", 32768),
        ("economy", 1, "thread 1 (diver)", 8192),
    ],
)
@pytest.mark.nightly(
    but=(
        "standard-1-thread 1 (diver)-8192-hw",
        "standard-2-thread 1 (diver)-16384-hw",
        "standard-3-thread 0 (main)-32768-sw",
        "economy-1-thread 1 (diver)-8192-sw",
    )
)
def test_a_stack_overflow_ends_the_run(core: str, kernel: str, case: int, who: str, size: int) -> None:
    stacks = {"memory.stack_kib": 32, "memory.thread_stack_kib": 8}
    result = run("stuck", core, 1, kernel, changes=stacks, CASE=case)
    assert (result.reason, result.exit_status) == ("stack", None)
    found = re.fullmatch(
        r"stack overflow: cpu 0, (.*), at pc 0x4000\w{4} \((\w+)\+0x\w+\), "
        r"(\d+) bytes deep in a stack of (\d+)\n"
        r"  in (?:memset < )?deep \(stuck\.c:\d+\) x (\d+) < go_deep \(stuck\.c:39\)"
        r"( < main \(stuck\.c:69\))?",
        result.why,
    )
    assert found, result.why
    assert size // 128 <= int(found[5]) <= size // 100
    assert bool(found[6]) == (case == 3)
    assert found[1] == who
    assert found[2] in ("deep", "memset")
    assert size < int(found[3]) <= size + 200
    assert int(found[4]) == size


@pytest.mark.parametrize("kernel", firmware.KERNELS)
def test_input_output_names_and_marks(kernel: str) -> None:
    data = bytes(range(200))
    result = run("reports", "standard", 2, kernel, data)
    assert result.output == data[::-1]
    seen = [(event.kind, event.value) for event in result.events]
    assert (MARK, 0x1234) in seen
    assert (DONE, 3) in seen
    assert len([kind for kind, _ in seen if kind == NAME]) == 2


# Cycles from CALL to RUN, mean of voluntary switches: (core, kernel, CPUs) -> bound with some air.
BOUNDS = {
    ("standard", "hw", 1): 100,
    ("standard", "hw", 2): 100,
    ("standard", "sw", 1): 250,
}


@pytest.mark.parametrize(("core", "kernel", "cpus"), BOUNDS)
def test_voluntary_switch_is_within_its_bound(core: str, kernel: str, cpus: int) -> None:
    result = run("pingpong", core, cpus, kernel)
    assert result.exit_status == 0
    called: dict[int, int] = {}
    costs = []
    for event in result.events:
        if event.kind == CALL:
            called[event.cpu] = event.cycle
        elif event.kind == RUN and event.cpu in called:
            costs.append(event.cycle - called.pop(event.cpu))
    assert len(costs) >= 400
    assert sum(costs) / len(costs) <= BOUNDS[core, kernel, cpus]


def test_compiler_text_is_shown(tmp_path: Path) -> None:
    source = tmp_path / "wrong.c"
    source.write_text("int main(void) { return nonsense; }\n", encoding="utf-8")
    with pytest.raises(UserError, match="nonsense"):
        firmware.build(str(source), platform.load("smp-standard", 1), "hw")


def test_thread_locals_take_the_room_they_need_and_no_more(tmp_path: Path) -> None:
    chosen = platform.load("smp-standard", 1)
    sizes = []
    for variables in ("int seven = 7; _Thread_local _Alignas(64) char line[65]", ""):
        source = tmp_path / "program.c"
        used = "_Thread_local " + variables if variables else "char line[9]"
        text = f"{used};\nint main(void) {{ return *(volatile char *)line; }}\n"
        source.write_text(text, encoding="utf-8")
        elf = firmware.build(str(source), chosen, "hw")
        sizes.append(("__tdata_start" in dict(elf_file.symbols(elf)), elf_file.thread_local(elf)))
    assert sizes == [(True, (129, 64)), (False, (0, 1))]


@pytest.mark.parametrize("kernel", ["hw", "sw"])
def test_only_a_program_with_handlers_or_masks_has_what_they_need(kernel: str, tmp_path: Path) -> None:
    chosen = platform.load("smp-standard", 1)
    found = []
    for call in ("raise(SIGTERM)", "signal(SIGTERM, SIG_IGN)"):
        source = tmp_path / "program.c"
        source.write_text(f"#include <signal.h>\nint main(void) {{ {call}; return 0; }}\n", encoding="utf-8")
        names = dict(elf_file.symbols(firmware.build(str(source), chosen, kernel)))
        found.append({"cl_signals_run", "cl_signals_in_trap"} <= set(names))
    assert found == [False, True]


@pytest.mark.parametrize(
    ("variable", "wrong"),
    [
        (
            "_Alignas(128) char x",
            "wrong has _Thread_local variables aligned to 128 bytes: align them to 64 at most",
        ),
        (
            "char x[600000]",
            "wrong does not fit into the memory of smp-standard: the _Thread_local variables of 64 threads, "
            "600000 bytes each, take 67108864 bytes of its 32 MiB; make them smaller, or allocate "
            "them with malloc",
        ),
    ],
)
def test_thread_locals_that_cannot_be(tmp_path: Path, variable: str, wrong: str) -> None:
    source = tmp_path / "wrong.c"
    source.write_text(
        f"static _Thread_local {variable};\nint main(void) {{ return *(volatile char *)&x; }}\n",
        encoding="utf-8",
    )
    with pytest.raises(UserError) as error:
        firmware.build(str(source), platform.load("smp-standard", 1), "hw")
    assert str(error.value) == wrong


@pytest.fixture
def thread_local_program(tmp_path: Path) -> str:
    source = tmp_path / "wrong.c"
    source.write_text(
        "static _Thread_local int x = 7;\n"
        "int main(void) { return *(volatile int *)&x; }\n"
        "int far_main(int argc, char **argv) { (void)argc, (void)argv; return *(volatile int *)&x; }\n",
        encoding="utf-8",
    )
    return str(source)


def test_thread_locals_are_not_for_processor_1(thread_local_program: str) -> None:
    with pytest.raises(UserError) as error:
        far.build(thread_local_program, platform.load("backdoor-standard"))
    assert str(error.value) == "wrong has _Thread_local variables, which processor 1 lacks: use static ones"


@pytest.mark.usefixtures("freertos_sources")
def test_thread_locals_are_not_for_freertos(thread_local_program: str) -> None:
    with pytest.raises(UserError) as error:
        firmware.build(thread_local_program, platform.load("smp-standard", 1), "freertos")
    assert str(error.value) == "wrong has _Thread_local variables, which FreeRTOS lacks: use static ones"


def test_unknown_names() -> None:
    chosen = platform.load("smp-standard", 1)
    with pytest.raises(UserError, match="unknown kernel 'linux'"):
        firmware.build(str(PROGRAMS / "ports.c"), chosen, "linux")
    with pytest.raises(UserError, match="unknown application 'nothing'"):
        firmware.build("nothing", chosen, "hw")
    with pytest.raises(UserError, match=r"^there is no file nothing\.c: check the path$"):
        firmware.build("nothing.c", chosen, "hw")


def test_builds_are_cached() -> None:
    chosen = platform.load("smp-standard", 1)
    path = str(PROGRAMS / "ports.c")
    first = firmware.build(path, chosen, "hw")
    time = first.stat().st_mtime_ns
    assert firmware.build(path, chosen, "hw").stat().st_mtime_ns == time
    assert firmware.build(path, chosen, "hw", {"X": 1}) != first
