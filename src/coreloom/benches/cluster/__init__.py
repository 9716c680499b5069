# SPDX-License-Identifier: Apache-2.0
"""Many runs on a Dask cluster: how much faster two workers are than one."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from functools import partial

from coreloom.benches.bench import SIMULATOR, Bench, Work
from coreloom.benches.cluster import page
from coreloom.benches.cluster.bench import (
    POINTS,
    QUICK_POINTS,
    QUICK_RUNS,
    RUNS,
    Result,
    figures,
    machine,
    measure,
    points,
)
from coreloom.jobs.job import prepare
from coreloom.report import results
from coreloom.report.page import Summary
from coreloom.report.table import Table


class Cluster(Bench[Result]):
    name = "cluster"
    paper = ""
    help = "a sweep and random runs of the scheduling model on one and on two Dask workers of this machine"
    title = "Many simulations on two workers"
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
        return Result(name=self.name, rows=rows, machine=bound, reach=figures(rows, bound))

    def summary(self, content: Result) -> Summary:
        return page.summary(content)

    def tables(self, content: Result) -> Sequence[Table]:
        return page.tables(content)


BENCH = Cluster()
