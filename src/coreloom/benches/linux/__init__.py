# SPDX-License-Identifier: Apache-2.0
"""[DWRR]'s tests on a current kernel: its own scheduler, scx_dwrr and other sched_ext schedulers."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from coreloom.benches.bench import Bench, Work
from coreloom.benches.linux import page, reach, verifier
from coreloom.benches.linux.bench import SEEDS, Result, jobs, versions
from coreloom.benches.linux.loads import QUICK, TESTS, chosen
from coreloom.benches.linux.schedulers import DWRR, EEVDF, PEERS, known
from coreloom.options import names, positive
from coreloom.report.page import Summary
from coreloom.report.table import Table


class Linux(Bench[Result]):
    name = "linux"
    paper = "DWRR"
    help = (
        "[DWRR]'s tests on a current kernel in a virtual machine: its own scheduler, scx_dwrr and other "
        "sched_ext schedulers; half an hour, but unchanged runs are not repeated"
    )
    title = "Fair scheduling on a current Linux kernel"
    order = 110
    result = Result
    inputs = (
        *(f"linux/{part}" for part in ("bpf", "lagmeter", "scx_dwrr", "user", "vm", "vm/init", "vm/work")),
        *(f"src/coreloom/toolchain/{module}.py" for module in ("debian", "native", "zig")),
    )
    tools = ("coreloom", "ziglang")

    def options(self, parser: ArgumentParser) -> None:
        every = ", ".join(test.name for test in TESTS)
        usual = f"{EEVDF}, {DWRR} and the installed ones of {', '.join(PEERS)}"
        add = parser.add_argument
        add("--quick", action="store_true", help=f"{', '.join(QUICK)}, one seed; writes no page")
        add("--seeds", type=positive, metavar="N", help=f"runs of each test (default: {SEEDS})")
        add("--only", type=names, metavar="TEST,...", help=f"tests to run, from {every}")
        add("--schedulers", type=names, metavar="NAME,...", help=f"default: {usual}")
        add("--kernel", default="7", help="guest kernel, as in coreloom vm (default: 7)")

    def whole(self, options: Namespace) -> bool:
        return not (options.quick or options.only or options.schedulers)

    def measure(self, options: Namespace, work: Work) -> Result:
        tests = chosen(options.only, options.quick)
        schedulers, missing = known(options.schedulers)
        seeds = options.seeds or (1 if options.quick else SEEDS)
        if missing:
            work.note(f"not measured because not installed: {', '.join(missing)}")
        first, wanted = jobs(tests, schedulers, seeds, options.kernel)
        if self.whole(options):
            wanted += verifier.jobs()
        found = work.jobs(first, wanted)
        return Result(
            name=self.name,
            rows=found,
            reach=reach.figures(found),
            tools=versions(tests, schedulers, options.kernel),
        )

    def summary(self, content: Result) -> Summary:
        return page.summary(content)

    def tables(self, content: Result) -> Sequence[Table]:
        return page.tables(content)

    def finish(self, content: Result) -> Sequence[str]:
        return reach.verdict(content.rows).splitlines()


BENCH = Linux()
