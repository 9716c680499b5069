# SPDX-License-Identifier: Apache-2.0
"""The tables of `coreloom bench scheduler`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import TypeVar

from coreloom.benches.scheduler.bench import KernelRow, Operation, Result, Row, UnitRow
from coreloom.benches.scheduler.delays import LOADS, PAPER, DelayRow, histogram
from coreloom.benches.scheduler.published import clocks, switches
from coreloom.report.page import Summary, one, prose
from coreloom.report.plots import Lines
from coreloom.report.table import Table, number
from coreloom.synthesis import synth

_OUTLASTS = "Queue length from which a decision of build 1 takes longer than a switch, 1 CPU"
_BUILDS = {"linear": "1: one FIFO", "bitmap": "2: FIFO per priority", "hybrid": "3: and hardware threads"}
_MOMENTS = {
    "unit": "kernel asks the CPU",
    "raw": "CPU traps (raw)",
    "end_to_end": "new context about to load (end to end)",
    "thread": "interrupt thread goes on",
}


def tables(content: Result) -> list[Table]:
    """All of them."""
    rows = content.rows
    in_time = microseconds(rows, clocks())
    found = [operations(rows), kernel_operations(rows), outlasts(rows, switches()), delays(rows), in_time]
    return [*(table for table in found if table.rows)]


Of = TypeVar("Of", bound=Operation)


def _alike(rows: Sequence[Of], figures: Callable[[Of], object]) -> list[tuple[str, str, dict[int, Of]]]:
    """(build, operations, threads queued -> row): those of a build with equal figures stand together."""
    lengths: dict[tuple[str, str], dict[int, Of]] = {}
    for row in rows:
        lengths.setdefault((row.build, row.operation), {})[row.threads] = row
    groups: dict[object, list[tuple[str, str]]] = {}
    for case, found in lengths.items():
        same = tuple((queued, figures(row)) for queued, row in found.items())
        groups.setdefault((case[0], same), []).append(case)
    return [
        (_BUILDS[cases[0][0]], "; ".join(operation for _, operation in cases), lengths[cases[0]])
        for cases in groups.values()
    ]


def operations(rows: Sequence[Row]) -> Table:
    """Cycles of each operation by queue length; operations of one build with equal figures share a line."""
    unit = [row for row in rows if isinstance(row, UnitRow)]
    lengths = sorted({row.threads for row in unit})
    lines = []
    for build, names, found in _alike(unit, attrgetter("cycles", "paper_cycles")):
        both = [(row.paper_cycles, row.cycles) for row in found.values() if row.paper_cycles is not None]
        ends = dict.fromkeys(number(paper) for paper, _ in (*both[:1], *both[-1:]))
        besides = " and 1 bus transaction" if names == "enqueue_hardware" else ""
        cycles = (number(found[n].cycles if n in found else None) for n in lengths)
        ratio = number(both[-1][0] / both[-1][1] if both else None, 1)
        lines.append((build, names, " to ".join(ends) + besides if ends else "-", *cycles, ratio))
    return Table(
        "Cycles of each operation of the scheduler by threads queued ([HT])",
        ("build", "operations", "paper", *map(str, lengths), "paper over ours"),
        tuple(lines),
        text_columns=2,
    )


def kernel_operations(rows: Sequence[Row]) -> Table:
    """[HT]'s operations at a processor's port; operations of one build with equal figures share a line."""
    kernel = [row for row in rows if isinstance(row, KernelRow)]
    lengths = sorted({row.threads for row in kernel})
    figures = {"answered": attrgetter("cycles"), "ready again": attrgetter("busy")}
    return Table(
        "Cycles of the same operations in the kernel, at a processor's port, by threads queued",
        ("build", "operations", *(f"{what}, {n}" for what in figures for n in lengths)),
        tuple(
            (build, names, *(number(figure(found[n])) for figure in figures.values() for n in lengths))
            for build, names, found in _alike(kernel, attrgetter("cycles", "busy"))
        ),
        text_columns=2,
    )


def delays(rows: Sequence[Row]) -> Table:
    """Cycles from an interrupt on, with 250 threads ready."""
    lines = [
        (
            "software kernel" if row.kernel == "sw" else _BUILDS[row.build],
            LOADS[row.load],
            _MOMENTS[row.operation],
            number(row.paper_mean),
            number(row.paper_jitter),
            number(row.least),
            number(row.mean, 1),
            number(row.most),
            number(row.jitter, 1),
            number(row.interrupts),
        )
        for row in rows
        if isinstance(row, DelayRow)
    ]
    return Table(
        "Cycles from an interrupt at a random moment, 250 threads ready ([HT])",
        (
            *("build", "the threads", "until", "paper: mean", "paper: jitter"),
            *("least", "mean", "most", "jitter", "interrupts"),
        ),
        tuple(lines),
        text_columns=3,
    )


def microseconds(rows: Sequence[Row], placed: Mapping[str, synth.Row]) -> Table:
    """The delays that [HT] has, in microseconds: at the clock of each build's platform, and the paper's.

    The paper measured builds 1 and 2; beside build 3 stand its figures of build 2.
    """

    def line(row: DelayRow) -> tuple[str, ...]:
        kernel = "software kernel" if row.kernel == "sw" else _BUILDS[row.build]
        start = (kernel, LOADS[row.load], _MOMENTS[row.operation])
        third = row.build == "hybrid"
        paper = None if row.kernel == "sw" else PAPER["bitmap" if third else row.build, row.operation]
        theirs = (None, None) if paper is None else (paper[0], sum(paper))
        said = [number(us, 2) + (" (build 2)" if third else "") for us in theirs]
        at = placed.get(row.build)
        if at is None:
            return (*start, "no published figure", "-", "-", "-", said[0], "-", said[1], "-", "-")
        least, *ours = (cycles / at.fmax_mhz for cycles in (row.least, row.mean, row.most))
        below = [
            "-" if us is None else "yes" if own < us else "no" for own, us in zip(ours, theirs, strict=True)
        ]
        cells = [cell for own, us in zip(ours, said, strict=True) for cell in (number(own, 2), us)]
        return (*start, at.device, number(at.fmax_mhz, 1), number(least, 2), *cells, *below)

    return Table(
        "Microseconds from an interrupt, 250 threads ready: at the clock of the platform on an ECP5, "
        "and [HT]'s, on a Virtex-II Pro 30",
        (
            *("build", "the threads", "until", "part", "MHz", "least", "mean", "paper", "most", "paper"),
            *("mean below the paper's", "most below the paper's"),
        ),
        tuple(
            line(row) for row in rows if isinstance(row, DelayRow) and row.operation in ("raw", "end_to_end")
        ),
        text_columns=4,
    )


def drawn(rows: Sequence[Row]) -> list[Lines]:
    """Histograms of the delays with threads that fill the cache, a line for each build."""
    found = []
    for operation in ("end_to_end", "thread"):
        lines = {
            "software kernel" if row.kernel == "sw" else f"build {_BUILDS[row.build][0]}": _share(row)
            for row in rows
            if isinstance(row, DelayRow) and (row.load, row.operation) == ("cache", operation)
        }
        if lines:
            text = f"From an interrupt until: {_MOMENTS[operation]}"
            found.append(Lines(text, "cycles", "% of interrupts", lines))
    return found


def _share(row: DelayRow) -> list[tuple[float, float]]:
    """Per cent of the interrupts by cycles, in buckets."""
    buckets = histogram(row.histogram)
    return [((low + high) / 2, 100 * count / row.interrupts) for low, high, count in buckets]


def outlasts(rows: Sequence[Row], switches: Mapping[str, int]) -> Table:
    """From which queue length on a decision of build 1 takes longer than a switch (kind -> cycles).

    The decision takes a cycle for each thread queued: between the lengths measured it is a straight line.
    """
    decision = {
        (row.build, row.threads): row.busy
        for row in rows
        if isinstance(row, KernelRow) and row.operation == "yield, switch"
    }
    lengths = sorted(length for build, length in decision if build == "linear")
    if len(lengths) < 2:
        return Table(_OUTLASTS, (), ())
    few, many = lengths[0], lengths[-1]
    least, most = decision["linear", few], decision["linear", many]
    slope = (most - least) / (many - few)

    def from_length(cycles: int) -> str:
        return number(math.floor(few + (cycles - least) / slope) + 1)

    others = max(busy for (build, _), busy in decision.items() if build != "linear")
    lines = [("[HT]: 2 us, 40 ns a thread", "-", "-", "-", number(50))]
    lines += [
        (kind, number(cycles), f"{least} to {most}", number(others), from_length(cycles))
        for kind, cycles in switches.items()
    ]
    return Table(
        _OUTLASTS,
        (
            *("switch", "cycles of the switch", f"decision of build 1, {few} to {many} threads, cycles"),
            *("of builds 2 and 3, cycles", "longer from so many threads on"),
        ),
        tuple(lines),
    )


def summary(content: Result) -> Summary:
    rows = content.rows
    units = [row for row in rows if isinstance(row, UnitRow) and row.build in ("linear", "hybrid")]
    length = 250
    operations = ("enqueue_software", "dequeue", "set_sched_param_queued", "remove")
    names = {"linear": "one FIFO", "hybrid": "a FIFO for each priority"}
    lines = []
    for operation in operations:
        cells = []
        for build in names:
            row = one(units, build=build, operation=operation, threads=length)
            cells += [number(row.cycles), number(row.paper_cycles)]
        lines.append((operation, *cells))
    delays = [row for row in rows if isinstance(row, DelayRow)]
    hard, soft = (
        one(delays, build="bitmap", kernel=kernel, load="cache", operation="end_to_end")
        for kernel in ("hw", "sw")
    )
    dequeue = one(units, build="hybrid", operation="dequeue", threads=length)
    single = one(units, build="linear", operation="dequeue", threads=length)
    answer = (
        "With a queue for each priority no operation of the scheduler takes more than "
        f"{max(row.cycles for row in units if row.build == 'hybrid')} cycles, however many threads are "
        f"ready; with one queue, taking a thread out of {length} takes {single.cycles} instead of "
        f"{dequeue.cycles}. From an interrupt to the switch it takes {prose(hard.mean, 1)} cycles on average "
        f"with {length} threads ready, and {prose(soft.mean, 1)} with the software kernel."
    )
    columns = [text for name in names.values() for text in (name, "the paper's")]
    table = Table(
        f"Cycles of an operation with {length} threads ready", ("operation", *columns), tuple(lines)
    )
    return Summary(answer, table, drawn(rows)[0])
