# SPDX-License-Identifier: Apache-2.0
"""`coreloom bench`: every bench of the registry."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import msgspec

from coreloom import uses
from coreloom.benches import registry, stale
from coreloom.benches.bench import Bench, noted
from coreloom.commands import pools
from coreloom.commands.console import Command, Parser, doing, err, out, show, shown
from coreloom.errors import UserError
from coreloom.jobs.job import Job, Pool, Progress
from coreloom.jobs.local import Local
from coreloom.report import results

T = TypeVar("T")
_ALL, _STALE = "all", "stale"


class Shown:
    """The work of a bench in a pool, with bars and notes on the terminal.

    planned: what may be run (coreloom.uses), None: anything. found: what was.
    """

    def __init__(self, pool: Pool, planned: Collection[str] | None = None) -> None:
        self.pool, self.planned = pool, planned
        self.found: set[str] = set()

    def jobs(self, first: Sequence[Job[Any]], wanted: Sequence[Job[T]]) -> list[T]:
        first = [self._checked(job) for job in first]
        if isinstance(self.pool, Local):  # elsewhere nobody notes
            wanted = [self._checked(job) for job in wanted]
        return self.steps(len(first) + len(wanted), partial(self.pool.run, first, wanted))

    def _checked(self, job: Job[T]) -> Job[T]:
        """The same job; UserError if it has run what was not planned."""
        noted_job = noted(job, self.found)

        def measure(progress: Progress) -> Sequence[T]:
            rows = noted_job.measure(progress)
            self.check(job.text)
            return rows

        return replace(job, measure=measure)

    def check(self, what: str) -> None:
        """UserError if something was run that was not planned."""
        if self.planned is not None and (more := self.found - set(self.planned)):
            raise UserError(f"{what}: {sorted(more)[0]} is not in the bench's plan: a bug in Coreloom")

    def ran(self) -> None:
        pass

    def steps(self, total: int, run: Callable[..., list[T]]) -> list[T]:
        with doing("start", total) as task:
            rows = run(on_start=task.say, on_done=task.advance)
            task.say("done")
        return rows

    def doing(self, text: str) -> AbstractContextManager[object]:
        return doing(text)

    def note(self, text: str) -> None:
        err.print(text, markup=False)


def measure(bench: Bench[Any], args: argparse.Namespace) -> int:
    """Measure, keep the result, print its tables."""
    whole = bench.whole(args)
    planned, digests = None, None
    if whole:  # before: the tree may change meanwhile
        with doing("build programs"):
            digests = stale.digests(bench)
            planned = bench.planned(uses.IMAGES) if bench.runs else None
    begin = time.monotonic()
    with pools.pool(args) as pool:
        work = Shown(pool, planned)
        with uses.recorded() as noted_here:
            content = bench.measure(args, work)
    work.found |= noted_here
    work.check(bench.name)
    content.name = bench.name if whole else f"{bench.name}-some"  # which becomes no page
    content.tools = {**results.tools(bench.tools), **content.tools}
    content.seconds = round(time.monotonic() - begin)
    left = set(planned or ()) - work.found if bench.exact and isinstance(pool, Local) else set()
    if digests is not None and not left:
        content.inputs, content.images = digests
    path = results.save(content)
    if left:
        raise UserError(f"{bench.name}: {sorted(left)[0]} is in its plan and did not run: a bug in Coreloom")
    # That this machine was busy is no figure of Coreloom's.
    here = [figure for figure in content.reach if figure.reached or not figure.machine]
    for table in bench.tables(msgspec.structs.replace(content, reach=here)):
        show(table)
    out.print(f"results: {shown(path)}", markup=False)
    for line in bench.finish(content):
        out.print(line, markup=False)
    return 0


def _run(args: argparse.Namespace) -> int:
    if args.subject == _STALE:
        with doing("compare results with this tree"):
            wanted = [each.bench for each in stale.results()]
    elif args.subject == _ALL:
        wanted = list(registry.benches().values())
    else:
        return measure(registry.get(args.subject), args)
    for bench in wanted:
        parser = Parser(f"coreloom {bench.command}")
        options(bench, parser)
        measure(bench, parser.parse_args([] if args.dask is None else ["--dask", args.dask]))
    return 0


def options(bench: Bench[Any], parser: argparse.ArgumentParser) -> None:
    """Those of one bench, and where it runs."""
    bench.options(parser)
    pools.option(parser)


def _options(parser: argparse.ArgumentParser) -> None:
    subjects = parser.add_subparsers(dest="subject", required=True, metavar="SUBJECT", parser_class=Parser)
    pools.option(subjects.add_parser(_ALL, help="all of these and `coreloom synth`, in full (takes hours)"))
    text = "those whose result this tree would no longer give (`coreloom report --stale`)"
    pools.option(subjects.add_parser(_STALE, help=text))
    for bench in registry.benches().values():
        if bench.command == f"bench {bench.name}":
            options(bench, subjects.add_parser(bench.name, help=bench.help))


COMMAND = Command("bench", "run a benchmark and print its tables", _run, _options)
