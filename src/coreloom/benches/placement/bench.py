# SPDX-License-Identifier: Apache-2.0
"""The services that a platform file places in hardware or in software, and what each placement costs.

Every simulation is placement.c with one service, on the platform with one key changed; its rows are the lines
that it prints.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from coreloom.benches.bench import Work
from coreloom.design import keys, platform
from coreloom.errors import UserError
from coreloom.jobs.job import Job, build, prepare, whole
from coreloom.report import results
from coreloom.report.figure import Figure
from coreloom.simulation.experiment import Experiment
from coreloom.simulation.simulate import Options
from coreloom.synthesis import key_costs

ROUNDS = 16  # of placement.c
CPUS = (1, 2)
CORE = "standard"
HARDWARE, MEMORY, SOFTWARE = "hardware", "memory", "software kernel"
PLACEMENTS = (HARDWARE, MEMORY, SOFTWARE)
_MAX_CYCLES = 20_000_000


@dataclass(frozen=True)
class Service:
    """A service, and the platform key that places it; without one it is in memory whatever the kernel."""

    name: str  # as placement.c knows it
    title: str
    key: str = ""
    hardware: Any = None  # its values
    memory: Any = None
    defines: Mapping[str, str | int] = field(default_factory=dict)

    @property
    def choice(self) -> str:
        """What of a platform file places it."""
        return f"{self.key} = {', '.join(self.hardware)}" if isinstance(self.hardware, tuple) else self.key

    @property
    def placements(self) -> tuple[str, ...]:
        return PLACEMENTS if self.key else PLACEMENTS[1:]

    def changes(self, placement: str) -> dict[str, Any]:
        """Keys of the platform that are not as in its file."""
        value = {HARDWARE: self.hardware, MEMORY: self.memory}.get(placement)
        usual = keys.entry(self.key).default if self.key else None
        return {} if value is None or value == usual else {self.key: _listed(value)}


def _listed(value: Any) -> Any:
    """As in a file."""
    return list(value) if isinstance(value, tuple) else value


SERVICES = (
    Service("mutex", "mutex", "kernel.mutexes", 32, 0),
    Service("inheriting", "mutex with inheritance", "kernel.services", ("inheritance",), ()),
    Service("semaphore", "semaphore", "kernel.semaphores", 32, 0),
    Service("condition", "condition variable", "kernel.conditions", 32, 1, {"ALWAYS_WAITS": 1}),
    Service("barrier", "barrier", "kernel.conditions", 32, 1, {"MEETS": 1}),
    Service("limit", "time limit of a semaphore", "kernel.services", ("timeouts",), (), {"TIMES": 1}),
    Service("events", "event flags", "kernel.services", ("events",), ()),
    Service("rwlock", "read-write lock, read"),
)


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One case of a service: the mean of the rounds."""

    service: str
    placement: str
    cpus: int
    case: str
    cycles: int


class Area(msgspec.Struct, frozen=True, kw_only=True):
    """The hardware kernel with and without a service."""

    service: str
    key: str
    with_it: int  # LUT4
    without: int


class Result(results.Result, kw_only=True):
    """What `coreloom bench placement` writes."""

    rows: list[Row]
    area: list[Area]
    unit: str = "cycles"


@dataclass(frozen=True)
class Case:
    """One simulation."""

    service: Service
    placement: str
    cpus: int

    @property
    def text(self) -> str:
        return f"{self.service.title}, {self.placement}, {self.cpus} CPU{'s' * (self.cpus > 1)}"

    def soc(self) -> platform.Platform:
        return platform.load(f"smp-{CORE}", self.cpus, changes=self.service.changes(self.placement))

    def experiment(self) -> Experiment:
        defines: dict[str, str | int] = {"SERVICE": self.service.name, **self.service.defines}
        kernel = "sw" if self.placement == SOFTWARE else "hw"
        return Experiment(str(Path(__file__).with_name("placement.c")), self.soc(), kernel, defines=defines)


def cases(services: Sequence[Service] = SERVICES, cpus: Sequence[int] = CPUS) -> list[Case]:
    """Every simulation, in the order of the tables."""
    return [Case(service, where, n) for service in services for n in cpus for where in service.placements]


def measure(case: Case) -> list[Row]:
    """Simulate one case."""
    outcome = case.experiment().run(b"", Options(max_cycles=_MAX_CYCLES))
    outcome.check_finished()
    lines = [line.split() for line in outcome.result.uart.splitlines()]
    if not lines:
        raise UserError(f"{case.text}: it printed nothing: a bug in Coreloom")
    return [
        Row(
            service=case.service.name,
            placement=case.placement,
            cpus=case.cpus,
            case=name,
            cycles=int(cycles),
        )
        for name, cycles in lines
    ]


def run(wanted: Sequence[Case], work: Work) -> list[Row]:
    """The rows of all cases."""

    def job(case: Case) -> Job[Row]:
        return Job(case.text, whole(lambda: measure(case)), case.cpus)

    socs = {(case.cpus, str(case.service.changes(case.placement))): case.soc() for case in wanted}
    first = [build(soc) for soc in socs.values()]
    first += [prepare(f"compile {case.text}", case.experiment().program) for case in wanted]
    return work.jobs(first, [job(case) for case in wanted])


def areas(work: Work) -> list[Area]:
    """LUT4 of the hardware kernel with each service and without it, all else as the platforms have it."""
    placed = [service for service in SERVICES if service.key]

    found = work.jobs(
        [],
        [
            key_costs.lut4(service.key, value)
            for service in placed
            for value in (service.hardware, service.memory)
        ],
    )
    work.ran()
    return [
        Area(service=service.name, key=service.choice, with_it=more, without=less)
        for service, more, less in zip(placed, found[::2], found[1::2], strict=True)
    ]


def figures(rows: Sequence[Row]) -> list[Figure]:
    """By how much each service is faster in hardware than in memory on one CPU, where that is most."""
    found = []
    for service in SERVICES:
        by_case: dict[str, dict[str, int]] = {}
        for row in rows:
            if (row.service, row.cpus) == (service.name, 1):
                by_case.setdefault(row.case, {})[row.placement] = row.cycles
        ratios = {
            case: of[MEMORY] / of[HARDWARE] for case, of in by_case.items() if {HARDWARE, MEMORY} <= of.keys()
        }
        if ratios:
            most = max(ratios, key=lambda case: ratios[case])
            what = f"{service.title}, {most}, 1 CPU: memory over hardware"
            found.append(Figure(what, round(ratios[most], 1)))
    return found
