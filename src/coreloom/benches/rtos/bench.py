# SPDX-License-Identifier: Apache-2.0
"""An operating system's services on the hardware kernel, the software kernel and FreeRTOS, by one source.

Each row is of one simulation: a program of one measurement, on one kernel, with one or more CPUs, its code in
the cache or driven out of it.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterable, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import msgspec

from coreloom.benches.rivals import NAMES, is_there
from coreloom.benches.rtos.measurements import (
    ACROSS,
    ALWAYS_WAIT,
    AT_ONCE,
    CASES,
    CPUS,
    FRONT_ENDS,
    MEASUREMENTS,
    PARTS,
    Measurement,
)
from coreloom.design import platform
from coreloom.design.keys import Platform
from coreloom.errors import UserError
from coreloom.jobs.job import Job, whole
from coreloom.report import results
from coreloom.simulation.experiment import Experiment, Outcome
from coreloom.simulation.measure import spread
from coreloom.simulation.simulate import Kind, Options, Pulses
from coreloom.toolchain import elf, front_end
from coreloom.toolchain.application import Application, of_user
from coreloom.toolchain.firmware import FREERTOS, KERNELS

WINDOW = 1_000_000  # cycles, of a metric
ROUNDS = 100
WARM_UP = 4  # rounds before them
CACHES = ("warm", "driven out")
CORES = ("standard", "economy")
# Straight code: twice the instruction cache of the standard core. The economy core has none.
_FOOTPRINT = 8192
_PORT_WORDS = 4  # a message of 16 bytes, as FreeRTOS's queue
_LINE = 0
_FIRST = 150_000  # cycle of the first interrupt: by then the threads wait
# Cycles from one interrupt to the next, drawn evenly: each has been served by then, whichever kernel.
_GAP = {"standard": (3000, 3999), "economy": (12_000, 12_999)}
_TUNED = "freertos-tuned"
_MAX_CYCLES = 50_000_000


def soc(core: str, cpus: int) -> Platform:
    """What all of it runs on: smp-CORE, whose ports have room for a block of four words."""
    return platform.load(f"smp-{core}", cpus, changes={"kernel.port_words": _PORT_WORDS})


class Row(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One measurement on one kernel; min, mean and max in cycles."""

    part: str  # metric | service | call
    measurement: str  # a name of its part in MEASUREMENTS
    case: str | None = None  # of a call: a key of CASES, or ACROSS
    ground: str
    core: str
    cpus: int
    cache: str  # warm | driven out
    min: int
    mean: float
    max: int
    rounds: int  # of which these are
    iterations: int | None = None  # of a metric, in the window
    code_bytes: int  # of the program: code, constants, initial data
    api: str | None = None  # of a front end that the program is for

    @property
    def of(self) -> tuple[str, str, str | None, int, str]:
        """What rows of different kernels and APIs have in common."""
        return self.part, self.measurement, self.case, self.cpus, self.cache


class Result(results.Result, kw_only=True):
    """What `coreloom bench rtos` writes."""

    rows: list[Row]
    front_ends: list[Row] = msgspec.field(default_factory=list)  # the metrics by other APIs
    packets_bytes: dict[str, int]  # program of apps/packets by kernel, 1 CPU
    unit: str = "cycles"
    window_cycles: int = WINDOW


class Case(NamedTuple):
    """One simulation."""

    measurement: Measurement
    ground: str
    core: str = "standard"
    cpus: int = 1
    cold: bool = False
    across: bool = False  # of a call: who releases is on another CPU
    api: str | None = None  # of a front end; None: each kernel's own

    def text(self) -> str:
        where = f"{self.cpus} CPU{'s' * (self.cpus > 1)}"
        cache = ", cache driven out" if self.cold else ""
        api = f", API {self.api}" if self.api else ""
        return f"{self.measurement.title}: {NAMES[self.ground]}{api}, {where}{cache}"

    def experiment(self, rounds: int) -> Experiment:
        defines: dict[str, str | int] = {"MEASURE": self.measurement.name}
        if self.measurement.part != "metric":
            defines |= {"ROUNDS": rounds + WARM_UP, "FOOTPRINT": _FOOTPRINT * self.cold}
        if self.measurement.part == "call":
            defines["ACROSS"] = int(self.across)
        if self.ground in FREERTOS or self.api == front_end.FREERTOS:
            defines["configUSE_TIME_SLICING"] = 0  # equals would change places at a tick, out of turn
        source = Path(__file__).with_name(f"{self.measurement.part}.c")
        program: str | Application = str(source)
        if self.api:
            program = front_end.of(of_user([source], ["-w", f"-DAPI_{self.api.upper()}"]), self.api)
        return Experiment(program, soc(self.core, self.cpus), self.ground, defines=defines)


