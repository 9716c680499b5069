# SPDX-License-Identifier: Apache-2.0
"""`coreloom debug`: a program on the simulated machine, under a gdb that is started, too."""

from __future__ import annotations

import argparse

from coreloom.commands import run_options
from coreloom.commands.console import Command


def _run(args: argparse.Namespace) -> int:
    from coreloom.commands import run

    args.gdb = 0  # any port
    return run.COMMAND.run(args)


COMMAND = Command(
    "debug",
    _run,
    run_options.options,
    "Run a program under gdb, on the simulated machine: starts both. The kernel's threads are gdb's threads. "
    "Needs a gdb that knows RISC-V, such as gdb-multiarch. Exit status: as of `coreloom run`.",
    runs_program=True,
    takes_arguments=True,
    common=(
        "app",
        "kernel",
        "platform",
        "cpus",
        "policy",
        "input",
        "files",
        "env",
        "gdb",
        "help",
        "help_all",
    ),
)
