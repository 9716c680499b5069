# SPDX-License-Identifier: Apache-2.0
"""The Back-Door of [GF]: four programs on one and two processors, its DMA and its doorbells."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from coreloom.benches.backdoor import page
from coreloom.benches.backdoor.bench import Result, figures, jobs, places
from coreloom.benches.bench import Bench, Work
from coreloom.jobs.job import build
from coreloom.report.page import Summary
from coreloom.report.plots import Chart
from coreloom.report.table import Table


class Backdoor(Bench[Result]):
    name = "backdoor"
    paper = "GF"
    help = (
        "the four programs of [GF] on one and two processors, over the Back-Door and on one bus "
        "(half an hour; finished runs are kept)"
    )
    title = "A second processor on a bus of its own"
    order = 60
    result = Result
    runs = True

    def options(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--quick", action="store_true", help="the standard core, the smallest sizes; writes no page"
        )

    def measure(self, options: Namespace, work: Work) -> Result:
        where = places(cores=("standard",)) if options.quick else places()
        socs = {soc.name: soc for soc in (place.platform() for place in where)}.values()
        rows = work.jobs([build(soc, soc.name) for soc in socs], jobs(where, options.quick))
        work.ran()
        return Result(name=self.name, rows=rows, reach=figures(rows))

    def summary(self, content: Result) -> Summary:
        return page.summary(content)

    def charts(self, content: Result) -> Sequence[Chart]:
        return page.drawn(content.rows)

    def tables(self, content: Result) -> Sequence[Table]:
        return page.tables(content)


BENCH = Backdoor()
