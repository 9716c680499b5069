# SPDX-License-Identifier: Apache-2.0
"""Fairness of the scheduling policies in the model: the cases of [DWRR], its weak points, and many at random.

Every run of dwrr is checked against its bound (docs/decisions/0014): the largest gap of service for each unit
of weight between two threads that are runnable all the time is at most 2 B, and one tick of the lightest.
"""

from __future__ import annotations

import json
import math
import random
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean, pstdev

from coreloom.benches import pool
from coreloom.benches.pool import Job, Progress, Row
from coreloom.errors import UserError
from coreloom.report.figure import Figure
from coreloom.scheduling import build
from coreloom.scheduling.builtin import CASES
from coreloom.scheduling.simulate import Outcome, run
from coreloom.scheduling.workload import (
    WEIGHT_NICE_0,
    Compute,
    Costs,
    Machine,
    Sleep,
    Thread,
    Workload,
    nice_weight,
)

POLICIES = ("ring", "o1", "cfs", "eevdf", "dwrr", "artis", "exclusive:cfs", "static", "dynamic", "selective")
SWEPT = ("ring", "o1", "cfs", "eevdf", "dwrr")
RUNS, QUICK_RUNS = 240, 30
TICK_US = 1000.0
# Kinds of cases:
COUNTEREXAMPLE, FIVE_ON_FOUR, INFEASIBLE, INTERACTIVE, SWEEP, COARSE, LOCKS, RESERVE = (
    *(
        "counterexample",
        "five on four",
        "infeasible",
        "interactive",
        "sweep",
        "coarse tick",
        "locks",
        "reserve",
    ),
)
PAPER_LOCKS = {"cfs": 12.8319, "dwrr": 7.4515}  # [DWRR]: seconds of sysbench threads on four Cortex-A9
_BASES = ("o1", "cfs", "dwrr")  # that exclusive is put over
_ROUNDS = 12  # of dwrr in a run of the sweep
_HOGS = "hogs"  # threads that never sleep
_INTERACTIVE = "interactive"


@dataclass(frozen=True)
class Case:
    """What is run under one policy after another."""

    kind: str
    name: str
    text: str
    workload: Workload
    machine: Machine
    seconds: float
    policies: tuple[str, ...] = POLICIES
    seed: int = 1
    watched: str = ""  # a thread that sleeps now and then, told of apart from the others


def priority(weight: int) -> int:
    """Linux's static priority of the nice value whose weight is nearest: what o1 goes by."""
    nice = min(range(-20, 20), key=lambda nice: abs(math.log(nice_weight(nice) / weight)))
    return 120 + nice


def hogs(name: str, weights: Sequence[int]) -> Workload:
    """Threads that compute for ever."""
    threads = (Thread(f"T{n + 1}", weight=w, priority=priority(w)) for n, w in enumerate(weights))
    return Workload(name, tuple(threads))


def feasible(weights: Sequence[int], cpus: int) -> list[float]:
    """Chandra and others' weight readjustment: nobody asks for more than a whole CPU."""
    if len(weights) <= cpus:
        return [1.0] * len(weights)
    order = sorted(range(len(weights)), key=lambda n: -weights[n])
    left, total = cpus, sum(weights)
    heavy = 0
    while weights[order[heavy]] * left > total:
        total -= weights[order[heavy]]
        left -= 1
        heavy += 1
    found = [float(weight) for weight in weights]
    for n in order[:heavy]:
        found[n] = total / left
    return found


# --- cases -------------------------------------------------------------------------------------


def counterexample() -> Case:
    """[DWRR]'s: a thread of nice 0 and four of nice 5 on two CPUs."""
    weights = (nice_weight(0), *[nice_weight(5)] * 4)
    text = "[DWRR]'s counter-example: weights 1024 and 4 x 335 on 2 CPUs"
    return Case(COUNTEREXAMPLE, "counterexample", text, hogs("counterexample", weights), Machine(cpus=2), 60)


