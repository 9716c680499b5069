# SPDX-License-Identifier: Apache-2.0
"""The tables of `coreloom bench ipc`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from coreloom.benches.ipc.bench import PAPER_WORDS, Result
from coreloom.benches.ipc.bench import orders as orders_of
from coreloom.benches.ipc.latency import TESTS
from coreloom.benches.ipc.start import PAPER, Start
from coreloom.benches.ipc.transfer import BUSY, MECHANISMS, SDRAM, Row, titled
from coreloom.report.page import Summary, one, prose
from coreloom.report.plots import Bars
from coreloom.report.table import Table, number
from coreloom.toolchain.firmware import KERNELS

_PAPER_CASES = [(words, core) for words in PAPER_WORDS for core in ("economy", "standard")]
_CASES = tuple(f"{words} words, {core}" for words, core in _PAPER_CASES)


def tables(content: Result) -> list[Table]:
    """All of them."""
    rows = content.rows
    return [
        paper(rows),
        *busy(rows),
        *sdram(rows),
        *starts(content.starts),
        order(rows),
        *transfers(rows),
        *operations(rows),
        streams(rows),
    ]


_CHANGED = {
    ("polling_wires", "polling2_wires"): "two words in flight gain more than the handshakes cost",
    ("polling2_wires", "interrupt"): "polling 2 pays its handshake for each word, "
    "interrupts are two for a block",
    ("interrupt", "semaphore"): "two operations of this kernel take less than two interrupts",
}


def _title(row: Row) -> str:
    known = MECHANISMS if row.part == "transfer" else TESTS
    return titled(known[row.mechanism].title, row.kernel)


def paper(rows: Sequence[Row]) -> Table:
    """[IPC]'s table: its four mechanisms, its sizes, its system of two processors."""
    says = {
        "(a) polling": "the fastest in any case",
        "(a') polling 2": "slower than polling",
    }
    lines = [
        (called, title, says.get(called, "-"), *(number(row.cycles if row else None) for row in of))
        for called, title, of in _four(rows, "amp")
    ]
    return Table(
        "Cycles of [IPC]'s four mechanisms on its system: two processors, local memories (its Table 1)",
        ("paper", "here", "paper says", *_CASES),
        tuple(lines),
        text_columns=3,
    )


_SHORT = {
    ("polling_wires", None): "polling",
    ("polling2_wires", None): "polling 2",
    ("interrupt", None): "interrupt",
    ("semaphore", "hw"): "semaphore, HW",
    ("semaphore", "sw"): "semaphore, SW",
}


def drawn(rows: Sequence[Row]) -> list[Bars]:
    """The paper's Fig. 7 and 8."""
    here = {
        (_SHORT[row.mechanism, row.kernel], row.words, row.core): float(row.cycles)
        for row in rows
        if (row.part, row.platform, row.cpus) == ("transfer", "amp", 2)
        and (row.mechanism, row.kernel) in _SHORT
    }

    def sizes(names: Iterable[str], cores: Sequence[str]) -> dict[str, dict[str, float]]:
        groups = {}
        for words in PAPER_WORDS:
            found = {(name, core): here.get((name, words, core)) for name in names for core in cores}
            groups[f"{words} words"] = {
                name if len(cores) == 1 else f"{name}, {core}": cycles
                for (name, core), cycles in found.items()
                if cycles is not None
            }
        return groups

    found = (
        ("Blocks by mechanism, economy core ([IPC] Fig. 7)", sizes(_SHORT.values(), ["economy"])),
        (
            "Polling and polling 2 on both cores ([IPC] Fig. 8)",
            sizes(["polling", "polling 2"], ["economy", "standard"]),
        ),
    )
    return [Bars(text, "cycles", groups) for text, groups in found if all(groups.values())]


def busy(rows: Sequence[Row]) -> list[Table]:
    """Receivers that are busy with another thread, next to those that wait."""
    here = [row for row in rows if row.part == BUSY]
    waits = {
        (row.mechanism, row.kernel, row.core, row.words): row.cycles
        for row in rows
        if (row.part, row.platform, row.cpus) == ("transfer", "amp", 2)
    }
    by_case = {(row.mechanism, row.kernel, row.core, row.words): row for row in here}
    lines = []
    for name, kernel, core in dict.fromkeys(key[:3] for key in by_case):
        of = [by_case.get((name, kernel, core, words)) for words in PAPER_WORDS]
        lines.append(
            (
                *(titled(MECHANISMS[name].title, kernel), core),
                *(number(waits.get((name, kernel, core, words))) for words in PAPER_WORDS),
                *(f"{number(row.cycles)} ({number(row.most)})" if row else "-" for row in of),
            )
        )
    if not lines:
        return []
    return [
        Table(
            "Cycles of a block where the receiver waits, and where a thread of its priority computes "
            "on its CPU (mean; longest in brackets), amp, 2 CPUs",
            (
                *("mechanism", "core"),
                *(f"{words} words, it waits" for words in PAPER_WORDS),
                *(f"{words} words, it is busy" for words in PAPER_WORDS),
            ),
            tuple(sorted(lines, key=lambda line: line[1])),
            text_columns=2,
        )
    ]


