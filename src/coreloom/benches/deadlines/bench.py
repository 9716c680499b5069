# SPDX-License-Identifier: Apache-2.0
"""Deadlines of periodic threads: by earliest deadline first, and by fixed priorities in the order of periods.

Every simulation is deadlines.c with one set of threads. All policies get the same sets, scaled to each load.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log
from pathlib import Path

import msgspec

from coreloom.benches.bench import Work
from coreloom.design import platform
from coreloom.design.address_map import TICK_CYCLES
from coreloom.jobs.job import Job, build, prepare, whole
from coreloom.report import results
from coreloom.report.figure import Figure
from coreloom.simulation.experiment import Experiment
from coreloom.simulation.simulate import Event, Kind, Options
from coreloom.synthesis import key_costs

LOADS = (50, 60, 70, 80, 85, 90, 95)  # % of each CPU
CPUS = (1, 2)
POLICIES = (("hw", "edf"), ("hw", "priority"), ("sw", "priority"))
SETS = 8
THREADS = 6  # for each CPU
PERIODS = (20, 100)  # ticks, evenly by their logarithm
HORIZON = 1_200_000  # cycles in which jobs are released
CORE = "standard"
_MAX_CYCLES = 10_000_000


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """SETS sets of threads with a load."""

    kernel: str
    policy: str
    cpus: int
    load: int  # % of each CPU
    jobs: int
    misses: int
    sets_missed: int  # sets with a miss
    latest: int  # cycles, of the job that was late most; below 0: all in time


class Area(msgspec.Struct, frozen=True, kw_only=True):
    """The hardware kernel with a policy."""

    policy: str
    lut4: int


class Result(results.Result, kw_only=True):
    """What `coreloom bench deadlines` writes."""

    rows: list[Row]
    area: list[Area]
    unit: str = "cycles"


@dataclass(frozen=True)
class Thread:
    period: int  # ticks
    work: int  # cycles


def threads(load: int, cpus: int, seed: int) -> list[Thread]:
    """A set, in the order of periods. Shares of the load are random (UUniFast, Bini and Buttazzo 2005)."""
    rng = random.Random(f"{cpus} {seed}")  # the load scales one set
    count = THREADS * cpus
    while True:
        left, shares = 1.0, []
        for more in range(count - 1, 0, -1):
            after = left * rng.random() ** (1 / more)
            shares.append(left - after)
            left = after
        shares.append(left)
        if max(shares) * cpus <= 1:  # at the highest load, too, no thread needs more than a CPU
            break
    low, high = map(log, PERIODS)
    periods = sorted(round(exp(rng.uniform(low, high))) for _ in shares)
    return [
        Thread(period, round(share * cpus * load / 100 * period * TICK_CYCLES))
        for period, share in zip(periods, shares, strict=True)
    ]


@dataclass(frozen=True)
class Case:
    """The sets of one row."""

    kernel: str
    policy: str
    cpus: int
    load: int

    @property
    def text(self) -> str:
        return f"{self.policy} ({self.kernel}), {self.cpus} CPU{'s' * (self.cpus > 1)}, load {self.load} %"

    def experiment(self) -> Experiment:
        soc = platform.load(f"smp-{CORE}", self.cpus)
        source = str(Path(__file__).with_name("deadlines.c"))
        defines: dict[str, str | int] = {"CL_SLICE_TICKS": 0, "EDF": int(self.policy == "edf")}
        return Experiment(source, soc, self.kernel, "dynamic", defines, self.policy)


def cases() -> list[Case]:
    """Every row, in the order of the table."""
    return [Case(*policy, cpus, load) for cpus in CPUS for policy in POLICIES for load in LOADS]


def encode(wanted: Sequence[Thread], horizon: int) -> bytes:
    """As deadlines.c reads it. The shortest period has the highest priority."""
    words = [horizon]
    for place, thread in enumerate(wanted):
        words += [thread.period, thread.work, len(wanted) - place + 1]
    return struct.pack(f"<{len(words)}I", *words)


def lateness(events: Sequence[Event]) -> list[int]:
    """Of each job by how many cycles it was late; below 0: in time."""
    marks = (event.value & 0xFFFFFF for event in events if event.kind == Kind.MARK)
    return [mark - (mark >> 23 << 24) for mark in marks]


def measure(case: Case, sets: int = SETS, horizon: int = HORIZON) -> Row:
    """Simulate the sets of one row."""
    jobs, misses, missed, latest = 0, 0, 0, -horizon
    built = case.experiment().build(False)
    for seed in range(sets):
        data = encode(threads(case.load, case.cpus, seed), horizon)
        outcome = case.experiment().run(data, Options(max_cycles=_MAX_CYCLES), built)
        outcome.check_finished()
        late = lateness(outcome.result.events)
        over = sum(cycles > 0 for cycles in late)
        jobs, misses, missed, latest = (
            jobs + len(late),
            misses + over,
            missed + (over > 0),
            max(latest, *late),
        )
    return Row(
        kernel=case.kernel,
        policy=case.policy,
        cpus=case.cpus,
        load=case.load,
        jobs=jobs,
        misses=misses,
        sets_missed=missed,
        latest=latest,
    )


def run(wanted: Sequence[Case], work: Work) -> list[Row]:
    """The rows of all cases."""

    def job(case: Case) -> Job[Row]:
        return Job(case.text, whole(lambda: [measure(case)]), SETS)

    socs = {(case.kernel, case.policy, case.cpus): case.experiment() for case in wanted}
    first = [build(each.soc(), f"{each.platform.cpus} CPUs, {each.policy}") for each in socs.values()]
    first += [
        prepare(f"compile deadlines.c for {' '.join(map(str, key))}", each.program)
        for key, each in socs.items()
    ]
    return work.jobs(first, [job(case) for case in wanted])


def areas(work: Work) -> list[Area]:
    """LUT4 of the hardware kernel with both policies."""
    names = ("edf", "priority")
    found = work.jobs([], [key_costs.lut4("kernel.policy", policy) for policy in names])
    work.ran()
    return [Area(policy=policy, lut4=lut4) for policy, lut4 in zip(names, found, strict=True)]


def highest(rows: Sequence[Row], kernel: str, policy: str, cpus: int) -> int:
    """The highest load up to which no deadline was missed."""
    best = 0
    for row in rows:
        if (row.kernel, row.policy, row.cpus) == (kernel, policy, cpus):
            if row.misses:
                break
            best = row.load
    return best


def figures(rows: Sequence[Row]) -> list[Figure]:
    """How far each policy of the hardware kernel can be loaded."""
    return [
        Figure(
            f"{policy}, {cpus} CPU{'s' * (cpus > 1)}: highest load without a miss (%)",
            highest(rows, "hw", policy, cpus),
        )
        for cpus in CPUS
        for policy in ("edf", "priority")
    ]
