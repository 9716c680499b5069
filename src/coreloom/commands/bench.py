# SPDX-License-Identifier: Apache-2.0
"""`coreloom bench`: every bench of the registry."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, TypeVar

import msgspec

from coreloom.benches import pool, registry
from coreloom.benches.bench import Bench
from coreloom.benches.pool import Job
from coreloom.commands.console import Command, Parser, doing, err, out, show, shown
from coreloom.report import results

T = TypeVar("T")
_ALL = "all"


class Shown:
    """The work of a bench, with bars and notes on the terminal."""

    def jobs(self, first: Sequence[Job[Any]], wanted: Sequence[Job[T]]) -> list[T]:
        return self.steps(len(first) + len(wanted), partial(pool.run, first, wanted))

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
    content = bench.measure(args, Shown())
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
        options = Parser(f"coreloom {bench.command}")
        bench.options(options)
        measure(bench, options.parse_args([]))
    return 0


def _options(parser: argparse.ArgumentParser) -> None:
    subjects = parser.add_subparsers(dest="subject", required=True, metavar="SUBJECT", parser_class=Parser)
    subjects.add_parser(_ALL, help="all of these and `coreloom synth`, in full (takes hours)")
    for bench in registry.benches().values():
        if bench.command == f"bench {bench.name}":
            bench.options(subjects.add_parser(bench.name, help=bench.help))


COMMAND = Command("bench", "run a benchmark and print its tables", _run, _options)
