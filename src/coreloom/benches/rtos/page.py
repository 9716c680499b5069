# SPDX-License-Identifier: Apache-2.0
"""The tables of `coreloom bench rtos`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from coreloom.benches.rivals import NAMES
from coreloom.benches.rtos.bench import CACHES, Result, Row
from coreloom.benches.rtos.measurements import CPUS, MEASUREMENTS
from coreloom.benches.rtos.reach import better_rival, contests, ratio, together
from coreloom.report.table import Table, number, reach


def tables(content: Result) -> list[Table]:
    """What is printed and begins the page."""
    rows = content.rows
    found = [iterations(rows, content.window_cycles), metrics(rows), services(rows), *calls(rows)[:1]]
    return [table for table in (*found, slower(rows), reach(content.reach)) if table.rows]


def details(content: Result) -> list[Table]:
    """The rest of the page."""
    return [*calls(content.rows)[1:], code(content)]


def _grounds(rows: Sequence[Row]) -> list[str]:
    there = {row.ground for row in rows}
    return [ground for ground in NAMES if ground in there]


def _title(row: Row) -> str:
    title = MEASUREMENTS[row.part, row.measurement].title
    return title if row.case is None else f"{title}: {row.case}"


def _spread(row: Row | None) -> str:
    return "-" if row is None else f"{number(row.min)} / {number(row.mean, 1)} / {number(row.max)}"


def _contest(of: Mapping[str, Row]) -> tuple[str, str]:
    """By how much the hardware kernel is faster than the better rival, and who that is."""
    rival = better_rival(of)
    return number(ratio(of), 2), "-" if rival is None else NAMES[rival.ground]


_CONTEST = ("better rival over hardware kernel", "better rival")


def iterations(rows: Sequence[Row], window: int) -> Table:
    """Iterations of each metric in the window."""
    mine = [row for row in rows if row.part == "metric"]
    grounds = _grounds(mine)
    lines = []
    for of in together(mine):
        first = next(iter(of.values()))
        each = (of[ground].iterations if ground in of else None for ground in grounds)
        lines.append((_title(first), number(first.cpus), *map(number, each)))
    return Table(
        f"Thread-Metric kind: iterations in {number(window)} cycles",
        ("measurement", "CPUs", *(NAMES[ground] for ground in grounds)),
        tuple(lines),
    )


def _cycles(title: str, rows: Sequence[Row], *place: str) -> Table:
    """Cycles on each kernel. place: what of a row's place the title does not say."""
    grounds = _grounds(rows)
    lines = []
    for of in together(rows):
        first = next(iter(of.values()))
        where = {"CPUs": number(first.cpus), "cache": first.cache}
        cycles = (_spread(of.get(ground)) for ground in grounds)
        lines.append((_title(first), *(where[each] for each in place), *cycles, *_contest(of)))
    return Table(title, ("measurement", *place, *(NAMES[g] for g in grounds), *_CONTEST), tuple(lines))


def metrics(rows: Sequence[Row]) -> Table:
    """Cycles of an iteration of each metric."""
    mine = [row for row in rows if row.part == "metric"]
    return _cycles("Thread-Metric kind: cycles of an iteration, min / mean / max", mine, "CPUs")


def services(rows: Sequence[Row]) -> Table:
    """Cycles of each service."""
    mine = [row for row in rows if row.part == "service"]
    return _cycles("Cycles of a service, min / mean / max", mine, "CPUs", "cache")


def calls(rows: Sequence[Row]) -> list[Table]:
    """Latency of the calls that may wait: a table for each number of CPUs and state of the cache."""
    found = []
    for cpus in CPUS:
        for cache in CACHES:
            mine = [row for row in rows if (row.part, row.cpus, row.cache) == ("call", cpus, cache)]
            where = f"{cpus} CPU{'s' * (cpus > 1)}, cache {cache}"
            found.append(_cycles(f"Cycles of a call that may wait, {where}, min / mean / max", mine))
    return [table for table in found if table.rows]


def slower(rows: Sequence[Row]) -> Table:
    """Where FreeRTOS beats the software kernel."""
    lost = [(soft, rival) for soft, rival in contests(rows) if soft.mean > rival.mean]
    return Table(
        "Where the software kernel is slower than FreeRTOS, mean cycles",
        ("measurement", "CPUs", "cache", "software kernel", "FreeRTOS", "build", "ratio"),
        tuple(
            (
                *(_title(soft), number(soft.cpus), soft.cache),
                *(number(soft.mean, 1), number(rival.mean, 1), NAMES[rival.ground]),
                number(soft.mean / rival.mean, 2),
            )
            for soft, rival in lost
        ),
    )


def code(content: Result) -> Table:
    """Bytes of each program."""
    grounds = _grounds(content.rows)
    places = [(ground, cpus) for ground in grounds for cpus in CPUS]
    sizes: dict[str, dict[tuple[str, int], int]] = {}
    for row in content.rows:
        if row.cache == CACHES[0]:
            program = sizes.setdefault(MEASUREMENTS[row.part, row.measurement].title, {})
            program.setdefault((row.ground, row.cpus), row.code_bytes)
    if content.packets_bytes:
        sizes["application packets"] = {(ground, 1): size for ground, size in content.packets_bytes.items()}
    return Table(
        "Bytes of each program: code, constants and initial data",
        ("program", *(f"{NAMES[ground]}, {cpus} CPU{'s' * (cpus > 1)}" for ground, cpus in places)),
        tuple((name, *(number(size.get(place)) for place in places)) for name, size in sizes.items()),
    )
