# SPDX-License-Identifier: Apache-2.0
"""Printing for all commands, and the common form of a command."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, Literal, NoReturn

from coreloom import paths, verbs
from coreloom.errors import UserError, meant, suggest
from coreloom.report.table import Table

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress
    from rich.status import Status

# Columns of what is printed to no terminal.
_PIPED = int(asked) if (asked := os.environ.get("COLUMNS", "")).isdecimal() else 80
_WIDE = 100_000  # columns of a table that may be as wide as it likes
FIRST_LINE_S, LINE_S = 5.0, 10.0  # when long work tells how far it is, where there is no terminal


class Printer:
    """Lines for a standard stream. Rich, a tenth of a short run, is loaded for what moves or wraps."""

    def __init__(self, stream: Literal["stdout", "stderr"], wraps: bool) -> None:
        self._stream, self._wraps = stream, wraps

    @property
    def is_terminal(self) -> bool:
        return bool(getattr(sys, self._stream).isatty())

    @cached_property
    def console(self) -> Console:
        from rich.console import Console

        soft = not (self._wraps and self.is_terminal)
        return Console(highlight=False, stderr=self._stream == "stderr", soft_wrap=soft)

    def print(self, text: str = "") -> None:
        """A line, or several; on a terminal that wraps, between words."""
        if self.is_terminal and (self._wraps or "console" in vars(self)):  # which may show what moves
            self.console.print(text, markup=False)
        else:
            getattr(sys, self._stream).write(f"{text}\n")


out = Printer("stdout", wraps=True)
err = Printer("stderr", wraps=False)


@dataclass(frozen=True)
class Command:
    """One verb: its options, and what it does with them; its exit status is what `run` returns."""

    name: str  # of verbs.VERBS, which says what it does in a line
    run: Callable[[argparse.Namespace], int]
    options: Callable[[argparse.ArgumentParser], None] = lambda parser: None
    description: str = ""  # in its --help, if there is more to say
    runs_program: bool = False  # it exits with a program's status, and in its own failures with errors.FAILED
    takes_arguments: bool = (
        False  # words behind -- are a program's; options and other words come in any order
    )
    common: tuple[str, ...] = ()  # what --help shows, by its dest; --help-all shows all. None: it shows all


class Parser(argparse.ArgumentParser):
    """One line for a wrong option, as for every other mistake; it names what may have been meant.

    --help begins with examples. Options have no abbreviations.
    """

    failure = 2  # exit status of wrong usage
    takes_arguments = False  # as Command's
    examples: tuple[str, ...] = ()
    common: tuple[str, ...] = ()  # likewise
    summary = ""  # of what it does, in a line
    _inside = False  # parse_known_intermixed_args calls parse_known_args

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{"allow_abbrev": False, **options})
        self.set_defaults(parser=self)  # of a verb's verb it is the innermost

    def format_help(self) -> str:
        return self._help(set(self.common))

    def help_all(self) -> str:
        return self._help(set())

    def _help(self, shown: set[str]) -> str:
        """With the arguments of these dests, all of them if there are none."""
        hidden = [action for action in self._actions if shown and action.dest not in shown]
        before = [(action, action.help) for action in hidden]
        description, self.description = self.description, self.summary if shown else self.description
        usage, self.usage = self.usage, self._usage() if self.summary else self.usage
        for action in hidden:
            action.help = argparse.SUPPRESS
        try:
            text = super().format_help()
        finally:
            self.description, self.usage = description, usage
            for action, help in before:
                action.help = help
        more = f"\nMore options: {self.prog} --help-all\n" if shown else ""
        return (verbs.examples(self.examples) if self.examples else "") + text + more

    def _usage(self) -> str:
        """Without the options, which stand below."""
        words = {"+": "{0} [{0} ...]", "*": "[{0} ...]", "?": "[{0}]", argparse.PARSER: "{0} ..."}
        named = [
            words.get(str(action.nargs), "{0}").format(action.metavar or action.dest)
            for action in self._get_positional_actions()
        ]
        behind = ["[-- ARGUMENT ...]"] if self.takes_arguments else []
        return " ".join((self.prog, "[OPTION ...]", *named, *behind))

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        found, unknown = self.parse_known_args(args, namespace)
        if unknown:
            parser: Parser = found.parser
            option = unknown[0].partition("=")[0]
            near = meant(option, parser._option_string_actions) if option.startswith("--") else ""
            near = near and f": {near}"
            behind = "a program's own arguments come behind --" if parser.takes_arguments else ""
            hint = f"{near} {behind.capitalize()}" if near and behind else near or (behind and f"; {behind}")
            parser.error(f"unknown option or argument: {' '.join(unknown)}{hint}")
        return found

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Of names: says the nearest, not all of them."""
        if action.choices is not None and value not in action.choices:
            known = [str(choice) for choice in action.choices]
            what = (action.metavar if isinstance(action.metavar, str) else "") or action.dest
            self.error(f"unknown {what.lower()} '{value}': {suggest(str(value), known)}")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        if not self.takes_arguments or self._inside:
            return super().parse_known_args(args, namespace)
        words = list(sys.argv[1:] if args is None else args)
        end = words.index("--") if "--" in words else len(words)
        self._inside = True
        try:
            found, unknown = self.parse_known_intermixed_args(words[:end], namespace)
        finally:
            self._inside = False
        found.arguments = words[end + 1 :]
        return found, unknown

    def error(self, message: str) -> NoReturn:
        err.print(f"{self.prog}: error: {message} (see {self.prog} --help)")
        raise SystemExit(self.failure)


