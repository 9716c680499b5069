# SPDX-License-Identifier: Apache-2.0
"""Delays of the whole platform: an interrupt line rises at random moments, and a thread wakes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from coreloom.design import platform
from coreloom.errors import UserError
from coreloom.simulation.experiment import Experiment
from coreloom.simulation.simulate import Event, Kind, Options, Pulses
from coreloom.toolchain import elf

# Name of a build -> the platform that has it.
PLATFORMS = {"linear": "hthreads-linear", "bitmap": "hthreads-bitmap", "hybrid": "hthreads"}
INTERRUPTS = 10_000
READY = 250  # threads
# What these do.
LOADS = {"loop": "stay in the cache", "cache": "fill the cache"}
INSTRUCTION_CACHE = 4096  # bytes, of the standard core
LINE = 0
# Cycles from one interrupt to the next, drawn evenly: every phase of the program, each delay over by then.
GAP = (1000, 1999)
# The first interrupt: by then all threads are ready.
FIRST = 200_000
# Moments after an interrupt, in their order, and what they are called in the result.
MOMENTS = ("unit", "raw", "end_to_end", "thread")
# Paper: [HT], 250 threads ready: mean and jitter (largest - mean) in microseconds, by build and moment.
# In cycles: of its ModelSim tables, as the clock of the measured system is not in its text.
PAPER = {
    ("linear", "raw"): (0.79, 0.73),
    ("bitmap", "raw"): (0.79, 0.73),
    ("linear", "end_to_end"): (2.0, 2.4),
    ("bitmap", "end_to_end"): (1.9, 1.4),
}
PAPER_MHZ = 100


class DelayRow(msgspec.Struct, frozen=True, kw_only=True, tag_field="part", tag="delay"):
    """Cycles from an interrupt to the moment `operation`."""

    build: str
    kernel: str
    load: str
    threads: int = READY
    operation: str
    interrupts: int
    least: int
    mean: float
    most: int
    jitter: float  # most - mean, as in the paper
    histogram: dict[int, int]  # cycles -> how often
    paper_mean: int | None
    paper_jitter: int | None


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


def row(build: str, kernel: str, load: str, moment: str, values: Sequence[int]) -> DelayRow:
    """The row of these delays."""
    mean = sum(values) / len(values)
    paper = PAPER.get((build, moment)) if kernel == "hw" else None
    return DelayRow(
        build=build,
        kernel=kernel,
        load=load,
        operation=moment,
        interrupts=len(values),
        least=min(values),
        mean=round(mean, 1),
        most=max(values),
        jitter=round(max(values) - mean, 1),
        histogram=dict(sorted(Counter(values).items())),
        paper_mean=round(paper[0] * PAPER_MHZ) if paper else None,
        paper_jitter=round(paper[1] * PAPER_MHZ) if paper else None,
    )


def histogram(counts: Mapping[int, int], buckets: int = 10) -> list[tuple[int, int, int]]:
    """(from, to, how many) in at most `buckets` buckets of equal width."""
    low, high = min(counts), max(counts)
    width = max(1, math.ceil((high - low + 1) / buckets))
    return [
        (edge, edge + width - 1, sum(n for value, n in counts.items() if edge <= value < edge + width))
        for edge in range(low, high + 1, width)
    ]


def delay_rows(
    build: str, kernel: str = "hw", load: str = "cache", interrupts: int = INTERRUPTS, seed: int = 1
) -> list[DelayRow]:
    """Delays with 250 ready threads of that load, on the platform of that build.

    The first interrupt does not count: it finds nothing in the instruction cache, whatever the load.
    """
    source = str(Path(__file__).with_name("scheduling_delay.c"))
    footprint = 2 * INSTRUCTION_CACHE if load == "cache" else 0
    defines: dict[str, str | int] = {"THREADS": READY, "INTERRUPTS": 1 + interrupts, "FOOTPRINT": footprint}
    defines["CL_SLICE_TICKS"] = 0  # [HT] names none; an interrupt would wait for the end of one
    experiment = Experiment(source, platform.load(PLATFORMS[build]), kernel, defines=defines)
    program = experiment.program()
    # The handler's first instruction; the old context is saved; the thread itself.
    watch = [elf.address(program, symbol) for symbol in ("cl_trap_entry", "cl_switch_to", "served")]
    outcome = experiment.run(
        b"", Options(watch=watch, pulses=[Pulses(LINE, FIRST, *GAP, 1 + interrupts, seed)])
    )
    outcome.check_finished()
    kinds = {moment: Kind.WATCH + n for n, moment in enumerate(MOMENTS[1:])}
    if kernel == "hw":
        kinds = {MOMENTS[0]: int(Kind.REQUEST), **kinds}
    found = delays(outcome.result.events, kinds)
    for moment, values in found.items():
        if len(values) != 1 + interrupts:
            raise UserError(
                f"{len(values)} of {1 + interrupts} interrupts have a moment '{moment}': a bug in Coreloom"
            )
    return [row(build, kernel, load, moment, values[1:]) for moment, values in found.items()]
