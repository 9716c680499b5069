# SPDX-License-Identifier: Apache-2.0
"""The tables of `coreloom bench placement`."""

from __future__ import annotations

from coreloom.benches.placement.bench import CPUS, PLACEMENTS, SERVICES, Result
from coreloom.report.table import Table, number

CASES = {
    "take": "the call finds what it wants",
    "give": "the call that ends waits, nobody waits",
    "blocks": "it must wait: until the next thread goes on",
    "woken": "ended by another thread: until it returns",
    "late": "its time is over: until it returns",
    "round": "four threads come once each",
}


def tables(content: Result) -> list[Table]:
    """Cycles by service, case and placement; LUT4 of each service."""
    return [_cycles(content), _area(content)]


def _cycles(content: Result) -> Table:
    found = {(row.service, row.case, row.cpus, row.placement): row.cycles for row in content.rows}
    columns = [(cpus, where) for cpus in CPUS for where in PLACEMENTS]
    lines = []
    for service in SERVICES:
        for case, text in CASES.items():
            cells = [found.get((service.name, case, *column)) for column in columns]
            if any(cell is not None for cell in cells):
                shown = ("-" if cell is None else number(cell) for cell in cells)
                lines.append((service.title, text, *shown))
    titles = (f"{where}, {cpus} CPU{'s' * (cpus > 1)}" for cpus, where in columns)
    return Table(
        "Calls of each service by its placement (cycles)",
        ("service", "case", *titles),
        tuple(lines),
        text_columns=2,
    )


def _area(content: Result) -> Table:
    titles = {service.name: service.title for service in SERVICES}
    return Table(
        "The hardware kernel with each service and without it (LUT4)",
        ("service", "platform key", "with it", "without", "difference"),
        tuple(
            (
                *(titles[area.service], area.key, number(area.with_it), number(area.without)),
                number(area.with_it - area.without),
            )
            for area in content.area
        ),
        text_columns=2,
    )
