# SPDX-License-Identifier: Apache-2.0
"""Every figure of [HT] beside ours: cycles of each scheduler operation, and delays with 250 ready threads.

Unit: cl_scheduler alone, the paper's module, in its three builds. Kernel: the same operations of the kernel,
at a processor's port. Delays: the whole platform, an interrupt line that rises at random moments, and
the thread that it wakes.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from coreloom.benches import pool
from coreloom.benches.pool import Job
from coreloom.design import platform
from coreloom.errors import UserError
from coreloom.reference.scheduler import Build
from coreloom.report.figure import Figure
from coreloom.simulation.experiment import Experiment
from coreloom.simulation.harness import kernel_port
from coreloom.simulation.harness import scheduler as scheduler_unit
from coreloom.simulation.simulate import Event, Kind, Pulses
from coreloom.toolchain import elf
from coreloom.toolchain.firmware import KERNELS

# Name of a build -> the platform that has it.
BUILDS = {"linear": "hthreads-linear", "bitmap": "hthreads-bitmap", "hybrid": "hthreads"}
LENGTHS = (2, 16, 32, 64, 128, 250)
SIZE = (256, 128)  # threads x priorities, as in the paper
# The paper's coding of hardware threads leaves 128 priorities to the hybrid build.
LARGEST = {"linear": (1024, 256), "bitmap": (1024, 256), "hybrid": (1024, 128)}
LARGEST_LENGTH = 1000
INTERRUPTS = 10_000
READY = 250  # threads
INSTRUCTION_CACHE = 4096  # bytes, of the standard core
LINE = 0
# Cycles from one interrupt to the next, drawn evenly: every phase of the program, each delay over by then.
GAP = (1000, 1999)
# The first interrupt: by then all threads are ready.
FIRST = 200_000
# What no system can beat on this core: the line is seen, 30 words of context (28 registers, pc, sp) are
# stored, a word a cycle, and one access of two cycles says who is next.
DELAY_BOUND = 1 + 30 + 2
# What the ready threads do.
LOADS = {"loop": "stay in the cache", "cache": "fill the cache"}
# Paper: [HT] tables of dequeue operations (10 ns a cycle) and of build 3; its hardware enqueue takes a bus
# transaction besides.
_PAPER_DEQUEUE = {
    "linear": {250: 1006, 128: 514, 64: 261, 32: 133, 16: 69, 2: 13},
    "bitmap": dict.fromkeys(LENGTHS, 24),
}
_PAPER_BUILD_3 = {
    "enqueue_software": 28,
    "enqueue_hardware": 20,
    "dequeue": 24,
    "get_entry": 10,
    "is_queued": 10,
    "is_empty": 10,
    "set_idle_thread": 10,
    "get_sched_param": 10,
    "check_sched_param": 10,
    "set_sched_param_not_queued": 10,
    "set_sched_param_queued": 50,
}
# Paper: [HT], 250 threads ready, 100 MHz: mean and jitter (largest - mean) in cycles.
PAPER_DELAY = {
    ("linear", "raw"): (79, 73),
    ("bitmap", "raw"): (79, 73),
    ("linear", "end_to_end"): (200, 240),
    ("bitmap", "end_to_end"): (190, 140),
}


def paper_cycles(build: str, operation: str, queued: int) -> int | None:
    """What the paper says of this operation; None where it says nothing."""
    if build == "hybrid":
        return _PAPER_BUILD_3.get(operation) if queued <= max(LENGTHS) else None
    return _PAPER_DEQUEUE[build].get(queued) if operation == "dequeue" else None


# Moments after an interrupt, in their order, and what they are called in the result.
MOMENTS = ("unit", "raw", "end_to_end", "thread")


def delays(events: Iterable[Event], kinds: Mapping[str, int]) -> dict[str, list[int]]:
    """Cycles from each INTERRUPT to the moments in `kinds` (moment -> kind of its event), in their order.

    A UserError if an interrupt comes before the one before it has been served.
    """
    found: dict[str, list[int]] = {moment: [] for moment in kinds}
    rose: int | None = None
    left: list[str] = []
    for event in sorted(events, key=lambda event: event.cycle):
        if event.kind == Kind.INTERRUPT:
            if left:
                raise UserError(f"the interrupt of cycle {rose} was not served by cycle {event.cycle}")
            rose, left = event.cycle, list(kinds)
        elif left and rose is not None and event.kind == kinds[left[0]]:
            found[left.pop(0)].append(event.cycle - rose)
    return found


def spread(values: Sequence[int]) -> dict[str, Any]:
    """least, mean, most, jitter (most - mean, as in the paper), and how often each value came."""
    mean = sum(values) / len(values)
    return {
        "interrupts": len(values),
        "least": min(values),
        "mean": round(mean, 1),
        "most": max(values),
        "jitter": round(max(values) - mean, 1),
        "histogram": {str(value): count for value, count in sorted(Counter(values).items())},
    }


def histogram(counts: dict[str, int], buckets: int = 10) -> list[tuple[int, int, int]]:
    """(from, to, how many) in at most `buckets` buckets of equal width."""
    values = {int(value): count for value, count in counts.items()}
    low, high = min(values), max(values)
    width = max(1, math.ceil((high - low + 1) / buckets))
    edges = range(low, high + 1, width)
    return [
        (edge, edge + width - 1, sum(n for value, n in values.items() if edge <= value < edge + width))
        for edge in edges
    ]


def unit_rows(build: str, queued: int, size: tuple[int, int]) -> list[dict[str, Any]]:
    """Cycles of every operation of one build with `queued` threads in the queue."""
    return [
        {
            "part": "unit",
            "build": build,
            "threads": queued,
            "operation": operation,
            "cycles": cycles,
            "paper_cycles": paper_cycles(build, operation, queued),
            "size": list(size),
        }
        for operation, cycles in scheduler_unit.measure(Build[build.upper()], *size, queued).items()
    ]


def kernel_rows(build: str, queued: int) -> list[dict[str, Any]]:
    """The same operations as the kernel has them, at a processor's port.

    cycles: until the caller has its answer; busy: until the unit could take the next operation.
    """
    return [
        {
            "part": "kernel",
            "build": build,
            "threads": queued,
            "operation": operation,
            "cycles": cycles.answer,
            "busy": cycles.quiet,
            "paper_cycles": None,
            "size": list(SIZE),
        }
        for operation, cycles in kernel_port.measure(build, *SIZE, queued).items()
    ]


def delay_rows(
    build: str, kernel: str = "hw", load: str = "cache", interrupts: int = INTERRUPTS, seed: int = 1
) -> list[dict[str, Any]]:
    """Delays with 250 ready threads of that load, on the platform of that build."""
    soc = platform.load(BUILDS[build])
    source = str(Path(__file__).with_name("scheduling_delay.c"))
    footprint = 2 * INSTRUCTION_CACHE if load == "cache" else 0
    defines: dict[str, str | int] = {"THREADS": READY, "INTERRUPTS": interrupts, "FOOTPRINT": footprint}
    experiment = Experiment(source, soc, kernel, defines=defines)
    program = experiment.program()
    # The handler's first instruction; the old context is saved; the thread itself.
    watch = [elf.address(program, symbol) for symbol in ("cl_trap_entry", "cl_switch_to", "served")]
    pulses = Pulses(LINE, FIRST, *GAP, interrupts, seed)
    outcome = experiment.run(b"", watch=watch, pulses=[pulses])
    outcome.check_finished()
    kinds = {moment: Kind.WATCH + n for n, moment in enumerate(MOMENTS[1:])}
    if kernel == "hw":
        kinds = {"unit": int(Kind.REQUEST), **kinds}
    rows = []
    for moment, values in delays(outcome.result.events, kinds).items():
        if len(values) != interrupts:
            raise UserError(f"{len(values)} of {interrupts} interrupts have a moment '{moment}': a defect")
        paper = PAPER_DELAY.get((build, moment), (None, None)) if kernel == "hw" else (None, None)
        rows.append(
            {
                "part": "delay",
                "build": build,
                "kernel": kernel,
                "load": load,
                "threads": READY,
                "operation": moment,
                **spread(values),
                "paper_mean": paper[0],
                "paper_jitter": paper[1],
            }
        )
    return rows


def jobs(interrupts: int = INTERRUPTS) -> list[Job]:
    """Everything, in the order of the tables."""
    units = [(build, queued, SIZE) for build in BUILDS for queued in LENGTHS]
    units += [(build, LARGEST_LENGTH, size) for build, size in LARGEST.items()]
    wanted = [
        Job(f"{build} build, {queued} threads", pool.whole(partial(unit_rows, build, queued, size)))
        for build, queued, size in units
    ]
    wanted += [
        Job(f"kernel, {build} build, {queued} threads", pool.whole(partial(kernel_rows, build, queued)))
        for build in BUILDS
        for queued in (min(LENGTHS), max(LENGTHS))
    ]
    delays_of = [("hw", build) for build in BUILDS] + [("sw", "bitmap")]
    wanted += [
        Job(
            f"{interrupts} interrupts, {KERNELS[kernel]} kernel, {build} build, threads that {LOADS[load]}",
            pool.whole(partial(delay_rows, build, kernel, load, interrupts)),
        )
        for kernel, build in delays_of
        for load in LOADS
    ]
    return wanted


def figures(rows: Sequence[dict[str, Any]]) -> list[Figure]:
    """What was to be reached beside what is."""

    def cycles(hardware: bool) -> int:
        unit = [row for row in rows if row["part"] == "unit" and row["build"] in ("bitmap", "hybrid")]
        return max(int(row["cycles"]) for row in unit if ("hardware" in row["operation"]) == hardware)

    def delay(moment: str) -> dict[str, Any]:
        key = ("delay", "hybrid", "hw", "cache", moment)
        return next(
            r for r in rows if tuple(map(r.get, ("part", "build", "kernel", "load", "operation"))) == key
        )

    unit, end = delay("unit"), delay("end_to_end")
    load = f"{READY} threads that {LOADS['cache']}"
    return [
        # Bound: what is in a block RAM is read and written.
        Figure("scheduler operation at any length (cycles)", cycles(False), at_most=4, bound=2),
        # The bus of the measurement takes the write at once.
        Figure(
            "enqueue of a hardware thread, bus transaction included",
            cycles(True),
            at_most=5,
        ),
        Figure(f"delay in the unit, {load}: jitter", unit["jitter"], at_most=0),
        Figure(f"end-to-end delay, {load}: mean", end["mean"], at_most=100, bound=DELAY_BOUND),
        Figure(f"end-to-end delay, {load}: jitter", end["jitter"], at_most=30),
    ]
