# SPDX-License-Identifier: Apache-2.0
"""The tables of `coreloom bench policies`."""

from __future__ import annotations

from collections.abc import Sequence

from coreloom.benches.policies.bench import Result, Row
from coreloom.benches.policies.measure import WAKE_THREADS, Decision, Move, Share, Wake
from coreloom.benches.synth.page import area
from coreloom.report.table import Table, number, reach
from coreloom.toolchain.firmware import KERNELS


def tables(content: Result) -> list[Table]:
    """All of them."""
    rows = content.rows
    placed = [area(content.area)] if content.area else []
    woken = [wakes(rows)] if any(isinstance(row, Wake) for row in rows) else []
    return [decisions(rows), shares(rows), *woken, moves(rows), *placed, reach(content.reach)]


def decisions(rows: Sequence[Row]) -> Table:
    """Cycles from the service or the interrupt to the next thread; of it in the policy."""
    lines = [
        (
            *(KERNELS[row.kernel], row.policy, row.core, str(row.cpus), str(row.threads)),
            number(row.switches),
            *(number(cycles, 1) for cycles in (row.service, row.interrupt, row.policy_cycles)),
        )
        for row in rows
        if isinstance(row, Decision)
    ]
    return Table(
        "Cycles of a decision: to the next thread's first instruction",
        (
            *("kernel", "policy", "core", "CPUs", "threads", "switches"),
            *("after a service", "after an interrupt", "in the policy"),
        ),
        tuple(lines),
        text_columns=3,
    )


def shares(rows: Sequence[Row]) -> Table:
    """Weights 61 : 20 : 20 : 20 : 20 on two CPUs."""
    lines = [
        (
            *(KERNELS[row.kernel], row.policy, row.core),
            " ".join(number(100 * share, 1) for share in row.shares),
            number(row.ratio, 2),
            f"{61 / 20:.2f}" if row.gap_in_B is not None else "-",
            number(row.gap_in_B, 2),
            number(row.bound_in_B, 2),
        )
        for row in rows
        if isinstance(row, Share)
    ]
    return Table(
        "Weights 61 20 20 20 20 on two CPUs, after [DWRR]'s counter-example of 1024 and 4 x 335",
        (
            *("kernel", "policy", "core", "% of both CPUs each"),
            *("first : others", "by weight", "gap (B)", "bound (B)"),
        ),
        tuple(lines),
        text_columns=4,
    )


def wakes(rows: Sequence[Row]) -> Table:
    """From the end of a sleep to the thread, as one of the others and as a real-time thread."""
    found: dict[tuple[str, str, str, int], dict[bool, Wake]] = {}
    for row in rows:
        if isinstance(row, Wake):
            found.setdefault((row.kernel, row.policy, row.core, row.cpus), {})[row.realtime] = row
    return Table(
        f"A thread that sleeps among {WAKE_THREADS} that compute: cycles from its sleep's end until it runs",
        (
            *("kernel", "policy", "core", "CPUs", "as one of them: median", "most"),
            *("real-time: median", "most"),
        ),
        tuple(
            (
                *(KERNELS[kernel], policy, core, str(cpus)),
                *(number(cycles) for realtime in (False, True) for cycles in _spread(of.get(realtime))),
            )
            for (kernel, policy, core, cpus), of in found.items()
        ),
        text_columns=3,
    )


def _spread(row: Wake | None) -> tuple[int | None, int | None]:
    return (row.median, row.most) if row else (None, None)


def moves(rows: Sequence[Row]) -> Table:
    """What a move to another CPU costs."""
    lines = [
        (row.core, number(row.move), number(row.first), number(row.again))
        for row in rows
        if isinstance(row, Move)
    ]
    return Table(
        "Migration of a thread: cycles of the move, and of two passes over 2 KiB of code there",
        ("core", "move", "first pass", "second pass"),
        tuple(lines),
    )
