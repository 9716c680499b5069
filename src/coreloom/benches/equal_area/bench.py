# SPDX-License-Identifier: Apache-2.0
"""The hardware kernel beside the software kernel with as many CPUs as the same LUT4 buy, in time.

A SoC is placed for its clock; what an application gets done in a window of cycles is simulated.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import msgspec

from coreloom.apps import APPS
from coreloom.benches.bench import Work
from coreloom.benches.rivals import is_there
from coreloom.design import keys, platform
from coreloom.design.keys import Platform
from coreloom.errors import UserError
from coreloom.jobs.job import Job, build, prepare, whole
from coreloom.report import results
from coreloom.report.figure import Figure
from coreloom.simulation.experiment import DIRECT, PLACEMENTS, WITH_PORTS, Experiment, ports
from coreloom.simulation.simulate import Options
from coreloom.synthesis import synth, units
from coreloom.toolchain.firmware import FINE

CPUS = (1, 2)  # with the hardware kernel
PAIRS = "pairs"
# What each application counts.
APPLICATIONS = {app: APPS[app].unit for app in ("packets", "image")} | {PAIRS: "round trips"}
WINDOW = 1_000_000
# Sizes of the kernel: as in the platform file, and what the applications use.
USUAL, FITTED = "usual", "fitted"
SIZES: dict[str, dict[str, int]] = {
    USUAL: {},
    FITTED: {
        "kernel.threads": 16,
        "kernel.ports": 16,
        "kernel.semaphores": 8,
        "kernel.mutexes": 0,
        "kernel.conditions": 1,
    },
}
_MOST_CPUS = keys.entry("cpus").key.most or 1
_COMPETING = 4  # software CPUs in the area of max(CPUS) with the hardware kernel, and those that plan() has
_GAIN = 1.01  # what it takes to be ahead: the figures have two digits


@dataclass(frozen=True)
class Arrangement:
    """One SoC; size: of the kernel, which of a software kernel is memory only."""

    core: str
    kernel: str
    cpus: int
    size: str = USUAL

    @property
    def text(self) -> str:
        return f"smp-{self.core}, {self.kernel}, {_counted(self.cpus)}{_fitted(self.size)}"

    def soc(self) -> Platform:
        return platform.load(f"smp-{self.core}", self.cpus, changes=SIZES[self.size], ipc=False)

    def job(self) -> units.Job:
        """What is synthesised."""
        build = f"{self.core}-{self.kernel}-{self.cpus}" + f"-{FITTED}" * (self.size == FITTED)
        unit = dataclasses.replace(units.soc(self.soc(), build, self.kernel == "hw"), seeds=None)
        return units.Job(unit, unit.sizes[0])


def _counted(cpus: int) -> str:
    return f"{cpus} CPU{'s' * (cpus > 1)}"


def _fitted(size: str) -> str:
    """Behind the name of what has a kernel of that size."""
    return f", {FITTED}" * (size == FITTED)


class Soc(msgspec.Struct, frozen=True, kw_only=True):
    """Area and clock of one SoC."""

    core: str
    kernel: str
    cpus: int
    size: str
    lut4: int
    mhz: float  # median of the placements
    mhz_min: float
    mhz_max: float
    seeds: int
    path: str  # the longest of the median: from and to

    def arrangement(self, size: str | None = None, kernel: str | None = None) -> Arrangement:
        """What it is a SoC of, or the same with another size of the kernel, or another software kernel."""
        return Arrangement(self.core, kernel or self.kernel, self.cpus, size or self.size)


class Core(msgspec.Struct, frozen=True, kw_only=True):
    """A core alone."""

    core: str
    lut4: int
    mhz: float


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One simulation, by the clock of its SoC."""

    core: str
    kernel: str
    cpus: int
    size: str
    lut4: int
    mhz: float
    application: str
    placement: str
    done: int  # in the window
    per_second: float

    @property
    def arranged(self) -> str:
        placed = "" if self.cpus == 1 else f" {self.placement}"
        locks = ", fine-grained locks" * (self.kernel in FINE)
        return f"{_counted(self.cpus)}{placed}{_fitted(self.size)}{locks}"


