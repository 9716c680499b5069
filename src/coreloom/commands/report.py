# SPDX-License-Identifier: Apache-2.0
"""`coreloom report`: the pages of docs/results and docs/papers and the block of the README."""

from __future__ import annotations

import argparse

from coreloom.benches import pages, stale
from coreloom.commands.console import Command, doing, needs_checkout, out, shown


def _run(args: argparse.Namespace) -> int:
    needs_checkout()
    if args.stale:
        with doing("compare what is published with this tree"):
            found = stale.pages()
        for each in found:
            out.print(str(each), markup=False)
        return 1 if found else 0
    written, missing = pages.write()
    for path in written:
        out.print(f"wrote {shown(path)}", markup=False)
    if missing:
        commands = ", ".join(f"coreloom {command}" for command in missing)
        out.print(f"unchanged, for lack of results of: {commands}", markup=False)
    return 0


def _options(parser: argparse.ArgumentParser) -> None:
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
