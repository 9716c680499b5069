# SPDX-License-Identifier: Apache-2.0
"""ring: one queue for all CPUs, the best goodness, epochs."""

from __future__ import annotations

import pytest

from policies.machine import Machine, storm

SLICE = 1000


def test_everybody_gets_its_slice_once_an_epoch_longest_remainder_first() -> None:
    m = Machine("ring", slice=SLICE)
    light, heavy, middle = m.thread(512), m.thread(4096), m.thread(1024)
    for thread in (light, heavy, middle):
        m.wake(thread, settle=False)
    m.settle()
    assert m.order(0) == [heavy, middle, light]
    m.run(4000)
    assert m.running == [middle]
    m.run(5500)
    assert m.services() == [500, 4000, 1000]
    m.run(4 * 5500)
    assert m.services() == [2000, 16000, 4000]


def test_of_equals_who_came_last_is_first_as_linux_puts_it_in_front() -> None:
    m = Machine("ring", slice=SLICE)
    first, second, third = (m.start() for _ in range(3))
    assert m.order(0) == [first, third, second]


def test_a_cpu_prefers_who_ran_there_last_by_two_and_a_half_slices() -> None:
    m = Machine("ring", 2, slice=SLICE)
    ours, theirs = m.start(2048), m.start(4096)
    assert m.running == [ours, theirs]
    m.block(ours)
    m.block(theirs)
    blocker = [m.start(1 << 20), m.start(1 << 20)]
    m.wake(ours)
    m.wake(theirs)
    assert (m.order(0)[1:], m.order(1)[1:]) == ([ours, theirs], [theirs, ours])
    assert m.running == blocker


def test_realtime_comes_first_by_priority_and_takes_turns() -> None:
    m = Machine("ring", slice=SLICE)
    ordinary = m.start(1 << 20)
    urgent, less = m.start(priority=10), m.start(priority=20)
    assert m.order(0) == [urgent, less, ordinary]
    same = m.start(priority=10)
    m.run(SLICE)
    assert m.running == [same]
    m.run(2 * SLICE)
    assert m.running == [urgent]
    m.run(10 * SLICE)
    assert m.services() == [0, 5 * SLICE, 0, 5 * SLICE]


def test_who_sleeps_keeps_half_of_its_remainder_up_to_two_slices() -> None:
    m = Machine("ring", slice=SLICE)
    awake, sleeper = m.start(), m.start()
    m.block(sleeper)
    m.run(3 * SLICE)
    m.wake(sleeper)
    assert m.view(sleeper).left == 1875
    assert m.running == [sleeper]
    m.block(sleeper)
    m.run(300 * SLICE)
    m.wake(sleeper)
    assert m.view(sleeper).left == 2 * SLICE - 1
    assert m.view(awake).queued


def test_a_woken_thread_preempts_where_it_is_better_by_most() -> None:
    m = Machine("ring", 2, slice=SLICE)
    m.start(512)
    m.start(2048)
    big = m.thread(4096)
    m.wake(big, settle=False)
    assert m.need_resched == {0}
    m.settle()
    small = m.thread(1)
    m.wake(small, settle=False)
    assert m.need_resched == set()


def test_who_yields_is_passed_over_once() -> None:
    m = Machine("ring", slice=SLICE)
    big, small = m.start(4096), m.start(512)
    m.run(100)
    assert m.running == [big]
    m.yield_(0)
    assert m.running == [small]
    m.yield_(0)
    assert m.running == [big]
    m.block(small)
    m.yield_(0)
    assert m.running == [big]


def test_one_queue_feeds_every_cpu() -> None:
    m = Machine("ring", 3, slice=SLICE)
    for _ in range(5):
        m.start()
    m.run(30 * SLICE)
    m.check(busy=True)
    assert sum(m.services()) == 90 * SLICE
    assert max(m.services()) - min(m.services()) <= 2 * SLICE


@pytest.mark.parametrize("cpus", [1, 2, 5])
def test_random_threads(cpus: int) -> None:
    storm(Machine("ring", cpus, slice=SLICE), seed=cpus, steps=3000, busy=True)
