# SPDX-License-Identifier: Apache-2.0
"""Fairness of the scheduling policies in the model: shares, gaps and migrations."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

import msgspec

from coreloom.benches.bench import SIMULATOR, Bench, Work
from coreloom.benches.fairness import page
from coreloom.benches.fairness.bench import Result, Row, balance, figures, jobs
from coreloom.benches.fairness.cases import QUICK_RUNS, RUNS, Kind
from coreloom.jobs.job import prepare
from coreloom.options import positive
from coreloom.report.page import Summary
from coreloom.report.plots import Chart
from coreloom.report.table import Table
from coreloom.scheduling import build


class Fairness(Bench[Result]):
    name = "fairness"
    paper = "DWRR"
    help = "shares, gaps and migrations of the policies in the model; fails if dwrr breaks its bound"
    title = "How fair are scheduling policies?"
    order = 80
    result = Result
    inputs = SIMULATOR

    def options(self, parser: ArgumentParser) -> None:
        parser.add_argument("--quick", action="store_true", help=f"{QUICK_RUNS} random runs, not {RUNS}")
        parser.add_argument(
            "--runs", type=positive, metavar="N", help=f"number of random runs, if not {RUNS}; writes no page"
        )

    def whole(self, options: Namespace) -> bool:
        return super().whole(options) and options.runs is None

    def measure(self, options: Namespace, work: Work) -> Result:
        first = [prepare("compile the simulator", build.build)]
        rows = work.jobs(first, jobs(options.quick, options.runs))
        return Result(
            name=self.name,
            rows=rows,
            balance=balance(),
            reach=figures(rows),
        )

    def shown(self, content: Result) -> Result:
        """Of the random runs only what they have in common, and the gaps over time that are plotted."""

        def row(full: Row) -> Row:
            plotted = full.policy in page.OVER_TIME and not full.tick_us
            return full if plotted else msgspec.structs.replace(full, gaps_in_B=[])

        rows = [row(full) for full in content.rows if full.kind != Kind.SWEEP]
        return msgspec.structs.replace(content, rows=rows, swept=list(content.sweeps()))

    def summary(self, content: Result) -> Summary:
        return page.summary(content)

    def charts(self, content: Result) -> Sequence[Chart]:
        return page.drawn(content)

    def tables(self, content: Result) -> Sequence[Table]:
        return page.tables(content)


BENCH = Fairness()
