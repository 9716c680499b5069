# SPDX-License-Identifier: Apache-2.0
"""Area and clock of every unit and of whole platforms on an FPGA."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from functools import partial

from coreloom.benches.bench import Bench, Work
from coreloom.benches.synth import page
from coreloom.benches.synth.bench import Result, figures
from coreloom.design import platform
from coreloom.errors import UserError
from coreloom.jobs.job import Job, whole
from coreloom.options import positive
from coreloom.report import results
from coreloom.report.page import Summary
from coreloom.report.table import Table
from coreloom.synthesis import pnr, synth, units

_USUAL = pnr.Target()


class Synth(Bench[Result]):
    name = "synth"
    paper = "HT"
    help = (
        "area and clock of units on an ECP5 FPGA. While you work on one: `coreloom synth cl_kernel --threads "
        "64 --priorities 32 --seeds 1` (some ten seconds) prints its area, its clock and its longest path"
    )
    title = "Area and clock on an FPGA"
    order = 70
    result = Result
    runs = True
    tools = results.SYNTH_TOOLS

    @property
    def command(self) -> str:
        return "synth"

    def options(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        units_help = (
            "units, for example cl_kernel or cl_scheduler:hybrid (default: all); an unknown name lists them"
        )
        add("unit", nargs="*", metavar="UNIT", help=units_help)
        platform_help = "the SoC of this platform, or with UNIT cl_kernel its kernel"
        add("--platform", metavar="NAME|FILE", help=platform_help)
        add("--threads", type=positive, metavar="N", help="size of the units that can be sized")
        add("--priorities", type=positive, metavar="N", help="likewise (default: 256 x 128)")
        seeds_help = "placements of each unit (default: %(default)s)"
        add("--seeds", type=positive, metavar="N", default=synth.SEEDS, help=seeds_help)
        clock_help = "target clock (default: %(default)s)"
        add("--freq", type=positive, metavar="MHZ", default=_USUAL.mhz, help=clock_help)
        add("--device", choices=pnr.DEVICES, help="size of the FPGA (default: as the unit says)")
        speed_help = "speed grade (default: %(default)s, the slowest)"
        add("--speed", type=int, choices=pnr.SPEEDS, default=_USUAL.speed, help=speed_help)
        wide_help = (
            "merge LUTs into wide multiplexers, the default of Yosys: larger, somewhat faster for deep logic"
        )
        add("--wide-luts", action="store_true", help=wide_help)
        gates_help = "also count [SMP]'s kernel, ports and Lock Unit in NAND2 gates; a run of all units does"
        add("--gates", action="store_true", help=gates_help)
        add("--critical", action="store_true", help="print the longest path of every unit")

    def whole(self, options: Namespace) -> bool:
        # Of any number of placements: it stands in each row.
        some = options.unit or options.platform or options.threads or options.priorities
        clock = (options.freq, options.speed)
        other = options.device or options.wide_luts or clock != (_USUAL.mhz, _USUAL.speed)
        return not (some or other)

    def measure(self, options: Namespace, work: Work) -> Result:
        if options.platform:
            if options.threads or options.priorities:
                raise UserError("--platform has the sizes of its file: leave out --threads and --priorities")
            jobs = units.of_platform(platform.load(options.platform), options.unit)
        else:
            jobs = units.choose(options.unit, options.threads, options.priorities)
        target = pnr.Target(speed=options.speed, mhz=options.freq)
        place = partial(work.jobs, [])
        rows = synth.run(jobs, place, options.seeds, target, options.device, options.wide_luts)
        counted = units.of_smp() if options.gates or self.whole(options) else []
        gates = work.jobs([], [Job(f"{job.label}, gates", whole(partial(_gates, job))) for job in counted])
        work.ran()
        return Result(
            name=self.name,
            rows=rows,
            gates=gates,
            reach=figures(rows),
            asked_mhz=options.freq,
            wide_luts=options.wide_luts,
            paths=bool(options.critical or options.unit or options.platform),
        )

    def summary(self, content: Result) -> Summary:
        return page.summary(content)

    def tables(self, content: Result) -> Sequence[Table]:
        return page.tables(content)

    def details(self, content: Result) -> Sequence[Table]:
        return [page.critical(content.rows)]

    def finish(self, content: Result) -> Sequence[str]:
        return page.paths(content.rows) if content.paths else ()


def _gates(job: units.Job) -> list[synth.Gates]:
    return [synth.gates(job)]


BENCH = Synth()
