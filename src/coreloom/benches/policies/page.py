# SPDX-License-Identifier: Apache-2.0
"""The tables of `coreloom bench policies`."""

from __future__ import annotations

from collections.abc import Sequence

from coreloom.benches.policies.bench import Result, Row
from coreloom.benches.policies.measure import WAKE_THREADS, WEIGHTS, Decision, Move, Share, Wake
from coreloom.benches.rivals import NAMES
from coreloom.benches.synth.page import area
from coreloom.report.page import Summary, one, prose
from coreloom.report.plots import Bars
from coreloom.report.table import Table, number
from coreloom.toolchain.firmware import KERNELS


def tables(content: Result) -> list[Table]:
    """All of them."""
    rows = content.rows
    placed = [area(content.area)] if content.area else []
    woken = [wakes(rows)] if any(isinstance(row, Wake) for row in rows) else []
    return [decisions(rows), shares(rows), *woken, moves(rows), *placed]


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


def summary(content: Result) -> Summary:
    made = [row for row in content.rows if isinstance(row, Decision) and row.core == "standard"]
    shared = [row for row in content.rows if isinstance(row, Share) and row.core == "standard"]
    shown = [("hw", "priority"), ("hw", "dwrr"), ("sw", "priority"), ("sw", "static"), ("sw", "o1")]
    shown += [("sw", "cfs"), ("sw", "eevdf"), ("sw", "dwrr")]
    lines: list[tuple[str, ...]] = []
    bars: dict[str, dict[str, float]] = {}
    for kernel, policy in shown:
        at = [one(made, kernel=kernel, policy=policy, cpus=cpus, threads=8).service for cpus in (1, 2)]
        ratio = one(shared, kernel=kernel, policy=policy).ratio
        lines.append((f"{policy}, {NAMES[kernel]}", *(number(cycles, 1) for cycles in at), number(ratio, 2)))
        bars[policy] = {**bars.get(policy, {}), NAMES[kernel]: at[0] or 0}
    hard, soft, plain = (
        one(made, kernel=kernel, policy=policy, cpus=1, threads=8).service or 0
        for kernel, policy in (("hw", "dwrr"), ("sw", "dwrr"), ("sw", "priority"))
    )
    exact = WEIGHTS[0] / WEIGHTS[1]
    answer = (
        f"In hardware a fair policy decides in {prose(hard)} cycles; in software the same policy takes "
        f"{prose(soft)}, and the built-in fixed priorities {prose(plain)}. Both give threads what their "
        f"weights entitle them to, {prose(one(shared, kernel='hw', policy='dwrr').ratio, 2)} and "
        f"{prose(one(shared, kernel='sw', policy='dwrr').ratio, 2)} to 1, where {prose(exact, 2)} is exact."
    )
    weights = f"share of weight {WEIGHTS[0]} over weight {WEIGHTS[1]}"
    columns = ("policy", "decision, 1 CPU", "decision, 2 CPUs", weights)
    table = Table("Mean cycles of a decision among 8 threads, and shares on two CPUs", columns, tuple(lines))
    return Summary(answer, table, Bars("Cycles of a decision, 1 CPU", "cycles, logarithmic", bars, log=True))
