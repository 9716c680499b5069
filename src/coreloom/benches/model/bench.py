# SPDX-License-Identifier: Apache-2.0
"""How many scheduling events a second the model runs, from 4 CPUs to 4 096: each size on one core, alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from coreloom.report.figure import Figure
from coreloom.scheduling.simulate import run
from coreloom.scheduling.workload import Machine, Thread, Workload, nice_weight

SIZES = ((4, 100), (16, 400), (64, 1600), (256, 6400), (1024, 25_600), (4096, 100_000))  # CPUs, threads
POLICIES = ("dwrr", "o1", "cfs", "eevdf", "ring")
_LINEAR = ("ring",)  # searches all threads at each decision: the large sizes would take too long
_LINEAR_MOST = 1600
_NICES = (-5, 0, 5, 10)
_RUNS = 3
_EVENTS = 1_000_000
_QUICK_EVENTS = 200_000


def workload(threads: int) -> Workload:
    """Threads that never sleep, of four nice values in turn."""
    kinds = (
        Thread(f"nice {nice}", count=threads // len(_NICES), weight=nice_weight(nice), priority=120 + nice)
        for nice in _NICES
    )
    return Workload(f"{threads} threads", tuple(kinds))


def cases(quick: bool) -> list[tuple[str, int, int]]:
    """(policy, CPUs, threads) of each row."""
    most = {policy: _LINEAR_MOST if policy in _LINEAR or quick else SIZES[-1][1] for policy in POLICIES}
    return [(policy, *size) for policy in POLICIES for size in SIZES if size[1] <= most[policy]]


def steps(quick: bool) -> int:
    """How many runs there are."""
    return _RUNS * len(cases(quick))


def _seconds(cpus: int, threads: int, policy: str, quick: bool) -> float:
    """For how long to simulate, so that there are enough events; found by a short run."""
    machine = Machine(cpus=cpus)
    seconds = threads / cpus * machine.slice_us / 1e6
    wanted = _QUICK_EVENTS if quick else _EVENTS
    return seconds * max(1.0, wanted / run(workload(threads), machine, policy, seconds).events)


def measure(cpus: int, threads: int, policy: str, seconds: float) -> dict[str, Any]:
    """One run. Its time is that of the core, so that what else runs on this machine counts less."""
    outcome = run(workload(threads), Machine(cpus=cpus), policy, seconds)
    taken = max(outcome.cpu_seconds, 1e-9)
    return {
        "cpus": cpus,
        "threads": threads,
        "policy": policy,
        "events": outcome.events,
        "events_per_s": round(outcome.events / taken),
        "ns_per_event": round(1e9 * taken / outcome.events, 1),
    }


def run_all(
    quick: bool,
    on_start: Callable[[str], None] | None = None,
    on_done: Callable[[], None] | None = None,
) -> list[dict[str, Any]]:
    """The best of some runs for each policy and size.

    One after another, as two at a time would slow each other; all sizes in turn, so a machine whose speed
    drifts does so for all of them.
    """
    wanted = cases(quick)
    lasts: dict[tuple[str, int, int], float] = {}
    best: dict[tuple[str, int, int], dict[str, Any]] = {}
    for turn in range(_RUNS):
        for policy, cpus, threads in wanted:
            if on_start is not None:
                on_start(f"{policy}: {cpus} CPUs, {threads} threads, run {turn + 1}")
            key = policy, cpus, threads
            if key not in lasts:
                lasts[key] = _seconds(cpus, threads, policy, quick)
            row = measure(cpus, threads, policy, lasts[key]) | {"runs": _RUNS}
            if key not in best or row["ns_per_event"] < best[key]["ns_per_event"]:
                best[key] = row
            if on_done is not None:
                on_done()
    return [best[key] for key in wanted]


def growth(rows: Sequence[dict[str, Any]], policy: str) -> dict[str, float]:
    """From the smallest to the largest size: of the cost of an event, and of the logarithms it may follow."""
    of = sorted((row for row in rows if row["policy"] == policy), key=lambda row: row["cpus"])
    first, last = of[0], of[-1]
    return {
        "cost": last["ns_per_event"] / first["ns_per_event"],
        "log_cpus": math.log(last["cpus"]) / math.log(first["cpus"]),
        "log_threads": math.log(last["threads"]) / math.log(first["threads"]),
    }


def figures(rows: Sequence[dict[str, Any]]) -> list[Figure]:
    """What is to be reached."""
    of = sorted((row for row in rows if row["policy"] == "dwrr"), key=lambda row: row["cpus"])
    small, large = of[0], of[-1]
    grown = growth(rows, "dwrr")
    return [
        Figure(
            f"million events a second, dwrr, {small['cpus']} CPUs, one core",
            round(small["events_per_s"] / 1e6, 2),
            at_least=3,
        ),
        Figure(
            f"cost of an event, dwrr, {large['cpus']} CPUs over {small['cpus']} (as the logarithm)",
            round(grown["cost"], 2),
            at_most=round(grown["log_cpus"], 2),
        ),
    ]
