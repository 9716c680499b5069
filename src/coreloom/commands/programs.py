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

_PROGRAMS: dict[str, tuple[Callable[[], Path], str]] = {
    "exclusive": (
        exclusive.program,
        "give one program CPUs of its own, then restore everything",
    ),
    "scx_dwrr": (
        partial(bpf.program, "scx_dwrr"),
        "schedule this machine by distributed weighted round-robin while the command runs (sched_ext)",
    ),
    "lagmeter": (
        partial(bpf.program, "lagmeter"),
        "how far threads are from their fair share of CPU time, under any scheduler",
    ),
}


def run(args: argparse.Namespace) -> int:
    """Makes the program and becomes it; entry.py does so alone once it is made."""
    if registry.made(args.program) is None:
        err.print(f"coreloom: building {args.program} (once)", markup=False)
    make, _ = _PROGRAMS[args.program]
    program = make()
    if args.build:
        sys.stdout.write(f"{program}\n")
        return 0
    os.execv(program, [f"coreloom {args.program}", *args.words])


def _command(name: str, text: str) -> Command:
    def options(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("words", nargs="*", metavar="ARGUMENT", help=f"coreloom {name} --help lists them")
        parser.add_argument("--build", action="store_true", help="only build the program and print its path")
        parser.set_defaults(program=name)

    return Command(name, text, run, options)


COMMANDS = tuple(_command(name, text) for name, (_, text) in _PROGRAMS.items())