def cases(
    grounds: Sequence[str] = tuple(NAMES),
    core: str = "standard",
    cpus: Collection[int] | None = None,
    parts: Sequence[str] = PARTS,
    caches: Sequence[str] = CACHES,
    only: Sequence[str] = (),
) -> list[Case]:
    """Every simulation, in the order of the tables. cpus, only: numbers and names, if not all."""
    found = []
    for measurement in MEASUREMENTS.values():
        for count in measurement.cpus:
            if cpus is not None and count not in cpus:
                continue
            for cold in (cache != "warm" for cache in caches):
                if measurement.part not in parts or (only and measurement.name not in only):
                    continue
                if cold and (not measurement.cold or core == "economy"):
                    continue
                for ground in filter(measurement.on, grounds):
                    if (ground == _TUNED and count > 1) or not is_there(ground, count):
                        continue  # both builds of FreeRTOS have that port then
                    found.append(Case(measurement, ground, core, count, cold, measurement.across))
                    if measurement.part == "call" and count > 1:
                        found.append(Case(measurement, ground, core, count, cold, True))
    return found


def front_end_cases(
    core: str = "standard", cpus: Collection[int] = CPUS, only: Sequence[str] = ()
) -> list[Case]:
    """The metrics through each front end on our kernels."""
    return [
        Case(MEASUREMENTS["metric", name], ground, core, count, api=api)
        for api, without in FRONT_ENDS.items()
        for part, name in MEASUREMENTS
        if part == "metric" and name not in without and (not only or name in only)
        for count in cpus
        for ground in KERNELS
    ]


# --- what a log says -----------------------------------------------------------------------


def spans(moments: Iterable[tuple[str, int]], begin: str, end: str) -> list[int]:
    """Cycles from each `begin` to the `end` after it; of two begins without an end, the later one counts.

    moments: (name, cycle), in their order.
    """
    found: list[int] = []
    since: int | None = None
    for name, cycle in moments:
        if name == begin:
            since = cycle
        elif name == end and since is not None:
            found.append(cycle - since)
            since = None
    return found


def ends(moments: Iterable[tuple[str, int]], begin: str, end: str) -> list[int]:
    """The cycle of the first `end` after each `begin`."""
    found: list[int] = []
    begun = False
    for name, cycle in moments:
        if name == end and begun:
            found.append(cycle)
        begun = name == begin if name in (begin, end) else begun
    return found


def in_step(counts: Sequence[int], turns: int, summed: bool) -> bool:
    """Whether a metric's counts agree with one another, and with the turns that the host saw."""
    total = sum(counts) if summed else counts[0]
    return max(counts) - min(counts) <= 1 and abs(total - turns) <= 1


class Moment(NamedTuple):
    """A CPU has come to a label; an interrupt is the moment `interrupt`."""

    name: str
    cycle: int
    cpu: int


def _watched(
    case: Case, rounds: int, labels: Sequence[str], window: int | None
) -> tuple[Outcome, list[Moment]]:
    """The run, and its moments."""
    experiment = case.experiment(rounds)
    watch: list[int] = []
    names: list[str] = []
    for label, addresses in elf.copies(experiment.program(), labels).items():
        watch += addresses
        names += [label] * len(addresses)
    pulses = []
    if case.measurement.name == "line":
        pulses.append(Pulses(_LINE, _FIRST, *_GAP[case.core], rounds + WARM_UP, 1))
    outcome = experiment.run(b"", Options(watch=watch, window=window, max_cycles=_MAX_CYCLES, pulses=pulses))
    moments = []
    for event in sorted(outcome.result.events, key=lambda event: event.cycle):
        if event.kind >= Kind.WATCH:
            moments.append(Moment(names[event.kind - Kind.WATCH], event.cycle, event.cpu))
        elif event.kind == Kind.INTERRUPT:
            moments.append(Moment("interrupt", event.cycle, event.cpu))
    return outcome, moments


