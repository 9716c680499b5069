# SPDX-License-Identifier: Apache-2.0
"""Tables of published results as a terminal of a certain width shows them.

`python -m tests.cli.screens` writes tests/cli/screens anew, after new results are published.
"""

from __future__ import annotations

import io
from pathlib import Path

from rich.console import Console

from coreloom.benches import registry
from coreloom.commands.console import draw
from coreloom.report import results
from coreloom.report.table import Table

FOLDER = Path(__file__).with_name("screens")
SHOWN = ("smp", "grain")  # one with wide tables, one with a narrow one
WIDTHS = (80, 160)


def tables(name: str) -> list[Table]:
    """All tables of the published result of a bench."""
    bench = registry.get(name)
    content = results.read(bench.result, bench.published, bench.command)
    return [*bench.tables(content), *bench.details(content)]


def drawn(table: Table, width: int, framed: bool = True) -> str:
    text = io.StringIO()
    console = Console(file=text, width=width, force_terminal=framed, color_system=None, highlight=False)
    draw(table, console, console)
    return text.getvalue()


def screen(name: str, width: int) -> str:
    """What `coreloom bench NAME` ends with."""
    lines = "".join(drawn(table, width) for table in tables(name)).splitlines()
    return "".join(f"{line.rstrip()}\n" for line in lines)


def file(name: str, width: int) -> Path:
    return FOLDER / f"{name}-{width}.txt"


if __name__ == "__main__":
    for each in SHOWN:
        for columns in WIDTHS:
            file(each, columns).write_text(screen(each, columns), encoding="utf-8")
