# SPDX-License-Identifier: Apache-2.0
"""What a message costs: the image filter with messages of one pixel up to a row, on the standard core."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import replace

from coreloom.benches.bench import Bench, Work
from coreloom.benches.grain import page
from coreloom.benches.rivals import find_freertos, tools
from coreloom.benches.smp.bench import (
    Case,
    Result,
    add_window,
    freertos_cases,
    has_papers_window,
    run,
)
from coreloom.options import add_freertos
from coreloom.report.page import Summary
from coreloom.report.table import Table

GRAINS = (1, 4, 16, 64, 200)  # pixels per message


class Grain(Bench[Result]):
    name = "grain"
    paper = ""
    help = "the image filter with messages of one pixel up to a whole row"
    title = "How much work must a message carry?"
    order = 20
    result = Result
    runs = True

    def options(self, parser: ArgumentParser) -> None:
        add_window(parser)
        add_freertos(parser)

    def whole(self, options: Namespace) -> bool:
        return super().whole(options) and has_papers_window(options) and not find_freertos(options)

    def measure(self, options: Namespace, work: Work) -> Result:
        wanted = [
            Case("image", "standard", kernel, cpus, "dynamic", grain)
            for grain in GRAINS
            for cpus in (1, 2)
            for kernel in ("sw", "hw")
        ]
        if missing := find_freertos(options):
            work.note(f"{missing}; its columns are left out, and no page is made")
        else:
            dynamic = [case for case in freertos_cases(("image",)) if case.placement == "dynamic"]
            wanted += [replace(case, grain=grain) for grain in GRAINS for case in dynamic]
        rows = run(wanted, options.window, work)
        work.ran()
        return Result(
            name=self.name,
            rows=rows,
            tools=tools(not missing),
            window_cycles=options.window,
        )

    def summary(self, content: Result) -> Summary:
        return page.summary(content)

    def tables(self, content: Result) -> Sequence[Table]:
        return [page.grain(content.rows, content.window_cycles)]


BENCH = Grain()
