# SPDX-License-Identifier: Apache-2.0
"""What a bench is: all that the command line and the pages need to know of one.

A bench is a folder beside this file: `__init__.py` has BENCH; `bench.py` its cases, a class of rows and what
measures them; `page.py` its tables and what its page shows; `method.md`, what limits the figures and how they
are measured; `not_reached.md`, why a target is missed; and its programs.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from coreloom import paths, uses
from coreloom.errors import UserError
from coreloom.jobs.job import Job, Progress
from coreloom.jobs.local import Local
from coreloom.paths import ROOT
from coreloom.report import fresh, results
from coreloom.report.page import Summary
from coreloom.report.plots import Chart
from coreloom.report.results import Result
from coreloom.report.table import Table

# The C of the scheduling model, and what its costs are.
SIMULATOR = ("policies", *(f"src/coreloom/scheduling/{name}" for name in ("simulator", "costs.json")))

# Packages that count by what is made with them: models and images, which a plan has.
_MADE_WITH = {"ziglang", "pythondata-software-picolibc"}
_MADE_WITH |= {package for package in results.TOOLS if package.startswith("pythondata-cpu-")}

R = TypeVar("R", bound=Result)
T = TypeVar("T")


class Work(Protocol):
    """What a bench needs of whoever runs it: to run jobs, and to say what is being done."""

    def jobs(self, first: Sequence[Job[Any]], wanted: Sequence[Job[T]]) -> list[T]:
        """The rows of `wanted`, in its order, measured several at a time after all of `first`."""

    def steps(self, total: int, run: Callable[..., list[T]]) -> list[T]:
        """What run(on_start=..., on_done=...) returns; it calls on_done() `total` times."""

    def ran(self) -> None:
        """Called when all that is built has run: what follows only looks at what was found."""

    def doing(self, text: str) -> AbstractContextManager[object]:
        """Says so while the block runs."""

    def note(self, text: str) -> None:
        """Says it beside the results."""


class Plan:
    """The work of a plan: every job is gone through as far as it would run something."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.found: set[str] = set()

    def jobs(self, first: Sequence[Job[Any]], wanted: Sequence[Job[T]]) -> list[T]:
        Local().run([], [noted(job, self.found, self.kind) for job in (*first, *wanted)])
        return []

    def steps(self, total: int, run: Callable[..., list[T]]) -> list[T]:
        return []

    def ran(self) -> None:
        raise uses.Planned

    def doing(self, text: str) -> AbstractContextManager[object]:
        return nullcontext()

    def note(self, text: str) -> None:
        pass


def noted(job: Job[T], found: set[str], plan: str = "") -> Job[T]:
    """The same job, which adds what it notes (coreloom.uses); in a plan it has no rows."""

    def measure(progress: Progress) -> Sequence[T]:
        rows: Sequence[T] = ()
        with uses.recorded(plan) as names:
            rows = job.measure(progress)
        found.update(names)
        return () if plan else rows

    return replace(job, measure=measure)


class Bench(ABC, Generic[R]):
    """One measurement. Its name is that of its command, of its result file and of its page."""

    name: ClassVar[str]
    paper: ClassVar[str]  # tag of the paper whose figures it stands beside; "" if none
    help: ClassVar[str]  # its line in `coreloom bench --help`
    title: ClassVar[str]  # of the page
    order: ClassVar[int]  # its place among the others
    result: ClassVar[type[Any]]  # R
    # What decides its figures besides what it runs and its own code: files and folders of the checkout.
    inputs: ClassVar[tuple[str, ...]] = ()
    tools: ClassVar[tuple[str, ...]] = results.TOOLS  # likewise, packages
    runs: ClassVar[bool] = False  # models and programs, of which plan() knows; they count by what they are
    exact: ClassVar[bool] = True  # a plan has nothing that may not run after all

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

    @property
    def method(self) -> str:
        """What limits the figures, and how they are measured."""
        return self.text("method.md")

    def planned(self, kind: str) -> set[str]:
        """Models and programs that its whole measurement runs (coreloom.uses), none of which is run here.

        UserError if something that it needs is missing.
        """
        if not self.runs:
            return set()
        options = self.defaults()
        work = Plan(kind)
        with uses.recorded(kind) as found:
            if not self.whole(options):
                raise UserError(f"{self.name} cannot be measured as a whole here: {self.command} says why")
            self.plan(options, work)
        return found | work.found

    def plan(self, options: Namespace, work: Work) -> None:
        """Go through all that is run; by default as far as measure() goes, to its work.ran()."""
        self.measure(options, work)

    def digest(self, planned: Collection[str]) -> str:
        """Of all that decides its figures, as it is now."""
        tools = [tool for tool in self.tools if not self.runs or tool not in _MADE_WITH]
        return fresh.digest((*self.inputs, *self.code()), tools, planned)

    def code(self) -> set[str]:
        """The files of its own code; none if that is elsewhere."""
        if not self.folder.is_relative_to(ROOT):
            return set()
        programs = (
            () if self.runs else (path for path in self.folder.rglob("*") if path.suffix in (".c", ".h"))
        )
        return fresh.code(type(self).__module__) | {str(path.relative_to(ROOT)) for path in programs}

    def defaults(self) -> Namespace:
        """The options of a whole measurement."""
        parser = ArgumentParser()
        self.options(parser)
        return parser.parse_args([])

    @property
    def published(self) -> Path:
        """The result file that its page is made from, which is committed."""
        return results.published(self.name)

    def read(self) -> R:
        """The last whole result of this checkout, else the published one. UserError if there is none."""
        own = paths.RESULTS / f"{self.name}.json"
        path = own if own.exists() or not self.published.exists() else self.published
        content: R = results.read(self.result, path, self.command)
        return content

    def measured(self) -> bool:
        """Whether read() has something to read."""
        return self.published.exists() or (paths.RESULTS / f"{self.name}.json").exists()

    def read_published(self) -> R | None:
        """The result that its page is made from; None if it has none."""
        path = self.published
        content: R | None = results.read(self.result, path, self.command) if path.exists() else None
        return content

    def shown(self, content: R) -> R:
        """The part of a result that is published: what its page or a paper's item needs."""
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
        """All tables that its command prints; they are in the HTML report, too."""

    def details(self, content: R) -> Sequence[Table]:
        """Further tables, of the HTML report only."""
        return ()

    def charts(self, content: R) -> Sequence[Chart]:
        """Further pictures, of the HTML report only."""
        return ()

    @abstractmethod
    def summary(self, content: R) -> Summary:
        """What its page shows of a whole result."""

    def finish(self, content: R) -> Sequence[str]:
        """What is left to do with the result of a command, and lines to print about it."""
        return ()
