# SPDX-License-Identifier: Apache-2.0
"""Scheduling policies of both kernels on the SoC: decisions, shares, moves, area."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from functools import partial

from coreloom.benches.bench import Bench, Work
from coreloom.benches.policies import page
from coreloom.benches.policies.bench import AREA_SEEDS, AREA_SIZE, Result, figures, jobs, write_costs
from coreloom.paths import ROOT
from coreloom.report import results
from coreloom.report.page import Summary
from coreloom.report.table import Table
from coreloom.synthesis import synth, units


class Policies(Bench[Result]):
    name = "policies"
    paper = "DWRR"
    help = "scheduling policies of both kernels on the SoC: cycles of a decision, shares by weight"
    title = "Scheduling policies on the SoC: what they cost"
    order = 40
    result = Result
    runs = True
    tools = tuple(dict.fromkeys((*results.TOOLS, *results.SYNTH_TOOLS)))

    def options(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--quick", action="store_true", help="the standard core, 8 threads on 2 CPUs; writes no page"
        )

    def measure(self, options: Namespace, work: Work) -> Result:
        kernels = [name for name in units.known() if name.startswith("cl_kernel")]
        builds = [] if options.quick else units.choose(kernels, *AREA_SIZE)
        area = synth.run(builds, partial(work.jobs, []), AREA_SEEDS) if builds else []
        rows = work.jobs(*jobs(options.quick))
        work.ran()
        return Result(name=self.name, rows=rows, area=area, reach=figures(rows))

    def summary(self, content: Result) -> Summary:
        return page.summary(content)

    def tables(self, content: Result) -> Sequence[Table]:
        return page.tables(content)

    def finish(self, content: Result) -> Sequence[str]:
        return [f"costs for the model: {write_costs(content.rows).relative_to(ROOT)}"]


BENCH = Policies()
