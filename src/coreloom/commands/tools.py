# SPDX-License-Identifier: Apache-2.0
"""`coreloom cc`, `ar` and `ranlib` among the commands: for --help and completion; cc.py takes their words."""

from __future__ import annotations

import argparse

from coreloom.commands import cc
from coreloom.commands.console import Command

_TEXTS = {
    "cc": "compile and link with gcc's command line, for make, configure and CMake",
    "ar": "make an archive of objects, with ar's command line",
    "ranlib": "index an archive",
}


def _command(name: str, text: str) -> Command:
    def options(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("words", nargs="*", metavar="ARGUMENT", help=f"coreloom {name} --help lists them")

    return Command(name, text, lambda args: cc.main([name, *args.words]), options)


COMMANDS = tuple(_command(name, text) for name, text in _TEXTS.items())
