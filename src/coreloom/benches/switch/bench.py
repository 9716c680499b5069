# SPDX-License-Identifier: Apache-2.0
"""Switches of three kinds, stage by stage: on each core and kernel, with the cache driven out, on a busy bus.

Every row is one simulation of switch.c. What a switch comes to is seen from outside, no instruction is added
for it: an interrupt line, stores to the trace port that every program has, the kernel's own signals, and the
instruction that the CPU has come to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median_low

import msgspec

from coreloom.benches.bench import Work
from coreloom.benches.rivals import NAMES
from coreloom.benches.smp.stages import BREAKS, follow, places
from coreloom.design import platform
from coreloom.design.keys import CORES
from coreloom.errors import UserError
from coreloom.jobs.job import Job, build, prepare, whole
from coreloom.report import results
from coreloom.report.figure import Figure
from coreloom.simulation.experiment import Experiment
from coreloom.simulation.measure import spread
from coreloom.simulation.simulate import Event, Kind, Options, Pulses
from coreloom.toolchain import elf
from coreloom.toolchain.firmware import KERNELS

ROUNDS = 100
WARM_UP = 4  # switches before those that count
CPUS = (1, 8, 16)
_FEW = platform.MAX_IPC_CPUS  # with more there is no communication port, and one kind, kernel and core
CACHES = ("warm", "driven out")
# Of a switch, in their order; they add up to it.
STAGES = ("entry", "save", "decide", "load", "resume")
FOOTPRINT = 8192  # bytes of straight code: twice the instruction cache of the standard and the fast core
# Of a time slice; only a preemption is one's end.
SLICE_TICKS = {"voluntary": 1000, "preemption": 10, "interrupt": 1000}
_LINE = 0
_FIRST = 150_000  # cycle of the first interrupt: by then the thread waits
# Cycles from one interrupt to the next: enough on a busy bus to serve each, and to drive the cache out again.
_GAP, _GAP_PER_CPU, _GAP_RANGE = 5000, 1500, 1000
_MAX_CYCLES = 20_000_000

# A kind -> the events of its switches, and the stage that each ends; a text is a place in the program.
_Order = tuple[tuple[Kind | str, str], ...]
_TRAP: _Order = ((Kind.TRAP, "save"), ("store", "decide"), ("to", "save"), (Kind.RUN, "load"))
_ORDERS: dict[str, dict[str, _Order]] = {
    "voluntary": {
        "hw": (
            (Kind.CALL, ""),
            (Kind.MODULE, "entry"),
            ("away", "decide"),
            ("to", "save"),
            (Kind.RUN, "load"),
        ),
        "sw": ((Kind.CALL, ""), ("away", "decide"), ("to", "save"), (Kind.RUN, "load")),
    },
    "preemption": dict.fromkeys(KERNELS, (("interrupt", ""), *_TRAP, ("return", "resume"))),
    "interrupt": dict.fromkeys(
        KERNELS, ((Kind.INTERRUPT, ""), ("interrupt", "entry"), *_TRAP, ("served", "resume"))
    ),
}
KINDS = tuple(_ORDERS)
_MANY_OF = ("interrupt", "hw", "standard")
# What a switch of a kind does not continue after.
_BREAKS = {"voluntary": BREAKS, "preemption": BREAKS, "interrupt": (Kind.INTERRUPT,)}


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """The switches of one simulation; min, mean, max and stages in cycles."""

    kind: str
    kernel: str
    core: str
    cpus: int  # all but one of them store in each cycle that the bus gives them
    cache: str
    low_jitter: bool  # the platform's key
    switches: int
    min: int
    mean: float
    max: int
    jitter: int  # max - min
    median: int
    median_stages: dict[str, int]  # of a switch with the median; they add up to it
    max_stages: dict[str, int]  # of one with the most


class Result(results.Result, kw_only=True):
    """What `coreloom bench switch` writes."""

    rows: list[Row]
    unit: str = "cycles"


@dataclass(frozen=True)
class Case:
    """One simulation."""

    kind: str
    kernel: str
    core: str
    cpus: int = 1
    cache: str = "warm"
    low_jitter: bool = False

    @property
    def text(self) -> str:
        cpus = f"{self.cpus} CPU{'s' * (self.cpus > 1)}"
        text = f"{self.kind}, {NAMES[self.kernel]}, {self.core} core, {cpus}, cache {self.cache}"
        return text + ", low jitter" * self.low_jitter

    def soc(self) -> platform.Platform:
        changes = {"low_jitter": True} if self.low_jitter else {}
        return platform.load(f"smp-{self.core}", self.cpus, changes=changes, ipc=self.cpus <= _FEW)

    def experiment(self, rounds: int) -> Experiment:
        defines: dict[str, str | int] = {
            "KIND": self.kind,
            "ROUNDS": rounds,
            "CL_SLICE_TICKS": SLICE_TICKS[self.kind],
            "FOOTPRINT": FOOTPRINT * (self.cache != "warm"),
        }
        source = str(Path(__file__).with_name("switch.c"))
        return Experiment(source, self.soc(), self.kernel, defines=defines)

    def pulses(self, rounds: int) -> list[Pulses]:
        """What raises the line at random moments."""
        least = _GAP + _GAP_PER_CPU * self.cpus
        train = Pulses(_LINE, _FIRST, least, least + _GAP_RANGE - 1, rounds, seed=1)
        return [train] if self.kind == "interrupt" else []


def cases(cores: Sequence[str] = CORES, cpus: Sequence[int] = CPUS) -> list[Case]:
    """Every simulation, in the order of the tables.

    The economy core has no cache, and the fast one cannot have low_jitter.
    """
    return [
        Case(kind, kernel, core, n, cache, low_jitter)
        for kind in KINDS
        for core in cores
        for kernel in reversed(KERNELS)
        for cache in (CACHES[:1] if core == "economy" else CACHES)
        for n in cpus
        if n <= _FEW or (kind, kernel, core) == _MANY_OF
        for low_jitter in ((False,) if core == "fast" else (False, True))
    ]


def switches(kind: str, kernel: str, events: Sequence[Event], watched: Sequence[str]) -> list[dict[str, int]]:
    """The cycles of each stage of every switch on CPU 0. watched: the names of the places."""
    order = _ORDERS[kind][kernel]
    own = [event for event in events if event.cpu == 0]
    found = []
    for moments in follow(own, [what for what, _ in order], watched, _BREAKS[kind]):
        stages: dict[str, int] = {}
        for (before, after), (_, stage) in zip(pairwise(moments), order[1:], strict=True):
            stages[stage] = stages.get(stage, 0) + after - before
        found.append({stage: stages[stage] for stage in STAGES if stage in stages})
    return found


def row(case: Case, found: Sequence[Mapping[str, int]]) -> Row:
    """The row of these switches, the first ones left out."""
    counted = found[WARM_UP:]
    cycles = [sum(stages.values()) for stages in counted]
    low, mean, high = spread(cycles)
    if low is None or mean is None or high is None:
        raise UserError(f"{case.text}: no switch was seen: a bug in Coreloom")
    middle = median_low(cycles)
    return Row(
        kind=case.kind,
        kernel=case.kernel,
        core=case.core,
        cpus=case.cpus,
        cache=case.cache,
        low_jitter=case.low_jitter,
        switches=len(counted),
        min=low,
        mean=round(mean, 1),
        max=high,
        jitter=high - low,
        median=middle,
        median_stages=dict(counted[cycles.index(middle)]),
        max_stages=dict(counted[cycles.index(high)]),
    )


def measure(case: Case, rounds: int = ROUNDS) -> Row:
    """Simulate one case. UserError if an interrupt has not been served before the next."""
    experiment = case.experiment(rounds)
    program = experiment.program()
    at = places(program, case.core, case.kernel, "line" if case.kind == "interrupt" else "timer")
    if case.kind == "interrupt":
        at += [("served", address) for address in elf.copies(program, ["served"])["served"]]
    outcome = experiment.run(
        b"",
        Options(
            watch=[address for _, address in at],
            pulses=case.pulses(rounds),
            modules=True,
            max_cycles=_MAX_CYCLES,
        ),
    )
    outcome.check_finished()
    found = switches(case.kind, case.kernel, outcome.result.events, [name for name, _ in at])
    if case.kind == "interrupt" and len(found) != rounds:
        raise UserError(f"{case.text}: {len(found)} of {rounds} interrupts were served: a bug in Coreloom")
    return row(case, found)


def run(wanted: Sequence[Case], work: Work, rounds: int = ROUNDS) -> list[Row]:
    """A row for each case."""

    def job(case: Case) -> Job[Row]:
        return Job(case.text, whole(lambda: [measure(case, rounds)]), case.cpus)

    socs = {(case.core, case.cpus, case.low_jitter): case.soc() for case in wanted}
    first = [build(soc) for soc in socs.values()]
    first += [prepare(f"compile {case.text}", case.experiment(rounds).program) for case in wanted]
    return work.jobs(first, [job(case) for case in wanted])


def figures(rows: Sequence[Row]) -> list[Figure]:
    """What was to be reached, by the hardware kernel on the standard core with low jitter, beside what is."""
    found = []
    for row in rows:
        if (row.kind, row.kernel, row.core, row.low_jitter) == (*_MANY_OF, True) and row.cpus != _FEW:
            others = f"{row.cpus - 1} busy neighbours" if row.cpus > 1 else "1 CPU"
            what = f"interrupt to thread, full context, cache {row.cache}, {others}"
            found.append(Figure(f"{what}: worst (cycles)", row.max, at_most=50))
            found.append(Figure(f"{what}: jitter (cycles)", row.jitter, at_most=2))
    return found
