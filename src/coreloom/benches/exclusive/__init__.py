# SPDX-License-Identifier: Apache-2.0
"""[GF]'s experiment on a current kernel: a program with a CPU of its own beside others."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from coreloom.benches.bench import Bench, Work
from coreloom.benches.exclusive import encoding, guest, page, reach
from coreloom.benches.exclusive.bench import Result, Row, Start, jobs
from coreloom.benches.exclusive.cases import SEEDS
from coreloom.benches.exclusive.encoding import Encoded
from coreloom.benches.exclusive.killed import Kill
from coreloom.options import positive
from coreloom.report.page import Summary
from coreloom.report.plots import Chart
from coreloom.report.table import Table


class Exclusive(Bench[Result]):
    name = "exclusive"
    paper = "GF"
    help = (
        "[GF]'s experiment on a current kernel in a virtual machine: a CPU of its own compared with taskset, "
        "nice and SCHED_FIFO, and [GF]'s encoders on 2 and 4 CPUs; takes an hour"
    )
    title = "A CPU of its own for one program on Linux"
    order = 100
    result = Result
    inputs = (
        *("linux/exclusive", "linux/user", "linux/vm", "linux/vm/init", "linux/vm/work"),
        *(f"src/coreloom/toolchain/{module}.py" for module in ("debian", "native", "zig")),
    )
    tools = ("coreloom", "ziglang")

    def options(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--quick",
            action="store_true",
            help="two jobs, alone and under 16 hogs, one seed, a few kill -9 moments; writes no page",
        )
        parser.add_argument(
            "--seeds", type=positive, metavar="N", help=f"runs of each case (default: {SEEDS})"
        )

    def measure(self, options: Namespace, work: Work) -> Result:
        seeds = options.seeds or (1 if options.quick else SEEDS)
        found = work.jobs(*jobs(options.quick, seeds))
        rows = [row for row in found if isinstance(row, Row)]
        starts = [row for row in found if isinstance(row, Start)]
        kills = [row for row in found if isinstance(row, Kill)]
        return Result(
            name=self.name,
            rows=rows,
            start=starts,
            encoding=[row for row in found if isinstance(row, Encoded)],
            killed=kills,
            reach=reach.figures(rows, starts, kills),
            tools=guest.versions(),
        )

    def summary(self, content: Result) -> Summary:
        return page.summary(content)

    def charts(self, content: Result) -> Sequence[Chart]:
        return encoding.drawn(content.encoding)

    def tables(self, content: Result) -> Sequence[Table]:
        return page.tables(content)


BENCH = Exclusive()
