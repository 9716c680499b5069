# SPDX-License-Identifier: Apache-2.0
"""The map: how much the hardware kernel gains, by the work between two calls, CPUs and object."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from coreloom.benches.bench import Bench, Work
from coreloom.benches.grain import page
from coreloom.benches.grain.bench import Result, run
from coreloom.benches.rivals import find_freertos, tools
from coreloom.options import add_freertos
from coreloom.report.page import Summary
from coreloom.report.plots import Chart
from coreloom.report.table import Table

_QUICK = (1, 2)


class Grain(Bench[Result]):
    name = "grain"
    paper = ""
    help = "the map: gain of the hardware kernel by the work between two calls, CPUs and object"
    title = "How much work must lie between two calls?"
    order = 20
    result = Result
    runs = True

    def options(self, parser: ArgumentParser) -> None:
        parser.add_argument("--quick", action="store_true", help="one and two CPUs; writes no page")
        add_freertos(parser)

    def whole(self, options: Namespace) -> bool:
        return super().whole(options) and not find_freertos(options)

    def measure(self, options: Namespace, work: Work) -> Result:
        if missing := find_freertos(options):
            work.note(f"{missing}; its rows are left out, and no page is made")
        rows = run(work, not missing, *([_QUICK] if options.quick else []))
        work.ran()
        return Result(name=self.name, rows=rows, tools=tools(not missing))

    def summary(self, content: Result) -> Summary:
        return page.summary(content.rows)

    def charts(self, content: Result) -> Sequence[Chart]:
        return [page.alone(content.rows)]

    def tables(self, content: Result) -> Sequence[Table]:
        return page.tables(content.rows)


BENCH = Grain()
