# SPDX-License-Identifier: Apache-2.0
"""The tables of `coreloom bench switch`."""

from __future__ import annotations

from collections.abc import Sequence

from coreloom.benches.rivals import NAMES
from coreloom.benches.switch.bench import KINDS, STAGES, Result, Row, keys
from coreloom.report.table import Table, number, reach

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
    return [*(table(content.rows, kind) for kind in KINDS), reach(content.reach)]


def _keys(row: Row) -> str:
    """By their names without section, for a narrow column."""
    return ", ".join(f"{key.rpartition('.')[2]} = {value}" for key, value in keys(row).items()) or "-"


def _both(row: Row, stage: str) -> str:
    median, most = row.median_stages.get(stage), row.max_stages.get(stage)
    return number(median) if median == most else f"{number(median)} / {number(most)}"


def table(rows: Sequence[Row], kind: str) -> Table:
    """The stages of a row: those of a switch with the median, and where they differ of the longest."""
    names = {stage: name for stage, name in zip(STAGES, _STAGES[kind], strict=True) if name}
    return Table(
        f"{_TITLES[kind]} (cycles; of each stage: median / longest switch)",
        (
            *("core", "kernel", "cache", "keys", "CPUs", "min", "mean", "max", "jitter"),
            *(*names.values(), "switches"),
        ),
        tuple(
            (
                *(row.core, NAMES[row.kernel], row.cache, _keys(row), str(row.cpus)),
                *(number(row.min), number(row.mean, 1), number(row.max), number(row.jitter)),
                *(_both(row, stage) for stage in names),
                number(row.switches),
            )
            for row in rows
            if row.kind == kind
        ),
        text_columns=4,
    )