def _row(
    case: Case, outcome: Outcome, values: Sequence[int], name: str | None, iterations: int | None = None
) -> Row:
    low, mean, high = spread(values)
    if low is None or mean is None or high is None:
        raise UserError(f"{case.text()}: nothing was measured: a bug in Coreloom")
    image = elf.image_bytes(outcome.program)
    return Row(
        part=case.measurement.part,
        measurement=case.measurement.name,
        case=name,
        ground=case.ground,
        core=case.core,
        cpus=case.cpus,
        cache=CACHES[case.cold],
        min=low,
        mean=round(mean, 1),
        max=high,
        rounds=len(values),
        iterations=iterations,
        code_bytes=image - _FOOTPRINT * case.cold,
        api=case.api,
    )


def _turns(moments: Sequence[Moment], cpu: int, start: int) -> list[int]:
    """When iterations of one CPU ended, from cycle `start` on."""
    mine = ((moment.name, moment.cycle) for moment in moments if moment.cpu == cpu)
    return [cycle for cycle in ends(mine, "count", "turn") if cycle >= start]


def _metric(case: Case, window: int) -> list[Row]:
    outcome, moments = _watched(case, 0, ["count", "turn"], window)
    across = case.measurement.across
    words = struct.unpack(f"<{len(outcome.result.output) // 4}I", outcome.result.output)
    counts = words[: case.cpus // 2 if across else case.measurement.counts]
    counting = range(0, case.cpus, 2) if across else range(1)  # the CPUs that count
    turns = [_turns(moments, cpu, outcome.figures.start) for cpu in counting]
    status = outcome.result.exit_status
    if across:
        right = all(in_step([count], len(own), False) for count, own in zip(counts, turns, strict=True))
    else:
        right = in_step(counts, len(turns[0]), case.measurement.summed)
    if status is not None or not right:
        seen = ", ".join(str(len(own)) for own in turns)
        what = f"status {status}" if status is not None else f"counts {counts} of {seen} turns"
        raise UserError(f"{case.text()}: the program failed ({what}): a bug in Coreloom")
    values = [b - a for own in turns for a, b in pairwise(own)]
    return [_row(case, outcome, values, None, sum(map(len, turns)))]


def measure(case: Case, rounds: int = ROUNDS, window: int = WINDOW) -> list[Row]:
    """The rows of one simulation; window: of a metric, in cycles. UserError if the program fails."""
    part, name = case.measurement.part, case.measurement.name
    if part == "metric":
        return _metric(case, window)
    if part == "service":
        wanted = {"": ("interrupt" if name == "line" else "begin", "end")}
    elif case.across:
        wanted = {ACROSS: CASES["woken"]}
    else:
        wanted = {each: CASES[each] for each in CASES if each != AT_ONCE or name not in ALWAYS_WAIT}
    labels = [label for pair in wanted.values() for label in pair if label != "interrupt"]
    outcome, moments = _watched(case, rounds, labels, None)
    try:
        outcome.check_finished()
    except UserError as error:
        raise UserError(f"{case.text()}: {error}") from None
    rows = []
    for of, (begin, end) in wanted.items():
        values = spans(((moment.name, moment.cycle) for moment in moments), begin, end)[WARM_UP:][:rounds]
        rows.append(_row(case, outcome, values, of or None))
    return rows


def jobs(wanted: Sequence[Case], rounds: int = ROUNDS, window: int = WINDOW) -> list[Job[Row]]:
    """One job for each simulation."""
    return [Job(case.text(), whole(partial(measure, case, rounds, window))) for case in wanted]


def packets(grounds: Sequence[str], core: str) -> list[Job[int]]:
    """Bytes of the program of apps/packets on each kernel, 1 CPU."""
    chosen = soc(core, 1)

    def job(ground: str) -> Job[int]:
        program = Experiment("packets", chosen, ground).program
        return Job(f"compile packets, {ground}", whole(lambda: [elf.image_bytes(program())]))

    return [job(ground) for ground in grounds]
