# SPDX-License-Identifier: Apache-2.0
"""What all commands print with, and the one shape of a command."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from rich import box
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Table as RichTable
from rich.text import Text

from coreloom.report.table import Table

# Columns of what is printed to no terminal.
_PIPED = int(asked) if (asked := os.environ.get("COLUMNS", "")).isdecimal() else 80

out = Console(highlight=False, soft_wrap=not sys.stdout.isatty())
err = Console(highlight=False, stderr=True, soft_wrap=True)


@dataclass(frozen=True)
class Command:
    """One verb: its options, and what it does with them; its exit status is what `run` returns."""

    name: str
    help: str
    run: Callable[[argparse.Namespace], int]
    options: Callable[[argparse.ArgumentParser], None] = lambda parser: None
    description: str = ""  # in --help of the verb itself, if not the same


class Parser(argparse.ArgumentParser):
    """One line for a wrong option, as for every other mistake."""

    def error(self, message: str) -> NoReturn:
        err.print(f"{self.prog}: error: {message} (see {self.prog} --help)", markup=False)
        raise SystemExit(2)


def show(table: Table) -> None:
    """Print it: in parts where it is too wide, and without a frame where there is no terminal."""
    framed = out.is_terminal
    console = out if framed else Console(highlight=False, width=_PIPED)
    for part in table.parts(console.width - framed, between=3 if framed else 2):
        rich = RichTable(
            box=box.HEAVY_HEAD if framed else None,
            pad_edge=framed,
            padding=(0, 1) if framed else (0, 2, 0, 0),
        )
        for index, column in enumerate(part.columns):
            if index < part.text_columns:
                rich.add_column(column)
            else:
                width = max((len(row[index]) for row in part.rows), default=0)
                rich.add_column(column, justify="right", min_width=width)
        for row in part.rows:
            rich.add_row(*map(Text, row))
        out.print()
        out.print(Text(part.title, style="italic"))
        console.print(rich)


def shown(path: Path) -> str:
    """A path as short as it can be given."""
    path = path.resolve()
    base = Path.cwd()
    return str(path.relative_to(base)) if path.is_relative_to(base) else str(path)


def progress_bar(percent: bool = False) -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn() if percent else MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=err,
    )
