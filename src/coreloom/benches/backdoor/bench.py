# SPDX-License-Identifier: Apache-2.0
"""The four programs of [GF] on one processor and on two, whose buses are not connected or are one.

Each program does its work alone and with both processors in one simulation and compares (apps/pair);
blocks by stream and through the window (transfer.py), DMA and doorbells (latency.py) beside them, and what of
all this was to be reached.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import msgspec

from coreloom.apps.pair import PAIR
from coreloom.apps.pair import figures as figures_of
from coreloom.benches.backdoor import latency, transfer
from coreloom.benches.backdoor.latency import Bell, Dma
from coreloom.benches.backdoor.transfer import Block
from coreloom.design import platform
from coreloom.errors import UserError
from coreloom.jobs.job import Job, Progress
from coreloom.report import results
from coreloom.report.figure import Figure
from coreloom.simulation.experiment import Experiment
from coreloom.simulation.harness import backdoor as backdoor_unit
from coreloom.simulation.simulate import Options
from coreloom.toolchain import far, verilate

KINDS = ("backdoor", "window", "smp-bus")  # window: a Back-Door, data by the DMA of processor 1
CORES = ("standard", "economy")
PAPER = (1.25, 1.6)  # [GF] section 4.2: the least and the most of its four speed-ups
SHARE = 0.95  # of the bound, of each program
DMA_RATE = 0.95  # words a cycle
DMA_WORDS = 128  # from here on
BELL_CYCLES = 30
WINDOW_WORD = 2.0  # cycles: the two beats that a word by stream takes on the bus of processor 0


@dataclass(frozen=True)
class Program:
    """`name` of the folder in apps/. target: speed-up to reach at the largest size. paper: [GF]'s, None where
    its text says no more than PAPER. steps: how the work grows, to begin with the longest."""

    name: str
    title: str
    unit: str
    target: float
    steps: Callable[[int], float]
    paper: float | None = None

    @property
    def sizes(self) -> tuple[int, ...]:
        return PAIR[self.name].sizes

    def sized(self, size: int) -> str:
        text = f"{size:,}".replace(",", " ")
        return f"{text} x {text} {self.unit}" if self.name == "wavelet" else f"{text} {self.unit}"


PROGRAMS = {
    program.name: program
    for program in (
        Program("sort", "selection sort", "elements", 1.95, lambda size: size**2, paper=1.6),
        Program("dhrystone", "Dhrystone 2.1", "runs", 1.95, lambda size: 700 * size),
        Program("fft", "FFT", "points", 1.6, lambda size: 800 * size, paper=1.25),
        Program("wavelet", "wavelet 5/3", "pixels", 1.7, lambda size: 100 * size**2),
    )
}


class Place(NamedTuple):
    """Where two processors are, and which."""

    kind: str
    core: str

    def platform(self) -> platform.Platform:
        if self.kind in ("backdoor", "window"):
            return platform.load(f"backdoor-{self.core}")
        return platform.load(f"smp-{self.core}", 2)

    def defines(self) -> dict[str, str | int]:
        """For the program (apps/pair)."""
        return {"PAIR_WINDOW": 1} if self.kind == "window" else {}


MOST_SORTED = {"standard": 10_000, "economy": 5000}  # by core; twice as many take four times as long


# --- a program -----------------------------------------------------------------------------


def bound(cycles_1: int, serial: int, words: int) -> float:
    """The speed-up that nothing can beat: the part that can be split takes half, and each word that crosses
    takes two beats of the bus of processor 0, which loads and stores it, or none of its time by DMA."""
    return cycles_1 / (serial + (cycles_1 - serial) / 2 + 2 * words)


class Run(msgspec.Struct, frozen=True, kw_only=True, tag_field="part", tag="program"):
    """A program of one size at one place, alone and with both processors; cycles are processor 0's."""

    program: str
    size: int
    platform: str
    core: str
    cycles_1: int
    cycles_2: int
    speedup: float
    bound: float
    bound_ratio: float  # speed-up over its bound
    paper: float | None
    speedup_with_loading: float
    serial_cycles: int  # of one: cannot be split
    transfer_cycles: int  # of two: moves words
    wait_cycles: int  # of two: waits for processor 1
    load_cycles: int  # before: loads the image
    words_down: int
    words_up: int
    sim_cycles_per_second: int = 0

    @property
    def place(self) -> Place:
        return Place(self.platform, self.core)

    @property
    def sized(self) -> str:
        return PROGRAMS[self.program].sized(self.size)


Row = Run | Bell | Dma | Block


class Result(results.Result, kw_only=True):
    """What `coreloom bench backdoor` writes."""

    rows: list[Row]
    unit: str = "cycles"


# What a program counts itself.
_COUNTED = ("serial_cycles", "transfer_cycles", "wait_cycles", "load_cycles", "words_down", "words_up")


