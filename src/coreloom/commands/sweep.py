# SPDX-License-Identifier: Apache-2.0
"""`coreloom sweep`: a program at every point of a cross product."""

from __future__ import annotations

import argparse
from pathlib import Path

from coreloom.commands import pools
from coreloom.commands.console import Command, doing, err, out, show, shown
from coreloom.errors import UserError
from coreloom.sweep import file, parquet, run
from coreloom.sweep.store import Store


def _run(args: argparse.Namespace) -> int:
    parquet.check()
    sweep = file.load(args.file)
    kept = Store(sweep.name)
    with kept.alone(), pools.pool(args) as pool:
        with doing("build", len(sweep.settings)) as task:
            points, bad = run.build(sweep, task.say, task.advance)
        for one in bad:
            err.print(f"coreloom: bad point: {one.setting.text}: {one.text}")
        if bad:
            raise UserError(
                f"{len(bad)} of {len(sweep.settings)} points are bad, none was run: "
                f"correct {args.file.name}, or leave them out by [[exclude]]"
            )
        if args.restart:
            kept.clear()
        before = len(kept.done(one.key for one in points))
        if before:
            out.print(f"{before} of {len(points)} points were done before (--restart runs them again)")
        with doing("start", len(points) - before) as task:
            content = run.run(sweep, points, pool, kept, task.say, task.advance)
            task.say("done")
    path, rows = run.save(content)
    for table in run.tables(content):
        show(table)
    new = len(points) - content.before
    if content.at_a_time is not None:
        out.print(
            f"{new} points run in {content.seconds:g} s, on average {content.at_a_time:g} at a time "
            f"({content.threads} possible)"
        )
    out.print(f"results: {shown(path)}")
    out.print(f"Parquet: {shown(rows)}")
    failed = sum(row.error is not None for row in content.rows)
    if failed:
        raise UserError(
            f"{failed} of {len(content.rows)} points have no figures: see the table, fix the cause and "
            "run it again"
        )
    return 0


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE.toml", help="the values to combine (docs/sweep.md)")
    parser.add_argument("--restart", action="store_true", help="run points again that are already done")
    pools.option(parser)


COMMAND = Command(
    "sweep",
    _run,
    _options,
)
