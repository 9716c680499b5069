# SPDX-License-Identifier: Apache-2.0
"""Each service of the operating system in hardware and in software: cycles of its calls, and LUT4."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence

from coreloom.benches.bench import Bench, Work
from coreloom.benches.placement import page
from coreloom.benches.placement.bench import Result, areas, cases, figures, run
from coreloom.report import results
from coreloom.report.page import Summary
from coreloom.report.table import Table


class Placement(Bench[Result]):
    name = "placement"
    paper = ""
    help = "each service in hardware and in software, by platform keys: cycles and LUT4"
    title = "One service in hardware, in memory or in software"
    order = 36
    result = Result
    runs = True
    tools = tuple(dict.fromkeys((*results.TOOLS, *results.SYNTH_TOOLS)))

    def measure(self, options: Namespace, work: Work) -> Result:
        rows = run(cases(), work)
        area = areas(work)
        return Result(name=self.name, rows=rows, area=area, reach=figures(rows))

    def summary(self, content: Result) -> Summary:
        return page.summary(content)

    def tables(self, content: Result) -> Sequence[Table]:
        return page.tables(content)


BENCH = Placement()
