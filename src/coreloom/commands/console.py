# SPDX-License-Identifier: Apache-2.0
"""What all commands print with, and the one shape of a command."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

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

from coreloom.report.table import Table

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
    rich = RichTable(title=table.title, title_justify="left")
    for index, column in enumerate(table.columns):
        rich.add_column(column, justify="left" if index < table.text_columns else "right")
    for row in table.rows:
        rich.add_row(*row)
    console = out if out.is_terminal else Console(highlight=False, width=160)
    console.print()
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