def sdram(rows: Sequence[Row]) -> list[Table]:
    """The same with an SDRAM as global memory, and how many times as long that is."""
    short = {(title, row.words, row.core): row for _, title, of in _four(rows, "amp") for row in of if row}

    def cell(title: str, row: Row | None) -> str:
        if row is None:
            return "-"
        return f"{number(row.cycles)} ({row.cycles / short[title, row.words, row.core].cycles:.2f})"

    lines = [(called, title, *(cell(title, row) for row in of)) for called, title, of in _four(rows, SDRAM)]
    if not lines:
        return []
    return [
        Table(
            "The same with an SDRAM as global memory (in brackets: times the cycles above)",
            ("paper", "here", *_CASES),
            tuple(lines),
            text_columns=2,
        )
    ]


def _four(rows: Sequence[Row], kind: str) -> list[tuple[str, str, list[Row | None]]]:
    """Of each line of [IPC]'s table: its name in the paper, its title, its rows in the order of _CASES."""
    here = [r for r in rows if (r.part, r.platform, r.cpus) == ("transfer", kind, 2)]
    found = {(r.mechanism, r.kernel, r.words, r.core): r for r in here}
    lines = []
    for name, kernel in dict.fromkeys((r.mechanism, r.kernel) for r in here):
        mechanism = MECHANISMS[name]
        if mechanism.paper is not None:
            of = [found.get((name, kernel, *case)) for case in _PAPER_CASES]
            lines.append((mechanism.paper, titled(mechanism.title, kernel), of))
    return lines


def starts(rows: Sequence[Start]) -> list[Table]:
    """From reset to the user task, beside the paper's one number, which is of its system and kernel only."""
    if not rows:
        return []
    lines = [
        (
            *(KERNELS[r.kernel], r.platform, r.core, number(r.cpus)),
            f"more than {number(PAPER)}" if (r.platform, r.cpus) == ("amp", 2) else "-",
            *map(number, (r.in_place, r.copied, r.kernel_begins, r.main, r.first_task, r.all_tasks)),
        )
        for r in rows
    ]
    return [
        Table(
            "Cycles until the kernel starts the user task: from the program in place, and from reset",
            (
                *("kernel", "platform", "core", "CPUs", "paper", "first task, program in place"),
                *("from reset: program in place", "data cleared", "main", "first task", "every CPU's task"),
            ),
            tuple(lines),
            text_columns=3,
        )
    ]


def order(rows: Sequence[Row]) -> Table:
    """The order of the four, and where it is another one than expected, why."""
    lines = []
    for case in orders_of(rows):
        broken = [
            reason
            for (before, after), reason in _CHANGED.items()
            if case.cycles[before] >= case.cycles[after]
        ]
        names = [MECHANISMS[name].title for name in case.cycles]
        text = " < ".join(f"{name} {number(n)}" for name, n in zip(names, case.cycles.values(), strict=True))
        kept = "the same" if case.kept else "; ".join(broken)
        kernel = KERNELS[case.kernel]
        lines.append((case.core, kernel, number(case.cpus), number(case.words), text, kept))
    return Table(
        "Order of the four (amp), against polling < polling 2 < interrupt < semaphore",
        ("core", "kernel", "CPUs", "words", "order, cycles", "against that"),
        tuple(lines),
        text_columns=6,
    )


def transfers(rows: Sequence[Row]) -> list[Table]:
    """Each mechanism on each platform and core: cycles and, in brackets, how many times the bound."""
    transfers = [row for row in rows if row.part == "transfer" and row.words and row.platform != SDRAM]
    sizes = sorted({row.words for row in transfers})
    made = []
    for kind, core in dict.fromkeys((row.platform, row.core) for row in transfers):
        here = [row for row in transfers if (row.platform, row.core) == (kind, core)]
        lines = []
        for name, kernel in dict.fromkeys((row.mechanism, row.kernel) for row in here):
            of = {(r.cpus, r.words): r for r in here if (r.mechanism, r.kernel) == (name, kernel)}
            for cpus in dict.fromkeys(cpus for cpus, _ in of):
                found = [of.get((cpus, words)) for words in sizes]
                last = found[-1]
                busy = None if last is None else 100 * last.bus_transfers / last.cycles
                lines.append(
                    (
                        _title(of[cpus, sizes[0]]),
                        number(cpus),
                        *("-" if r is None else f"{number(r.cycles)} ({r.ratio:.1f})" for r in found),
                        "-" if busy is None else f"{busy:.0f} %",
                    )
                )
        made.append(
            Table(
                f"Cycles of a block, {kind}, {core} core (in brackets: times the bound)",
                ("mechanism", "CPUs", *(f"{words} words" for words in sizes), "bus busy"),
                tuple(lines),
            )
        )
    return made


