# SPDX-License-Identifier: Apache-2.0
"""Deadlines of periodic threads, met and missed, by earliest deadline first and by fixed priorities."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence

from coreloom.benches.bench import Bench, Work
from coreloom.benches.deadlines import page
from coreloom.benches.deadlines.bench import Result, areas, cases, figures, run
from coreloom.report import results
from coreloom.report.page import Summary
from coreloom.report.table import Table


class Deadlines(Bench[Result]):
    name = "deadlines"
    paper = ""
    help = "deadlines that periodic threads miss: earliest deadline first, and fixed priorities"
    title = "What is earliest deadline first worth?"
    order = 41
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


BENCH = Deadlines()
