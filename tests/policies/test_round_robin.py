# SPDX-License-Identifier: Apache-2.0
"""static, dynamic and selective: turns, and where a thread goes."""

from __future__ import annotations

import pytest

from policies.machine import Machine, storm

SLICE = 1000
WARM = 500
ALL = ["static", "dynamic", "selective"]


@pytest.mark.parametrize("policy", ALL)
def test_turns_by_arrival_whatever_the_weight(policy: str) -> None:
    m = Machine(policy, slice=SLICE, warm=WARM)
    first, second, third = m.start(1), m.start(1 << 20), m.start(1024)
    assert m.order(0) == [first, second, third]
    m.run(SLICE)
    assert m.order(0) == [second, third, first]
    m.run(30 * SLICE)
    assert m.services() == [10 * SLICE] * 3


@pytest.mark.parametrize("policy", ALL)
def test_who_yields_or_wakes_goes_to_the_end_with_a_new_slice(policy: str) -> None:
    m = Machine(policy, slice=SLICE, warm=WARM)
    first, second, third = (m.start() for _ in range(3))
    m.run(300)
    m.yield_(0)
    assert m.order(0) == [second, third, first]
    m.run(600)
    m.block(second)
    m.wake(second)
    assert m.order(0) == [third, first, second]
    m.run(1600)
    assert m.running == [first]


@pytest.mark.parametrize("policy", ALL)
def test_who_is_preempted_keeps_its_turn_and_the_rest_of_its_slice(policy: str) -> None:
    m = Machine(policy, slice=SLICE, warm=WARM)
    first, second = m.start(), m.start()
    m.run(300)
    m.resched(0)
    assert m.order(0) == [first, second]
    m.run(SLICE)
    assert m.running == [second]


@pytest.mark.parametrize("policy", ALL)
def test_a_thread_with_a_home_runs_only_there(policy: str) -> None:
    m = Machine(policy, 2, slice=SLICE, warm=WARM)
    bound = [m.start(home=1) for _ in range(2)]
    m.run(4 * SLICE)
    assert m.running[0] is None
    assert [m.services()[thread] for thread in bound] == [2 * SLICE] * 2


def test_static_deals_to_the_cpu_with_the_fewest_and_stays() -> None:
    m = Machine("static", 3, slice=SLICE)
    m.start(home=0)
    m.start(home=0)
    dealt = [m.start() for _ in range(5)]
    assert [m.view(thread).cpu for thread in dealt] == [1, 2, 1, 2, 0]
    for thread in dealt[:4]:
        m.block(thread)
    assert m.running[1:] == [None, None]
    m.wake(dealt[3])
    assert m.running[1:] == [None, dealt[3]]
    m.run(30 * SLICE)
    assert (m.migrations, m.view(dealt[4]).cpu) == (0, 0)


def test_static_deals_anew_if_the_cpu_is_reserved() -> None:
    m = Machine("static", 2, slice=SLICE)
    first, second = m.start(), m.start()
    m.block(second)
    m.own(1, first)
    m.wake(second)
    assert m.view(second).cpu == 0
    m.check()


def test_dynamic_any_cpu_takes_who_waits_longest() -> None:
    m = Machine("dynamic", 2, slice=SLICE)
    threads = [m.start() for _ in range(3)]
    assert m.running == threads[:2]
    m.run(SLICE)
    assert m.running == [threads[2], threads[0]]
    m.run(300 * SLICE)
    assert max(m.services()) - min(m.services()) <= SLICE


def test_dynamic_the_queue_of_one_cpu_is_in_the_same_order() -> None:
    m = Machine("dynamic", slice=SLICE)
    threads = [m.start(home=home) for home in (-1, 0, -1, 0)]
    assert m.order(0) == threads


def test_dynamic_a_woken_thread_goes_to_its_cpu_if_idle_else_to_an_idle_one() -> None:
    m = Machine("dynamic", 3, slice=SLICE)
    first, second, third = (m.start() for _ in range(3))
    m.block(second)
    m.block(third)
    m.wake(third)
    assert m.running == [first, None, third]
    m.block(third)
    fourth = m.thread()
    m.wake(fourth)
    assert m.running == [first, fourth, None]
    m.wake(second)
    assert m.running == [first, fourth, second]


def test_selective_waits_for_its_cpu_while_it_is_warm() -> None:
    m = Machine("selective", 2, slice=SLICE, warm=WARM)
    threads = [m.start() for _ in range(4)]
    assert m.running == threads[:2]
    m.run(100)
    m.block(threads[0])
    m.run(150)
    assert m.running == [threads[2], threads[1]]
    m.wake(
        threads[0]
    )  # CPU 0 was left 50 ago; CPU 1 is free first, and passes it over for the threads before and after it
    late = m.start()
    m.run(SLICE)
    assert m.running == [threads[2], threads[3]]
    m.run(SLICE + 100)
    assert m.running == [threads[0], threads[3]]
    m.run(2 * SLICE)
    assert m.running == [threads[0], threads[1]] or m.running == [threads[0], late]


def test_selective_forgets_its_cpu_when_the_cache_is_cold() -> None:
    m = Machine("selective", 2, slice=SLICE, warm=WARM)
    threads = [m.start() for _ in range(3)]
    m.block(threads[0])
    m.start()
    m.run(WARM)
    m.wake(threads[0])
    m.run(SLICE)
    assert m.current(1) == threads[0]


def test_selective_only_one_waits_for_a_cpu() -> None:
    m = Machine("selective", 2, slice=SLICE, warm=SLICE)
    threads = [m.start() for _ in range(5)]
    m.block(threads[0])  # CPU 0 goes on with 2
    m.block(threads[2])  # and with 3
    m.wake(threads[0])
    m.wake(threads[2])
    assert threads[0] not in m.order(1)[:3]
    assert threads[2] in m.order(1)


def test_selective_nobody_waits_while_a_cpu_is_idle() -> None:
    m = Machine("selective", 2, slice=SLICE, warm=WARM)
    first, second = m.start(), m.start()
    third = m.start()
    m.block(first)
    assert m.running == [third, second]
    m.block(second)
    m.wake(first)
    assert m.running == [third, first]
    m.wake(second)  # waits for CPU 1, as it was left only now
    m.block(third)
    assert m.running == [second, first]
    assert m.moved == 1


@pytest.mark.parametrize("policy", ["dynamic", "selective"])
def test_a_reserved_cpu_runs_its_owner_only(policy: str) -> None:
    m = Machine(policy, 2, slice=SLICE, warm=WARM)
    first, owner = m.start(), m.start()
    m.block(owner)
    m.own(1, owner)
    other = m.start()
    m.run(4 * SLICE)
    assert m.running[1] is None
    m.wake(owner)
    m.run(8 * SLICE)
    assert (m.services()[owner], m.services()[first] + m.services()[other]) == (4 * SLICE, 8 * SLICE)
    m.block(owner)
    m.own(1, None)
    m.resched(1)
    assert None not in m.running


@pytest.mark.parametrize("cpus", [1, 2, 5])
@pytest.mark.parametrize("policy", ALL)
def test_random_threads(policy: str, cpus: int) -> None:
    m = Machine(policy, cpus, slice=SLICE, warm=WARM)
    storm(m, seed=cpus, steps=2000, busy=policy != "static")
