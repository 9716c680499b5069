# SPDX-License-Identifier: Apache-2.0
"""Each service of the operating system in hardware and in software: cycles of its calls, and LUT4."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence

from coreloom.benches.bench import Bench, Work
from coreloom.benches.placement.bench import AREA_SIZE, ROUNDS, Result, areas, cases, figures, run
from coreloom.benches.placement.page import tables
from coreloom.report import results
from coreloom.report.table import Table


class Placement(Bench[Result]):
    name = "placement"
    paper = ""
    help = "each service in hardware and in software, by platform keys: cycles and LUT4"
    title = "Placement of services: in hardware, in memory, in the software kernel"
    order = 36
    result = Result
    runs = True
    tools = tuple(dict.fromkeys((*results.TOOLS, *results.SYNTH_TOOLS)))

    def measure(self, options: Namespace, work: Work) -> Result:
        rows = run(cases(), work)
        area = areas(work)
        method = self.method(rounds=ROUNDS, threads=AREA_SIZE[0], priorities=AREA_SIZE[1])
        return Result(name=self.name, rows=rows, area=area, reach=figures(rows), method=method)

    def tables(self, content: Result) -> Sequence[Table]:
        return tables(content)


BENCH = Placement()
