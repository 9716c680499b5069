# SPDX-License-Identifier: Apache-2.0
"""Many runs on a Dask cluster: how much faster two workers are than one."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from functools import partial

from coreloom.benches.bench import SIMULATOR, Bench, Work
from coreloom.benches.cluster.bench import (
    FAIRNESS,
    PASSES,
    POINTS,
    QUICK_POINTS,
    QUICK_RUNS,
    RUNS,
    SWEEP,
    Result,
    at_a_time,
    figures,
    machine,
    measure,
    points,
    ratio,
)
from coreloom.jobs.job import prepare
from coreloom.report import results
from coreloom.report.table import Table, number, reach


class Cluster(Bench[Result]):
    name = "cluster"
    paper = ""
    help = "a sweep and random runs of the scheduling model on one and on two Dask workers of this machine"
    title = "Many runs on a Dask cluster: two workers compared with one"
    order = 120
    result = Result
    runs = True
    inputs = (*SIMULATOR, "src/coreloom/jobs")
    tools = (*results.TOOLS, "distributed")

    def options(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--quick",
            action="store_true",
            help=f"{QUICK_POINTS} points, {QUICK_RUNS} random runs, not {POINTS} and {RUNS}; writes no page",
        )

    def plan(self, options: Namespace, work: Work) -> None:
        work.jobs([prepare("build models and programs", partial(points, POINTS))], [])

    def measure(self, options: Namespace, work: Work) -> Result:
        with work.doing("measure what two processes get done on this machine"):
            bound = machine()
        rows = measure(options.quick, work)
        method = self.method(points=POINTS, runs=RUNS, passes=len(PASSES))
        return Result(name=self.name, rows=rows, machine=bound, reach=figures(rows, bound), method=method)

    def tables(self, content: Result) -> Sequence[Table]:
        rows = (
            (
                *(row.load, str(row.workers), number(row.runs), number(row.seconds, 1)),
                *(number(row.rate, 2), number(row.at_a_time, 2)),
            )
            for row in content.rows
        )
        columns = ("load", "workers", "jobs", "seconds", "jobs per second", "jobs at a time")
        return [
            Table("Time of many jobs, in the order in which they were run", columns, tuple(rows)),
            Table(
                "Two workers compared with one",
                ("load", "speed (times that of one)", "of two busy processes", "jobs at a time"),
                tuple(
                    (
                        *(load, number(ratio(content.rows, load), 2)),
                        *(number(content.machine, 2), number(at_a_time(content.rows, load), 2)),
                    )
                    for load in (SWEEP, FAIRNESS)
                ),
            ),
            reach(content.reach, "this machine"),
        ]


BENCH = Cluster()
