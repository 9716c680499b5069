# SPDX-License-Identifier: Apache-2.0
"""`coreloom bench`: every bench of the registry."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import Any, TypeVar

from coreloom import paths, uses
from coreloom.benches import registry, stale
from coreloom.benches.bench import Bench, noted
from coreloom.commands import against, pools
from coreloom.commands.console import Command, Parser, doing, err, out, show, shown
from coreloom.errors import UserError
from coreloom.jobs.job import Job, Pool
from coreloom.jobs.local import Local
from coreloom.report import results

T = TypeVar("T")
_ALL, _STALE = "all", "stale"


class Shown:
    """The work of a bench in a pool, with bars and notes on the terminal.

    found: what it ran (coreloom.uses).
    """

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.found: set[str] = set()

    def jobs(self, first: Sequence[Job[Any]], wanted: Sequence[Job[T]]) -> list[T]:
        first = [noted(job, self.found) for job in first]
        if isinstance(self.pool, Local):  # elsewhere nobody notes
            wanted = [noted(job, self.found) for job in wanted]
        return self.steps(len(first) + len(wanted), partial(self.pool.run, first, wanted))

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
        err.print(text)


def measure(bench: Bench[Any], args: argparse.Namespace) -> int:
    """Measure, keep the result, print its tables, or what has moved since another revision."""
    commit = against.resolved(args.against) if args.against is not None else ""
    whole = bench.whole(args)
    planned: set[str] | None = None
    if whole and not paths.INSTALLED:  # before: the tree may change meanwhile
        with doing("build programs"):
            planned = bench.planned(uses.IMAGES)
            digests = stale.digests(bench, planned)
    begin = time.monotonic()
    with pools.pool(args) as pool:
        work = Shown(pool)
        with uses.recorded() as here:
            content = bench.measure(args, work)
    content.name = bench.name if whole else f"{bench.name}-some"  # which becomes no page
    content.tools = {**results.tools(bench.tools), **content.tools}
    content.seconds = round(time.monotonic() - begin)
    wrong = (
        "" if planned is None else stale.unlike(planned, work.found | here, bench, isinstance(pool, Local))
    )
    if planned is not None and not wrong:
        content.inputs, content.images = digests
    path = results.save(content)
    if wrong:
        raise UserError(f"{wrong}, so {shown(path)} stays stale: correct the bench's plan")
    if commit:
        before = against.measured(commit, against.words(args.given), content.name)
        against.tell(args.against, before, json.loads(path.read_bytes()), args.wide)
        return 0
    for table in bench.tables(content):
        show(table, args.wide)
    out.print(f"results: {shown(path)}")
    for line in bench.finish(content):
        out.print(line)
    return 0


def _run(args: argparse.Namespace) -> int:
    if args.subject == _STALE:
        with comparing("results") as tell:
            wanted = [each.bench for each in stale.results(tell)]
    elif args.subject == _ALL:
        wanted = list(registry.benches().values())
    else:
        return measure(registry.get(args.subject), args)
    for bench in wanted:
        parser = Parser(f"coreloom {bench.command}")
        options(bench, parser)
        measure(bench, parser.parse_args([] if args.dask is None else ["--dask", args.dask]))
    return 0


@contextmanager
def comparing(what: str) -> Iterator[Callable[[str], None]]:
    """Shows which bench is compared with the tree, and how many have been."""
    names: list[str] = []

    def tell(name: str) -> None:
        names.append(name)
        task.say(f"compare {what} with this tree: build what {name} runs")
        task.completed(len(names) - 1)

    with doing(f"compare {what} with this tree", len(registry.benches())) as task:
        yield tell


def options(bench: Bench[Any], parser: argparse.ArgumentParser) -> None:
    """Those of one bench, where it runs, and how it is shown."""
    bench.options(parser)
    pools.option(parser)
    against.option(parser)
    parser.add_argument("--wide", action="store_true", help="print all columns, however wide the tables are")


def _options(parser: argparse.ArgumentParser) -> None:
    subjects = parser.add_subparsers(dest="subject", required=True, metavar="SUBJECT", parser_class=Parser)
    pools.option(subjects.add_parser(_ALL, help="all of these and `coreloom synth`, in full (takes hours)"))
    text = "those whose result this tree would no longer give (`coreloom report --stale`)"
    pools.option(subjects.add_parser(_STALE, help=text))
    for bench in registry.benches().values():
        if bench.command == f"bench {bench.name}":
            options(bench, subjects.add_parser(bench.name, help=bench.help))


COMMAND = Command("bench", _run, _options)
