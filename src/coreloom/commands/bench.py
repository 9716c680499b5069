# SPDX-License-Identifier: Apache-2.0
"""`coreloom bench`: every bench of the registry."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, TypeVar

import msgspec

from coreloom.benches import registry
from coreloom.benches.bench import Bench
from coreloom.commands import pools
from coreloom.commands.console import Command, Parser, doing, err, out, show, shown
from coreloom.jobs.job import Job, Pool
from coreloom.report import results

T = TypeVar("T")
_ALL = "all"


class Shown:
    """The work of a bench in a pool, with bars and notes on the terminal."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool

    def jobs(self, first: Sequence[Job[Any]], wanted: Sequence[Job[T]]) -> list[T]:
        return self.steps(len(first) + len(wanted), partial(self.pool.run, first, wanted))

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
    inputs = bench.digest()  # before: the tree may change meanwhile
    with pools.pool(args) as pool:
        content = bench.measure(args, Shown(pool))
    content.name = bench.name if bench.whole(args) else f"{bench.name}-some"  # which becomes no page
    content.tools = {**results.tools(bench.tools), **content.tools}
    content.inputs = inputs
    path = results.save(content)
    # That this machine was busy is no figure of Coreloom's.
    here = [figure for figure in content.reach if figure.reached or not figure.machine]
    for table in bench.tables(msgspec.structs.replace(content, reach=here)):
        show(table)
    out.print(f"results: {shown(path)}", markup=False)
    for line in bench.finish(content):
        out.print(line, markup=False)
    return 0


def _run(args: argparse.Namespace) -> int:
    if args.subject != _ALL:
        return measure(registry.get(args.subject), args)
    for bench in registry.benches().values():
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
    for bench in registry.benches().values():
        if bench.command == f"bench {bench.name}":
            options(bench, subjects.add_parser(bench.name, help=bench.help))


COMMAND = Command("bench", "run a benchmark and print its tables", _run, _options)
