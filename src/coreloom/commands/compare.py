# SPDX-License-Identifier: Apache-2.0
"""`coreloom compare`: one program on several kernels and numbers of CPUs."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from coreloom.apps import APPS
from coreloom.commands.console import Command, doing, err, out, show, shown
from coreloom.commands.given import DEFAULT_PLATFORM, changes, resolve
from coreloom.commands.run import around, prepare
from coreloom.commands.run_options import MAX_SIMULATED, add_flags, add_inputs, add_sizes
from coreloom.comparison import compare, page
from coreloom.errors import UserError
from coreloom.files import check_target, write_atomically
from coreloom.jobs.local import Local
from coreloom.options import add_freertos, add_json, add_on, names, positive
from coreloom.toolchain import freertos
from coreloom.toolchain.firmware import FREERTOS


def _counts(text: str) -> list[int]:
    found = [positive(part) for part in text.split(",")]
    if len(found) > compare.CPUS_MOST:
        raise argparse.ArgumentTypeError(f"must be at most {compare.CPUS_MOST} numbers, not '{text}'")
    return sorted(set(found))


def _run(args: argparse.Namespace) -> int:
    args.kernel = args.policy = args.cpus = args.placement = None  # of a project; here all are compared
    given = resolve(args)
    if given.elf:
        raise UserError(
            f"{given.elf} is linked for one kernel: give its sources, or its objects and archives"
        )
    if args.html:
        check_target(args.html)
    program = compare.Program(
        given.name,
        given.app,
        args.platform or DEFAULT_PLATFORM,
        around(args, given, None),
        changes(args),
        prepare(args, given.name),
        MAX_SIMULATED,
    )
    if any(on in FREERTOS for on in args.on):  # what is missing is said before anything is measured
        freertos.kernel(args.freertos)
    elif args.freertos:
        raise UserError(f"--freertos is for {' and '.join(FREERTOS)} only: name one by --on")
    with doing(f"compare {given.name}") as task:
        runs = compare.measure(program, args.on, args.counts, Local(), task.say)
    differs = compare.difference(runs)
    if args.json:
        out.print(json.dumps(compare.facts(program, runs), indent=1))
    else:
        show(compare.table(given.name, program.soc(args.counts[0]).name, runs))
        for line in ("", *compare.lines(runs), "", compare.sentence(runs)):
            out.print(line)
    if args.html:
        part = page.Comparison(program, runs, compare.sentence(runs))
        write_atomically(args.html, page.html(given.name, [part]).encode())
        err.print(f"page: {shown(args.html)}")
    if differs:
        raise UserError(f"{given.name} does not answer the same everywhere: {differs}")
    if given.name in APPS:
        APPS[given.name].check(runs[0].answer.output, program.data)
    if status := runs[0].answer.status:
        raise UserError(f"{given.name} ended with status {status} on every kernel")
    return 0


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "app", nargs="+", metavar="PROGRAM", help="as of `coreloom run`: an application, C files, or a folder"
    )
    add_on(
        parser,
        "on",
        "--kernels",
        type=names,
        default=["hw", "sw"],
        metavar="NAMES",
        help=f"of {', '.join(compare.NAMES)}, with commas between them (default: hw,sw)",
    )
    parser.add_argument(
        "--cpus",
        dest="counts",
        type=_counts,
        default=[1, 2],
        metavar="N,N",
        help=f"numbers of CPUs, at most {compare.CPUS_MOST} (default: 1,2)",
    )
    parser.add_argument("--platform", help=f"as of `coreloom run` (default: {DEFAULT_PLATFORM})")
    parser.add_argument("--clock-hz", type=positive, metavar="N", help="as of `coreloom run`")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write a page with timelines of all runs")
    add_json(parser)
    add_freertos(parser)
    add_inputs(parser)
    add_sizes(parser)
    add_flags(parser)


COMMAND = Command(
    "compare",
    _run,
    _options,
    takes_arguments=True,
    common=("app", "on", "counts", "platform", "html", "json", "input", "files", "env", "help", "help_all"),
)
