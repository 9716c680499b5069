# SPDX-License-Identifier: Apache-2.0
"""How many scheduling events a second the model runs, from 4 CPUs to 4 096: each size on one core, alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from coreloom.benches.model.prediction import Prediction
from coreloom.report import results
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


class Case(NamedTuple):
    """One row of the result."""

    policy: str
    cpus: int
    threads: int


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """The speed of the model, by the time of the core."""

    cpus: int
    threads: int
    policy: str
    events: int
    events_per_s: int
    ns_per_event: float
    runs: int = _RUNS  # of which this is the best


class Result(results.Result, kw_only=True):
    rows: list[Row]
    predicted: list[Prediction]
    window_cycles: int  # of the prediction


def workload(threads: int) -> Workload:
    """Threads that never sleep, of four nice values in turn."""
    kinds = (
        Thread(f"nice {nice}", count=threads // len(_NICES), weight=nice_weight(nice), priority=120 + nice)
        for nice in _NICES
    )
    return Workload(f"{threads} threads", tuple(kinds))


def cases(quick: bool) -> list[Case]:
    most = {policy: _LINEAR_MOST if policy in _LINEAR or quick else SIZES[-1][1] for policy in POLICIES}
    return [Case(policy, *size) for policy in POLICIES for size in SIZES if size[1] <= most[policy]]


def steps(quick: bool) -> int:
    """How many runs there are."""
    return _RUNS * len(cases(quick))


def _seconds(case: Case, quick: bool) -> float:
    """For how long to simulate, so that there are enough events; found by a short run."""
    machine = Machine(cpus=case.cpus)
    seconds = case.threads / case.cpus * machine.slice_us / 1e6
    wanted = _QUICK_EVENTS if quick else _EVENTS
    return seconds * max(1.0, wanted / run(workload(case.threads), machine, case.policy, seconds).events)


def measure(case: Case, seconds: float) -> Row:
    """One run. Its time is that of the core, so that what else runs on this machine counts less."""
    outcome = run(workload(case.threads), Machine(cpus=case.cpus), case.policy, seconds)
    taken = max(outcome.cpu_seconds, 1e-9)
    return Row(
        cpus=case.cpus,
        threads=case.threads,
        policy=case.policy,
        events=outcome.events,
        events_per_s=round(outcome.events / taken),
        ns_per_event=round(1e9 * taken / outcome.events, 1),
    )


def run_all(quick: bool, on_start: Callable[[str], None], on_done: Callable[[], None]) -> list[Row]:
    """The best of some runs for each policy and size.

    One after another, as two at a time would slow each other; all sizes in turn, so a machine whose speed
    drifts does so for all of them.
    """
    found: dict[Case, list[Row]] = {case: [] for case in cases(quick)}
    lasts: dict[Case, float] = {}
    for turn in range(_RUNS):
        for case, rows in found.items():
            on_start(f"{case.policy}: {case.cpus} CPUs, {case.threads} threads, run {turn + 1}")
            if case not in lasts:
                lasts[case] = _seconds(case, quick)
            rows.append(measure(case, lasts[case]))
            on_done()
    return [min(rows, key=lambda row: row.ns_per_event) for rows in found.values()]


class Growth(NamedTuple):
    """From the smallest to the largest size, each times as much."""

    cost: float  # of an event
    log_cpus: float  # which the cost may follow, or
    log_threads: float


def ends(rows: Sequence[Row], policy: str) -> tuple[Row, Row]:
    """The smallest and the largest size of a policy."""
    of = sorted((row for row in rows if row.policy == policy), key=lambda row: row.cpus)
    return of[0], of[-1]


def growth(rows: Sequence[Row], policy: str) -> Growth:
    small, large = ends(rows, policy)
    return Growth(
        cost=large.ns_per_event / small.ns_per_event,
        log_cpus=math.log(large.cpus) / math.log(small.cpus),
        log_threads=math.log(large.threads) / math.log(small.threads),
    )


def figures(rows: Sequence[Row]) -> list[Figure]:
    """What is to be reached."""
    small, large = ends(rows, "dwrr")
    grown = growth(rows, "dwrr")
    return [
        Figure(
            f"million events per second, dwrr, {small.cpus} CPUs, one core",
            round(small.events_per_s / 1e6, 2),
            at_least=3,
            machine=True,
        ),
        Figure(
            f"cost of an event, dwrr, {large.cpus} CPUs over {small.cpus} (at most logarithmic)",
            round(grown.cost, 2),
            at_most=round(grown.log_cpus, 2),
        ),
    ]
