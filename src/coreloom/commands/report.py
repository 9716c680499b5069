# SPDX-License-Identifier: Apache-2.0
"""`coreloom report`: the pages of docs/results and docs/papers and the block of the README."""

from __future__ import annotations

import argparse

from coreloom.benches import pages
from coreloom.commands.console import Command, needs_checkout, out, shown


def _run(_: argparse.Namespace) -> int:
    needs_checkout()
    written, missing = pages.write()
    for path in written:
        out.print(f"wrote {shown(path)}", markup=False)
    if missing:
        commands = ", ".join(f"coreloom {command}" for command in missing)
        out.print(f"unchanged, for lack of results of: {commands}", markup=False)
    return 0


COMMAND = Command(
    "report",
    "write docs/results, docs/papers, docs/not-reached.md and the README's table from the result files",
    _run,
)
