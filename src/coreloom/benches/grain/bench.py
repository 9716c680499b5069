# SPDX-License-Identifier: Apache-2.0
"""The map of grain: threads that compute for so many cycles between two calls, on every kernel.

Every row is one simulation of grain.c: an object, a memory, a number of CPUs, of threads, of cycles.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import msgspec

from coreloom.benches.bench import Work
from coreloom.benches.rivals import NAMES, better, is_there
from coreloom.design import platform
from coreloom.errors import UserError
from coreloom.jobs.job import Job, build, prepare, whole
from coreloom.report import results
from coreloom.simulation.experiment import Experiment
from coreloom.simulation.simulate import Kind, Options, Pulses
from coreloom.toolchain.firmware import FREERTOS, OURS

OBJECTS = ("semaphore", "mutex", "port", "condition", "barrier")
INTERRUPT = "interrupt"
# What needs no kernel but a CPU for each thread -> the object in whose place it stands.
ALONE = {"polling": "semaphore", "lock_unit": "mutex"}
TITLES = {
    **NAMES,
    "polling": "polling a word",
    "lock_unit": "Lock Unit",
}
CPUS = (1, 2, 4, 8)
MANY = 16  # CPUs, which take most of the time of a measurement: for some objects
BETWEEN = (10, 100, 300, 1000, 3000, 10_000)
PERIODS = (0, 300, 1000, 3000, 10_000)  # cycles from an interrupt to the next; 0: there is none
SRAM, SDRAM, CACHED = "sram", "sdram", "sdram, data caches"
_MEMORIES: dict[str, dict[str, object]] = {  # what they change of the platform
    SRAM: {},
    SDRAM: {"memory.model": "sdram"},
    CACHED: {"memory.model": "sdram", "dcache.kib": 4},
}
SOME_OBJECTS = ("semaphore", "mutex")  # with many CPUs, and with a memory that is slow
SLOW_CPUS = (1, 2, 4)
_THEIRS = ("semaphore", "mutex", "port", INTERRUPT)  # what FreeRTOS has of them
# A window has so many rounds of a call that costs as much as it may; and at least so many cycles, at most so
# many over all CPUs.
_ROUNDS, _CALL, _LEAST, _MOST = 100, 600, 60_000, 3_200_000
_FIRST_INTERRUPT = 5000
_START_UP = 100_000  # cycles before a window, at most
_PIECE = 100  # cycles that the interrupted thread computes for each piece of its work


class Row(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One simulation; done: meetings that a thread has been through, or pieces of work, in the window."""

    object: str  # one of OBJECTS, or INTERRUPT
    memory: str
    cpus: int
    threads: int
    between: int  # cycles from a call to the next, or from an interrupt to the next
    kernel: str  # a kernel, or one of ALONE
    done: int
    window: int
    longest: int | None = None  # wait for the mutex since the start, in cycles
    served: int | None = None  # interrupts

    @property
    def rate(self) -> float:
        """Of what is done in a million cycles."""
        return self.done * 1e6 / self.window


class Result(results.Result, kw_only=True):
    """What `coreloom bench grain` writes."""

    rows: list[Row]


