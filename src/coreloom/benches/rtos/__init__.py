# SPDX-License-Identifier: Apache-2.0
"""Services of an operating system: hardware kernel, software kernel and FreeRTOS, by one source."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from coreloom.benches.bench import Bench, Work
from coreloom.benches.rivals import NAMES, find_freertos, is_there, tools
from coreloom.benches.rtos import page
from coreloom.benches.rtos.bench import (
    CACHES,
    CORES,
    ROUNDS,
    WINDOW,
    Result,
    cases,
    front_end_cases,
    jobs,
    packets,
    soc,
)
from coreloom.benches.rtos.measurements import CPUS, MEASUREMENTS, PARTS
from coreloom.benches.rtos.reach import figures
from coreloom.errors import UserError, suggest
from coreloom.jobs.job import build
from coreloom.options import add_freertos, names
from coreloom.report.page import Summary
from coreloom.report.table import Table
from coreloom.toolchain.firmware import OURS

QUICK_ROUNDS, QUICK_WINDOW = 20, 100_000


def _without_freertos(options: Namespace) -> str:
    """Why it cannot be measured here; empty if it can. UserError if --freertos names a wrong folder."""
    return "FreeRTOS runs on the standard core only" if options.core != CORES[0] else find_freertos(options)


class Rtos(Bench[Result]):
    name = "rtos"
    paper = ""
    help = "services of an operating system on every kernel, FreeRTOS among them"
    title = "System calls: hardware kernel, software kernel, FreeRTOS"
    order = 25
    result = Result
    runs = True

    def options(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--core", choices=CORES, default=CORES[0], help="default: %(default)s; another writes no page"
        )
        parser.add_argument(
            "--only",
            type=names,
            metavar="NAMES",
            default=[],
            help="only these measurements, with commas between them; writes no page",
        )
        parser.add_argument(
            "--quick", action="store_true", help="1 CPU, warm cache, few rounds, no calls; writes no page"
        )
        add_freertos(parser)

    def whole(self, options: Namespace) -> bool:
        if options.core != CORES[0] or options.only or not super().whole(options):
            return False
        return not _without_freertos(options)

    def measure(self, options: Namespace, work: Work) -> Result:
        known = list(dict.fromkeys(name for _, name in MEASUREMENTS))
        for name in options.only:
            if name not in known:
                raise UserError(f"unknown measurement '{name}': {suggest(name, known)}")
        if missing := _without_freertos(options):
            work.note(f"{missing}; its columns are left out, and no page is made")
        grounds = list(OURS if missing else NAMES)
        if options.quick:
            rounds, window = QUICK_ROUNDS, QUICK_WINDOW
            wanted = cases(grounds, options.core, CPUS[:1], PARTS[:2], CACHES[:1], options.only)
            wanted += front_end_cases(options.core, CPUS[:1], options.only)
        else:
            rounds, window = ROUNDS, WINDOW
            wanted = cases(grounds, options.core, only=options.only)
            wanted += front_end_cases(options.core, only=options.only)
        models = [build(soc(options.core, n)) for n in sorted({case.cpus for case in wanted})]
        found = work.jobs(models, jobs(wanted, rounds, window))
        rows = [row for row in found if not row.api]
        front_ends = [row for row in found if row.api]
        alone = [ground for ground in grounds if is_there(ground, 1)]
        sizes = [] if options.only else work.jobs([], packets(alone, options.core))
        work.ran()
        bytes_of = dict(zip(alone, sizes, strict=False))
        return Result(
            name=self.name,
            rows=rows,
            front_ends=front_ends,
            reach=figures(rows, bytes_of, front_ends) if options.core == CORES[0] else [],
            tools=tools(not missing),
            window_cycles=window,
            packets_bytes=bytes_of,
        )

    def summary(self, content: Result) -> Summary:
        return page.summary(content)

    def tables(self, content: Result) -> Sequence[Table]:
        return page.tables(content)

    def details(self, content: Result) -> Sequence[Table]:
        return page.details(content)


BENCH = Rtos()
