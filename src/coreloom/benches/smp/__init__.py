# SPDX-License-Identifier: Apache-2.0
"""Table 1 of [SMP]: two applications on the software and the hardware kernel, and on FreeRTOS."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from coreloom.benches.bench import Bench, Work
from coreloom.benches.rivals import find_freertos, tools
from coreloom.benches.smp import caches, locks, modules, page, reach, stages
from coreloom.benches.smp.bench import (
    CORES,
    MORE_CPUS,
    Result,
    add_window,
    cases,
    fine_cases,
    freertos_cases,
    has_papers_window,
    policy_cases,
    run,
    stream_cases,
    without_hand_over,
)
from coreloom.options import add_freertos
from coreloom.report.page import Summary
from coreloom.report.plots import Chart
from coreloom.report.table import Table


class Smp(Bench[Result]):
    name = "smp"
    paper = "SMP"
    help = "the paper's two applications on both kernels and on FreeRTOS ([SMP] Table 1)"
    title = "Two applications on one to eight CPUs"
    order = 10
    result = Result
    runs = True

    def options(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--quick", action="store_true", help="the standard core only, up to 2 CPUs; writes no page"
        )
        add_window(parser)
        add_freertos(parser)

    def whole(self, options: Namespace) -> bool:
        return super().whole(options) and has_papers_window(options) and not find_freertos(options)

    def measure(self, options: Namespace, work: Work) -> Result:
        if missing := find_freertos(options):
            work.note(f"{missing}; its columns are left out, and no page is made")
        wanted = cases(("standard",))
        if not options.quick:
            wanted = cases() + cases(("standard",), MORE_CPUS) + policy_cases() + fine_cases()
        wanted += [] if missing else freertos_cases()
        wanted.sort(key=lambda case: (CORES.index(case.core), case.app))
        rows = run(wanted, options.window, work)
        streams = [] if options.quick else run(stream_cases(), options.window, work)
        alone = run(without_hand_over(), options.window, work)
        cached = [] if options.quick else caches.run(work, options.window)
        taken = [] if options.quick else locks.run(work)
        staged = [] if options.quick else stages.run(work, not missing)
        waited = [] if options.quick else modules.run(work, options.window)
        units = work.jobs([], reach.jobs())
        work.ran()
        reached = reach.figures(rows, *units)
        return Result(
            name=self.name,
            rows=rows,
            streams=streams,
            alone=alone,
            caches=cached,
            locks=taken,
            stages=staged,
            modules=waited,
            reach=reached,
            tools=tools(not missing),
            window_cycles=options.window,
        )

    def summary(self, content: Result) -> Summary:
        return page.summary(content)

    def charts(self, content: Result) -> Sequence[Chart]:
        return stages.drawn(content.stages)

    def tables(self, content: Result) -> Sequence[Table]:
        return page.tables(content)


BENCH = Smp()
