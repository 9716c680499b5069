# SPDX-License-Identifier: Apache-2.0
"""`coreloom explore`: the platform that suits a program."""

from __future__ import annotations

import argparse
import json

from coreloom.commands import pools
from coreloom.commands.console import Command, doing, err, out, show, shown
from coreloom.commands.given import DEFAULT_PLATFORM, changes, resolve
from coreloom.commands.run import around, prepare
from coreloom.commands.run_options import MAX_SIMULATED, add_flags, add_inputs, add_line, add_sizes
from coreloom.design.keys import CORES
from coreloom.errors import UserError, suggest
from coreloom.exploration import explore, page, published, response
from coreloom.exploration.explore import Asked, Search
from coreloom.exploration.point import Program, Row
from coreloom.exploration.space import CPUS
from coreloom.jobs.kept import Kept
from coreloom.options import add_json, names, number_from, positive


def _deadline(text: str) -> response.Deadline:
    try:
        return response.deadline(text)
    except ValueError as wrong:
        raise argparse.ArgumentTypeError(str(wrong)) from None


def _cores(text: str) -> list[str]:
    found = names(text)
    for core in found:
        if core not in CORES:
            raise argparse.ArgumentTypeError(f"unknown core '{core}': {suggest(core, CORES)}")
    return found


def _program(args: argparse.Namespace) -> Program:
    args.kernel = args.policy = args.cpus = args.placement = None  # of a project; here all are tried
    given = resolve(args)
    if given.elf:
        raise UserError(
            f"{given.elf} is linked for one kernel: give its sources, or its objects and archives"
        )
    if args.dask and args.files:
        raise UserError("--files are on this machine, not on Dask's workers: leave out one of the two")
    if args.deadline and not args.line:
        raise UserError(
            f"no interrupt comes, to which {args.deadline[0].thread} would respond: drive a line by --line"
        )
    return Program(
        given.name,
        given.app,
        args.platform or DEFAULT_PLATFORM,
        prepare(args, given.name),
        around(args, given, None),
        tuple(args.line),
        tuple(dict.fromkeys(each.thread for each in args.deadline)),
        MAX_SIMULATED,
        changes(args),
        args.window,
    )


def _run(args: argparse.Namespace) -> int:
    program = _program(args)
    asked = Asked(
        args.luts,
        args.ram,
        args.throughput,
        tuple(args.deadline),
        args.memory,
        tuple(core for core in CORES if core in args.core),
        args.most_cpus,
        not args.all,
    )
    areas, places = published.areas(), published.grain()
    folder = explore.folder(program.name)
    busy = f"another process explores {program.name}: wait for its end"
    kept = Kept(folder / "rows.jsonl", Row, busy)
    with kept.alone(), pools.pool(args) as pool, doing(f"explore {program.name}") as task:
        if args.restart:
            kept.clear()
        found = Search(program, asked, areas, pool, kept, task.say).run()
    explore.write(found)
    if found.before:
        err.print(f"{found.before} of {found.runs} runs were made before (--restart makes them again)")
    choice = explore.choose(found, asked)
    if args.json:
        out.print(json.dumps(page.facts(found, asked, choice, places, areas.error), indent=1))
        return 0
    for line in page.profile(program.name, found.profile, places):
        out.print(line)
    show(page.table(found, asked, choice))
    out.print()
    for line in (*page.plot(found, choice), *page.left(found), *page.stated(found, areas.error), ""):
        out.print(line)
    out.print(page.sentence(found, asked, choice))
    file = shown(folder / f"{choice.config.platform}.toml")
    out.print(f"run it: coreloom run PROGRAM --on {choice.config.on} --platform {file}")
    return 0


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "app",
        nargs="+",
        metavar="PROGRAM",
        help="what `coreloom run` takes: an application, C files, or a folder",
    )
    parser.add_argument("--luts", type=positive, metavar="N", help="the most LUT4 that the SoC may need")
    parser.add_argument("--ram", type=positive, metavar="KIB", help="the most RAM on the chip")
    parser.add_argument(
        "--throughput",
        type=number_from("above 0"),
        metavar="N",
        help="the fewest units of work a second; the program counts them by cl_done()",
    )
    parser.add_argument(
        "--deadline",
        type=_deadline,
        action="append",
        default=[],
        metavar="THREAD<=TIME",
        help="the longest time from an interrupt (--line) to where the thread waits again, "
        "such as 'service<=200us'; may be repeated",
    )
    parser.add_argument(
        "--core",
        type=_cores,
        default=list(CORES),
        metavar="NAMES",
        help=f"try only these: {', '.join(CORES)} (default: all)",
    )
    parser.add_argument(
        "--cpus",
        dest="most_cpus",
        type=positive,
        default=CPUS[-1],
        metavar="N",
        help="the most CPUs to try (default: as many as the program has threads, up to 16)",
    )
    parser.add_argument(
        "--window",
        type=positive,
        metavar="N",
        help="only run N cycles from cl_ready() on, and take the time of a unit of work: of programs that do "
        "the same for long (default: to the end)",
    )
    parser.add_argument(
        "--memory",
        choices=("sram", "sdram"),
        default="sram",
        help="the board's memory: on the chip, or SDRAM, where each core is tried with and without a data "
        "cache (default: %(default)s)",
    )
    parser.add_argument("--all", action="store_true", help="also run what cannot pay")
    parser.add_argument("--restart", action="store_true", help="make all runs again")
    parser.add_argument(
        "--platform",
        help=f"all configurations have the sizes of this one's kernel (default: {DEFAULT_PLATFORM})",
    )
    parser.add_argument("--clock-hz", type=positive, metavar="N", help="as for `coreloom run`")
    pools.option(parser)
    add_json(parser)
    add_line(parser)
    add_inputs(parser)
    add_sizes(parser)
    add_flags(parser)


COMMAND = Command(
    "explore",
    _run,
    _options,
    takes_arguments=True,
    common=(
        *("app", "luts", "ram", "throughput", "deadline", "core", "most_cpus", "memory", "window", "all"),
        *("json", "line", "input", "help", "help_all"),
    ),
)
