# SPDX-License-Identifier: Apache-2.0
"""The tables of `coreloom bench backdoor`."""

from __future__ import annotations

from collections.abc import Sequence

from coreloom.benches.backdoor.bench import CORES, PAPER, PROGRAMS, Result, Row, Run, largest
from coreloom.benches.backdoor.latency import UNTIL, WAYS, Bell, Dma
from coreloom.report.table import Table, number, reach


def tables(content: Result) -> list[Table]:
    """All of them that have rows."""
    rows = content.rows
    rest = (cycles, smp, dma, bells)
    shown = [summary(rows), *speed(rows), *(table(rows) for table in rest)]
    return [*(table for table in shown if table.rows), reach(content.reach, "largest sizes")]


def _program(row: Run) -> tuple[str, str]:
    """Program and size."""
    return PROGRAMS[row.program].title, row.sized


def _runs(rows: Sequence[Row], kind: str = "backdoor") -> list[Run]:
    return [row for row in rows if isinstance(row, Run) and row.platform == kind]


def _shared(rows: Sequence[Row], row: Run) -> Run | None:
    """The same case on smp-bus, if it was measured."""
    case = (row.core, row.program, row.size)
    found = _runs(rows, "smp-bus")
    return next((other for other in found if (other.core, other.program, other.size) == case), None)


def _paper(row: Run) -> str:
    """What [GF] says of the program; where its text has no number, that of all four."""
    low, high = PAPER
    return f"{low:g} to {high:g}" if row.paper is None else f"{row.paper:g}"


def speed(rows: Sequence[Row]) -> list[Table]:
    """One processor against two, for each core: cycles, speed-up, its bound, the paper's."""
    here = _runs(rows)
    return [
        Table(
            f"One processor and two joined by the Back-Door, {core} core",
            (
                *("program", "size", "cycles, one", "cycles, two", "speed-up", "bound", "of the bound"),
                *("with loading", "paper"),
            ),
            tuple(
                (
                    *_program(row),
                    number(row.cycles_1),
                    number(row.cycles_2),
                    f"{row.speedup:.2f}",
                    f"{row.bound:.2f}",
                    f"{100 * row.bound_ratio:.1f} %",
                    f"{row.speedup_with_loading:.2f}",
                    _paper(row),
                )
                for row in here
                if row.core == core
            ),
            text_columns=2,
        )
        for core in dict.fromkeys(row.core for row in here)
    ]


def cycles(rows: Sequence[Row]) -> Table:
    """Where processor 0 spends the cycles of a program on two."""

    def line(row: Run) -> tuple[str, ...]:
        two = row.cycles_2
        moving, waiting = row.transfer_cycles, row.wait_cycles
        parts = (two - moving - waiting, moving, waiting)
        return (
            *_program(row),
            row.core,
            number(two),
            *(f"{number(part)} ({100 * part / two:.1f} %)" for part in parts),
            *map(number, (row.words_down, row.words_up, row.serial_cycles, row.load_cycles)),
        )

    return Table(
        "Where the cycles of processor 0 go, with two processors joined by the Back-Door",
        (
            *("program", "size", "core", "cycles, two", "its own work", "moving words", "waiting"),
            *("words down", "words up", "on one: serial part", "loading the image before"),
        ),
        tuple(map(line, _runs(rows))),
        text_columns=3,
    )


def smp(rows: Sequence[Row]) -> Table:
    """The same programs with two processors on one bus, where nothing is copied."""
    lines = []
    for row in _runs(rows):
        other = _shared(rows, row)
        if other is None:
            continue
        lines.append(
            (
                *_program(row),
                row.core,
                *(number(cycles) for r in (row, other) for cycles in (r.cycles_1, r.cycles_2)),
                *(f"{r.speedup:.2f}" for r in (row, other)),
                f"{other.bound:.2f}",
                f"{100 * other.cycles_2 / row.cycles_2:.1f} %",
            )
        )
    return Table(
        "The same programs on smp-bus: two processors, one bus and memory, no copies",
        (
            *("program", "size", "core", "Back-Door: one", "two", "smp-bus: one", "two"),
            *("speed-up, Back-Door", "speed-up, smp-bus", "its bound", "two: smp-bus over Back-Door"),
        ),
        tuple(lines),
        text_columns=3,
    )


_DMA = {
    "list": "one descriptor, the DMA alone",
    "stream": "stream, the Back-Door alone",
    "program": "stream of a program, {} core",
}


def dma(rows: Sequence[Row]) -> Table:
    """Throughput of the DMA in words per cycle: alone, with both sides at work, and for a program."""

    def line(row: Dma) -> tuple[str, ...]:
        near, far = row.near_period, row.far_period
        return (
            _DMA[row.kind].format(row.core),
            row.op,
            "-" if near is None or far is None else f"{near / far:.3g}",
            number(row.words),
            number(row.cycles),
            f"{row.words_per_cycle:.3f}",
        )

    found = [row for kind in _DMA for row in rows if isinstance(row, Dma) and row.kind == kind]
    return Table(
        "Throughput of the DMA in words per cycle",
        ("what", "operation", "clock of processor 1 over that of 0", "words", "cycles", "words per cycle"),
        tuple(map(line, found)),
        text_columns=3,
    )


def bells(rows: Sequence[Row]) -> Table:
    """Doorbells by way, core and clock of processor 1."""
    return Table(
        "Cycles of processor 0 from a doorbell to the interrupt and to the handler",
        ("doorbell", "until", "core", "clock of processor 1 over that of 0", "cycles", "least", "most"),
        tuple(
            (
                WAYS[row.way],
                UNTIL[row.until],
                row.core,
                f"{row.far_clock:g}",
                *map(number, (row.cycles, row.least, row.most)),
            )
            for row in rows
            if isinstance(row, Bell)
        ),
        text_columns=3,
    )


def summary(rows: Sequence[Row]) -> Table:
    """The largest size of each program, both cores."""
    lines = []
    for core in CORES:
        for row in largest(rows, core):
            other = _shared(rows, row)
            lines.append(
                (
                    *_program(row),
                    core,
                    _paper(row),
                    f"{row.speedup:.2f}",
                    f"{row.bound:.2f}",
                    "-" if other is None else f"{other.speedup:.2f}",
                )
            )
    return Table(
        "Speed-up by a second processor",
        ("program", "size", "core", "paper", "Back-Door", "bound", "smp-bus"),
        tuple(lines),
        text_columns=3,
    )
