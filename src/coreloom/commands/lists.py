# SPDX-License-Identifier: Apache-2.0
"""`coreloom list`: platforms, policies, applications ..."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable

from coreloom.apps import APPS
from coreloom.benches import registry
from coreloom.commands.console import Command, out, show
from coreloom.design import hardware_threads, platform
from coreloom.errors import UserError, suggest
from coreloom.options import add_json
from coreloom.report.table import Table
from coreloom.scheduling import build, builtin
from coreloom.toolchain import firmware


def _platforms() -> Table:
    rows = []
    for name in platform.names():
        soc = platform.load(name)
        units = len(soc.kernel.hardware_threads)
        further = [f"{units} units"] if units else []
        further += ["low jitter"] if soc.low_jitter else []
        further += ["[ipc]"] if soc.ipc else []
        kernel = " + ".join((soc.kernel.build, *soc.kernel.services))
        rows.append((name, soc.core, soc.interconnect, kernel, ", ".join(further) or "-", str(soc.cpus)))
    return Table(
        "Platforms (run --platform NAME, or the path of a file of your own)",
        ("name", "core", "interconnect", "kernel", "also", "CPUs"),
        tuple(rows),
        text_columns=5,
    )


def _units() -> Table:
    rows = ((name, unit.module, str(unit.kind)) for name, unit in hardware_threads.load().items())
    return Table("Units of hardware threads", ("name", "module", "kind"), tuple(rows), text_columns=2)


# Those of the kernels that are no file of policies/.
_BUILT_IN = {
    "priority": "the most urgent thread first; the default",
    "edf": "the earliest deadline first",
}


def _policies() -> Table:
    texts = build.policies() | _BUILT_IN
    grounds = {
        "software": firmware.policies(),
        "hardware": platform.BUILT_POLICIES,
        "model": list(build.policies()),
    }
    rows = (
        (name, text, ", ".join(ground for ground, known in grounds.items() if name in known))
        for name, text in texts.items()
    )
    return Table(
        "Scheduling policies (run --policy NAME, model --policy NAME)",
        ("name", "what it does", "kernels and model"),
        tuple(rows),
        text_columns=3,
    )


def _apps() -> Table:
    rows = ((app.name, app.unit) for app in APPS.values())
    return Table("Applications (run NAME)", ("name", "unit of work"), tuple(rows), text_columns=2)


def _benches() -> Table:
    rows = ((f"coreloom {bench.command}", bench.title) for bench in registry.benches().values())
    return Table("Benchmarks", ("command", "what it measures"), tuple(rows), text_columns=2)


def _workloads() -> Table:
    rows = ((name, known.text) for name, known in builtin.CASES.items())
    return Table("Workloads of the model (model NAME)", ("name", "what runs"), tuple(rows), text_columns=2)


KINDS: dict[str, Callable[[], Table]] = {
    "platforms": _platforms,
    "units": _units,
    "policies": _policies,
    "workloads": _workloads,
    "apps": _apps,
    "benches": _benches,
}


def _run(args: argparse.Namespace) -> int:
    for kind in args.kind:
        if kind not in KINDS:
            raise UserError(f"unknown kind '{kind}': {suggest(kind, KINDS)}")
    found = {kind: KINDS[kind]() for kind in args.kind or KINDS}
    if args.json:
        out.print(json.dumps({kind: table.records() for kind, table in found.items()}, indent=1))
        return 0
    for table in found.values():
        show(table)
    return 0


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "kind", nargs="*", metavar="KIND", help=f"one or more of {', '.join(KINDS)} (default: all)"
    )
    add_json(parser)


COMMAND = Command("list", _run, _options)
