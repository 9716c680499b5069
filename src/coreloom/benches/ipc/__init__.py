# SPDX-License-Identifier: Apache-2.0
"""Every mechanism between processors, those of [IPC] and more: blocks, signals, streams, locks, barriers."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from coreloom.benches.bench import Bench, Work
from coreloom.benches.ipc import page
from coreloom.benches.ipc.bench import (
    PAPER_WORDS,
    Result,
    busy_jobs,
    figures,
    jobs,
    paper_jobs,
    places,
    sdram_places,
)
from coreloom.benches.ipc.start import Start
from coreloom.benches.ipc.transfer import Row
from coreloom.jobs.job import build
from coreloom.report.page import Summary
from coreloom.report.plots import Chart
from coreloom.report.table import Table


class Ipc(Bench[Result]):
    name = "ipc"
    paper = "IPC"
    help = "every mechanism between processors, those of [IPC] and more: blocks, signals, locks"
    title = "Sending data from one processor to another"
    order = 50
    result = Result
    runs = True

    def options(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--quick", action="store_true", help="two standard cores on amp, up to 128 words; writes no page"
        )

    def measure(self, options: Namespace, work: Work) -> Result:
        where = places(("amp",), ("standard",), (2,)) if options.quick else places()
        sdram = sdram_places(("standard",)) if options.quick else sdram_places()
        wanted = jobs(where, PAPER_WORDS) if options.quick else jobs(where)
        models = [build(place.platform(), place.text()) for place in (*where, *sdram)]
        alone = [place for place in where if place.kind == "amp" and place.cpus == 2]
        found = work.jobs(models, wanted + paper_jobs(sdram) + busy_jobs(alone))
        work.ran()
        rows = [row for row in found if isinstance(row, Row)]
        starts = [row for row in found if isinstance(row, Start)]
        reach = figures(rows, starts)
        return Result(name=self.name, rows=rows, starts=starts, reach=reach)

    def summary(self, content: Result) -> Summary:
        return page.summary(content)

    def charts(self, content: Result) -> Sequence[Chart]:
        return page.drawn(content.rows)

    def tables(self, content: Result) -> Sequence[Table]:
        return page.tables(content)


BENCH = Ipc()