class Result(results.Result, kw_only=True):
    """What `coreloom bench equal_area` writes."""

    cores: list[Core]
    socs: list[Soc]
    rows: list[Row]
    window_cycles: int = WINDOW


def _more(core: str, cpus: int, most: int) -> list[tuple[Arrangement, int]]:
    """Software arrangements from so many CPUs on that need at most so many LUT4, and these."""
    found = []
    for n in range(cpus, _MOST_CPUS + 1):
        soft = Arrangement(core, "sw", n)
        if (lut4 := synth.lut4(soft.job())) > most:
            break
        found.append((soft, lut4))
    return found


def _area(text: str, job: units.Job, steps: float = 0) -> Job[int]:
    return Job(f"synthesise {text}", whole(lambda: [synth.lut4(job)]), steps)


def areas(cores: Sequence[str], cpus: Sequence[int], work: Work) -> list[tuple[Arrangement, int]]:
    """LUT4 of the hardware arrangements, and of the software ones that need no more than the largest.

    With as many CPUs the software ones need less.
    """
    most = max(cpus)
    hard = [Arrangement(core, "hw", n, size) for core in cores for n in cpus for size in SIZES]
    certain = [*hard, *(Arrangement(core, "sw", n) for core in cores for n in range(1, most + 1))]

    wanted = [_area(each.text, each.job(), each.cpus) for each in certain]
    sized = list(zip(certain, work.jobs([], wanted), strict=True))
    larger = [
        Job(f"synthesise more of smp-{each.core}, sw", whole(partial(_more, each.core, most + 1, lut4)))
        for each, lut4 in sized
        if (each.kernel, each.cpus, each.size) == ("hw", most, USUAL)
    ]
    return [*sized, *work.jobs([], larger)]


def place(cores: Sequence[str], cpus: Sequence[int], seeds: int, work: Work) -> tuple[list[Core], list[Soc]]:
    """Area and clock of each core alone, and of each SoC that competes."""
    sized = areas(cores, cpus, work)
    alone = units.choose([f"cl_core:{core}" for core in cores])
    jobs = [*alone, *(arrangement.job() for arrangement, _ in sized)]
    placed = synth.run(jobs, partial(work.jobs, []), seeds)
    socs = [
        Soc(
            core=arrangement.core,
            kernel=arrangement.kernel,
            cpus=arrangement.cpus,
            size=arrangement.size,
            lut4=lut4,
            mhz=row.fmax_mhz,
            mhz_min=row.fmax_min,
            mhz_max=row.fmax_max,
            seeds=row.seeds,
            path=f"{row.critical.start} to {row.critical.end}",
        )
        for (arrangement, lut4), row in zip(sized, placed[len(alone) :], strict=True)
    ]
    bounds = [
        Core(core=str(row.build), lut4=synth.lut4(job), mhz=row.fmax_mhz)
        for job, row in zip(alone, placed, strict=False)
    ]
    return bounds, socs


def plan(work: Work) -> None:
    """All that may compete by its area."""
    some = [Arrangement(core, "hw", n, size) for core in keys.CORES for n in CPUS for size in SIZES]
    some += [Arrangement(core, "sw", n) for core in keys.CORES for n in range(1, _COMPETING + 1)]
    alone = units.choose([f"cl_core:{core}" for core in keys.CORES])
    larger = [
        Arrangement(core, "sw", _COMPETING + 1) for core in keys.CORES
    ]  # of which only the area is asked
    areas = [*alone, *(each.job() for each in (*some, *larger))]
    work.jobs([], [_area(job.label, job) for job in areas])
    socs = [
        Soc(
            core=each.core,
            kernel=each.kernel,
            cpus=each.cpus,
            size=each.size,
            lut4=0,
            mhz=0,
            mhz_min=0,
            mhz_max=0,
            seeds=0,
            path="",
        )
        for each in some
    ]
    simulate(socs, work)


def experiment(arranged: Arrangement, application: str, placement: str) -> Experiment:
    """What is simulated."""
    program, defines = application, {}
    if application in WITH_PORTS:
        defines = ports(application, arranged.kernel, DIRECT)
    else:
        program = str(Path(__file__).with_name(f"{application}.c"))
    return Experiment(program, arranged.soc(), arranged.kernel, placement, defines)


