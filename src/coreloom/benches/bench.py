# SPDX-License-Identifier: Apache-2.0
"""What a bench is: all that the command line, the pages and the README need to know of one.

A bench is a folder beside this file: `__init__.py` has BENCH; `bench.py` its cases, a class of rows and what
measures them; `page.py` its tables and plots; `method.md`, what is measured and how; `not_reached.md`, why
a figure is not reached; and its programs.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from coreloom import paths
from coreloom.jobs.job import Job
from coreloom.paths import ROOT
from coreloom.report import fresh, results
from coreloom.report.figure import Figure
from coreloom.report.page import Plot
from coreloom.report.results import Result
from coreloom.report.table import Table

# What decides the figures of everything that is simulated on a SoC.
SOC = (
    "rtl",
    "runtime",
    "policies",
    "apps",
    "platforms",
    *(f"src/coreloom/{package}" for package in ("apps", "design", "simulation", "toolchain")),
)

R = TypeVar("R", bound=Result)
T = TypeVar("T")


class Work(Protocol):
    """What a bench needs of whoever runs it: to run jobs, and to say what is being done."""

    def jobs(self, first: Sequence[Job[Any]], wanted: Sequence[Job[T]]) -> list[T]:
        """The rows of `wanted`, in its order, measured several at a time after all of `first`."""

    def steps(self, total: int, run: Callable[..., list[T]]) -> list[T]:
        """What run(on_start=..., on_done=...) returns; it calls on_done() `total` times."""

    def doing(self, text: str) -> AbstractContextManager[object]:
        """Says so while the block runs."""

    def note(self, text: str) -> None:
        """Says it beside the results."""


class Bench(ABC, Generic[R]):
    """One measurement. Its name is that of its command, of its result file and of its page."""

    name: ClassVar[str]
    paper: ClassVar[str]  # tag of the paper whose figures it stands beside; "" if none
    help: ClassVar[str]  # its line in `coreloom bench --help`
    title: ClassVar[str]  # of the page
    order: ClassVar[int]  # its place among the others
    result: ClassVar[type[Any]]  # R
    inputs: ClassVar[tuple[str, ...]]  # what decides its figures besides its own folder: fresh.digest
    tools: ClassVar[tuple[str, ...]] = results.TOOLS  # likewise, packages
    leading: ClassVar[str] = ""  # how the name of its headline figure begins; by default its first one

    @property
    def command(self) -> str:
        """The words behind `coreloom`."""
        return f"bench {self.name}"

    @property
    def folder(self) -> Path:
        return Path(inspect.getfile(type(self))).parent

    def text(self, file: str) -> str:
        """A text of its folder; empty if it has none of that name."""
        path = self.folder / file
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def method(self, **facts: object) -> str:
        """method.md, with {facts} filled in."""
        return self.text("method.md").format(**facts)

    def digest(self) -> str:
        """Of all that decides its figures, as it is now."""
        return fresh.digest((*self.inputs, *self.own), self.tools)

    @property
    def own(self) -> tuple[str, ...]:
        """Its folder as one of `inputs`; none if that is elsewhere."""
        return (str(self.folder.relative_to(ROOT)),) if self.folder.is_relative_to(ROOT) else ()

    @property
    def published(self) -> Path:
        """The result file that its page is made from, which is committed."""
        return paths.ROOT / "docs" / "results" / "data" / f"{self.name}.json"

    def read(self) -> R:
        """The last whole result of this checkout, else the published one. UserError if there is none."""
        own = paths.RESULTS / f"{self.name}.json"
        path = own if own.exists() or not self.published.exists() else self.published
        content: R = results.read(self.result, path, self.command)
        return content

    def read_published(self) -> R | None:
        """The result that its page is made from; None if it has none."""
        path = self.published
        content: R | None = results.read(self.result, path, self.command) if path.exists() else None
        return content

    def options(self, parser: ArgumentParser) -> None:
        """Add the options of its command."""

    def whole(self, options: Namespace) -> bool:
        """Whether these options measure all of it; what does not is kept apart and becomes no page."""
        return not getattr(options, "quick", False)

    @abstractmethod
    def measure(self, options: Namespace, work: Work) -> R:
        """Measure; name, commit and digest of the result are filled in by the caller."""

    @abstractmethod
    def tables(self, content: R) -> Sequence[Table]:
        """The tables of its page, which are also printed."""

    def details(self, content: R) -> Sequence[Table]:
        """Further tables, of the page only."""
        return ()

    def plots(self, content: R) -> dict[str, Plot]:
        """The plots of its page by the names of their files."""
        return {}

    def finish(self, content: R) -> Sequence[str]:
        """What is left to do with the result of a command, and lines to print about it."""
        return ()

    def headline(self, content: R) -> Figure:
        """The one figure that stands for it in the README and in the index of results."""
        figures: Sequence[Figure] = content.reach
        return next((figure for figure in figures if figure.what.startswith(self.leading)), figures[0])
