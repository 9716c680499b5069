# SPDX-License-Identifier: Apache-2.0
"""The order of the Lock Unit: first come, first served, beside the paper's, where the lowest CPU wins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from coreloom.benches.bench import Work
from coreloom.design import platform
from coreloom.design.keys import LOCK_ORDERS, Platform
from coreloom.errors import UserError
from coreloom.jobs.job import Job, build, whole
from coreloom.report.table import Table, number
from coreloom.simulation.experiment import Experiment
from coreloom.simulation.simulate import Kind, Options

CYCLES = 100_000
CPUS = (2, 4, 8)
HOLDS = (0, 20)  # turns of an empty loop while the lock is held
_SOURCE = str(Path(__file__).with_name("locks.c"))


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One simulation: all CPUs take the same lock again and again; cycles of waiting of the CPU with most."""

    order: str
    cpus: int
    hold: int
    cycles: int
    turns: list[int]  # how often each CPU had the lock
    longest_wait: int


def measure(soc: Platform, hold: int) -> Row:
    """One row. UserError if not every turn was one alone."""
    experiment = Experiment(_SOURCE, soc, defines={"CYCLES": CYCLES, "HOLD": hold})
    outcome = experiment.run(b"", Options(max_cycles=20 * CYCLES))
    marks = [event.value for event in outcome.result.events if event.kind == Kind.MARK]
    if outcome.result.exit_status != 0 or len(marks) != 2 * soc.cpus:
        raise UserError("the program of the Lock Unit failed: run `make test-runtime`")
    return Row(
        order=soc.lock_order,
        cpus=soc.cpus,
        hold=hold,
        cycles=CYCLES,
        turns=marks[::2],
        longest_wait=max(marks[1::2]),
    )


def run(work: Work) -> list[Row]:
    """All rows."""
    socs = {
        (order, cpus): replace(platform.load("smp-standard", cpus), lock_order=order)
        for cpus in CPUS
        for order in LOCK_ORDERS
    }

    def job(order: str, cpus: int, hold: int) -> Job[Row]:
        text = f"{cpus} CPUs that take a lock, {order}"
        return Job(text, whole(lambda: [measure(socs[order, cpus], hold)]), CYCLES * cpus)

    models = [build(soc, f"{cpus} CPUs, locks by {order}") for (order, cpus), soc in socs.items()]
    return work.jobs(models, [job(order, cpus, hold) for hold in HOLDS for order, cpus in socs])


def table(rows: Sequence[Row]) -> Table:
    """Throughput and the longest wait under both orders."""
    return Table(
        "A lock of the Lock Unit that all CPUs want, by whom it serves next",
        (
            *("CPUs", "held for", "order", "turns per 1000 cycles"),
            *("fewest turns of a CPU", "most turns of a CPU", "longest wait (cycles)"),
        ),
        tuple(
            (
                *(str(row.cpus), f"{row.hold} empty loops" if row.hold else "one addition", row.order),
                *(number(1000 * sum(row.turns) / row.cycles, 1), number(min(row.turns))),
                *(number(max(row.turns)), number(row.longest_wait)),
            )
            for row in rows
        ),
        text_columns=3,
    )
