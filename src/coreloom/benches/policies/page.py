# SPDX-License-Identifier: Apache-2.0
"""The tables of `coreloom bench policies`."""

from __future__ import annotations

from collections.abc import Sequence

from coreloom.benches.policies.bench import Result, Row
from coreloom.benches.policies.measure import Decision, Move, Share
from coreloom.benches.synth.page import area
from coreloom.report.table import Table, number, reach
from coreloom.toolchain.firmware import KERNELS


def tables(content: Result) -> list[Table]:
    """All of them."""
    rows = content.rows
    placed = [area(content.area)] if content.area else []
    return [decisions(rows), shares(rows), moves(rows), *placed, reach(content.reach)]


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
