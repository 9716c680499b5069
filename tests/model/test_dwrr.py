# SPDX-License-Identifier: Apache-2.0
"""Policy dwrr on the reference model: threads that never wait get their time by weight, within the bound."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction

import pytest

from coreloom.reference.kernel import GIVE_WAY, SPEC, Config
from coreloom.reference.scenario import Scenario

TICKS = 4000


class Machine(Scenario):
    """Every CPU obeys irq_o and saves at once; service[t] is how many ticks thread t has had."""

    def __init__(self, cpus: int, weights: Sequence[int], slice: int, priorities: Sequence[int]) -> None:
        super().__init__(Config(cpus=cpus, threads=16, priorities=8, policy="dwrr"))
        self.cpus = range(cpus)
        self.service = [0] * len(weights)
        self.do(0, "set_sched_param", 0, word0=priorities[0])
        for priority in priorities[1:]:
            self.thread(0, priority, start=False)
        for tid, weight in enumerate(weights):
            assert self.do(0, "set_weight", tid, word0=weight) == 1
        for tid in range(1, len(weights)):
            self.do(0, "thread_start", tid)
        self.do(0, "slice", word0=slice)
        for cpu in self.cpus[1:]:
            self.switch(cpu, "next")

    def run(self, order: Sequence[int]) -> None:
        """One tick."""
        self.tick()
        for cpu in self.cpus:
            if self.kernel._runs(cpu):
                self.service[self.kernel._current(cpu)] += 1
        for cpu in order:
            if self.kernel.irq(cpu):
                self.do(cpu, "preempt")
            self.save()

    def save(self) -> None:
        for cpu, port in enumerate(self.kernel.cpus):
            if port.switching:
                self.store(cpu, "saved")


def feasible(weights: Sequence[int], cpus: int) -> list[Fraction]:
    """[Surplus Fair Scheduling]: a weight above a CPU's part of all counts as that part."""
    heavy, rest, left = [], sum(weights), cpus
    for tid in sorted(range(len(weights)), key=lambda t: -weights[t]):
        if left == 1 or weights[tid] * left <= rest:
            break
        heavy.append(tid)
        rest -= weights[tid]
        left -= 1
    return [Fraction(rest, left) if t in heavy else Fraction(w) for t, w in enumerate(weights)]


def largest_gap(machine: Machine, weights: Sequence[Fraction], rnd: random.Random) -> Fraction:
    """The largest difference of service for each unit of weight, in ticks."""
    gap = Fraction(0)
    for _ in range(TICKS):
        machine.run(rnd.sample(machine.cpus, len(machine.cpus)))
        had = [service / weight for service, weight in zip(machine.service, weights, strict=True)]
        gap = max(gap, max(had) - min(had))
    return gap


@pytest.mark.parametrize("seed", range(30))
def test_the_gap_is_two_slices_and_a_tick(seed: int) -> None:
    """docs/decisions/0014: at most 2 B, and one tick for the lightest thread."""
    rnd = random.Random(seed)
    cpus = rnd.choice((1, 2, 3, 4))
    weights = [rnd.choice((1, 1, 2, 3, 4, 20, 61, 255)) for _ in range(cpus + rnd.randrange(7))]
    slice = rnd.choice((1, 2, 3, 5, 10))
    normal = feasible(weights, cpus)
    machine = Machine(cpus, weights, slice, [4] * len(weights))
    assert largest_gap(machine, normal, rnd) <= 2 * slice + 1 / min(normal)


@pytest.mark.parametrize("seed", range(20))
def test_priorities_do_not_widen_it(seed: int) -> None:
    """They are the order within a round. (Only an infeasible weight loses time by a higher priority.)"""
    rnd = random.Random(seed)
    cpus = rnd.choice((1, 2, 3))
    weights = [rnd.choice((2, 3, 4)) for _ in range(2 * cpus + rnd.randrange(4))]
    assert feasible(weights, cpus) == weights
    machine = Machine(cpus, weights, 3, [rnd.randrange(2, 7) for _ in weights])
    assert largest_gap(machine, feasible(weights, cpus), rnd) <= 6 + Fraction(1, min(weights))


def test_the_counter_example() -> None:
    """[DWRR]'s case with weights of 8 bits: 61 over 20 is 3.05, where a balance of weights gives 4 : 1."""
    machine = Machine(2, [61, 20, 20, 20, 20], 1, [4] * 5)
    for _ in range(141 * 200):
        machine.run(machine.cpus)
    heavy, *light = machine.service
    assert [heavy, *light] == pytest.approx([61 * 400, *[20 * 400] * 4], abs=2 * 61)
    assert sum(machine.service) == 2 * 141 * 200  # nobody is held for nothing


def test_a_light_thread_is_held() -> None:
    """A thread that has used its slice of the next round waits while a heavier one is in the round before."""
    s = Machine(2, [10, 10, 1, 3], 2, [5, 3, 3, 4])
    held = 0
    for _ in range(300):
        s.run(s.cpus)
        held += sum(port.held for port in s.kernel.cpus)
    assert held > 0


def test_a_sleeper_gains_nothing() -> None:
    """A thread that wakes in a later round has one slice; in its own round, what was left."""
    s = Machine(1, [2, 2], 5, [4, 4])
    s.do(0, "semaphore_create", word0=0)
    assert s.kernel.threads[0].left == 10
    s.tick()
    assert s.switch(0, "semaphore_wait", 0) == GIVE_WAY | 1
    s.do(0, "semaphore_post", 0)
    s.save()
    assert (s.kernel.threads[0].left, s.kernel.threads[0].fresh) == (9, False)
    for _ in range(9):
        s.tick()
    assert s.kernel.threads[1].left == 1
    s.tick()
    assert s.kernel.irq(0) and s.do(0, "preempt") == GIVE_WAY | 0
    s.save()
    s.do(0, "semaphore_wait", 0)
    assert s.steps[-1].words == ((0, GIVE_WAY | 1),)  # the next round begins
    s.save()
    s.do(0, "semaphore_post", 0)
    thread = s.kernel.threads[0]
    assert (thread.fresh, thread.round, s.kernel.round) == (True, 1, 1)
    assert thread.state == SPEC.states["ready"]
