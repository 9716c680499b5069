# SPDX-License-Identifier: Apache-2.0
"""The tables of `coreloom bench backdoor`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from coreloom.benches.backdoor.bench import CORES, PAPER, PROGRAMS, Result, Row, Run, largest
from coreloom.benches.backdoor.latency import UNTIL, WAYS, Bell, Dma
from coreloom.benches.backdoor.transfer import MEANS, Block, costs
from coreloom.report.page import Summary, prose
from coreloom.report.plots import Bars
from coreloom.report.table import Table, number


def tables(content: Result) -> list[Table]:
    """All of them that have rows."""
    rows = content.rows
    rest = (window, pays, cycles, smp, blocks, block_costs, dma, bells)
    shown = [overview(rows), *speed(rows), *(table(rows) for table in rest)]
    return [*(table for table in shown if table.rows)]


def _program(row: Run) -> tuple[str, str]:
    """Program and size."""
    return PROGRAMS[row.program].title, row.sized


def _runs(rows: Sequence[Row], kind: str = "backdoor") -> list[Run]:
    return [row for row in rows if isinstance(row, Run) and row.platform == kind]


def _shared(rows: Sequence[Row], row: Run) -> Run | None:
    return _same(rows, row, "smp-bus")


def _same(rows: Sequence[Row], row: Run, kind: str) -> Run | None:
    """The same case at another kind of place, if it was measured."""
    case = (row.core, row.program, row.size)
    found = _runs(rows, kind)
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


def drawn(rows: Sequence[Row]) -> list[Bars]:
    """The paper's Fig. 12 and 13, of the largest size of each program, for each core."""
    found = []
    for core in CORES:
        runs = largest(rows, core)
        if not runs:
            continue
        names = {run.program: PROGRAMS[run.program].title for run in runs}
        times = {
            names[run.program]: {"one processor": run.cycles_1 / 1e6, "two": run.cycles_2 / 1e6}
            for run in runs
        }
        gains = {
            names[run.program]: {"speed-up": run.speedup, **({"paper": run.paper} if run.paper else {})}
            for run in runs
        }
        text = f"Speed-up by the second processor, {core} core ([GF] Fig. 13)"
        found.append(Bars(text, "time on one processor over time on two", gains))
        text = f"Execution times on one processor and on two, {core} core ([GF] Fig. 12)"
        found.append(Bars(text, "million cycles", times))
    return found


def window(rows: Sequence[Row]) -> Table:
    """The same programs where processor 1 fetches and leaves the data itself, beside the streams."""
    lines = []
    for row in _runs(rows, "window"):
        stream = _same(rows, row, "backdoor")
        lines.append(
            (
                *_program(row),
                row.core,
                *map(number, (row.cycles_1, row.cycles_2, row.transfer_cycles)),
                f"{row.speedup:.2f}",
                f"{row.bound:.2f}",
                f"{row.speedup_with_loading:.2f}",
                *(
                    ("-", "-")
                    if stream is None
                    else (f"{stream.speedup:.2f}", f"{stream.speedup_with_loading:.2f}")
                ),
                _paper(row),
            )
        )
    return Table(
        "The same through the window: processor 1's DMA reaches the memory of processor 0",
        (
            *("program", "size", "core", "cycles, one", "cycles, two", "moving words", "speed-up", "bound"),
            *("with loading", "streams: speed-up", "streams: with loading", "paper"),
        ),
        tuple(lines),
        text_columns=3,
    )


def pays(rows: Sequence[Row]) -> Table:
    """From which size on two processors are faster than one."""
    lines = []
    for core in CORES:
        for name in PROGRAMS:
            cells = []
            for kind in ("backdoor", "window"):
                found = [row for row in _runs(rows, kind) if (row.core, row.program) == (core, name)]
                cells += [_least(found, lambda row: row.speedup), _least(found, _with_loading)]
            if any(row.program == name and row.core == core for row in _runs(rows)):
                lines.append((PROGRAMS[name].title, core, *cells))
    return Table(
        "The smallest size measured from which on two processors are faster than one",
        (
            *("program", "core", "streams", "streams, with loading"),
            *("window", "window, with loading"),
        ),
        tuple(lines),
        text_columns=2,
    )


