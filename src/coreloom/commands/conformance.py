# SPDX-License-Identifier: Apache-2.0
"""`coreloom conformance`: the tests of POSIX requirements on every ground."""

from __future__ import annotations

import argparse

from coreloom.commands.bench import Shown
from coreloom.commands.console import Command, err, out, show, shown
from coreloom.conformance import run, suite
from coreloom.design import platform
from coreloom.errors import UserError, suggest
from coreloom.jobs.job import build
from coreloom.jobs.local import Local
from coreloom.options import add_on, names, positive
from coreloom.report import results
from coreloom.toolchain.firmware import LINUX


def _options(parser: argparse.ArgumentParser) -> None:
    add_on(
        parser,
        "ground",
        "--ground",
        type=names,
        metavar="NAME,...",
        default=list(run.GROUNDS),
        help=f"of {', '.join(run.KNOWN)} (default: {', '.join(run.GROUNDS)})",
    )
    parser.add_argument(
        "--only", type=names, metavar="NAME,...", help="groups, functions or tests (default: all)"
    )
    parser.add_argument(
        "--platform", default="smp-standard", metavar="NAME", help="of hw and sw (default: %(default)s)"
    )
    parser.add_argument("--cpus", type=positive, metavar="N", help="processors (default: the platform's)")
    parser.add_argument(
        "--jobs", type=positive, metavar="N", help="programs at a time (default: this machine's cores)"
    )


def _run(args: argparse.Namespace) -> int:
    for ground in args.ground:
        if ground not in run.KNOWN:
            raise UserError(f"unknown ground '{ground}': {suggest(ground, run.GROUNDS)}")
    grounds = list(dict.fromkeys(args.ground))
    soc = platform.load(args.platform, args.cpus)
    wanted = suite.chosen(args.only)
    first = [build(soc, soc.name)] if set(grounds) - {LINUX} else []
    rows = Shown(Local(args.jobs)).jobs(first, run.jobs(wanted, grounds, soc))
    content = run.Conformance(
        name="conformance" if args.only is None else "conformance-some",
        tools=results.tools(),
        platform=soc.name,
        rows=rows,
    )
    path = results.save(content)
    show(run.table(rows, grounds))
    bad = [row for row in rows if not row.good]
    uncompiled = {(row.ground, row.group): row for row in bad if row.outcome == run.NOT_COMPILED}
    for row in uncompiled.values():
        err.print(f"coreloom: {row.ground} {row.group}: {row.detail}")
    for row in bad:
        if row.outcome != run.NOT_COMPILED:
            err.print(f"coreloom: {row.ground} {row.name}: {row.outcome}: {row.detail}")
    out.print(f"results: {shown(path)}")
    return int(bool(bad))


COMMAND = Command(
    "conformance",
    _run,
    _options,
)
