# SPDX-License-Identifier: Apache-2.0
"""The tables and the picture of `coreloom bench grain`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from coreloom.benches.grain.bench import (
    ALONE,
    INTERRUPT,
    OBJECTS,
    SRAM,
    TITLES,
    Gain,
    Place,
    Row,
    gains,
)
from coreloom.report.page import Summary, prose, times
from coreloom.report.plots import Heat, Lines
from coreloom.report.table import Table, number

_SERVED = 0.98  # all, but for those at the ends of the window
WORTH = 1.1  # a gain below it is hardly one
_PLURAL = {
    "semaphore": "semaphores",
    "mutex": "one mutex for all",
    "port": "ports",
    "condition": "condition variables",
    "barrier": "one barrier for all",
}


def shared(place: Place) -> bool:
    """Whether two threads share each CPU, as on the map; alone each has its own."""
    return place.threads == 2 * place.cpus


def name(place: Place) -> str:
    what = _PLURAL[place.object] + ("" if place.memory == SRAM else f", {place.memory}")
    return what if shared(place) else f"{what}, a CPU for each thread"


def of(rows: Sequence[Row]) -> dict[Place, dict[int, Gain]]:
    """The gains without those of interrupts."""
    return {place: dict(found) for place, found in gains(rows).items() if place.object != INTERRUPT}


def limit(found: dict[int, Gain]) -> int | None:
    """The most cycles between calls up to which the gain is worth something; None: it never is."""
    return max((between for between, each in found.items() if each.gain >= WORTH), default=None)


def semaphores(rows: Sequence[Row]) -> dict[int, dict[int, Gain]]:
    """The gains by CPUs of threads that share these and hand semaphores over, which is the headline."""
    return {
        place.cpus: found
        for place, found in of(rows).items()
        if shared(place) and (place.object, place.memory) == (OBJECTS[0], SRAM)
    }


def reach(rows: Sequence[Row]) -> str:
    """Where the gain of semaphores() ends, in words."""
    gains = semaphores(rows)
    ends: dict[int, list[int]] = {}  # by the most cycles between calls
    beyond = []
    for cpus, found in gains.items():
        most = limit(found) or 0
        if most == max(found):
            beyond.append(cpus)
        else:
            ends.setdefault(most, []).append(cpus)
    parts = [
        f"ends at {prose(most)} cycles of work between two calls with {_counted(cpus)}"
        for most, cpus in ends.items()
    ]
    if beyond:
        most = max(max(gains[cpus]) for cpus in beyond)
        parts.append(f"lasts beyond {prose(most)} with {_counted(beyond)}")
    return f"A gain of {WORTH} {', and '.join(parts)}"


def _counted(cpus: Sequence[int]) -> str:
    first, last = ", ".join(map(str, cpus[:-1])), str(cpus[-1])
    return f"{first} and {last} CPUs" if first else f"{last} CPU{'s' * (last != '1')}"


def chart(rows: Sequence[Row]) -> Heat:
    """The map: a panel for each object, and for semaphores with each memory."""
    panels: dict[str, dict[tuple[float, float], float]] = {}
    for place, found in of(rows).items():
        if shared(place) and (place.memory == SRAM or place.object == OBJECTS[0]):
            for between, each in found.items():
                panels.setdefault(name(place), {})[place.cpus, between] = each.gain
    return Heat(
        "What the hardware kernel gains",
        "cycles of work between two calls",
        "CPUs",
        panels,
        "times as much done as with the best rival",
        (WORTH, f"gain of {WORTH}"),
    )


def alone(rows: Sequence[Row]) -> Lines:
    """With a CPU for each thread, beside what needs no kernel."""
    chosen = [row for row in rows if row.cpus == 2 and row.threads == 2 and row.object in ALONE.values()]
    series: dict[str, list[tuple[float, float]]] = {}
    for row in chosen:
        series.setdefault(f"{row.object}, {TITLES[row.kernel]}", []).append((row.between, row.rate))
    return Lines(
        "Two threads, each on a CPU of its own",
        "cycles of work between two calls",
        "done in a million cycles",
        series,
        log_x=True,
        log_y=True,
    )


def _line(place: Place, found: dict[int, Gain], columns: Iterable[int]) -> tuple[str, ...]:
    cells = (number(found[between].gain, 2) if between in found else "-" for between in columns)
    rivals = list(dict.fromkeys(TITLES[each.best] for each in found.values()))
    return (name(place), str(place.cpus), *cells, " or ".join(rivals))


def _table(title: str, found: dict[Place, dict[int, Gain]]) -> Table:
    columns = sorted({between for each in found.values() for between in each})
    return Table(
        f"{title}, by cycles of work between two calls",
        ("object", "CPUs", *map(number, columns), "best rival"),
        tuple(_line(place, each, columns) for place, each in found.items()),
        text_columns=2,
    )


def _done(rows: Sequence[Row]) -> Table:
    """All that was measured, in a million cycles."""
    kernels = [kernel for kernel in TITLES if any(row.kernel == kernel for row in rows)]
    lines: dict[tuple[Place, int], dict[str, Row]] = {}
    for row in rows:
        if row.object != INTERRUPT:
            place = Place(row.object, row.memory, row.cpus, row.threads)
            lines.setdefault((place, row.between), {})[row.kernel] = row
    return Table(
        "Meetings in a million cycles",
        ("object", "CPUs", "cycles between", *(TITLES[kernel] for kernel in kernels)),
        tuple(
            (
                name(place),
                str(place.cpus),
                number(between),
                *(number(each[kernel].rate if kernel in each else None) for kernel in kernels),
            )
            for (place, between), each in lines.items()
        ),
        text_columns=2,
    )


def _longest(rows: Sequence[Row]) -> Table:
    """Of each kernel's waits for the mutex the longest, where it is busiest and where it is not."""
    chosen = [row for row in rows if row.longest is not None and row.memory == SRAM]
    kernels = [kernel for kernel in TITLES if any(row.kernel == kernel for row in chosen)]
    lines: dict[tuple[int, int, int], dict[str, int | None]] = {}
    for row in chosen:
        lines.setdefault((row.cpus, row.threads, row.between), {})[row.kernel] = row.longest
    return Table(
        "Longest wait for one mutex (cycles)",
        ("CPUs", "threads", "cycles between", *(TITLES[kernel] for kernel in kernels)),
        tuple(
            (*map(number, case), *(number(each.get(kernel)) for kernel in kernels))
            for case, each in lines.items()
        ),
        text_columns=0,
    )


