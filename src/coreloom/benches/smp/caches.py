# SPDX-License-Identifier: Apache-2.0
"""[SMP]'s future work: what a coherent data cache does to static, dynamic and selective migration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from coreloom.apps import APPS
from coreloom.benches.bench import Work
from coreloom.benches.rivals import NAMES
from coreloom.design import platform
from coreloom.design.keys import Platform
from coreloom.jobs.job import Job, build, prepare, whole
from coreloom.report.table import Table, number
from coreloom.simulation.experiment import DIRECT, WITH_PORTS, Experiment, ports
from coreloom.simulation.simulate import Options

KIB = 4
CPUS = (2, 4)
# Selective migration is a policy of the software kernel: it is compared with the policy of dynamic migration.
POLICIES = {"dynamic policy": "dynamic", "selective policy": "selective"}
PLACEMENTS = {"sw": ("static", "dynamic", *POLICIES), "hw": ("static", "dynamic")}


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One simulation of an application; transfers are those of the shared bus in the window."""

    app: str
    kernel: str
    cpus: int
    placement: str
    kib: int  # of the data cache of each CPU; 0: none
    done: int
    transfers: int
    stores: int  # of the transfers


class Case(NamedTuple):
    """One simulation."""

    app: str
    kernel: str
    cpus: int
    placement: str
    kib: int

    @property
    def text(self) -> str:
        cache = f"data caches of {self.kib} KiB" if self.kib else "no data caches"
        return f"{self.app}: {NAMES[self.kernel]}, {self.cpus} CPUs, {self.placement}, {cache}"

    def soc(self) -> Platform:
        return platform.load("smp-standard", self.cpus, changes={"dcache.kib": self.kib} if self.kib else {})

    def experiment(self) -> Experiment:
        policy = POLICIES.get(self.placement)
        placement = "dynamic" if policy else self.placement
        defines = ports(self.app, self.kernel, DIRECT)
        return Experiment(self.app, self.soc(), self.kernel, placement, defines, policy)


def measure(case: Case, data: bytes, window: int) -> Row:
    """One row."""
    outcome = case.experiment().run(data, Options(window=window, profile=True))
    result = outcome.result
    return Row(**case._asdict(), done=outcome.figures.done, transfers=result.transfers, stores=result.stores)


def cases() -> list[Case]:
    """All of them; of each the one without a cache first."""
    return [
        Case(app, kernel, cpus, placement, kib)
        for app in WITH_PORTS
        for kernel, placements in PLACEMENTS.items()
        for cpus in CPUS
        for placement in placements
        for kib in (0, KIB)
    ]


def run(work: Work, window: int) -> list[Row]:
    """All rows, in the order of the cases."""
    wanted = cases()
    inputs = {app: APPS[app].prepare(None) for app in WITH_PORTS}

    def job(case: Case) -> Job[Row]:
        return Job(case.text, whole(lambda: [measure(case, inputs[case.app], window)]))

    first = [build(soc) for soc in dict.fromkeys(case.soc() for case in wanted)]
    first += [prepare(f"compile {case.text}", case.experiment().program) for case in wanted]
    return work.jobs(first, [job(case) for case in wanted])


def table(rows: Sequence[Row], window: int) -> Table:
    """Work and transfers a unit of work, without and with the cache."""

    def line(without: Row, cached: Row) -> tuple[str, ...]:
        loads = [(row.transfers - row.stores) / row.done for row in (without, cached)]
        stores = [row.stores / row.done for row in (without, cached)]
        return (
            *(without.app, NAMES[without.kernel], f"{without.cpus} CPUs {without.placement}"),
            *(number(without.done), number(cached.done), number(cached.done / without.done, 2)),
            *(number(each, 1) for each in (*loads, *stores)),
            *(number(100 * row.transfers / window, 1) for row in (without, cached)),
        )

    pairs = zip(rows[::2], rows[1::2], strict=True)
    return Table(
        f"Data caches of {KIB} KiB and migration, standard core: work in {number(window)} cycles, "
        "and bus transfers a pixel or packet",
        (
            *("application", "kernel", "CPUs", "done, no cache", "done, cache", "ratio"),
            *("loads, no cache", "loads, cache", "stores, no cache", "stores, cache"),
            *("bus busy, no cache (%)", "bus busy, cache (%)"),
        ),
        tuple(line(*pair) for pair in pairs),
        text_columns=3,
    )
