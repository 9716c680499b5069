# SPDX-License-Identifier: Apache-2.0
"""The scheduling model itself: its speed, and what it says of the SoC."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from functools import partial

from coreloom.benches.bench import SIMULATOR, Bench, Work
from coreloom.benches.model import bench, page, prediction
from coreloom.benches.model.bench import Result
from coreloom.benches.smp.bench import add_window, has_papers_window
from coreloom.report.page import Summary
from coreloom.report.table import Table


class Model(Bench[Result]):
    name = "model"
    paper = ""
    help = "the scheduling model itself: events per second on up to 4096 CPUs, and its prediction of the SoC"
    title = "The scheduling model: its speed and its accuracy"
    order = 90
    result = Result
    runs = True
    inputs = SIMULATOR

    def options(self, parser: ArgumentParser) -> None:
        parser.add_argument("--quick", action="store_true", help="up to 64 CPUs, shorter; writes no page")
        add_window(parser)

    def whole(self, options: Namespace) -> bool:
        return super().whole(options) and has_papers_window(options)

    def measure(self, options: Namespace, work: Work) -> Result:
        predicted = prediction.run(options.window, work)
        rows = work.steps(bench.steps(options.quick), partial(bench.run_all, options.quick))
        return Result(
            name=self.name,
            rows=rows,
            predicted=predicted,
            reach=[*bench.figures(rows), *prediction.figures(predicted)],
            window_cycles=options.window,
        )

    def summary(self, content: Result) -> Summary:
        return page.summary(content)

    def tables(self, content: Result) -> Sequence[Table]:
        return page.tables(content)


BENCH = Model()
