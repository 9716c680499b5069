# SPDX-License-Identifier: Apache-2.0
"""The table of `coreloom bench examples`, and what its page shows."""

from __future__ import annotations

from collections.abc import Sequence

from coreloom.benches.examples.bench import Result, Row
from coreloom.report.page import ROWS, Summary, one, prose, times
from coreloom.report.plots import Bars
from coreloom.report.table import Table, number

_FIRST = "pingpong"


def table(rows: Sequence[Row]) -> Table:
    """A line for each program and number of CPUs."""
    lines = []
    for hard in rows:
        if hard.on == "hw":
            soft = one(rows, program=hard.program, on="sw", cpus=hard.cpus)
            lines.append(
                (
                    *(hard.program, f"{hard.cpus}", number(hard.cycles), number(soft.cycles)),
                    number(soft.cycles / hard.cycles, 2),
                    *(f"{row.kernel / sum(_where(row)) * 100:.0f} %" for row in (hard, soft)),
                )
            )
    return Table(
        "Cycles of each program",
        (
            *("program", "CPUs", "hardware kernel", "software kernel", "ratio"),
            *("in the hardware kernel", "in the software kernel"),
        ),
        tuple(lines),
    )


def _where(row: Row) -> tuple[int, ...]:
    return (row.application, row.kernel, row.library, row.waiting)


def summary(content: Result) -> Summary:
    rows = content.rows
    most = {row.program: row.cpus for row in rows}  # the last one is with the most CPUs
    pairs = {
        program: tuple(one(rows, program=program, on=on, cpus=cpus) for on in ("hw", "sw"))
        for program, cpus in most.items()
    }
    hard, soft = pairs[_FIRST]
    gains = {program: sw.cycles / hw.cycles for program, (hw, sw) in pairs.items()}
    least = min(gains, key=gains.__getitem__)
    answer = (
        f"`{_FIRST}`, two threads that wake each other on {hard.cpus} CPUs, takes {prose(hard.cycles)} "
        f"cycles with the hardware kernel and {prose(soft.cycles)} with the software kernel, "
        f"{times(soft.cycles, hard.cycles)} times as many. The program that gains least is `{least}`, with "
        f"{prose(gains[least], 2)} times."
    )
    whole = table(rows)
    lines = tuple(line for line in whole.rows if int(line[1]) == most[line[0]])[:ROWS]
    bars = {
        program: {"hardware kernel": hw.cycles, "software kernel": sw.cycles}
        for program, (hw, sw) in pairs.items()
    }
    chart = Bars("Cycles of each program", "cycles, logarithmic; fewer are better", bars, log=True)
    return Summary(answer, Table(whole.title, whole.columns, lines), chart)
