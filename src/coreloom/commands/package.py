# SPDX-License-Identifier: Apache-2.0
"""`coreloom package`: the programs for Linux installed, uninstalled or packaged."""

from __future__ import annotations

import argparse
from pathlib import Path

from coreloom.commands.console import Command, out
from coreloom.programs import package


def _run(args: argparse.Namespace) -> int:
    """Says what was kept or left, and where it is."""
    place = f"{args.destdir}{args.prefix}"
    if args.what == "uninstall":
        said = package.uninstall(args.prefix, args.destdir)
        said.append(f"uninstalled from {place}")
    elif args.what == "install":
        programs = package.programs()
        said = package.install(args.prefix, args.destdir, programs)
        said.append(f"installed in {place}: {', '.join(programs)}, with units, man pages and completion")
    else:
        said = [str(package.deb(args.output, package.programs()))]
    for line in said:
        out.print(line)
    return 0


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "what", choices=("install", "uninstall", "deb"), metavar="ACTION", help="install, uninstall or deb"
    )
    parser.add_argument(
        "--prefix", default="/usr/local", help="prefix to install below (default: %(default)s)"
    )
    parser.add_argument("--destdir", default="", help="install below this folder instead of /")
    parser.add_argument(
        "--output",
        type=Path,
        default=package.FOLDER,
        metavar="DIR",
        help="folder for the Debian package (default: linux in the build folder)",
    )


COMMAND = Command(
    "package",
    _run,
    _options,
)
