# SPDX-License-Identifier: Apache-2.0
"""Switches and interrupts stage by stage: warm, with the cache driven out, beside CPUs that fill the bus."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from coreloom.benches.bench import Bench, Work
from coreloom.benches.switch import page
from coreloom.benches.switch.bench import Result, cases, figures, run
from coreloom.report.page import Summary
from coreloom.report.table import Table


class Switch(Bench[Result]):
    name = "switch"
    paper = ""
    help = "switches and interrupts stage by stage, on a busy bus and with the cache driven out"
    title = "Context switch and interrupt: how long, and how steady"
    order = 35
    result = Result
    runs = True

    def options(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--quick", action="store_true", help="the standard core with 1 and 2 CPUs; writes no page"
        )

    def measure(self, options: Namespace, work: Work) -> Result:
        rows = run(cases(("standard",), (1, 2)) if options.quick else cases(), work)
        work.ran()
        return Result(name=self.name, rows=rows, reach=figures(rows))

    def summary(self, content: Result) -> Summary:
        return page.summary(content)

    def tables(self, content: Result) -> Sequence[Table]:
        return page.tables(content)


BENCH = Switch()
