# SPDX-License-Identifier: Apache-2.0
"""Decisions, shares and moves of one policy on one platform, each from the events of one run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from coreloom.design import platform
from coreloom.design.address_map import TICK_CYCLES
from coreloom.jobs.job import Progress
from coreloom.paths import POLICIES
from coreloom.simulation.experiment import Experiment
from coreloom.simulation.profile import LineTable
from coreloom.simulation.simulate import Event, Kind, Options

PROGRAM = str(Path(__file__).with_name("policies.c"))
WINDOW = 300_000
WEIGHTS = (61, 20, 20, 20, 20)
WEIGHTED = ("cfs", "dwrr", "eevdf", "exclusive:dwrr", "ring")  # who heed weights
SHARE_SLICE = 1  # ticks, for weight 1
SHARE_WINDOW = 1_500_000
WAKE_THREADS = 8  # that compute beside the one that sleeps
WAKES = 24


class _Policy(msgspec.Struct, frozen=True, kw_only=True):
    """What a row is of."""

    kernel: str
    policy: str
    core: str
    cpus: int


class Decision(_Policy, frozen=True, kw_only=True, tag_field="part", tag="decision"):
    """Mean cycles of the switches of one window, after a service and after an interrupt."""

    threads: int
    switches: int
    service: float | None
    interrupt: float | None
    policy_cycles: float | None  # of them in the policy; None: in hardware


class Share(_Policy, frozen=True, kw_only=True, tag_field="part", tag="share"):
    """Threads of WEIGHTS that compute."""

    ratio: float  # the first over the mean of the others
    shares: list[float]  # of all CPUs
    gap_in_B: float | None  # B: the slice of weight 1
    bound_in_B: float | None


class Move(msgspec.Struct, frozen=True, kw_only=True, tag_field="part", tag="move"):
    """Cycles of a move to another CPU, of the first round of code there, and of the next."""

    core: str
    move: int
    first: int
    again: int


class Wake(_Policy, frozen=True, kw_only=True, tag_field="part", tag="wake"):
    """Cycles from the end of a thread's sleep until it runs, among threads that compute."""

    threads: int  # that compute
    realtime: bool  # the one that sleeps is a real-time thread
    median: int
    most: int


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
) -> list[Decision]:
    """One window: half of the threads compute, half of them send each other words."""
    pairs = max(1, threads // 4)
    defines: dict[str, str | int] = {"COMPUTE": max(threads - 2 * pairs, 0), "PAIRS": pairs}
    outcome = _experiment(kernel, policy, core, cpus, defines).run(
        b"", Options(window=WINDOW, profile=True, progress=progress)
    )
    start = outcome.figures.start
    found = decisions(outcome.result.events, start)
    switches = sum(map(len, found.values()))
    table = LineTable(outcome.program, ((str(POLICIES), "policy"),))
    inside = sum(s.cycles for s in outcome.result.profile if table.owner(s.address) == "policy")
    return [
        Decision(
            kernel=kernel,
            policy=policy,
            core=core,
            cpus=cpus,
            threads=threads,
            switches=switches,
            service=_mean(found["service"]),
            interrupt=_mean(found["interrupt"]),
            policy_cycles=round(inside / switches, 1) if kernel == "sw" and switches else None,
        )
    ]


def share_rows(
    kernel: str, policy: str, core: str, cpus: int, progress: Progress | None = None
) -> list[Share]:
    """Threads of WEIGHTS that compute: each one's part of the time, and the largest gap."""
    defines: dict[str, str | int] = {
        "COMPUTE": len(WEIGHTS),
        "HEAVY": WEIGHTS[0],
        "LIGHT": WEIGHTS[1],
        "CL_SLICE_TICKS": SHARE_SLICE,
    }
    experiment = _experiment(kernel, policy, core, cpus, defines)
    outcome = experiment.run(b"", Options(window=SHARE_WINDOW, progress=progress))
    end = outcome.figures.start + SHARE_WINDOW
    # The main thread is 0, those that compute have the numbers behind it.
    weights = {thread: weight for thread, weight in enumerate(WEIGHTS, 1)}
    ran = services(outcome.result.events, outcome.figures.start, end)
    had = {thread: sum(to - since for who, since, to in ran if who == thread) for thread in weights}
    slice_cycles = SHARE_SLICE * TICK_CYCLES
    return [
        Share(
            kernel=kernel,
            policy=policy,
            core=core,
            cpus=cpus,
            ratio=round(had[1] / (sum(had[t] for t in weights if t > 1) / (len(WEIGHTS) - 1)), 3),
            shares=[round(cycles / (SHARE_WINDOW * cpus), 4) for cycles in had.values()],
            gap_in_B=round(largest_gap(ran, weights, slice_cycles), 3) if policy in WEIGHTED else None,
            bound_in_B=2 + round(1 / (SHARE_SLICE * min(WEIGHTS)), 3) if policy == "dwrr" else None,
        )
    ]


def wake_rows(
    kernel: str, policy: str, core: str, cpus: int, realtime: bool, progress: Progress | None = None
) -> list[Wake]:
    """A thread that sleeps now and then."""
    defines: dict[str, str | int] = {"COMPUTE": WAKE_THREADS, "WAKES": WAKES, "REALTIME": int(realtime)}
    outcome = _experiment(kernel, policy, core, cpus, defines).run(b"", Options(progress=progress))
    outcome.check_finished()
    marks = sorted(event.value for event in outcome.result.events if event.kind == Kind.MARK)
    return [
        Wake(
            kernel=kernel,
            policy=policy,
            core=core,
            cpus=cpus,
            threads=WAKE_THREADS,
            realtime=realtime,
            median=marks[len(marks) // 2],
            most=marks[-1],
        )
    ]


def move_rows(core: str, progress: Progress | None = None) -> list[Move]:
    """A thread with half of the instruction cache in use moves between two CPUs, by exclusive over dwrr."""
    outcome = _experiment("sw", "exclusive:dwrr", core, 2, {"MIGRATE": 1}).run(
        b"", Options(progress=progress)
    )
    outcome.check_finished()
    marks = [event.value for event in outcome.result.events if event.kind == Kind.MARK]
    moved, cold, warm = (sorted(marks[n::3])[len(marks) // 6] for n in range(3))
    return [Move(core=core, move=moved, first=cold, again=warm)]
