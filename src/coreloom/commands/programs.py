# SPDX-License-Identifier: Apache-2.0
"""`coreloom exclusive`, `scx_dwrr`, `lagmeter`: the programs for Linux, made when first called."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from coreloom.commands.console import Command, err
from coreloom.programs import bpf, exclusive, registry

_MAKERS: dict[str, Callable[[], Path]] = {
    "exclusive": exclusive.program,
    "scx_dwrr": partial(bpf.program, "scx_dwrr"),
    "lagmeter": partial(bpf.program, "lagmeter"),
}


def run(args: argparse.Namespace) -> int:
    """Makes the program and becomes it; entry.py does so alone once it is made."""
    if registry.made(args.program) is None:
        err.print(f"coreloom: building {args.program} (once)")
    program = _MAKERS[args.program]()
    if args.build:
        sys.stdout.write(f"{program}\n")
        return 0
    os.execv(program, [f"coreloom {args.program}", *args.words])


def _command(name: str) -> Command:
    def options(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("words", nargs="*", metavar="ARGUMENT", help=f"coreloom {name} --help lists them")
        parser.add_argument("--build", action="store_true", help="only build the program and print its path")
        parser.set_defaults(program=name)

    return Command(name, run, options)


COMMANDS = tuple(map(_command, _MAKERS))
