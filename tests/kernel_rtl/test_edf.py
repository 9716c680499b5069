# SPDX-License-Identifier: Apache-2.0
"""Policy edf: the earliest deadline runs first, in the model and on the RTL."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import pytest

from coreloom.reference.kernel import GIVE_WAY, Config
from coreloom.reference.scenario import Scenario
from coreloom.simulation.harness.kernel_port import play

from .harness import run

CONFIG = Config(cpus=1, threads=16, priorities=8, policy="edf")
MAIN = CONFIG.main_priority
SEMAPHORE = 1 << 10  # a binding's kind
Task = tuple[int, int]  # ticks of work, period and relative deadline


class Machine(Scenario):
    def timed(self, ticks: int, priority: int = MAIN, start: bool = True) -> int:
        """A new thread with a deadline."""
        tid = self.thread(0, priority, start=False)
        self.do(0, "set_deadline", tid, word0=ticks)
        if start:
            self.do(0, "thread_start", tid)
        return tid

    @property
    def irq(self) -> int:
        return self.steps[-1].irq


def test_the_earlier_deadline_preempts_and_an_equal_one_does_not(tmp_path: Path) -> None:
    s = Machine(CONFIG)
    first = s.timed(20)
    assert s.irq == 1 and s.switch(0, "preempt") == GIVE_WAY | first
    equal = s.timed(20)
    assert s.irq == 0 and s.do(0, "preempt") == 0
    earlier = s.timed(19)
    assert s.irq == 1 and s.switch(0, "preempt") == GIVE_WAY | earlier
    assert s.switch(0, "thread_exit") == GIVE_WAY | first  # it kept its place before its equal
    assert s.switch(0, "yield") == GIVE_WAY | equal
    assert s.switch(0, "thread_exit") == GIVE_WAY | first
    assert s.switch(0, "thread_exit") == GIVE_WAY | 0
    run(s, tmp_path)


def test_a_missed_deadline_is_first_and_priorities_are_last(tmp_path: Path) -> None:
    s = Machine(CONFIG)
    late, far, top = s.timed(5), s.timed(32767), s.thread(0, CONFIG.priorities - 1)
    for _ in range(9):
        s.tick()
    soon = s.timed(1)
    order = [late, soon, far, top, 0]
    assert s.switch(0, "preempt") == GIVE_WAY | order[0]
    for tid in order[1:]:
        assert s.switch(0, "thread_exit") == GIVE_WAY | tid
    run(s, tmp_path)


def test_the_deadline_is_counted_from_becoming_ready(tmp_path: Path) -> None:
    """Being preempted or giving way does not begin the deadline again."""
    s = Machine(CONFIG)
    s.do(0, "semaphore_create", word0=0)
    a = s.timed(10)
    assert s.switch(0, "preempt") == GIVE_WAY | a
    b = s.timed(12)
    for _ in range(4):
        s.tick()
    assert s.switch(0, "semaphore_wait", 0) == GIVE_WAY | b
    s.do(0, "semaphore_post", 0)  # until 14 now, b until 12
    assert s.irq == 0
    c = s.timed(6)
    assert s.irq == 1 and s.switch(0, "preempt") == GIVE_WAY | c
    for _ in range(9):
        s.tick()
    for tid in (b, a, 0):
        assert s.switch(0, "thread_exit") == GIVE_WAY | tid
    run(s, tmp_path)


def test_set_deadline_moves_a_ready_thread_and_judges_the_running_one(tmp_path: Path) -> None:
    s = Machine(CONFIG)
    a, b = s.timed(10), s.timed(20)
    assert s.do(0, "set_deadline", b, word0=5) == 20
    assert s.switch(0, "preempt") == GIVE_WAY | b
    assert s.irq == 0 and s.do(0, "set_deadline", b, word0=11) == 5
    assert s.irq == 1 and s.switch(0, "preempt") == GIVE_WAY | a
    assert s.do(0, "set_deadline", a, word0=0) == 10  # none
    assert s.switch(0, "preempt") == GIVE_WAY | b
    assert s.do(0, "set_sched_param", b, word0=0) == MAIN
    assert s.irq == 0  # its deadline counts
    assert s.switch(0, "thread_exit") == GIVE_WAY | a  # preempted, it kept the head of its priority
    run(s, tmp_path)


def test_wait_lists_are_by_deadline(tmp_path: Path) -> None:
    s = Machine(CONFIG)
    s.do(0, "semaphore_create", word0=0)
    tids = [s.timed(ticks) for ticks in (30, 10, 20)] + [s.thread(0, MAIN + 1)]
    for _ in tids:
        s.switch(0, "yield")
        s.switch(0, "semaphore_wait", 0)
    for tid in (tids[1], tids[2], tids[0], tids[3]):
        s.do(0, "semaphore_post", 0)
        assert s.kernel.threads[tid].state == 2
        s.do(0, "remove", tid)
    run(s, tmp_path)


def test_the_numbers_of_deadlines_wrap(tmp_path: Path) -> None:
    """They are kept modulo 2**17 ticks."""
    s = Machine(CONFIG)
    for _ in range((1 << 17) - 50):
        s.tick()
    late, far, near = s.timed(40), s.timed(32767), s.timed(60)
    for _ in range(100):
        s.tick()
    now = s.timed(0x100)
    assert s.switch(0, "preempt") == GIVE_WAY | late
    for tid in (near, now, far, 0):
        assert s.switch(0, "thread_exit") == GIVE_WAY | tid
    play(s.kernel.config, s.steps, 0, tmp_path)


def periodic(tasks: Sequence[Task], ticks: int, policy: str = "edf") -> tuple[Machine, int]:
    """How many jobs end too late. Thread n + 1 is task n: each edge of line n gives it work.

    Operations take no time; with the policy priority a shorter period is a higher priority.
    """
    s = Machine(Config(cpus=1, threads=16, priorities=16, policy=policy))
    rates = sorted(tasks, key=lambda task: -task[1])
    for n, task in enumerate(tasks):
        s.do(0, "semaphore_create", word0=0)
        s.do(0, "interrupt_bind", n, word0=SEMAPHORE | n)
        tid = s.timed(task[1]) if policy == "edf" else s.thread(0, 9 + rates.index(task))
        assert s.switch(0, "yield") == GIVE_WAY | tid
        assert s.switch(0, "semaphore_wait", n) == GIVE_WAY
    s.do(0, "thread_exit")
    left, due, missed = [0] * len(tasks), [0] * len(tasks), 0
    for now in range(ticks):
        for n, (work, period) in enumerate(tasks):
            if now % period == 0:
                missed += left[n] > 0
                left[n] += work
                due[n] = now + period
                s.line(n)
        if s.kernel.cpus[0].switching:
            s.store(0, "saved")
        if s.irq:
            s.switch(0, "preempt")
        s.tick()
        if s.kernel.idle(0):
            continue
        n = s.kernel._current(0) - 1
        left[n] -= 1
        if left[n] == 0:
            missed += now + 1 > due[n]
            s.do(0, "semaphore_wait", n)
            if s.kernel.cpus[0].switching:
                s.store(0, "saved")
    return s, missed


def random_tasks(rnd: random.Random) -> list[Task]:
    """Up to 8 that use the processor nearly or wholly."""
    tasks: list[Task] = []
    free = Fraction(1)
    while len(tasks) < 8:
        period = rnd.randrange(2, 40)
        most = int(free * period)
        if most == 0:
            break
        work = rnd.randint(1, most)
        tasks.append((work, period))
        free -= Fraction(work, period)
    return tasks


@pytest.mark.parametrize("seed", range(40))
def test_all_deadlines_are_met_up_to_full_use(seed: int) -> None:
    """EDF is optimal on one processor, so every deadline is met."""
    tasks = random_tasks(random.Random(seed))
    _, missed = periodic(tasks, 400)
    assert missed == 0, tasks


def test_where_fixed_priorities_miss(tmp_path: Path) -> None:
    """Use 34/35: rate-monotonic priorities miss a deadline in the first period; then the RTL by deadline."""
    tasks = [(2, 5), (4, 7)]
    assert periodic(tasks, 70, "priority")[1] > 0
    machine, missed = periodic(tasks, 35 * 10)
    assert missed == 0
    run(machine, tmp_path)


def test_full_use_on_the_rtl(tmp_path: Path) -> None:
    machine, missed = periodic([(1, 2), (1, 4), (1, 6), (1, 12)], 240)
    assert missed == 0
    run(machine, tmp_path)
