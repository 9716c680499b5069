# SPDX-License-Identifier: Apache-2.0
"""Scheduling policies on the SoC: cycles of a decision, shares by weight, and what a switch costs.

A decision: from the entry of the service that waits, or of the interrupt, to the next thread's first
instruction. The policy's part: cycles in files of policies/, of all CPUs, over the switches in the window.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from coreloom.benches.policies.measure import (
    SHARE_WINDOW,
    WINDOW,
    Decision,
    Move,
    Share,
    Wake,
    decision_rows,
    move_rows,
    share_rows,
    wake_rows,
)
from coreloom.design import platform
from coreloom.errors import UserError
from coreloom.files import write_atomically
from coreloom.jobs.job import Job, build
from coreloom.report import results
from coreloom.report.figure import Figure
from coreloom.scheduling.workload import COSTS
from coreloom.synthesis import synth
from coreloom.toolchain.firmware import policies

CORES = ("standard", "economy")
THREADS = (2, 8, 32)
AREA_SIZE = (64, 32)  # threads, priorities of the hardware kernels that are placed and routed
AREA_SEEDS = 1
CLOCK_MHZ = 100  # which the costs assume

Row = Decision | Share | Move | Wake


class Result(results.Result, kw_only=True):
    """What `coreloom bench policies` writes; the quick one has no area."""

    rows: list[Row]
    area: list[synth.Row] = msgspec.field(default_factory=list)
    unit: str = "cycles"


def built_policies() -> list[tuple[str, str]]:
    """(kernel, policy), those of the software kernel first."""
    named = ["exclusive:dwrr" if name == "exclusive" else name for name in policies()]
    # Without deadlines edf is priority: what it is worth, `coreloom bench deadlines` measures.
    return [("sw", name) for name in named] + [("hw", name) for name in ("priority", "dwrr")]


def jobs(quick: bool) -> tuple[list[Job[Any]], list[Job[Row]]]:
    """Models to build, and measurements. Quick, and the economy core: 8 threads on 2 CPUs only."""
    cores = CORES[:1] if quick else CORES
    all_sizes = [(threads, cpus) for threads in THREADS for cpus in (1, 2)]
    sizes_of = {core: [(8, 2)] if quick or core == "economy" else all_sizes for core in cores}
    first = []
    for core in cores:
        for cpus in sorted({cpus for _, cpus in sizes_of[core]}):
            soc = platform.load(f"smp-{core}", cpus)
            for policy in (name for kernel, name in built_policies() if kernel == "hw"):
                made = platform.with_policy(soc, policy)
                first.append(build(made, f"{core}, {cpus} CPUs, {policy}"))
    wanted: list[Job[Row]] = []
    for core in cores:
        for kernel, policy in built_policies():
            text = f"{policy} ({kernel}), {core} core"
            for threads, cpus in sizes_of[core]:
                run = partial(decision_rows, kernel, policy, core, cpus, threads)
                wanted.append(Job(f"{text}, {threads} threads, {cpus} CPUs", run, WINDOW))
            wanted.append(Job(f"{text}, shares", partial(share_rows, kernel, policy, core, 2), SHARE_WINDOW))
            for realtime in (False, True) if core == CORES[0] else ():
                name = f"{text}, wake-up{' of a real-time thread' * realtime}"
                wanted.append(Job(name, partial(wake_rows, kernel, policy, core, 2, realtime), SHARE_WINDOW))
        wanted.append(Job(f"a thread that moves, {core} core", partial(move_rows, core)))
    return first, wanted


def figures(rows: Sequence[Row]) -> list[Figure]:
    """What was to be reached beside what is."""
    found = []
    for kernel in ("sw", "hw"):
        case = (kernel, "dwrr")
        shares = [row for row in rows if isinstance(row, Share) and (row.kernel, row.policy) == case]
        if gaps := [row.gap_in_B for row in shares if row.gap_in_B is not None]:
            text = f"dwrr, {kernel}: largest gap on the SoC (B)"
            found.append(Figure(text, max(gaps), at_most=shares[0].bound_in_B))
    return found


def costs(rows: Sequence[Row]) -> dict[str, object]:
    """For the model (Costs.measured): dwrr in software on two standard cores."""
    case = ("sw", "dwrr", "standard", 2, 8)
    switch = next(
        row.interrupt
        for row in rows
        if isinstance(row, Decision) and (row.kernel, row.policy, row.core, row.cpus, row.threads) == case
    )
    move = next(row for row in rows if isinstance(row, Move) and row.core == "standard")
    if switch is None:
        raise UserError("no interrupt has switched threads: a bug in Coreloom")
    migrate = max(0, round(move.move - switch))
    cycles = {"switch": switch, "migrate": migrate, "warm": move.first - move.again}
    return {
        **{f"{name}_us": round(value / CLOCK_MHZ, 3) for name, value in cycles.items()},
        "cycles": cycles,
        "clock_mhz": CLOCK_MHZ,
        "platform": "smp-standard, 2 CPUs, software kernel, dwrr, 8 threads",
    }


def write_costs(rows: Sequence[Row]) -> Path:
    text = json.dumps(costs(rows), indent=2) + "\n"
    write_atomically(COSTS, text.encode())
    return COSTS
