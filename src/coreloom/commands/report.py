# SPDX-License-Identifier: Apache-2.0
"""`coreloom report`: pages, pictures and the HTML report of the published results."""

from __future__ import annotations

import argparse
from pathlib import Path

from coreloom.benches import pages, stale
from coreloom.commands.bench import comparing
from coreloom.commands.console import Command, doing, needs_checkout, out, shown
from coreloom.files import check_target, write_atomically


def _run(args: argparse.Namespace) -> int:
    needs_checkout()
    if args.stale:
        with comparing("what is published") as tell:
            old = stale.pages(tell)
        for each in old:
            out.print(str(each))
        return 1 if old else 0
    if args.html is not None:
        check_target(args.html)
        found, _ = pages.read()
        with doing("draw the report"):
            text = pages.html(found)
        out.print(f"wrote {shown(write_atomically(args.html, text.encode()))}")
        return 0
    with doing("make pages and pictures"):
        written, missing, missed = pages.write()
    for path in written:
        out.print(f"wrote {shown(path)}")
    if missing:
        commands = ", ".join(f"coreloom {command}" for command in missing)
        out.print(f"unchanged, for lack of results of: {commands}")
    out.print(f"{missed}: docs/engineering/targets.md")
    return 0


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--html",
        type=Path,
        metavar="FILE",
        help="write this report only: every table, sortable (else pages, pictures and build/report.html)",
    )
    parser.add_argument(
        "--stale",
        action="store_true",
        help="write nothing: list the pages that this tree would no longer give, each with the command that "
        "measures it anew and how long that took; exits with 1 if there are any",
    )


COMMAND = Command(
    "report",
    _run,
    _options,
)
