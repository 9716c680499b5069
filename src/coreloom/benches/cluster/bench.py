# SPDX-License-Identifier: Apache-2.0
"""The same jobs on one and on two workers, in turns; each worker is a process with one thread."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from coreloom.benches.bench import Work
from coreloom.benches.fairness import bench as fairness_bench
from coreloom.jobs.cluster import Cluster
from coreloom.jobs.job import Job, prepare
from coreloom.jobs.workers import workers
from coreloom.report import results
from coreloom.report.figure import Figure
from coreloom.scheduling import build
from coreloom.sweep import point
from coreloom.sweep.file import Setting, Sweep

POINTS, QUICK_POINTS = 200, 24
RUNS, QUICK_RUNS = 1000, 40
PASSES = (1, 2, 2, 1)  # workers
LEAST = 1.8  # within 10 % of two
WINDOW, STEP = 100_000, 1_000  # cycles of the shortest point, and how much longer the next one is
SWEEP, FAIRNESS = "sweep", "bench fairness"


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One pass of one load. seconds: from the first job that is sent to the last row that comes.

    busy: seconds that the jobs took on the workers, all together.
    """

    load: str
    workers: int
    runs: int
    seconds: float
    busy: float

    @property
    def at_a_time(self) -> float:
        """How many jobs ran at a time, as a mean."""
        return self.busy / self.seconds

    @property
    def rate(self) -> float:
        """Runs per second."""
        return self.runs / self.seconds


class Result(results.Result, kw_only=True):
    """What `coreloom bench cluster` writes."""

    rows: list[Row]
    machine: float | None = None  # what two busy processes got done over one: the bound of any pool


def points(count: int) -> list[Job[point.Row]]:
    """A sweep of that many points, of four programs."""
    settings = [
        Setting("image", "smp-standard", kernel, "dynamic", None, (("cpus", cpus),), ())
        for kernel in ("hw", "sw")
        for cpus in (1, 2)
    ]
    sweep = Sweep("cluster", Path(), tuple(settings), 0, WINDOW, 100 * WINDOW)
    built = [point.build(sweep, setting) for setting in settings]
    rounds = -(-count // len(built))
    found = [replace(one, window=WINDOW + n * STEP) for n in range(rounds) for one in built]
    return [one.job() for one in found[:count]]


def measure(quick: bool, work: Work) -> list[Row]:
    """All passes of both loads."""
    with work.doing("build models and programs"):
        loads: dict[str, list[Job[Any]]] = {
            SWEEP: list(points(QUICK_POINTS if quick else POINTS)),
            FAIRNESS: list(fairness_bench.jobs(quick, QUICK_RUNS if quick else RUNS)),
        }
    return [one(load, jobs, count, work) for load, jobs in loads.items() for count in PASSES]


_BUSY = """
import sys, time
end, done = time.monotonic() + float(sys.argv[1]), 0
while time.monotonic() < end:
    for _ in range(10_000):
        pass
    done += 1
print(done)
"""


def machine(seconds: float = 4) -> float:
    """What two busy processes get done over one, here and now; `seconds` each pass."""
    done = {1: 0, 2: 0}
    for count in PASSES:
        command = [sys.executable, "-c", _BUSY, str(seconds)]
        running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(count)]
        done[count] += sum(int(process.communicate()[0]) for process in running)
    return round(done[2] / done[1], 2)


def one(load: str, jobs: Sequence[Job[Any]], count: int, work: Work) -> Row:
    """One pass, on workers of its own."""
    first = [prepare("compile the simulator", build.build)] if load == FAIRNESS else []
    with tempfile.TemporaryDirectory(prefix="coreloom-") as folder, workers(Path(folder), count) as made:
        with work.doing(f"start {count} worker{'s' * (count > 1)}"):
            pool = Cluster(made.address)
        with pool:
            pool.wait(count, 60)
            begin = time.monotonic()
            work.steps(len(first) + len(jobs), partial(pool.run, first, jobs))
            seconds = time.monotonic() - begin
    return Row(load=load, workers=count, runs=len(jobs), seconds=round(seconds, 2), busy=round(pool.busy, 2))


def ratio(rows: Sequence[Row], load: str) -> float:
    """Runs per second of two workers over those of one, of all passes."""

    def rate(count: int) -> float:
        own = [row for row in rows if (row.load, row.workers) == (load, count)]
        return sum(row.runs for row in own) / sum(row.seconds for row in own)

    return rate(2) / rate(1)


def at_a_time(rows: Sequence[Row], load: str) -> float:
    """How many jobs ran at a time on two workers, of all passes."""
    two = [row for row in rows if (row.load, row.workers) == (load, 2)]
    return sum(row.busy for row in two) / sum(row.seconds for row in two)


def figures(rows: Sequence[Row], machine: float) -> list[Figure]:
    """What is to be reached: nearly twice as fast, and two workers that are hardly ever without a job.

    machine: what two busy processes got done over one.
    """
    found = []
    for load in (SWEEP, FAIRNESS):
        text = f"{load}, {next(row.runs for row in rows if row.load == load)} jobs"
        for what, value, bound in (
            ("speed of 2 workers over 1", ratio(rows, load), machine),
            ("jobs at a time on 2 workers", at_a_time(rows, load), 2),
        ):
            figure = Figure(f"{text}: {what}", round(value, 2), at_least=LEAST, bound=bound, machine=True)
            found.append(figure)
    return found