def five_on_four() -> Case:
    """[DWRR]'s fairness test."""
    weights = [WEIGHT_NICE_0] * 5
    text = "[DWRR]'s fairness test: 5 threads on 4 CPUs"
    return Case(FIVE_ON_FOUR, "five on four", text, hogs("five on four", weights), Machine(cpus=4), 60)


def infeasible() -> list[Case]:
    """Weights that ask for more than a whole CPU."""
    found = []
    for name, weights, cpus in (
        ("one infeasible", (10 * WEIGHT_NICE_0, *[WEIGHT_NICE_0] * 3), 2),
        ("two infeasible", (nice_weight(-20), nice_weight(-15), *[WEIGHT_NICE_0] * 6), 4),
        ("huge and least", (1 << 20, *[1] * 4), 3),
    ):
        text = f"infeasible: weights {', '.join(map(str, weights))} on {cpus} CPUs"
        found.append(Case(INFEASIBLE, name, text, hogs(name, weights), Machine(cpus=cpus), 60, SWEPT))
    return found


def coarse() -> list[Case]:
    """Weights that are nearly infeasible, and slices of the lightest far below a tick: not checked."""
    weights = (*[WEIGHT_NICE_0] * 4, 82, 60, 12, 7, 3)
    load, machine = hogs("coarse", weights), Machine(cpus=8, tick_us=TICK_US)
    wide = replace(machine, slice_us=_wide_enough(weights, TICK_US))
    text = f"weights {', '.join(map(str, weights))} on 8 CPUs, tick {TICK_US / 1000:g} ms, B "
    return [
        Case(
            COARSE,
            f"coarse tick, B {m.slice_us / 1000:g} ms",
            f"{text}{m.slice_us / 1000:g} ms",
            load,
            m,
            60,
            SWEPT,
        )
        for m in (machine, wide)
    ]


def interactive() -> list[Case]:
    """A thread that sleeps now and then among threads that never do."""
    light = (Sleep(10_000, dist="exponential"), Compute(1_000, spread=0.5))
    greedy = (Sleep(5_000, dist="exponential"), Compute(5_000, spread=0.5))  # wants more than its share
    measured = Costs.measured()
    found = []
    for steps, count, costs in (
        *((light, 4, Costs()), (light, 16, Costs()), (greedy, 16, Costs())),
        *([] if measured.ideal else [(light, 16, measured), (greedy, 16, measured)]),
    ):
        what = "1 ms in 11" if steps is light else "5 ms in 10"
        text = f"{what} among {count}{'' if costs.ideal else ', costs of the SoC'}"
        threads = (Thread(_HOGS, count=count), Thread(_INTERACTIVE, steps=steps))
        load, machine = Workload(f"interactive {what}", threads), Machine(cpus=4, costs=costs)
        found.append(
            Case(INTERACTIVE, f"interactive, {text}", text, load, machine, 120, watched=_INTERACTIVE)
        )
    return found


def locks() -> Case:
    """[DWRR]'s sysbench threads."""
    built_in = CASES["mutex"]
    return Case(LOCKS, "locks", built_in.text, built_in.workload, built_in.machine, built_in.seconds)


def reserve() -> list[Case]:
    """[GF]'s Golden-Finger: a thread among others, and with a CPU for itself."""
    built_in = CASES["reserve"]
    load, machine = built_in.workload, built_in.machine
    ((cpu, watched),) = load.reserve
    return [
        Case(RESERVE, f"reserve, {name}", name, made, machine, 60, policies, watched=watched)
        for name, made, policies in (
            ("nothing reserved", replace(load, reserve=()), _BASES),
            (f"CPU {cpu} for it alone", load, tuple(f"exclusive:{base}" for base in _BASES)),
        )
    ]


_WEIGHTS: dict[str, Callable[[random.Random], int]] = {
    "nice": lambda rng: nice_weight(rng.randrange(-20, 20)),
    "uniform": lambda rng: rng.randrange(1, 2 * WEIGHT_NICE_0),
    "powers": lambda rng: 1 << rng.randrange(18),
    "two kinds": lambda rng: rng.choice((rng.randrange(1, 100), WEIGHT_NICE_0)),
}


