# SPDX-License-Identifier: Apache-2.0
"""Equal area: the hardware kernel beside as many more CPUs as its LUT4 buy, in work a second."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from coreloom.benches.bench import Bench, Work
from coreloom.benches.equal_area import page
from coreloom.benches.equal_area.bench import CPUS, Result, figures, place, plan, simulate
from coreloom.design.keys import CORES
from coreloom.report import results
from coreloom.report.page import Summary
from coreloom.report.table import Table
from coreloom.synthesis import synth

QUICK_CPUS = CPUS[:1]


class EqualArea(Bench[Result]):
    name = "equal_area"
    paper = ""
    help = "work a second of both kernels on SoCs of equal area, each at its own clock"
    title = "For the same area: a hardware kernel or more CPUs?"
    order = 72
    result = Result
    runs = True
    exact = False  # which SoCs compete follows from their area, so all that may are planned
    tools = tuple(dict.fromkeys((*results.TOOLS, *results.SYNTH_TOOLS)))

    def options(self, parser: ArgumentParser) -> None:
        parser.add_argument("--core", choices=CORES, help="this core only; writes no page")
        parser.add_argument(
            "--quick",
            action="store_true",
            help="1 CPU with the hardware kernel, one placement of each core; writes no page",
        )

    def whole(self, options: Namespace) -> bool:
        return super().whole(options) and options.core is None

    def plan(self, options: Namespace, work: Work) -> None:
        plan(work)

    def measure(self, options: Namespace, work: Work) -> Result:
        cores = CORES if options.core is None else (options.core,)
        cpus, seeds = (QUICK_CPUS, 1) if options.quick else (CPUS, synth.SEEDS)
        alone, socs = place(cores, cpus, seeds, work)
        rows = simulate(socs, work)
        return Result(name=self.name, cores=alone, socs=socs, rows=rows, reach=figures(rows))

    def summary(self, content: Result) -> Summary:
        return page.summary(content)

    def tables(self, content: Result) -> Sequence[Table]:
        return page.tables(content)


BENCH = EqualArea()
