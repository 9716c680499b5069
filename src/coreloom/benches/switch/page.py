# SPDX-License-Identifier: Apache-2.0
"""The tables of `coreloom bench switch`."""

from __future__ import annotations

from collections.abc import Sequence

from coreloom.benches.rivals import NAMES
from coreloom.benches.switch.bench import KINDS, STAGES, Result, Row
from coreloom.report.page import Summary, prose
from coreloom.report.plots import Lines
from coreloom.report.table import Table, number

_TITLES = {
    "voluntary": "Voluntary switch, in place: a thread waits for a semaphore, the next one runs",
    "preemption": "Full-context switch by preemption: a time slice ends, the next thread runs",
    "interrupt": "Interrupt: a line rises, a computing thread is interrupted, the thread that waits goes on",
}
_STAGES = {
    "voluntary": ("call to operation", "save", "kernel decides", "load", ""),
    "preemption": ("", "save", "kernel decides", "load", "load rest, return"),
    "interrupt": ("line to trap", "save", "kernel decides", "load", "load rest"),
}


def tables(content: Result) -> list[Table]:
    """One for each kind, and the figures to reach."""
    return [*(table(content.rows, kind) for kind in KINDS)]


def _both(row: Row, stage: str) -> str:
    median, most = row.median_stages.get(stage), row.max_stages.get(stage)
    return number(median) if median == most else f"{number(median)} / {number(most)}"


def table(rows: Sequence[Row], kind: str) -> Table:
    """The stages of a row: those of a switch with the median, and where they differ of the longest."""
    names = {stage: name for stage, name in zip(STAGES, _STAGES[kind], strict=True) if name}
    return Table(
        f"{_TITLES[kind]} (cycles; of each stage: median / longest switch)",
        (
            *("core", "kernel", "cache", "low jitter", "CPUs", "min", "mean", "max", "jitter"),
            *(*names.values(), "switches"),
        ),
        tuple(
            (
                *(row.core, NAMES[row.kernel], row.cache, "yes" if row.low_jitter else "-", str(row.cpus)),
                *(number(row.min), number(row.mean, 1), number(row.max), number(row.jitter)),
                *(_both(row, stage) for stage in names),
                number(row.switches),
            )
            for row in rows
            if row.kind == kind
        ),
        text_columns=4,
    )


def _interrupts(rows: Sequence[Row], kernel: str, cache: str, *, low_jitter: bool) -> dict[int, Row]:
    """By CPUs, on the standard core."""
    wanted = ("interrupt", "standard", kernel, cache, low_jitter)
    return {
        row.cpus: row for row in rows if (row.kind, row.core, row.kernel, row.cache, row.low_jitter) == wanted
    }


def summary(content: Result) -> Summary:
    rows = content.rows
    hard, soft = (_interrupts(rows, kernel, "warm", low_jitter=False) for kernel in ("hw", "sw"))
    steady, softer = (_interrupts(rows, kernel, "warm", low_jitter=True) for kernel in ("hw", "sw"))
    cold, colder = (_interrupts(rows, kernel, "driven out", low_jitter=True) for kernel in ("hw", "sw"))
    most, both = max(steady), max(soft)
    kinds = (("voluntary", "voluntary switch"), ("preemption", "switch by preemption"))
    cases: list[tuple[str, Row | None, Row | None]] = []
    for kind, words in kinds:
        of = {
            row.kernel: row
            for row in rows
            if (row.kind, row.core, row.cache, row.cpus) == (kind, "standard", "warm", 1)
            and not row.low_jitter
        }
        cases.append((f"{words}, 1 CPU", of.get("hw"), of.get("sw")))
    cases += [
        ("interrupt, 1 CPU", hard.get(1), soft.get(1)),
        (f"interrupt, {both} CPUs", hard.get(both), soft.get(both)),
        ("interrupt, 1 CPU, low jitter", steady.get(1), softer.get(1)),
        (f"interrupt, {both} CPUs, low jitter", steady.get(both), softer.get(both)),
        (f"interrupt, {most} CPUs, low jitter", steady.get(most), softer.get(most)),
        (f"interrupt, {most} CPUs, low jitter, cache driven out", cold.get(most), colder.get(most)),
    ]
    lines = tuple(
        (words, *(number(value) for row in pair for value in ((row.mean, row.max) if row else (None, None))))
        for words, *pair in cases
    )
    answer = (
        f"With `low_jitter` in a platform file an interrupt reaches its thread in {prose(steady[1].min)} to "
        f"{prose(max(row.max for row in steady.values()))} cycles while its code is in the cache, with one "
        f"CPU as with {most - 1} more that fill the bus. Without them the worst case grows with the "
        f"neighbours: with {both - 1} it is {prose(hard[both].max)} cycles with the hardware kernel and "
        f"{prose(soft[both].max)} with the software kernel."
    )
    series = {
        name: [(cpus, row.max) for cpus, row in sorted(found.items())]
        for name, found in (
            ("software kernel", soft),
            ("hardware kernel", hard),
            ("hardware kernel, low jitter", steady),
        )
    }
    chart = Lines(
        "Interrupt to thread, worst case",
        "CPUs, all others storing",
        "cycles",
        series,
        log_x=True,
        log_y=True,
    )
    columns = ("what", "hardware: mean", "worst", "software: mean", "worst")
    return Summary(answer, Table("Cycles, standard core, cache warm", columns, lines), chart)
