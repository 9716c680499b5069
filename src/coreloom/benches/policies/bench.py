# SPDX-License-Identifier: Apache-2.0
"""Scheduling policies on the SoC: cycles of a decision, shares by weight, and what a switch costs.

A decision: from the entry of the service that waits, or of the interrupt, to the next thread's first
instruction. The policy's part: cycles in files of policies/, of all CPUs, over the switches in the window.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from coreloom.benches import pool
from coreloom.benches.pool import Job, Progress, Row
from coreloom.design import platform
from coreloom.errors import UserError
from coreloom.paths import POLICIES
from coreloom.report import results
from coreloom.report.figure import Figure
from coreloom.scheduling.workload import COSTS
from coreloom.simulation.experiment import Experiment
from coreloom.simulation.profile import LineTable
from coreloom.simulation.simulate import Event, Kind
from coreloom.toolchain.firmware import policies

PROGRAM = str(Path(__file__).with_name("policies.c"))
CORES = ("standard", "economy")
THREADS = (2, 8, 32)
WINDOW = 300_000
AREA_SIZE = (64, 32)  # threads, priorities of the hardware kernels that are placed and routed
AREA_SEEDS = 1
WEIGHTS = (61, 20, 20, 20, 20)
WEIGHTED = ("cfs", "dwrr", "eevdf", "exclusive:dwrr", "ring")  # who heed weights
SHARE_SLICE = 1  # ticks, for weight 1
SHARE_WINDOW = 1_500_000
CLOCK_MHZ = 100  # which the costs assume


def decisions(events: Iterable[Event], start: int) -> dict[str, list[int]]:
    """Cycles of each switch from `start`, after a service or an interrupt; without sleep in between."""
    found: dict[str, list[int]] = {"service": [], "interrupt": []}
    entered: dict[int, tuple[str, int]] = {}
    for event in events:
        if event.kind == Kind.CALL:
            entered[event.cpu] = ("service", event.cycle)
        elif event.kind == Kind.TRAP:
            entered[event.cpu] = ("interrupt", event.cycle)
        elif event.kind == Kind.IDLE:
            entered.pop(event.cpu, None)
        elif event.kind == Kind.RUN and event.cpu in entered:
            what, cycle = entered.pop(event.cpu)
            if cycle >= start:
                found[what].append(event.cycle - cycle)
    return found


def services(events: Iterable[Event], start: int, end: int) -> list[tuple[int, int, int]]:
    """(thread, from, to) of everything that ran between the two moments, in the order of the ends."""
    running: dict[int, tuple[int, int]] = {}
    ran = []
    for event in events:
        if event.kind == Kind.RUN or (event.kind == Kind.IDLE and event.value):
            if event.cpu in running:
                thread, since = running.pop(event.cpu)
                ran.append((thread, since, event.cycle))
            if event.kind == Kind.RUN:
                running[event.cpu] = (event.value, event.cycle)
    ran += [(thread, since, end) for thread, since in running.values()]
    return [
        (thread, max(since, start), min(to, end)) for thread, since, to in ran if to > start and since < end
    ]


def largest_gap(ran: Sequence[tuple[int, int, int]], weights: dict[int, int], unit: int) -> float:
    """Largest difference of service for each unit of weight, over all moments, in `unit` cycles."""
    changes = sorted(
        (cycle, thread, sign)
        for thread, since, to in ran
        if thread in weights
        for cycle, sign in ((since, 1), (to, -1))
    )
    had = dict.fromkeys(weights, 0.0)
    runs = dict.fromkeys(weights, 0)
    last, most = 0, 0.0
    for cycle, thread, sign in changes:
        for each, weight in weights.items():
            had[each] += runs[each] * (cycle - last) / weight
        last = cycle
        most = max(most, max(had.values()) - min(had.values()))
        runs[thread] += sign
    return most / unit


def _mean(values: Sequence[int]) -> float | None:
    return round(sum(values) / len(values), 1) if values else None


def _experiment(kernel: str, policy: str, core: str, cpus: int, defines: dict[str, str | int]) -> Experiment:
    return Experiment(PROGRAM, platform.load(f"smp-{core}", cpus), kernel, "dynamic", defines, policy)


def decision_rows(
    kernel: str, policy: str, core: str, cpus: int, threads: int, progress: Progress | None = None
) -> list[Row]:
    """One window: half of the threads compute, half of them send each other words."""
    pairs = max(1, threads // 4)
    defines: dict[str, str | int] = {"COMPUTE": max(threads - 2 * pairs, 0), "PAIRS": pairs}
    outcome = _experiment(kernel, policy, core, cpus, defines).run(
        b"", window=WINDOW, profile=True, progress=progress
    )
    start = outcome.figures.start
    found = decisions(outcome.result.events, start)
    switches = sum(map(len, found.values()))
    table = LineTable(outcome.program, ((str(POLICIES), "policy"),))
    inside = sum(s.cycles for s in outcome.result.profile if table.owner(s.address) == "policy")
    return [
        {
            "part": "decision",
            "kernel": kernel,
            "policy": policy,
            "core": core,
            "cpus": cpus,
            "threads": threads,
            "switches": switches,
            "service": _mean(found["service"]),
            "interrupt": _mean(found["interrupt"]),
            "policy_cycles": round(inside / switches, 1) if kernel == "sw" and switches else None,
        }
    ]


def share_rows(kernel: str, policy: str, core: str, cpus: int, progress: Progress | None = None) -> list[Row]:
    """Threads of WEIGHTS that compute: each one's part of the time, and the largest gap."""
    defines: dict[str, str | int] = {
        "COMPUTE": len(WEIGHTS),
        "HEAVY": WEIGHTS[0],
        "LIGHT": WEIGHTS[1],
        "CL_SLICE_TICKS": SHARE_SLICE,
    }
    experiment = _experiment(kernel, policy, core, cpus, defines)
    outcome = experiment.run(b"", window=SHARE_WINDOW, progress=progress)
    end = outcome.figures.start + SHARE_WINDOW
    # The main thread is 0, those that compute have the numbers behind it.
    weights = {thread: weight for thread, weight in enumerate(WEIGHTS, 1)}
    ran = services(outcome.result.events, outcome.figures.start, end)
    had = {thread: sum(to - since for who, since, to in ran if who == thread) for thread in weights}
    slice_cycles = SHARE_SLICE * experiment.platform.tick_cycles
    return [
        {
            "part": "share",
            "kernel": kernel,
            "policy": policy,
            "core": core,
            "cpus": cpus,
            "ratio": round(had[1] / (sum(had[t] for t in weights if t > 1) / (len(WEIGHTS) - 1)), 3),
            "shares": [round(cycles / (SHARE_WINDOW * cpus), 4) for cycles in had.values()],
            "gap_in_B": round(largest_gap(ran, weights, slice_cycles), 3) if policy in WEIGHTED else None,
            "bound_in_B": 2 + round(1 / (SHARE_SLICE * min(WEIGHTS)), 3) if policy == "dwrr" else None,
        }
    ]


