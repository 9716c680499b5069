# SPDX-License-Identifier: Apache-2.0
"""What one engine for all CPUs costs and saves, where [SMP] has a scheduling module for each."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from coreloom.apps import APPS
from coreloom.benches.bench import Work
from coreloom.design import key_costs, platform
from coreloom.jobs.job import Job, build, whole
from coreloom.report.table import Table, number
from coreloom.simulation.experiment import Experiment
from coreloom.simulation.measure import spread, waits
from coreloom.simulation.simulate import Options

CPUS = (2, 4, 8)
PROGRAMS = ("image", "packets")


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """The kernel's operations of one simulation, in the window; wait: for operations of other CPUs."""

    app: str
    cpus: int
    cycles: int  # the window, or to the end of the program
    operations: int
    waited: int  # operations that did
    wait_mean: float  # of all
    wait_max: int


def measure(app: str, cpus: int, data: bytes, window: int) -> Row:
    """One row, on the standard core."""
    experiment = Experiment(app, platform.load("smp-standard", cpus))
    outcome = experiment.run(data, Options(window=window, modules=True))
    found = outcome.figures
    waited = waits(outcome.result.events, found.start, found.end)
    _, mean, most = spread(waited)
    return Row(
        app=app,
        cpus=cpus,
        cycles=found.end - found.start,
        operations=len(waited),
        waited=sum(wait > 0 for wait in waited),
        wait_mean=round(mean or 0, 2),
        wait_max=most or 0,
    )


def run(work: Work, window: int) -> list[Row]:
    """All rows."""
    inputs = {app: APPS[app].prepare(None) for app in PROGRAMS}

    def job(app: str, cpus: int) -> Job[Row]:
        text = f"waits at the engine: {app}, {cpus} CPUs"
        return Job(text, whole(lambda: [measure(app, cpus, inputs[app], window)]), window * cpus)

    models = [build(platform.load("smp-standard", cpus)) for cpus in CPUS]
    return work.jobs(models, [job(app, cpus) for app in PROGRAMS for cpus in CPUS])


def table(rows: Sequence[Row]) -> Table:
    """Beside each wait the area of the kernel, and that of as many kernels of one CPU."""
    area = {cost.value: cost.lut4 for cost in key_costs.read().of("cpus")}
    return Table(
        "One engine for all CPUs, where [SMP] has a scheduling module for each: what operations wait for "
        "those of other CPUs, and area",
        (
            *("application", "CPUs", "cycles", "operations", "of these waited (%)", "mean wait (cycles)"),
            *("longest wait (cycles)", "LUT4", "LUT4 of a kernel for each CPU"),
        ),
        tuple(
            (
                *(row.app, str(row.cpus), number(row.cycles), number(row.operations)),
                number(100 * row.waited / row.operations if row.operations else None, 1),
                *(number(row.wait_mean, 2), number(row.wait_max), number(area.get(str(row.cpus)))),
                number(row.cpus * area["1"] if str(row.cpus) in area else None),
            )
            for row in rows
        ),
        text_columns=2,
    )