def _left(rows: Sequence[Row]) -> Table:
    """What an interrupt leaves of the CPU to the thread that it interrupts."""
    chosen = [row for row in rows if row.object == INTERRUPT]
    whole = {row.kernel: row.rate for row in chosen if not row.between}
    kernels = [kernel for kernel in TITLES if kernel in whole]
    periods = sorted({row.between for row in chosen if row.between})
    left = {(row.kernel, row.between): _share(row, whole[row.kernel]) for row in chosen if row.between}
    return Table(
        "Share of the CPU left to the interrupted thread, by cycles from an interrupt to the next",
        ("kernel", *map(number, periods)),
        tuple((TITLES[kernel], *(left[kernel, period] for period in periods)) for kernel in kernels),
    )


def _share(row: Row, whole: float) -> str:
    """With how many interrupts were served, where not each was before the next.

    If none was, they had ended before the thread came to its work: they left it nothing.
    """
    if not row.served:
        return "0%"
    served = row.served * row.between / row.window
    return f"{row.rate / whole:.0%}" + (f" ({served:.0%} served)" if served < _SERVED else "")


def tables(rows: Sequence[Row]) -> list[Table]:
    found = of(rows)
    return [
        _table(
            "Times as much done with the hardware kernel as with the best rival",
            {place: each for place, each in found.items() if shared(place)},
        ),
        _table(
            "The same with a CPU for each thread",
            {place: each for place, each in found.items() if not shared(place)},
        ),
        _left(rows),
        _longest(rows),
        _done(rows),
    ]


def summary(rows: Sequence[Row]) -> Summary:
    gains = semaphores(rows)
    least, most = min(gains), max(gains)
    fine, coarse = min(gains[least]), max(gains[least])
    best = max(gains[most].values(), key=lambda each: each.gain)
    answer = (
        f"Threads that hand semaphores over every {prose(fine)} cycles get "
        f"{times(gains[least][fine].gain, 1)} times as much done with the hardware kernel as with its "
        f"best rival on one CPU, and up to {times(best.gain, 1)} times on {most}; with "
        f"{prose(coarse)} cycles between calls it is {times(gains[least][coarse].gain, 1)} and "
        f"{times(gains[most][coarse].gain, 1)}. {reach(rows)}: threads that meet more seldom do not "
        "need a hardware kernel."
    )
    places = {Place(OBJECTS[0], SRAM, cpus, 2 * cpus): found for cpus, found in gains.items()}
    table = _table("Gain with semaphores", places)
    return Summary(answer, table, chart(rows))
