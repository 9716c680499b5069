# SPDX-License-Identifier: Apache-2.0
"""`coreloom advise`: the mechanism to use, from measured figures."""

from __future__ import annotations

import argparse
import json

from coreloom.benches import registry
from coreloom.benches.ipc import advise, transfer
from coreloom.benches.ipc.bench import CORES, CPUS, KINDS
from coreloom.commands.console import Command, Parser, out, show
from coreloom.design import platform
from coreloom.options import add_json, positive

_MOST_WORDS = platform.MAX_RAM_MIB << 18


def _words(text: str) -> int:
    words = positive(text)
    if words > _MOST_WORDS:
        raise argparse.ArgumentTypeError(f"no memory holds more than {_MOST_WORDS} words")
    return words


def _run(args: argparse.Namespace) -> int:
    rows = registry.get("ipc").read().rows
    place = (args.platform, args.core, args.cores)
    where = f"{args.core} core, {args.platform}, {args.cores} CPUs"
    if args.words is not None:
        choices = advise.block(rows, *place, args.words)
        busy = advise.block(rows, *place, args.words, transfer.BUSY)
        senders = "one CPU" if args.cores == 2 else f"each of {args.cores // 2} CPUs"
        title = f"{args.words} word{'s' * (args.words > 1)} from {senders} to another, {where}"
    else:
        subject = "signal" if args.signal else "lock"
        choices, busy = advise.operation(rows, *place, subject), []
        title = f"A {subject}, {where}"
    compared = advise.shown(choices)
    said, table = advise.sentences(choices, busy), advise.table(compared, title)
    if args.json:
        out.print(json.dumps({"advice": list(said), "compared": table.records()}, indent=1))
        return 0
    for line in said:
        out.print(line)
    show(table)
    return 0


def _options(parser: argparse.ArgumentParser) -> None:
    advised = parser.add_subparsers(dest="subject", required=True, metavar="SUBJECT", parser_class=Parser)
    ipc = advised.add_parser(
        "ipc",
        help="choose a mechanism between processors",
        description="Which mechanism between processors to use, and why, from `coreloom bench ipc`.",
    )
    task = ipc.add_mutually_exclusive_group(required=True)
    task.add_argument(
        "--words",
        type=_words,
        metavar="N",
        help="transfer a block of N words (interpolated between measured sizes)",
    )
    task.add_argument("--signal", action="store_true", help="notify another processor of an event")
    task.add_argument("--lock", action="store_true", help="mutual exclusion")
    ipc.add_argument("--cores", type=int, choices=CPUS, default=2, help="processors (default: %(default)s)")
    ipc.add_argument("--core", choices=CORES, default="standard", help="kind of core (default: %(default)s)")
    ipc.add_argument("--platform", choices=KINDS, default="amp", help="interconnect (default: %(default)s)")
    add_json(ipc)


COMMAND = Command(
    "advise",
    _run,
    _options,
    description="recommend a mechanism",
)
