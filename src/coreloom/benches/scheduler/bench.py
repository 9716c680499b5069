# SPDX-License-Identifier: Apache-2.0
"""Every figure of [HT] beside ours: cycles of each scheduler operation, and delays with 250 ready threads.

Unit: cl_scheduler alone, the paper's module, in its three builds. Kernel: the same operations of the kernel,
at a processor's port. Delays: of the whole platform (delays.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import msgspec

from coreloom.benches.scheduler.delays import INTERRUPTS, LOADS, READY, DelayRow, delay_rows
from coreloom.jobs.job import Job, whole
from coreloom.reference.scheduler import Build
from coreloom.report import results
from coreloom.report.figure import Figure
from coreloom.simulation.harness import kernel_port
from coreloom.simulation.harness import scheduler as scheduler_unit
from coreloom.toolchain.firmware import KERNELS

BUILDS = ("linear", "bitmap", "hybrid")
LENGTHS = (2, 16, 32, 64, 128, 250)
SIZE = (256, 128)  # threads x priorities, as in the paper
# The paper's coding of hardware threads leaves 128 priorities to the hybrid build.
LARGEST = {"linear": (1024, 256), "bitmap": (1024, 256), "hybrid": (1024, 128)}
LARGEST_LENGTH = 1000
# What no system can beat on this core: the line is seen, 30 words of context (28 registers, pc, sp) are
# stored, a word a cycle, and one access of two cycles says who is next.
DELAY_BOUND = 1 + 30 + 2
# Paper: [HT] tables of dequeue operations (10 ns a cycle) and of build 3; its hardware enqueue takes a bus
# transaction besides.
_PAPER_DEQUEUE = {
    "linear": {250: 1006, 128: 514, 64: 261, 32: 133, 16: 69, 2: 13},
    "bitmap": dict.fromkeys(LENGTHS, 24),
}
_PAPER_BUILD_3 = {
    **dict.fromkeys(("get_entry", "is_queued", "is_empty", "set_idle_thread", "get_sched_param"), 10),
    **dict.fromkeys(("check_sched_param", "set_sched_param_not_queued"), 10),
    **{"enqueue_software": 28, "enqueue_hardware": 20, "dequeue": 24, "set_sched_param_queued": 50},
}


def paper_cycles(build: str, operation: str, queued: int) -> int | None:
    """What the paper says of this operation; None where it says nothing."""
    if build == "hybrid":
        return _PAPER_BUILD_3.get(operation) if queued <= max(LENGTHS) else None
    return _PAPER_DEQUEUE[build].get(queued) if operation == "dequeue" else None


class Operation(msgspec.Struct, frozen=True, kw_only=True):
    """Cycles of one operation of one build, with so many threads in its queue."""

    build: str
    threads: int
    operation: str
    cycles: int
    size: tuple[int, int]  # of the unit: threads x priorities


class UnitRow(Operation, frozen=True, kw_only=True, tag_field="part", tag="unit"):
    """In the scheduler unit alone."""

    paper_cycles: int | None


class KernelRow(Operation, frozen=True, kw_only=True, tag_field="part", tag="kernel"):
    """In the kernel, at a processor's port; cycles: until the caller has its answer."""

    busy: int  # until the unit can take the next operation


Row = UnitRow | KernelRow | DelayRow


class Result(results.Result, kw_only=True):
    """What `coreloom bench scheduler` writes."""

    rows: list[Row]
    unit: str = "cycles"


def unit_rows(build: str, queued: int, size: tuple[int, int]) -> list[UnitRow]:
    """Every operation of the unit with `queued` threads in the queue."""
    measured = scheduler_unit.measure(Build[build.upper()], *size, queued)
    return [
        UnitRow(
            build=build,
            threads=queued,
            operation=operation,
            cycles=cycles,
            size=size,
            paper_cycles=paper_cycles(build, operation, queued),
        )
        for operation, cycles in measured.items()
    ]


def kernel_rows(build: str, queued: int) -> list[KernelRow]:
    """The same operations as the kernel has them."""
    measured = kernel_port.measure(build, *SIZE, queued)
    return [
        KernelRow(build=build, threads=queued, operation=name, cycles=took.answer, size=SIZE, busy=took.quiet)
        for name, took in measured.items()
    ]


def jobs(interrupts: int = INTERRUPTS) -> list[Job[Row]]:
    """Everything, in the order of the tables."""
    units = [(build, queued, SIZE) for build in BUILDS for queued in LENGTHS]
    units += [(build, LARGEST_LENGTH, size) for build, size in LARGEST.items()]
    wanted: list[Job[Row]] = [
        Job(f"{build} build, {queued} threads", whole(partial(unit_rows, build, queued, size)))
        for build, queued, size in units
    ]
    wanted += [
        Job(f"kernel, {build} build, {queued} threads", whole(partial(kernel_rows, build, queued)))
        for build in BUILDS
        for queued in (min(LENGTHS), max(LENGTHS))
    ]
    delays_of = [("hw", build) for build in BUILDS] + [("sw", "bitmap")]
    wanted += [
        Job(
            f"{interrupts} interrupts, {KERNELS[kernel]} kernel, {build} build, threads that {LOADS[load]}",
            whole(partial(delay_rows, build, kernel, load, interrupts)),
        )
        for kernel, build in delays_of
        for load in LOADS
    ]
    return wanted


def figures(rows: Sequence[Row]) -> list[Figure]:
    """What was to be reached beside what is."""

    def cycles(hardware: bool) -> int:
        unit = [row for row in rows if isinstance(row, UnitRow) and row.build in ("bitmap", "hybrid")]
        return max(row.cycles for row in unit if ("hardware" in row.operation) == hardware)

    delay = {
        row.operation: row
        for row in rows
        if isinstance(row, DelayRow) and (row.build, row.kernel, row.load) == ("hybrid", "hw", "cache")
    }
    unit, end = delay["unit"], delay["end_to_end"]
    load = f"{READY} threads that {LOADS['cache']}"
    return [
        # Bound: what is in a block RAM is read and written.
        Figure("scheduler operation at any length (cycles)", cycles(False), at_most=4, bound=2),
        # The bus of the measurement takes the write at once.
        Figure("enqueue of a hardware thread, bus transaction included (cycles)", cycles(True), at_most=5),
        Figure(f"delay in the unit, {load}: jitter (cycles)", unit.jitter, at_most=0),
        Figure(f"end-to-end delay, {load}: mean (cycles)", end.mean, at_most=100, bound=DELAY_BOUND),
        Figure(f"end-to-end delay, {load}: jitter (cycles)", end.jitter, at_most=30),
    ]
