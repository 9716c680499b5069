# SPDX-License-Identifier: Apache-2.0
"""`coreloom doctor`: what this machine has, or what a platform has."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict

from coreloom.commands import examine
from coreloom.commands.console import Command, doing, out
from coreloom.design import platform
from coreloom.errors import UserError, suggest
from coreloom.options import add_json, add_on, positive
from coreloom.toolchain.firmware import KERNELS


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--platform",
        metavar="NAME",
        help="run a probe on this platform: (a) to (f) of [IPC] on every processor",
    )
    kernels = f"kernel of the probe: one of {', '.join(KERNELS)} (default: hw)"
    add_on(parser, "kernel", "--kernel", metavar="KERNEL", help=kernels)
    parser.add_argument("--cpus", type=positive, metavar="N", help="processors (default: the platform's)")
    add_json(parser)


def _run(args: argparse.Namespace) -> int:
    if args.platform is None:
        for option, dest in (("on", "kernel"), ("cpus", "cpus")):
            if getattr(args, dest) is not None:
                raise UserError(f"--{option} only applies together with --platform")
        findings = examine.examine()
        words = ("ok     ", "absent ", "MISSING")
    else:
        soc = platform.load(args.platform, args.cpus)
        if args.kernel is not None and args.kernel not in KERNELS:
            raise UserError(f"unknown kernel '{args.kernel}': {suggest(args.kernel, KERNELS)}")
        with doing(f"probe {soc.name}"):
            findings = examine.probe(soc, args.kernel or "hw")
        words = ("holds  ", "absent ", "FAILS  ")
    failed = int(any(finding.required and not finding.ok for finding in findings))
    if args.json:
        out.print(json.dumps([asdict(finding) for finding in findings], indent=1))
        return failed
    for finding in findings:
        mark = words[0] if finding.ok else words[2] if finding.required else words[1]
        remedy = f"; {finding.remedy}" if finding.remedy and not finding.ok else ""
        out.print(f"{mark}  {finding.what}: {finding.found}{remedy}")
    packages = {finding.package: None for finding in findings if finding.package and not finding.ok}
    if len(packages) > 1:
        out.print(f"all of these packages: `{examine.install(packages)}`")
    return failed


COMMAND = Command(
    "doctor",
    _run,
    _options,
)
