# SPDX-License-Identifier: Apache-2.0
"""artis: two groups of CPUs and of threads, and the FIFOs between them."""

from __future__ import annotations

import random

import pytest

from policies.machine import ANY_CPU, Machine, storm

SLICE = 1000


def machine(cpus: int, realtime_cpus: int, *, grain: int = 0) -> Machine:
    return Machine("artis", cpus, slice=SLICE, realtime_cpus=realtime_cpus, grain=grain)


def start(m: Machine, *, realtime: bool = False, home: int = ANY_CPU) -> int:
    thread = m.thread(realtime=realtime, home=home)
    m.wake(thread)
    return thread


def test_each_kind_prefers_its_group() -> None:
    m = machine(4, 2)
    ordinary = [start(m) for _ in range(2)]
    realtime = [start(m, realtime=True) for _ in range(2)]
    assert m.running == [*realtime, *ordinary]


def test_others_use_a_realtime_cpu_while_it_is_free() -> None:
    m = machine(3, 1)
    ordinary = [start(m) for _ in range(3)]
    assert m.running == [ordinary[2], ordinary[0], ordinary[1]]
    m.run(10 * SLICE)
    assert m.services() == [10 * SLICE] * 3


def test_they_leave_when_a_realtime_thread_comes_at_once() -> None:
    m = machine(3, 1)
    first, second, guest = (start(m) for _ in range(3))
    m.run(100)
    realtime = m.thread(realtime=True)
    m.wake(realtime, settle=False)
    assert m.need_resched == {0}
    m.settle()
    assert m.running == [realtime, first, second]
    assert m.view(guest).queued
    m.run(SLICE)  # CPU 1 looks first, and takes it from the FIFO
    assert m.view(guest).cpu == 1
    assert m.running[0] == realtime
    m.run(2 * SLICE)
    assert m.running == [realtime, guest, second]
    assert m.moved == 1


def test_they_come_back_when_it_blocks() -> None:
    m = machine(2, 1)
    realtime = start(m, realtime=True)
    one, two = start(m), start(m)
    assert m.running == [realtime, one]
    m.block(realtime)
    assert m.running == [two, one]
    m.wake(realtime)
    assert m.running == [realtime, one]


def test_surplus_realtime_threads_go_to_the_others_cpus_and_return() -> None:
    m = machine(3, 1)
    ordinary = [start(m) for _ in range(2)]
    first, second = start(m, realtime=True), start(m, realtime=True)
    assert m.running == [first, second, ordinary[1]]
    assert m.view(ordinary[0]).queued
    m.run(10 * SLICE)
    assert m.running[:2] == [first, second]
    m.block(first)
    assert m.running[0] == second
    assert set(m.running[1:]) == set(ordinary)


def test_a_surplus_thread_prefers_an_idle_cpu() -> None:
    m = machine(3, 1)
    ordinary = start(m)
    first, second = start(m, realtime=True), start(m, realtime=True)
    assert m.running == [first, ordinary, second]


def test_more_realtime_threads_than_cpus_take_turns() -> None:
    m = machine(2, 1)
    ordinary = start(m)
    realtime = [start(m, realtime=True) for _ in range(4)]
    m.run(40 * SLICE)
    assert m.view(ordinary).service == 0
    assert [m.view(thread).service for thread in realtime] == [20 * SLICE] * 4


def test_realtime_threads_are_first_in_first_out() -> None:
    m = machine(1, 1)
    first, second, third = (start(m, realtime=True) for _ in range(3))
    ordinary = start(m)
    assert m.order(0) == [first, second, third, ordinary]
    m.run(300)
    m.block(first)
    m.wake(first)
    assert m.order(0) == [second, third, first, ordinary]


def test_all_moves_pass_through_the_fifo_when_a_cpu_looks() -> None:
    """A busy NRT CPU takes one of those who had to leave at each look, and not before."""
    m = machine(3, 2)
    ordinary = [start(m) for _ in range(3)]
    assert m.running == [ordinary[1], ordinary[2], ordinary[0]]
    m.run(10)
    realtime = [start(m, realtime=True) for _ in range(2)]
    assert m.running == [*realtime, ordinary[0]]
    assert m.moved == 0
    m.run(SLICE)
    assert m.moved == 1
    m.run(2 * SLICE)
    assert m.moved == 2
    assert {m.view(thread).cpu for thread in ordinary} == {2}


def test_balance_evens_out_the_number_one_at_a_time() -> None:
    m = machine(3, 1)
    realtime = start(m, realtime=True)
    threads = [start(m) for _ in range(8)]
    on_two = [thread for thread in threads if m.view(thread).cpu == 2]
    assert len(on_two) == 4
    for thread in on_two[1:]:
        m.block(thread)
    assert m.balance(2) == 0
    assert m.balance(1) == 1
    assert sorted(m.view(thread).cpu for thread in threads if m.view(thread).runnable) == [1, 1, 1, 2, 2]
    assert m.moved == 1
    assert m.balance(1) == 0
    assert m.running[0] == realtime


def test_balance_uses_a_realtime_cpu_while_it_is_free() -> None:
    m = machine(2, 1)
    threads = [start(m, realtime=True), *(start(m) for _ in range(5))]
    m.block(threads[0])
    assert m.running[0] is not None
    m.balance(1)
    counts = [sum(m.view(thread).cpu == cpu for thread in threads[1:]) for cpu in range(2)]
    assert counts == [2, 3]
    m.wake(threads[0])
    assert m.running[0] == threads[0]
    m.run(4 * SLICE)
    assert {m.view(thread).cpu for thread in threads[1:]} == {1}


def test_an_idle_cpu_asks_and_is_given() -> None:
    m = machine(4, 1)
    realtime = start(m, realtime=True)
    threads = [start(m) for _ in range(7)]
    assert m.running[0] == realtime
    on_three = [thread for thread in threads if m.view(thread).cpu == 3]
    for thread in on_three:
        m.block(thread)
    assert m.running[3] is not None
    m.check(busy=True)


def test_without_a_group_the_other_does_it_all() -> None:
    for realtime_cpus in (0, 2, 5):
        m = machine(2, realtime_cpus)
        ordinary, realtime = start(m), start(m, realtime=True)
        assert set(m.running) == {ordinary, realtime}
        start(m, realtime=True)
        m.run(10 * SLICE)
        assert m.view(ordinary).service == 0
        m.check(busy=True)


def test_a_reserved_cpu_is_left_alone() -> None:
    m = machine(3, 1)
    owner = m.thread(home=0)
    m.own(0, owner)
    realtime, *others = start(m, realtime=True), start(m), start(m), start(m)
    assert m.running[0] is None
    assert realtime in m.running
    m.run(10 * SLICE)
    assert m.running[0] is None
    m.wake(owner)
    assert m.running[0] == owner
    m.check(busy=True)
    assert sum(m.view(thread).service for thread in (realtime, *others)) == 20 * SLICE


@pytest.mark.parametrize(("cpus", "realtime_cpus"), [(1, 0), (1, 1), (2, 1), (4, 1), (5, 3), (4, 4)])
@pytest.mark.parametrize("grain", [0, 400])
def test_random_threads(cpus: int, realtime_cpus: int, grain: int) -> None:
    m = machine(cpus, realtime_cpus, grain=grain)
    storm(m, seed=random.Random(cpus).randrange(100), steps=3000, busy=True)
