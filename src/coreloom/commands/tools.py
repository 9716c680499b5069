# SPDX-License-Identifier: Apache-2.0
"""`coreloom cc`, `ar` and `ranlib` among the commands: for --help and completion; cc.py takes their words."""

from __future__ import annotations

import argparse

from coreloom.commands import cc
from coreloom.commands.console import Command


def _command(name: str) -> Command:
    def options(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("words", nargs="*", metavar="ARGUMENT", help=f"coreloom {name} --help lists them")

    return Command(name, lambda args: cc.main([name, *args.words]), options)


COMMANDS = tuple(map(_command, ("cc", "ar", "ranlib")))
