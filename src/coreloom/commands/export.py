# SPDX-License-Identifier: Apache-2.0
"""`coreloom export`: a unit or a whole SoC for other tools."""

from __future__ import annotations

import argparse
from pathlib import Path

from coreloom.commands.console import Command, doing, out, shown
from coreloom.synthesis import export
from coreloom.toolchain import yowasp


def _run(args: argparse.Namespace) -> int:
    if args.kind == "verilog":
        yowasp.find(yowasp.YOSYS, "synth")
    chosen = export.choose(args.name, args.platform)
    folder = args.to or export.default_folder(chosen)
    with doing(f"export {chosen.name}"):
        files = export.write(chosen, args.kind, folder)
    what = shown(files[0]) if len(files) == 1 else f"{len(files)} files in {shown(files[-1].parent)}"
    out.print(f"top {chosen.design.top}: {what}")
    out.print(f"list: {shown(folder / f'{chosen.design.top}.f')}")
    out.print(f"FuseSoC: {shown(folder / f'{chosen.design.top}.core')}")
    if chosen.headers:
        out.print(f"C headers: {shown(folder / 'include')}")
    return 0


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "name",
        metavar="UNIT|PLATFORM",
        help="a unit that `coreloom synth` knows, or a platform: its whole SoC",
    )
    parser.add_argument(
        "--as",
        dest="kind",
        choices=list(export.KINDS),
        default="sv",
        help="; ".join(f"{kind}: {text}" for kind, text in export.KINDS.items()) + " (default: sv)",
    )
    parser.add_argument(
        "--platform",
        metavar="NAME|FILE",
        help="cl_kernel or cl_soc has the keys of this one (default: smp-standard)",
    )
    parser.add_argument(
        "--to", type=Path, metavar="DIR", help="the folder to make (default: build/export/NAME)"
    )


COMMAND = Command("export", _run, _options)
