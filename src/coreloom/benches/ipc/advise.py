# SPDX-License-Identifier: Apache-2.0
"""Which mechanism between processors to use, from what `coreloom bench ipc` has measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from coreloom.benches.ipc import latency, transfer
from coreloom.benches.ipc.transfer import Row
from coreloom.errors import UserError
from coreloom.report.table import Table, number

_ALTERNATIVES = 3


@dataclass(frozen=True)
class Choice:
    """One mechanism: its cycles and their bound, what it needs, and what it costs."""

    title: str
    needs: str
    why: str
    cycles: int
    bound: int
    holds_cpu: bool  # whoever waits keeps its processor from other work


def _measured(rows: Sequence[Row], kind: str, core: str, cpus: int) -> list[Row]:
    here = [row for row in rows if (row.platform, row.core, row.cpus) == (kind, core, cpus)]
    if not here:
        raise UserError(f"nothing was measured on {kind}-{core} with {cpus} CPUs: run `coreloom bench ipc`")
    return here


def between(points: Sequence[tuple[int, int]], words: int) -> int:
    """Cycles at `words`, on the line between the two sizes around it; beyond the largest on the last line.

    Below the smallest it is that one's. points: (words, cycles) by words.
    """
    if words <= points[0][0]:
        return points[0][1]
    if len(points) == 1:
        raise UserError(f"only {points[0][0]} words were measured: run `coreloom bench ipc`")
    above = next((n for n, point in enumerate(points) if point[0] >= words), len(points) - 1)
    (x0, y0), (x1, y1) = points[above - 1], points[above]
    return round(y0 + (y1 - y0) * (words - x0) / (x1 - x0))


def block(
    rows: Sequence[Row], kind: str, core: str, cpus: int, words: int, part: str = transfer.TRANSFER
) -> list[Choice]:
    """What moves a block of so many words from each of half the processors to another, the fastest first.

    part: to receivers that wait for it, or BUSY with another thread; nothing where that was not measured.
    """
    here = [r for r in _measured(rows, kind, core, cpus) if r.part == part and r.words]
    choices = []
    for name, kernel in dict.fromkeys((row.mechanism, row.kernel) for row in here):
        mechanism = transfer.MECHANISMS[name]
        if mechanism.shape != "pairs":
            continue
        points = sorted((r.words, r.cycles) for r in here if (r.mechanism, r.kernel) == (name, kernel))
        interconnect = "amp" if kind == "amp" else "smp-bus"
        choices.append(
            Choice(
                transfer.titled(mechanism.title, kernel),
                mechanism.needs,
                mechanism.why,
                between(points, words),
                transfer.bound(mechanism, interconnect, cpus, max(words, points[0][0]), kernel),
                not mechanism.by_kernel and name != "interrupt",
            )
        )
    return sorted(choices, key=lambda choice: choice.cycles)


def operation(rows: Sequence[Row], kind: str, core: str, cpus: int, subject: str) -> list[Choice]:
    """What signals (subject signal), or excludes (lock: acquired and released), the fastest first."""
    here = _measured(rows, kind, core, cpus)
    choices = []
    for name, kernel in dict.fromkeys((row.mechanism, row.kernel) for row in here):
        test = latency.TESTS.get(name)
        if test is None or test.part != subject or test.needs is None:
            continue
        of = [row for row in here if (row.mechanism, row.kernel) == (name, kernel)]
        cycles, bound = sum(row.cycles for row in of), sum(row.bound_cycles for row in of)
        why = "from the first signalling instruction until the waiting thread continues"
        if subject == "lock":
            why = "taken and released without contention"
            given = [row for row in here if (row.mechanism, row.kernel) == (test.handover, kernel)]
            if given:
                why += f"; handed over to a waiter in {given[0].cycles}"
        title = transfer.titled(test.title, kernel)
        choices.append(Choice(title, test.needs, why, cycles, bound, test.holds_cpu))
    return sorted(choices, key=lambda choice: choice.cycles)


def shown(choices: Sequence[Choice]) -> list[Choice]:
    """The best, the nearest alternatives, and one that leaves the processor to others."""
    if not choices:
        raise UserError("no such case was measured: run `coreloom bench ipc`")
    near = list(choices[: 1 + _ALTERNATIVES])
    if all(choice.holds_cpu for choice in near):
        near += [choice for choice in choices if not choice.holds_cpu][:1]
    return near


def sentences(choices: Sequence[Choice], busy: Sequence[Choice] = ()) -> list[str]:
    """Use what and why; and what instead, if a processor has something else to do.

    busy: the same with receivers that another thread of their priority keeps busy.
    """
    best = choices[0]
    lines = [
        f"Use: {best.title}, about {best.cycles} cycles (lower bound {best.bound}).",
        f"Why: {best.why}.",
        f"Needs: {best.needs}.",
    ]
    free = next((choice for choice in choices if not choice.holds_cpu), None)
    if best.holds_cpu and free is not None:
        more = free.cycles - best.cycles
        lines.append(f"If the processor has other work while it waits: {free.title}, {more} cycles more.")
    if busy:
        first = busy[0]
        same = next((choice for choice in busy if choice.title == best.title), first)
        instead = "" if same == first else f"; {best.title} then takes {same.cycles}"
        lines.append(
            f"If another thread of its priority keeps the receiver busy: {first.title}, "
            f"about {first.cycles} cycles on average{instead}."
        )
    return lines


def table(choices: Sequence[Choice], title: str) -> Table:
    """What `coreloom advise` compares."""
    return Table(
        title,
        ("mechanism", "needs", "cycles", "bound", "times"),
        tuple(
            (c.title, c.needs, number(c.cycles), number(c.bound), f"{c.cycles / c.bound:.1f}")
            for c in choices
        ),
        text_columns=2,
    )