def move_rows(core: str, progress: Progress | None = None) -> list[Row]:
    """A thread with half of the instruction cache in use moves between two CPUs, by exclusive over dwrr."""
    outcome = _experiment("sw", "exclusive:dwrr", core, 2, {"MIGRATE": 1}).run(b"", progress=progress)
    outcome.check_finished()
    marks = [event.value for event in outcome.result.events if event.kind == Kind.MARK]
    moved, cold, warm = (sorted(marks[n::3])[len(marks) // 6] for n in range(3))
    return [{"part": "move", "core": core, "move": moved, "first": cold, "again": warm}]


def built_policies() -> list[tuple[str, str]]:
    """(kernel, policy), those of the software kernel first."""
    named = ["exclusive:dwrr" if name == "exclusive" else name for name in policies()]
    return [("sw", name) for name in named] + [("hw", name) for name in platform.BUILT_POLICIES]


def jobs(quick: bool) -> tuple[list[Job], list[Job]]:
    """Models to build, and measurements. Quick, and the economy core: 8 threads on 2 CPUs only."""
    cores = CORES[:1] if quick else CORES
    all_sizes = [(threads, cpus) for threads in THREADS for cpus in (1, 2)]
    sizes_of = {core: [(8, 2)] if quick or core == "economy" else all_sizes for core in cores}
    first = []
    for core in cores:
        for cpus in sorted({cpus for _, cpus in sizes_of[core]}):
            soc = platform.load(f"smp-{core}", cpus)
            for policy in platform.BUILT_POLICIES:
                made = replace(soc, kernel=replace(soc.kernel, policy=policy))
                first.append(pool.build(made, f"{core}, {cpus} CPUs, {policy}"))
    wanted = []
    for core in cores:
        for kernel, policy in built_policies():
            text = f"{policy} ({kernel}), {core} core"
            for threads, cpus in sizes_of[core]:
                run = partial(decision_rows, kernel, policy, core, cpus, threads)
                wanted.append(Job(f"{text}, {threads} threads, {cpus} CPUs", run, WINDOW))
            wanted.append(Job(f"{text}, shares", partial(share_rows, kernel, policy, core, 2), SHARE_WINDOW))
        wanted.append(Job(f"a thread that moves, {core} core", partial(move_rows, core)))
    return first, wanted


def figures(rows: Sequence[Row]) -> list[Figure]:
    """What was to be reached beside what is."""
    found = []
    for kernel in ("sw", "hw"):
        gaps = [
            (row["gap_in_B"], row["bound_in_B"])
            for row in rows
            if row["part"] == "share" and row["kernel"] == kernel and row["policy"] == "dwrr"
        ]
        if gaps:
            text = f"dwrr, {kernel}: largest gap on the SoC (B)"
            found.append(Figure(text, max(gap for gap, _ in gaps), at_most=gaps[0][1]))
    return found


def costs(rows: Sequence[Row]) -> dict[str, Any]:
    """For the model (Costs.measured): dwrr in software on two standard cores."""
    switch = next(
        row["interrupt"]
        for row in rows
        if (row["part"], row["kernel"], row["policy"], row["core"], row.get("cpus"), row.get("threads"))
        == ("decision", "sw", "dwrr", "standard", 2, 8)
    )
    move = next(row for row in rows if row["part"] == "move" and row["core"] == "standard")
    if switch is None:
        raise UserError("no interrupt has switched threads: a defect")
    cycles = {
        "switch": switch,
        "migrate": max(0, round(move["move"] - switch)),
        "warm": move["first"] - move["again"],
    }
    return {
        **{f"{name}_us": round(value / CLOCK_MHZ, 3) for name, value in cycles.items()},
        "cycles": cycles,
        "clock_mhz": CLOCK_MHZ,
        "platform": "smp-standard, 2 CPUs, software kernel, dwrr, 8 threads",
        "commit": results.commit(),
    }


def write_costs(rows: Sequence[Row]) -> Path:
    text = json.dumps(costs(rows), indent=2) + "\n"
    results.write_atomically(COSTS, text.encode())
    return COSTS
