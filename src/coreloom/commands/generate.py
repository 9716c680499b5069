# SPDX-License-Identifier: Apache-2.0
"""`coreloom generate`: everything that follows from data files."""

from __future__ import annotations

import argparse

from coreloom.commands import generated
from coreloom.commands.console import Command, needs_checkout, out, shown


def _run(_: argparse.Namespace) -> int:
    needs_checkout()
    for path in generated.generate():
        out.print(f"wrote {shown(path)}")
    return 0


COMMAND = Command("generate", _run)