def _with_loading(row: Run) -> float:
    return row.speedup_with_loading


def _least(rows: Sequence[Run], speedup: Callable[[Run], float]) -> str:
    text = "none"
    for row in sorted(rows, key=lambda row: -row.size):
        if speedup(row) <= 1:
            break
        text = row.sized
    return text if rows else "-"


def blocks(rows: Sequence[Row]) -> Table:
    """A block of each size, by stream and through the window."""
    found = {(row.core, row.way, row.words, row.means): row for row in rows if isinstance(row, Block)}
    lines = []
    for core, way, words in dict.fromkeys(key[:3] for key in found):
        stream, through = (found[core, way, words, means] for means in MEANS)
        lines.append(
            (
                WAYS[way],
                core,
                *map(number, (words, stream.cycles, stream.near_cycles, through.cycles, through.near_cycles)),
                f"{stream.cycles / through.cycles:.2f}",
            )
        )
    return Table(
        "A block between the memories of the two processors, in cycles of processor 0",
        (
            *("block", "core", "words", "stream", "of them processor 0's own"),
            *("window", "of them processor 0's own", "stream over window"),
        ),
        tuple(lines),
        text_columns=2,
    )


def block_costs(rows: Sequence[Row]) -> Table:
    """Start, cycles of a word, and from which size on the window costs no more."""
    return Table(
        "Blocks: one word, each word more, and from which size on the window costs no more",
        (
            *("block", "core", "stream: one word", "window: one word", "stream: cycles per word"),
            *("window: cycles per word", "stream: per word, processor 0's own"),
            *("window: per word, processor 0's own", "no more cycles from (words)"),
            "no more of processor 0's from (words)",
        ),
        tuple(
            (
                WAYS[cost.way],
                cost.core,
                *map(number, cost.start),
                *(f"{each:.2f}" for each in (*cost.per_word, *cost.near_per_word)),
                *("none" if even is None else number(even) for even in (cost.even, cost.near_even)),
            )
            for cost in costs([row for row in rows if isinstance(row, Block)])
        ),
        text_columns=2,
    )


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


def overview(rows: Sequence[Row]) -> Table:
    """The largest size of each program, both cores."""
    lines = []
    for core in CORES:
        for row in largest(rows, core):
            other, through = _shared(rows, row), _same(rows, row, "window")
            lines.append(
                (
                    *_program(row),
                    core,
                    _paper(row),
                    f"{row.speedup:.2f}",
                    f"{row.bound:.2f}",
                    *("-" if each is None else f"{each.speedup:.2f}" for each in (through, other)),
                )
            )
    return Table(
        "Speed-up by a second processor",
        ("program", "size", "core", "paper", "Back-Door", "bound", "through the window", "smp-bus"),
        tuple(lines),
        text_columns=3,
    )


def summary(content: Result) -> Summary:
    rows = content.rows
    lines = []
    for core in CORES:
        for run in largest(rows, core):
            other, shared = _same(rows, run, "window"), _shared(rows, run)
            more = (number(each.speedup if each else None, 2) for each in (other, shared))
            lines.append(
                (*_program(run), core, number(run.speedup, 2), *more, number(run.bound, 2), _paper(run))
            )
    runs = largest(rows, "standard")
    best, least = max(run.speedup for run in runs), min(run.speedup for run in runs)
    answer = (
        f"On large inputs a second processor behind the Back-Door makes four programs {prose(least, 2)} to "
        f"{prose(best, 2)} times as fast, where 2 is the most that there can be. Small inputs gain nothing: "
        "loading the other processor's program and moving the data then takes longer than the work."
    )
    table = Table(
        "Speed-up by a second processor, largest size measured",
        (
            *("program", "size", "core", "words sent by a stream", "fetched through the window"),
            *("one shared bus", "bound", "the paper's"),
        ),
        tuple(lines),
        text_columns=3,
    )
    return Summary(answer, table, drawn(rows)[0])