@dataclass(frozen=True)
class Case:
    """One simulation."""

    object: str
    kernel: str
    cpus: int
    between: int
    memory: str = SRAM
    alone: bool = False  # one thread on each CPU, not two

    @property
    def threads(self) -> int:
        return self.cpus if self.alone else 2 * self.cpus

    @property
    def text(self) -> str:
        where = f"{self.cpus} CPU{'s' * (self.cpus > 1)}, {self.threads} threads"
        return f"{self.object}: {TITLES[self.kernel]}, {where}, {self.memory}, {self.between} cycles between"

    def soc(self) -> platform.Platform:
        changes = _MEMORIES[self.memory]
        ipc = self.cpus <= platform.MAX_IPC_CPUS
        return platform.load("smp-standard", self.cpus, changes=changes, ipc=ipc)

    def experiment(self) -> Experiment:
        defines: dict[str, str | int] = {"THREADS": self.threads, "OBJECT": self.object}
        kernel = self.kernel
        if self.kernel in ALONE:
            defines["OBJECT"], kernel = self.kernel, "hw"
        source = str(Path(__file__).with_name("grain.c"))
        return Experiment(source, self.soc(), kernel, "dynamic", defines)

    @property
    def window(self) -> int:
        return min(max(_ROUNDS * (self.between + _CALL), _LEAST), _MOST // self.cpus)

    def options(self) -> Options:
        pulses: list[Pulses] = []
        if self.object == INTERRUPT and self.between:
            count = (self.window + _START_UP) // self.between
            pulses = [Pulses(0, _FIRST_INTERRUPT, self.between, self.between, count, seed=1)]
        return Options(window=self.window, pulses=pulses)


def cases(freertos: bool = True, cpus: Sequence[int] = CPUS) -> list[Case]:
    """Every simulation, in the order of the tables."""
    found = [
        Case(name, kernel, count, between)
        for name in OBJECTS
        for count in (*cpus, MANY)
        if count != MANY or (name in SOME_OBJECTS and cpus == CPUS)
        for between in BETWEEN
        for kernel in ("hw", *_rivals(name, count, freertos))
    ]
    found += [
        Case(name, kernel, count, between, memory)
        for memory in (SDRAM, CACHED)
        for name in SOME_OBJECTS
        for count in SLOW_CPUS
        if count in cpus
        for between in BETWEEN
        for kernel in ("hw", *_software(count))
    ]
    found += [
        Case(name, kernel, count, between, alone=True)
        for without, name in ALONE.items()
        for count in cpus
        if count > 1
        for between in BETWEEN
        for kernel in ("hw", *_software(count), without)
    ]
    found += [
        Case(INTERRUPT, kernel, 1, period)
        for period in PERIODS
        for kernel in ("hw", *_rivals(INTERRUPT, 1, freertos))
    ]
    return found


def _software(cpus: int) -> list[str]:
    """Our software kernels."""
    return [kernel for kernel in OURS if kernel != "hw" and is_there(kernel, cpus)]


def _rivals(name: str, cpus: int, freertos: bool) -> list[str]:
    theirs = [kernel for kernel in FREERTOS if kernel == "freertos" or cpus == 1]
    there = freertos and name in _THEIRS and cpus <= 2
    return [*_software(cpus), *(theirs if there else [])]


def measure(case: Case) -> Row:
    """Simulate one case. UserError if nothing was done."""
    between = _PIECE if case.object == INTERRUPT else case.between
    outcome = case.experiment().run(struct.pack("<I", between), case.options())
    if outcome.result.exit_status is not None or not outcome.figures.done:
        raise UserError(f"{case.text}: {outcome.result.why or 'nothing was done'}: a bug in Coreloom")
    # Of the mutex each mark is a wait that is longer than all before; of interrupts one that has been served.
    marks = [event for event in outcome.result.events if event.kind == Kind.MARK]
    served = sum(event.cycle >= outcome.figures.start for event in marks)
    interrupted = case.object == INTERRUPT and case.between > 0
    return Row(
        object=case.object,
        memory=case.memory,
        cpus=case.cpus,
        threads=case.threads,
        between=case.between,
        kernel=case.kernel,
        done=outcome.figures.done,
        window=case.window,
        longest=marks[-1].value if marks and case.object != INTERRUPT else None,
        served=served if interrupted else None,
    )


def run(work: Work, freertos: bool, cpus: Sequence[int] = CPUS) -> list[Row]:
    wanted = cases(freertos, cpus)

    def job(case: Case) -> Job[Row]:
        return Job(case.text, whole(lambda: [measure(case)]), case.window * case.cpus)

    first = [build(soc) for soc in dict.fromkeys(case.soc() for case in wanted)]
    programs = {(case.object, case.kernel, case.cpus, case.memory, case.alone): case for case in wanted}
    first += [prepare(f"compile {case.text}", case.experiment().program) for case in programs.values()]
    return work.jobs(first, [job(case) for case in wanted])


class Place(NamedTuple):
    """A place of the map but for the cycles between calls."""

    object: str
    memory: str
    cpus: int
    threads: int


class Gain(NamedTuple):
    """How many times as much is done with the hardware kernel as with the best rival there."""

    gain: float
    best: str
    hard: Row


def gains(rows: Sequence[Row]) -> Mapping[Place, Mapping[int, Gain]]:
    """By place, then by cycles between calls, both in the order of the rows."""
    found: dict[Place, dict[int, Gain]] = {}
    rivals: dict[tuple[Place, int], list[Row]] = {}
    for row in rows:
        if row.kernel != "hw":
            rivals.setdefault((place(row), row.between), []).append(row)
    for row in rows:
        if row.kernel == "hw" and (others := rivals.get((place(row), row.between))):
            best = better(others, lambda other: other.rate)
            assert best is not None
            found.setdefault(place(row), {})[row.between] = Gain(row.rate / best.rate, best.kernel, row)
    return found


def place(row: Row) -> Place:
    return Place(row.object, row.memory, row.cpus, row.threads)
