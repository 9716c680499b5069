# SPDX-License-Identifier: Apache-2.0
"""What is run under one policy after another: the cases of [DWRR], its weak points, and many at random."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from coreloom.scheduling.builtin import CASES
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
_BASES = ("o1", "cfs", "dwrr")  # that exclusive is put over
_ROUNDS = 12  # of dwrr in a run of the sweep
_INTERACTIVE = "interactive"
_REALTIME = "artis"  # has a group for real-time threads; all else of this bench is in its other group


class Kind(str, Enum):
    """Of cases; each has a table."""

    COUNTEREXAMPLE = "counterexample"
    FIVE_ON_FOUR = "five on four"
    INFEASIBLE = "infeasible"
    INTERACTIVE = "interactive"
    SWEEP = "sweep"
    COARSE = "coarse tick"
    LOCKS = "locks"
    RESERVE = "reserve"
    SETTINGS = "settings"


@dataclass(frozen=True)
class Case:
    """A workload on a machine, and the policies that it is run under."""

    kind: Kind
    name: str
    text: str
    workload: Workload
    machine: Machine
    seconds: float = 60
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


def counterexample() -> Case:
    """[DWRR]'s: a thread of nice 0 and four of nice 5 on two CPUs."""
    load = hogs("counterexample", (nice_weight(0), *[nice_weight(5)] * 4))
    text = "[DWRR]'s counter-example: weights 1024 and 4 x 335 on 2 CPUs"
    return Case(Kind.COUNTEREXAMPLE, load.name, text, load, Machine(cpus=2))


def five_on_four() -> Case:
    """[DWRR]'s fairness test."""
    load = hogs("five on four", [WEIGHT_NICE_0] * 5)
    text = "[DWRR]'s fairness test: 5 threads on 4 CPUs"
    return Case(Kind.FIVE_ON_FOUR, load.name, text, load, Machine(cpus=4))


def ticking(case: Case) -> Case:
    """The same where slices end at ticks only."""
    return replace(
        case,
        name=f"{case.name}, tick",
        text=f"{case.text}, tick {TICK_US / 1000:g} ms",
        machine=replace(case.machine, tick_us=TICK_US),
    )


def infeasible() -> list[Case]:
    """Weights that ask for more than a whole CPU."""
    found = []
    for name, weights, cpus in (
        ("one infeasible", (10 * WEIGHT_NICE_0, *[WEIGHT_NICE_0] * 3), 2),
        ("two infeasible", (nice_weight(-20), nice_weight(-15), *[WEIGHT_NICE_0] * 6), 4),
        ("huge and least", (1 << 20, *[1] * 4), 3),
    ):
        text = f"infeasible: weights {', '.join(map(str, weights))} on {cpus} CPUs"
        found.append(
            Case(Kind.INFEASIBLE, name, text, hogs(name, weights), Machine(cpus=cpus), policies=SWEPT)
        )
    return found


def coarse() -> list[Case]:
    """Weights that are nearly infeasible, and slices of the lightest far below a tick: not checked."""
    weights = (*[WEIGHT_NICE_0] * 4, 82, 60, 12, 7, 3)
    load, machine = hogs("coarse", weights), Machine(cpus=8, tick_us=TICK_US)
    found = []
    for slice_us in (machine.slice_us, _wide_enough(weights, TICK_US)):
        wide = f"B {slice_us / 1000:g} ms"
        text = f"weights {', '.join(map(str, weights))} on 8 CPUs, tick {TICK_US / 1000:g} ms, {wide}"
        on = replace(machine, slice_us=slice_us)
        found.append(Case(Kind.COARSE, f"coarse tick, {wide}", text, load, on, policies=SWEPT))
    return found


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
        for realtime in (False, True):
            threads = (Thread("hogs", count=count), Thread(_INTERACTIVE, steps=steps, realtime=realtime))
            load, machine = Workload(f"interactive {what}", threads), Machine(cpus=4, costs=costs)
            also, policies = (", real-time", (_REALTIME,)) if realtime else ("", POLICIES)
            name = f"interactive, {text}{also}"
            case = Case(Kind.INTERACTIVE, name, text + also, load, machine, 120, policies)
            found.append(replace(case, watched=_INTERACTIVE))
    return found


def locks() -> Case:
    """[DWRR]'s sysbench threads, with fewer events."""
    built_in = CASES["mutex"]
    return Case(Kind.LOCKS, "locks", built_in.text, built_in.workload, built_in.machine, built_in.seconds)


GRANULARITIES_MS = (0.75, 0.5, 0.25)


def settings() -> list[Case]:
    """[DWRR]'s two tests with its settings of cfs, and sysbench threads where switching costs something."""
    measured = Costs.measured()
    found = []
    for case, costs in (
        *((five_on_four(), Costs()), (locks(), Costs())),
        *([] if measured.ideal else [(locks(), measured)]),
    ):
        text = case.name if costs.ideal else f"{case.name}, costs of the SoC"
        machine = replace(case.machine, costs=costs)
        found.append(
            replace(
                case,
                kind=Kind.SETTINGS,
                name=f"{text}, 25 ms",
                text=text,
                machine=machine,
                policies=("dwrr",),
            )
        )
        for ms in GRANULARITIES_MS:
            linux = replace(machine, latency_us=6_000, granularity_us=1000 * ms, latency_threads=8)
            name = f"{text}, granularity {ms:g} ms"
            found.append(
                replace(case, kind=Kind.SETTINGS, name=name, text=name, machine=linux, policies=("cfs",))
            )
    return found


def reserve() -> list[Case]:
    """[GF]'s Golden-Finger: a thread among others, and with a CPU for itself."""
    load, machine = CASES["reserve"].workload, CASES["reserve"].machine
    ((cpu, watched),) = load.reserve
    return [
        Case(Kind.RESERVE, f"reserve, {name}", name, made, machine, policies=policies, watched=watched)
        for name, made, policies in (
            ("nothing reserved", replace(load, reserve=()), _BASES),
            (f"CPU {cpu} reserved for it", load, tuple(f"exclusive:{base}" for base in _BASES)),
        )
    ]


_WEIGHTS: dict[str, Callable[[random.Random], int]] = {
    "nice": lambda rng: nice_weight(rng.randrange(-20, 20)),
    "uniform": lambda rng: rng.randrange(1, 2 * WEIGHT_NICE_0),
    "powers": lambda rng: 1 << rng.randrange(18),
    "two kinds": lambda rng: rng.choice((rng.randrange(1, 100), WEIGHT_NICE_0)),
}


def sweep(runs: int) -> list[Case]:
    """Random CPUs, threads and weights; the number of the run is its seed."""
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
        found.append(Case(Kind.SWEEP, name, text, hogs(name, weights), machine, seconds, SWEPT, seed))
    return found


def _wide_enough(weights: Sequence[int], tick_us: float) -> float:
    """B of [DWRR], or what gives the lightest a slice of one tick."""
    return max(Machine().slice_us, tick_us * WEIGHT_NICE_0 / min(weights))


def cases(quick: bool, runs: int | None = None) -> list[Case]:
    """All of them; runs: random cases, if not the usual number."""
    first = [counterexample(), five_on_four()]
    named = [
        *first,
        *map(ticking, first),
        *infeasible(),
        *interactive(),
        *coarse(),
        locks(),
        *settings(),
        *reserve(),
    ]
    return [*named, *sweep(runs or (QUICK_RUNS if quick else RUNS))]
