# SPDX-License-Identifier: Apache-2.0
"""o1: 140 priorities, two arrays, slices by nice, balance by number."""

from __future__ import annotations

import pytest

from policies.machine import ANY_CPU, Machine, storm

SLICE = 100_000  # 100 ms in us, as in Linux


def free(m: Machine, *cpus: int, priority: int = 120) -> list[int]:
    """Threads started on these CPUs, which may go anywhere afterwards."""
    threads = [m.start(home=cpu, priority=priority) for cpu in cpus]
    for thread in threads:
        m.home(thread, ANY_CPU)
    return threads


@pytest.mark.parametrize(
    ("nice", "ms"), [(-20, 800), (-10, 600), (-1, 420), (0, 100), (1, 95), (10, 50), (18, 10), (19, 5)]
)
def test_slices_by_nice_are_those_of_linux(nice: int, ms: int) -> None:
    m = Machine("o1", slice=SLICE)
    m.start(priority=120 + nice)
    m.start(priority=120 + nice)
    m.step(1 << 40)
    assert m.now == ms * 1000


def test_a_slice_follows_the_tuning() -> None:
    m = Machine("o1", slice=SLICE)
    m.slice(SLICE // 4)
    m.start()
    m.start()
    m.step(1 << 40)
    assert m.now == SLICE // 4


def test_a_slice_is_never_empty() -> None:
    """A 20th of the tuning is at least 1."""
    m = Machine("o1", slice=10)
    m.start()
    m.start()
    m.step(1 << 40)
    assert m.now == 20


def test_the_best_priority_runs_each_once_before_anybody_twice() -> None:
    m = Machine("o1", slice=SLICE)
    low, high, middle = (m.start(priority=priority) for priority in (139, 100, 125))
    assert m.order(0) == [high, middle, low]
    m.run(800_000)
    assert m.running == [middle]
    m.run(875_000)
    assert m.running == [low]
    m.run(880_000)
    assert m.running == [high]
    assert m.services() == [5_000, 800_000, 75_000]


def test_equals_take_turns() -> None:
    m = Machine("o1", slice=SLICE)
    for _ in range(3):
        m.start()
    assert m.order(0) == [0, 1, 2]
    m.run(SLICE)
    assert m.running == [1]
    m.run(30 * SLICE)
    assert m.services() == [10 * SLICE] * 3


def test_realtime_is_before_all_others_and_never_expires() -> None:
    m = Machine("o1", slice=SLICE)
    ordinary, second, first = m.start(priority=100), m.start(priority=99), m.start(priority=0)
    assert m.order(0) == [first, second, ordinary]
    equal = m.start(priority=0)
    m.run(10 * SLICE)
    assert [m.view(thread).service for thread in (first, equal, second, ordinary)] == [
        5 * SLICE,
        5 * SLICE,
        0,
        0,
    ]


def test_a_better_priority_preempts_and_who_was_preempted_goes_on_first() -> None:
    m = Machine("o1", slice=SLICE)
    runs, waits = m.start(), m.start()
    sleeper = m.thread(priority=110)
    m.run(30_000)
    m.wake(sleeper, settle=False)
    assert m.need_resched == {0}
    m.settle()
    assert m.order(0) == [sleeper, runs, waits]
    m.block(sleeper)
    m.run(SLICE)
    assert m.running == [waits]
    assert m.view(runs).service == SLICE


def test_an_equal_priority_does_not_preempt() -> None:
    m = Machine("o1", slice=SLICE)
    m.start()
    second = m.thread()
    m.wake(second, settle=False)
    assert m.need_resched == set()


def test_a_sleeper_keeps_the_rest_of_its_slice() -> None:
    m = Machine("o1", slice=SLICE)
    sleeper, other = m.start(), m.start()
    m.run(40_000)
    m.block(sleeper)
    m.run(50_000)
    m.wake(sleeper)
    m.run(50_000 + 90_000)
    assert m.running == [sleeper]
    m.run(140_000 + 60_000)
    assert m.running == [other]
    assert m.view(sleeper).service == SLICE


def test_who_yields_waits_until_the_arrays_change() -> None:
    m = Machine("o1", slice=SLICE)
    better, worse, worst = m.start(priority=110), m.start(priority=120), m.start(priority=130)
    m.yield_(0)
    assert m.order(0) == [worse, worst, better]
    realtime, equal = m.start(priority=50), m.start(priority=50)
    m.yield_(0)
    assert m.order(0)[:2] == [equal, realtime]


# --- where it runs


def test_threads_spread_and_wake_where_they_were() -> None:
    m = Machine("o1", 3, slice=SLICE)
    threads = [m.start() for _ in range(6)]
    assert [m.queued(cpu) for cpu in range(3)] == [1, 1, 1]
    m.block(threads[4])
    m.wake(threads[4])
    assert m.view(threads[4]).cpu == 1


@pytest.mark.parametrize(
    ("busy", "own", "moves"),
    [(4, 3, 0), (5, 4, 0), (5, 3, 1), (4, 2, 1), (8, 7, 0), (8, 6, 1), (9, 7, 0), (3, 1, 1), (10, 1, 4)],
)
def test_a_quarter_more_is_needed_and_half_of_it_moves(busy: int, own: int, moves: int) -> None:
    m = Machine("o1", 2, slice=SLICE)
    free(m, *[0] * busy, *[1] * own)
    assert m.balance(1) == moves
    assert [m.queued(0) + 1, m.queued(1) + 1] == [busy - moves, own + moves]
    assert m.moved == moves
    assert m.balance(0) == 0


def test_expired_threads_move_first_and_the_best_of_them() -> None:
    m = Machine("o1", 2, slice=SLICE)
    m.start(home=1, priority=100)
    first, second, third, fourth = free(m, 0, 0, 0, 0)
    m.run(SLICE)
    assert m.running[0] == second  # first has expired
    assert m.balance(1) == 1
    assert [m.view(thread).cpu for thread in (first, second, third, fourth)] == [1, 0, 0, 0]


def test_an_idle_cpu_takes_half_of_the_busiest() -> None:
    m = Machine("o1", 3, slice=SLICE)
    free(m, *[0] * 4, *[1] * 7)
    last = m.start()
    assert m.moved == 0
    m.block(last)
    assert [m.queued(cpu) for cpu in range(3)] == [3, 3, 2]
    assert m.moved == 3


def test_an_idle_cpu_goes_on_to_the_next_if_the_busiest_may_not_give() -> None:
    m = Machine("o1", 3, slice=SLICE)
    for _ in range(2):
        m.start(home=0)
    free(m, 1, 1)
    m.block(m.start())
    assert [m.queued(0), m.queued(1)] == [1, 0]
    assert m.current(2) is not None


def test_a_reserved_cpu_is_left_alone() -> None:
    m = Machine("o1", 2, slice=SLICE)
    owner = m.thread(home=1)
    m.own(1, owner)
    for _ in range(6):
        m.start()
    assert m.queued(0) == 5
    assert m.balance(1) == 0
    assert m.current(1) is None
    m.wake(owner)
    assert m.current(1) == owner
    m.run(10 * SLICE)
    assert m.current(1) == owner


@pytest.mark.parametrize("cpus", [1, 2, 5])
@pytest.mark.parametrize("grain", [0, 400])
def test_random_threads(cpus: int, grain: int) -> None:
    storm(Machine("o1", cpus, slice=1000, grain=grain), seed=cpus, steps=3000, busy=True)