def sweep(runs: int) -> list[Case]:
    """CPUs, threads and weights at random; the number of the run is its seed."""
    found = []
    for seed in range(1, runs + 1):
        rng = random.Random(seed)
        cpus = rng.choice((2, 3, 4, 6, 8, 12, 16, 32))
        count = rng.randrange(cpus + 1, 5 * cpus + 1)
        kind = rng.choice(list(_WEIGHTS))
        weights = [_WEIGHTS[kind](rng) for _ in range(count)]
        tick = TICK_US if seed % 4 == 0 else 0.0
        machine = Machine(cpus=cpus, tick_us=tick, slice_us=_wide_enough(weights, tick))
        whole_round = sum(feasible(weights, cpus)) / WEIGHT_NICE_0 * machine.slice_us / 1e6 / cpus
        text = f"{count} threads of weights ({kind}) on {cpus} CPUs"
        name = f"sweep {seed}"
        seconds = max(1.0, _ROUNDS * whole_round)
        found.append(Case(SWEEP, name, text, hogs(name, weights), machine, seconds, SWEPT, seed))
    return found


def _wide_enough(weights: Sequence[int], tick_us: float) -> float:
    """B of [DWRR], or what gives the lightest a slice of one tick."""
    return max(Machine().slice_us, tick_us * WEIGHT_NICE_0 / min(weights))


def ticking(case: Case) -> Case:
    """The same where slices end at ticks only."""
    return replace(
        case,
        name=f"{case.name}, tick",
        text=f"{case.text}, tick {TICK_US / 1000:g} ms",
        machine=replace(case.machine, tick_us=TICK_US),
    )


def cases(quick: bool) -> list[Case]:
    first = [counterexample(), five_on_four()]
    named = [*first, *map(ticking, first), *infeasible(), *interactive(), *coarse(), locks(), *reserve()]
    return [*named, *sweep(QUICK_RUNS if quick else RUNS)]


def balance() -> Row:
    """What cfs' own balance rule finds in the counter-example."""
    weights = [str(thread.weight) for thread in counterexample().workload.threads]
    source = Path(__file__).with_name("balance.c")
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "balance"
        build.program(source, program)
        printed = subprocess.run([program, *weights], capture_output=True, text=True, check=True).stdout
    found: Row = json.loads(printed)
    return found


# --- runs --------------------------------------------------------------------------------------


def bound_in_B(case: Case) -> float:
    """What dwrr guarantees."""
    lightest = min(thread.weight for thread in case.workload.threads if thread.name != case.watched)
    return 2 + case.machine.tick_us / case.machine.slice_us * WEIGHT_NICE_0 / lightest


def check(row: Row) -> None:
    """Raise a UserError if a run of dwrr went beyond its bound."""
    small = (
        row["slice_us"] * row["lightest"] < row["tick_us"] * WEIGHT_NICE_0
    )  # the bound needs a tick a slice
    if row["policy"] == "dwrr" and not small and row["gap_in_B"] > row["bound_in_B"]:
        raise UserError(
            f"dwrr breaks its bound in case '{row['case']}' (seed {row['seed']}): "
            f"gap {row['gap_in_B']:.6f} B, bound {row['bound_in_B']:.6f} B"
        )