class HelpAll(argparse.Action):
    """--help-all."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        assert isinstance(parser, Parser)
        sys.stdout.write(parser.help_all())
        raise SystemExit(0)


def show(table: Table, wide: bool | None = None) -> None:
    """Print it, without a frame where there is no terminal.

    wide: whether a command that has --wide was given it: then every column is shown.
    """
    from rich.console import Console

    tables = out.console if out.is_terminal else Console(highlight=False, width=_PIPED)
    if wide:
        tables = Console(highlight=False, width=sum(table.widths(_WIDE, 3)) + 3 * len(table.columns) + 1)
    more = "a wider terminal shows them" if wide is None else "--wide shows them"
    draw(table if wide else table.filled(), out.console, tables, more)


def draw(table: Table, titles: Console, tables: Console, more: str = "") -> None:
    """Print a table on `tables`, with the columns that matter at its width, and its title on `titles`.

    more: how to see those that are left out.
    """
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    framed = tables.is_terminal
    room, between = tables.width - framed, 3 if framed else 2
    part = table.fitted(room, between)
    rich = RichTable(
        box=box.HEAVY_HEAD if framed else None,
        pad_edge=framed,
        padding=(0, 1) if framed else (0, 2, 0, 0),
    )
    widths = part.widths(room, between)
    for index, (column, width) in enumerate(zip(part.columns, widths, strict=True)):
        justify: Literal["left", "right"] = "left" if index < part.text_columns else "right"
        rich.add_column(column, justify=justify, width=width, overflow="fold")
    for row in part.rows:
        rich.add_row(*map(Text, row))
    titles.print()
    titles.print(Text(part.title, style="italic"))
    tables.print(rich)
    if left := len(table.columns) - len(part.columns):
        titles.print(f"({left} column{'s' if left > 1 else ''} left out: {more})", markup=False)


def needs_checkout() -> None:
    """UserError where Coreloom was installed from a wheel."""
    if paths.INSTALLED:
        raise UserError(
            "this needs a checkout of Coreloom, not an installed package: clone it, then `make setup`"
        )


def shown(path: Path) -> str:
    """A path as short as it can be given."""
    path = path.resolve()
    base = Path.cwd()
    return str(path.relative_to(base)) if path.is_relative_to(base) else str(path)


class Task:
    """The current work and its progress: moving on a terminal, elsewhere a line every ten seconds."""

    def __init__(self, text: str, total: float | None) -> None:
        self.text, self.total, self.done = text, total, 0.0

    def say(self, text: str) -> None:
        self.text = text
        self.show()

    def advance(self) -> None:
        self.completed(self.done + 1)

    def completed(self, done: float) -> None:
        self.done = done
        self.show()

    def show(self) -> None:
        """Nothing between the lines."""

    def hide(self) -> None:
        """Leave the terminal to the program that runs."""


class _Spinner(Task):
    def __init__(self, text: str, status: Status) -> None:
        super().__init__(text, None)
        self._status = status

    def show(self) -> None:
        self._status.update(_escaped(self.text))

    def hide(self) -> None:
        self._status.stop()


class _Bar(Task):
    def __init__(self, text: str, total: float, bar: Progress) -> None:
        super().__init__(text, total)
        self._bar = bar
        self._id = bar.add_task(_escaped(text), total=total)

    def show(self) -> None:
        self._bar.update(self._id, description=_escaped(self.text), completed=self.done)


def _escaped(text: str) -> str:
    from rich.markup import escape

    return escape(text)


def _lines(task: Task, over: Event) -> None:
    begin = time.monotonic()
    wait = FIRST_LINE_S
    while not over.wait(wait):
        wait = LINE_S
        passed = time.monotonic() - begin
        far = ""
        if task.total:
            share = task.done / task.total
            far = f", {100 * share:.0f} %"
            if share > 0.02:
                far += f", about {passed * (1 - share) / share:.0f} s left"
        err.print(f"coreloom: {task.text}: {passed:.0f} s{far}")


@contextmanager
def doing(text: str, total: float | None = None, *, percent: bool = False) -> Iterator[Task]:
    """Show what the block does; with a total, how far it is and how long it will take."""
    if not err.is_terminal:
        task, over = Task(text, total), Event()
        teller = Thread(target=_lines, args=(task, over), daemon=True)
        teller.start()
        try:
            yield task
        finally:
            over.set()
            teller.join()
    elif total is None:
        with err.console.status(_escaped(text)) as status:
            yield _Spinner(text, status)
    else:
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TaskProgressColumn,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        count = TaskProgressColumn() if percent else MofNCompleteColumn()
        columns = (TextColumn("{task.description}"), BarColumn(), count, TimeElapsedColumn())
        with Progress(*columns, TextColumn("left"), TimeRemainingColumn(), console=err.console) as bar:
            yield _Bar(text, total, bar)