def operations(rows: Sequence[Row]) -> list[Table]:
    """Signals, trips, moves, locks and barriers; where more CPUs change a figure, one figure for each."""
    parts = {
        "signal": "Cycles of a signal or word to a processor or thread that waits",
        "trip": "Cycles of a round trip",
        "move": "Cycles until a thread that moves itself to another processor, which waits, goes on there",
        "lock": "Cycles of an uncontended lock",
        "handover": "Cycles from the release of a lock until the next owner continues, all CPUs waiting",
        "barrier": "Cycles from the last arrival at a barrier until the last thread continues",
    }
    made = []
    for part, title in parts.items():
        here = [row for row in rows if row.part == part]
        where = list(dict.fromkeys((row.platform, row.core) for row in here))
        lines = []
        for name, operation, kernel in dict.fromkeys((r.mechanism, r.operation, r.kernel) for r in here):
            of = [r for r in here if (r.mechanism, r.operation, r.kernel) == (name, operation, kernel)]
            cells = []
            for place in where:
                cycles = [number(r.cycles) for r in of if (r.platform, r.core) == place]
                cells.append(" / ".join(cycles if len(set(cycles)) > 1 else cycles[:1]) or "-")
            what = _title(of[0]) + (f": {operation}" if part == "lock" else "")
            lines.append((what, number(of[0].bound_cycles), *cells))
        if lines:
            columns = ("mechanism", "bound", *(f"{kind}, {core}" for kind, core in where))
            made.append(Table(title, columns, tuple(lines)))
    return made


def streams(rows: Sequence[Row]) -> Table:
    """Words a cycle of a stream through mailboxes, beside what the cores alone do."""
    return Table(
        "Throughput of streams through mailboxes in words per cycle, all pairs at once",
        ("core", "platform", "CPUs", "stream", "words", "words per cycle", "the core alone", "share"),
        tuple(
            (
                row.core,
                row.platform,
                number(row.cpus),
                _title(row),
                number(row.words),
                f"{row.words_per_cycle:.3f}",
                f"{row.own_rate:.3f}",
                f"{100 * row.own_cycles / row.cycles:.0f} %",
            )
            for row in rows
            if row.part == "stream"
        ),
        text_columns=4,
    )


# A way to send a block, and its words.
_WAYS = {
    ("mailbox", None): "mailbox, private port",
    ("doorbell", None): "memory and doorbell",
    ("polling_wires", None): "memory, polled wires",
    ("polling_variables", None): "memory, polled variables",
    ("semaphore", "hw"): "memory and semaphore, hardware kernel",
    ("interrupt", None): "memory and interrupt",
    ("semaphore", "sw"): "memory and semaphore, software kernel",
    ("polling2_wires", None): "memory, handshake for each word",
}


def summary(content: Result) -> Summary:
    here = [
        row
        for row in content.rows
        if (row.part, row.platform, row.cpus) == ("transfer", "amp", 2) and row.core == "standard"
    ]
    found = {
        words: [one(here, mechanism=way, kernel=kernel, words=size) for size in PAPER_WORDS]
        for (way, kernel), words in _WAYS.items()
    }
    lines = tuple((words, *(number(row.cycles) for row in rows)) for words, rows in found.items())
    mail, wires, hard, soft = (
        found[_WAYS[way]][-1].cycles
        for way in (("mailbox", None), ("polling_wires", None), ("semaphore", "hw"), ("semaphore", "sw"))
    )
    size = PAPER_WORDS[-1]
    answer = (
        f"Mailboxes on private ports move a block of {size} words in {prose(mail)} cycles; through shared "
        f"memory with polling it takes {prose(wires)}. Waiting for a semaphore of the hardware kernel "
        f"instead of polling costs little, {prose(hard)} cycles; with the software kernel the block takes "
        f"{prose(soft)}."
    )
    table = Table(
        "Cycles of a block between two processors that wait for it",
        ("way", *(f"{size} words" for size in PAPER_WORDS)),
        lines,
    )
    bars = {words: {words: float(rows[0].cycles)} for words, rows in found.items()}
    chart = Bars(f"A block of {PAPER_WORDS[0]} words, standard core", "cycles; fewer are better", bars)
    return Summary(answer, table, chart)