def measure(
    soc: Soc,
    application: str,
    placement: str,
    data: bytes,
    size: str | None = None,
    kernel: str | None = None,
    window: int = WINDOW,
) -> Row:
    """Simulate one case, with a kernel of that size and kind or the SoC's.

    UserError if the program ends within the window, or nothing is done in it.
    """
    arranged = soc.arrangement(size, kernel)
    outcome = experiment(arranged, application, placement).run(data, Options(window=window))
    done = outcome.figures.done
    if outcome.result.exit_status is not None or not done:
        raise UserError(
            f"{application}, {arranged.text}: {done} {APPLICATIONS[application]} in "
            f"{outcome.result.cycles} cycles, status {outcome.result.exit_status}: a bug in Coreloom"
        )
    return Row(
        core=soc.core,
        kernel=arranged.kernel,
        cpus=soc.cpus,
        size=arranged.size,
        lut4=soc.lut4,
        mhz=soc.mhz,
        application=application,
        placement=placement,
        done=done,
        per_second=round(done / window * soc.mhz * 1e6, 1),
    )


def simulate(socs: Sequence[Soc], work: Work, window: int = WINDOW) -> list[Row]:
    """A row for each application on each SoC, with each placement if it has several CPUs.

    The software kernels, whose size is not in their SoC, with each size.
    """
    data = {app: APPS[app].prepare(None) if app in APPS else b"" for app in APPLICATIONS}
    cases = [
        (soc, app, placement, size, kernel)
        for app in APPLICATIONS
        for soc in socs
        for placement in (PLACEMENTS if soc.cpus > 1 else ("dynamic",))
        for size in (SIZES if soc.kernel == "sw" else (soc.size,))
        for kernel in ((soc.kernel, *FINE) if soc.kernel == "sw" else (soc.kernel,))
        if is_there(kernel, soc.cpus)
    ]

    def job(soc: Soc, app: str, placement: str, size: str, kernel: str) -> Job[Row]:
        text = f"{app}: {soc.arrangement(size, kernel).text}, {placement}"
        run = whole(lambda: [measure(soc, app, placement, data[app], size, kernel, window)])
        return Job(text, run, window * soc.cpus)

    models = {(soc.core, soc.cpus, size): soc.arrangement(size).soc() for soc, _, _, size, _ in cases}
    first = [build(each) for each in models.values()]
    first += [
        prepare(f"compile {app}", experiment(soc.arrangement(size, kernel), app, placement).program)
        for soc, app, placement, size, kernel in cases
    ]
    return work.jobs(first, [job(*case) for case in cases])


def contests(rows: Sequence[Row], application: str) -> list[tuple[Row, Row]]:
    """Of each hardware arrangement the better placement, and the best software one of no more LUT4."""

    def best(found: Sequence[Row]) -> Row:
        return max(found, key=lambda row: row.per_second)

    of = [row for row in rows if row.application == application]
    hards = dict.fromkeys((row.core, row.cpus, row.size) for row in of if row.kernel == "hw")
    contested = []
    for *arranged, size in hards:
        hard = best(
            [row for row in of if [row.core, row.cpus, row.kernel, row.size] == [*arranged, "hw", size]]
        )
        rivals = [row for row in of if row.core == hard.core and row.kernel != "hw" and row.lut4 <= hard.lut4]
        contested.append((hard, best(rivals)))
    return contested


def ratio(hard: Row, soft: Row) -> float:
    """Rounded down, so that no tie is called ahead."""
    return math.floor(100 * hard.per_second / soft.per_second) / 100


def ahead(hard: Row, soft: Row) -> bool:
    return ratio(hard, soft) >= _GAIN


def figures(rows: Sequence[Row]) -> list[Figure]:
    """Of each application, core and size of the kernel: the hardware kernel where it gains least."""
    found = []
    for application in APPLICATIONS:
        by_case: dict[str, list[float]] = {}
        for hard, soft in contests(rows, application):
            by_case.setdefault(f"{hard.core} core{_fitted(hard.size)}", []).append(ratio(hard, soft))
        for case, ratios in by_case.items():
            what = f"{application}, {case}: hardware kernel over the best software of equal area"
            found.append(Figure(f"{what}, with the CPUs that gain least", min(ratios), at_least=_GAIN))
    return found