def _row(case: Case, policy: str, outcome: Outcome) -> Row:
    steady = [thread for thread in outcome.threads if thread.name != case.watched]
    weights = [thread.weight for thread in steady]
    ideal = feasible(weights, case.machine.cpus)
    heavy, light = (
        [n for n, weight in enumerate(weights) if weight == chosen] for chosen in (max(weights), min(weights))
    )

    def ratio(of: Sequence[float]) -> float:
        low = fmean(of[n] for n in light)
        return fmean(of[n] for n in heavy) / low if low else math.inf

    service = [thread.service_us for thread in steady]
    given = [had / due for had, due in zip(service, ideal, strict=True)]
    util = [thread.service_us / outcome.simulated_us for thread in steady]
    seconds = outcome.simulated_us / 1e6
    row: Row = {
        "policy": policy,
        "kind": case.kind,
        "case": case.name,
        "text": case.text,
        "cpus": case.machine.cpus,
        "threads": case.workload.count,
        "seed": case.seed,
        "seconds": round(seconds, 6),
        "tick_us": case.machine.tick_us,
        "slice_us": case.machine.slice_us,
        "lightest": min(weights),
        "costs": not case.machine.costs.ideal,
        "share_ratio": ratio(service),
        "ideal_ratio": ratio(ideal),
        "share_error": max(abs(had / fmean(given) - 1) for had in given),
        "fairness": outcome.fairness,
        "gap_exact": outcome.gap_exact,
        "gap_in_B": outcome.gap_in_B,
        "bound_in_B": bound_in_B(case),
        "utilisation": [round(part, 6) for part in util] if len(util) <= 8 else None,
        "cpu_utilisation": [round(1 - part, 6) for part in outcome.idle_of_cpus],
        "utilisation_stddev": pstdev(util),
        "idle_share": outcome.idle_share,
        "lost_share": outcome.lost_share,
        "held": outcome.held,
        "moved": outcome.moved,
        "migrations": outcome.migrations,
        "migrations_per_s": outcome.migrations / seconds,
        "switches": outcome.switches,
        "switches_per_s": outcome.switches / seconds,
    }
    if not outcome.alive:
        row["ended_ms"] = outcome.simulated_us / 1000
    if case.kind == COUNTEREXAMPLE:
        row["gaps_in_B"] = [gap / case.machine.slice_us for gap in outcome.gap_series_us]
    for thread in outcome.threads:
        if thread.name == case.watched:
            row |= {
                "latency_p50_us": thread.latency_p50_us,
                "latency_p99_us": thread.latency_p99_us,
                "latency_max_us": thread.latency_max_us,
                "waiting_mean_us": thread.waiting_us / max(thread.wakeups, 1),
                "watched_share": thread.service_us / outcome.simulated_us,
            }
    return row


def measure(case: Case, policy: str) -> Row:
    """Run a case under a policy; a UserError if dwrr breaks its bound."""
    row = _row(case, policy, run(case.workload, case.machine, policy, case.seconds, case.seed))
    check(row)
    return row


def jobs(quick: bool) -> list[Job]:
    """A job for each case: its rows, one for each policy."""

    def job(case: Case) -> Job:
        def rows(progress: Progress) -> list[Row]:
            found: list[Row] = []
            for policy in case.policies:
                progress(len(found))  # ends here if another job has failed
                found.append(measure(case, policy))
            return found

        return Job(case.text, rows, case.seconds * case.machine.cpus * len(case.policies))

    return [job(case) for case in cases(quick)]


def run_all(
    wanted: Sequence[Job],
    on_start: Callable[[str], None] | None = None,
    on_done: Callable[[], None] | None = None,
) -> list[Row]:
    return pool.run([], wanted, on_start, on_done)


def figures(rows: Sequence[Row]) -> list[Figure]:
    """What is to be reached."""
    dwrr = [row for row in rows if row["policy"] == "dwrr" and row["kind"] != COARSE]

    def first(policy: str) -> Row:
        return next(row for row in rows if row["kind"] == COUNTEREXAMPLE and row["policy"] == policy)

    fair = first("dwrr")
    off = 100 * abs(fair["share_ratio"] / fair["ideal_ratio"] - 1)
    return [
        Figure(
            "counter-example: T1 over the others under cfs, not less than [DWRR] says",
            round(first("cfs")["share_ratio"], 2),
            at_least=4,
        ),
        Figure("counter-example: the same under dwrr, off its weight (%)", round(off, 2), at_most=1),
        Figure(
            f"worst gap of dwrr over its bound, {len(dwrr)} runs",
            round(max(row["gap_in_B"] / row["bound_in_B"] for row in dwrr), 3),
            at_most=1,
        ),
    ]
