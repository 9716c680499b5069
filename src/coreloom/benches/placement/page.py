# SPDX-License-Identifier: Apache-2.0
"""The tables of `coreloom bench placement`."""

from __future__ import annotations

from coreloom.benches.placement.bench import CPUS, PLACEMENTS, SERVICES, Result
from coreloom.report.page import Summary, prose
from coreloom.report.plots import Bars
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


def summary(content: Result) -> Summary:
    found = {(row.service, row.case, row.placement): row.cycles for row in content.rows if row.cpus == 1}
    area = {each.service: each.with_it - each.without for each in content.area}
    cycles: dict[str, dict[str, float]] = {}
    lines = []
    for service in SERVICES:
        case = next(
            (c for c in ("round", "late", "take", "woken") if (service.name, c, PLACEMENTS[0]) in found), ""
        )
        cells = {
            place: found[service.name, case, place]
            for place in PLACEMENTS
            if (service.name, case, place) in found
        }
        if cells:
            cycles[service.title] = {_PLACES[place]: value for place, value in cells.items()}
            size = area.get(service.name)
            lines.append(
                (
                    service.title,
                    CASES[case],
                    *(number(cells.get(place)) for place in PLACEMENTS),
                    number(size),
                )
            )
    mutex = cycles[SERVICES[0].title]
    answer = (
        f"A free mutex is locked in {prose(mutex['hardware kernel'])} cycles by the hardware kernel, in "
        f"{prose(mutex['software kernel'])} by the software kernel, and in {prose(mutex['memory'])} where "
        "the hardware kernel has none and the mutex lives in memory. A service in hardware costs up to "
        f"{prose(max(area.values()))} LUT4, and {sum(size < 300 for size in area.values())} of the "
        f"{len(area)} cost fewer than 300."
    )
    columns = ("service", "case", "in hardware", "in memory", "software kernel", "LUT4 in hardware")
    table = Table(
        "Cycles of a call on 1 CPU, and what the service costs", columns, tuple(lines), text_columns=2
    )
    return Summary(
        answer, table, Bars("Cycles of a call by where the service is", "cycles; fewer are better", cycles)
    )


_PLACES = dict(zip(PLACEMENTS, ("hardware kernel", "memory", "software kernel"), strict=True))
