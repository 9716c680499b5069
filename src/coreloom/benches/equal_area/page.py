# SPDX-License-Identifier: Apache-2.0
"""The tables of `coreloom bench equal_area`."""

from __future__ import annotations

from collections.abc import Sequence

from coreloom.benches.equal_area.bench import APPLICATIONS, Core, Result, Row, Soc, ahead, contests, ratio
from coreloom.benches.rivals import NAMES
from coreloom.report.table import Table, number, reach


def tables(content: Result) -> list[Table]:
    """All of them."""
    return [
        *(application(content.rows, each) for each in APPLICATIONS),
        clocks(content.socs, content.cores),
        reach(content.reach, "ECP5, speed grade 6"),
    ]


def application(rows: Sequence[Row], name: str) -> Table:
    """Hardware beside the best that the same LUT4 do with the software kernel."""
    lines = tuple(
        (
            *(hard.core, hard.arranged, number(hard.lut4), number(hard.mhz, 1), number(hard.per_second)),
            *(soft.arranged, number(soft.lut4), number(soft.mhz, 1), number(soft.per_second)),
            *(number(ratio(hard, soft), 2), "yes" if ahead(hard, soft) else "no"),
        )
        for hard, soft in contests(rows, name)
    )
    side = ("LUT4", "MHz", "per second")
    return Table(
        f"{APPLICATIONS[name].capitalize()} a second: hardware kernel beside the best software arrangement "
        "of equal area",
        (
            *("core", "hardware kernel", *side, "software kernel", *side),
            *("hardware over software", "hardware ahead"),
        ),
        lines,
    )


def clocks(socs: Sequence[Soc], cores: Sequence[Core]) -> Table:
    """Every SoC that competes, with what limits it, and its core alone."""
    lines = [
        (each.core, "the core alone", "-", number(each.lut4), number(each.mhz, 1), "-", "-") for each in cores
    ]
    lines += [
        (
            *(soc.core, NAMES[soc.kernel], str(soc.cpus), number(soc.lut4), number(soc.mhz, 1)),
            *(number(soc.seeds), f"`{soc.path}`"),
        )
        for soc in socs
    ]
    order = list(dict.fromkeys(each.core for each in cores))
    return Table(
        "Area and clock of each SoC; the clock of its core alone is the bound",
        ("core", "kernel", "CPUs", "LUT4", "MHz", "placements", "longest path"),
        tuple(sorted(lines, key=lambda line: order.index(line[0]))),
        text_columns=2,
    )
