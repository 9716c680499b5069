# SPDX-License-Identifier: Apache-2.0
"""The scheduler of [HT]: cycles of its operations, and delays of interrupts."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from coreloom.benches.bench import Bench, Work
from coreloom.benches.scheduler import page
from coreloom.benches.scheduler.bench import Result, figures, jobs
from coreloom.benches.scheduler.delays import INTERRUPTS
from coreloom.options import positive
from coreloom.report.page import Summary
from coreloom.report.plots import Chart
from coreloom.report.table import Table


class Scheduler(Bench[Result]):
    name = "scheduler"
    paper = "HT"
    help = "scheduler operations and delays of the three builds of [HT]"
    title = "A scheduler in hardware: its operations, and the way of an interrupt"
    order = 30
    result = Result
    runs = True

    def options(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--interrupts",
            type=positive,
            metavar="N",
            default=INTERRUPTS,
            help="interrupts for the delays (default: %(default)s)",
        )

    def whole(self, options: Namespace) -> bool:
        return bool(options.interrupts == INTERRUPTS)

    def measure(self, options: Namespace, work: Work) -> Result:
        rows = work.jobs([], jobs(options.interrupts))
        work.ran()
        return Result(name=self.name, rows=rows, reach=figures(rows))

    def summary(self, content: Result) -> Summary:
        return page.summary(content)

    def charts(self, content: Result) -> Sequence[Chart]:
        return page.drawn(content.rows)

    def tables(self, content: Result) -> Sequence[Table]:
        return page.tables(content)


BENCH = Scheduler()