def row(program: Program, size: int, place: Place, found: Mapping[str, int], rate: int = 0) -> Run:
    """The row of the figures that a program wrote (coreloom.apps.pair); rate: cycles a second simulated."""
    one, two = found["cycles_1"], found["cycles_2"]
    if found["size"] != size or not one or not two:
        raise UserError("its figures are for another size: a bug in Coreloom")
    moved = 0 if place.kind == "window" else found["words_down"] + found["words_up"]
    most = bound(one, found["serial_cycles"], moved)
    return Run(
        program=program.name,
        size=size,
        platform=place.kind,
        core=place.core,
        cycles_1=one,
        cycles_2=two,
        speedup=round(one / two, 3),
        bound=round(most, 3),
        bound_ratio=round(one / two / most, 3),
        paper=program.paper,
        speedup_with_loading=round(one / (two + found["load_cycles"]), 3),
        sim_cycles_per_second=rate,
        **{name: found[name] for name in _COUNTED},
    )


def measure(program: Program, size: int, place: Place, progress: Progress | None = None) -> list[Run]:
    """The row of one program, size and place; a run of the same model and firmware is not made again.

    Raises UserError if it does not end well, WrongOutput if its result is not the host's.
    """
    soc = place.platform()
    experiment = Experiment(program.name, soc, defines={"PAIR_SIZE": size, **place.defines()})

    def simulate() -> dict[str, Any]:
        outcome = experiment.run(b"", Options(progress=progress))
        outcome.check_finished()
        run = outcome.result
        PAIR[program.name].check(run.output, b"")
        return {"figures": figures_of(run.output), "cycles": run.cycles, "seconds": run.seconds}

    try:
        made = [verilate.build_model(soc), experiment.program()]
        if soc.backdoor is not None:
            made.append(far.build_loader(soc))
        kept = results.once(f"{program.name}-{size}", made, simulate)
        rate = round(kept["cycles"] / max(kept["seconds"], 1e-9))
        return [row(program, size, place, kept["figures"], rate)]
    except UserError as error:
        raise UserError(f"{program.title}, {program.sized(size)}, on {soc.name}: {error}") from None


# --- all of it -----------------------------------------------------------------------------


def places(kinds: Sequence[str] = KINDS, cores: Sequence[str] = CORES) -> list[Place]:
    return [Place(kind, core) for core in cores for kind in kinds]


def jobs(where: Sequence[Place], quick: bool = False) -> list[Job[Row]]:
    """Every measurement at these places, in the order of the tables. quick: the smallest sizes only."""
    wanted: list[Job[Row]] = []
    for place in where:
        slow = 4 if place.core == "economy" else 1
        for program in PROGRAMS.values():
            for size in program.sizes[: 1 if quick else None]:
                if program.name == "sort" and size > MOST_SORTED[place.core]:
                    continue
                text = f"{place.kind}, {place.core} core: {program.title}, {program.sized(size)}"
                run = partial(measure, program, size, place)
                wanted.append(Job(text, run, slow * program.steps(size)))
    for core in dict.fromkeys(place.core for place in where):
        wanted.append(Job(f"backdoor, {core} core: doorbells", partial(latency.measure, core)))
        wanted.append(Job(f"backdoor, {core} core: blocks", partial(transfer.measure, core)))
    return [*wanted, Job("the DMA", dma)]


def dma(progress: Progress | None = None) -> list[Dma]:
    """The DMA in its unit and the whole Back-Door with a machine on either side, in place of processors."""
    return [Dma(**found) for found in backdoor_unit.measure()]


# --- what was to be reached ----------------------------------------------------------------


def largest(rows: Sequence[Row], core: str) -> list[Run]:
    """Of each program on the Back-Door the row of the largest size."""
    found: dict[str, Run] = {}
    for one in rows:
        if isinstance(one, Run) and one.place == ("backdoor", core):
            found[one.program] = max(found.get(one.program, one), one, key=lambda run: run.size)
    return list(found.values())


def figures(rows: Sequence[Row]) -> list[Figure]:
    """What was to be reached beside what is: the largest sizes, both cores; the DMA; the doorbells."""
    found = []
    for core in CORES:
        for one in largest(rows, core):
            program = PROGRAMS[one.program]
            text = f"{program.title}, {one.sized}, {core} core"
            found += [
                Figure(
                    f"{text}: speed-up",
                    one.speedup,
                    at_least=program.target,
                    bound=one.bound,
                ),
                Figure(f"{text}: share of the bound", one.bound_ratio, at_least=SHARE, bound=1),
            ]
    moved = [one for one in rows if isinstance(one, Dma) and one.words >= DMA_WORDS]
    for text, of in (
        (f"{DMA_WORDS} words or more", [one for one in moved if one.kind != "program"]),
        ("streams of a program, standard core", [one for one in moved if one.core == "standard"]),
    ):
        if of:
            least = round(min(one.words_per_cycle for one in of), 3)
            found.append(Figure(f"DMA, {text}: words per cycle", least, at_least=DMA_RATE, bound=1))
    for cost in transfer.costs([one for one in rows if isinstance(one, Block) and one.core == "standard"]):
        text = f"window {transfer.WAYS[cost.way]}, standard core: cycles per word"
        found.append(Figure(text, cost.per_word[1], at_most=WINDOW_WORD, bound=1))
    for bell in rows:
        if isinstance(bell, Bell) and (bell.core, bell.far_clock) == ("standard", 1):
            text = f"doorbell {latency.WAYS[bell.way]}, to {latency.UNTIL[bell.until]}"
            found.append(Figure(f"{text}, median", bell.cycles, at_most=BELL_CYCLES))
    return found
