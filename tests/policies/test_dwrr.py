# SPDX-License-Identifier: Apache-2.0
"""dwrr: rounds, the rule for L, held CPUs, infeasible weights, sleepers, bound threads, its bound."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence

import pytest

from policies.machine import ANY_CPU, Machine, storm

B = 1024 * 1000  # so that the slice of any weight is a whole number: weight x 1000
SEED = int(os.environ.get("CORELOOM_SEED", "1"))


def started(cpus: int, weights: Sequence[int], *, grain: int = 0) -> Machine:
    """Threads that all begin at time 0."""
    m = Machine("dwrr", cpus, slice=B, grain=grain)
    for weight in weights:
        m.wake(m.thread(weight), settle=False)
    m.settle()
    return m


def gap(m: Machine, weights: Sequence[float]) -> float:
    """The largest difference of service for each unit of weight, in units of B, of the first threads."""
    each = [service / weight for service, weight in zip(m.services(), weights, strict=False)]
    return (max(each) - min(each)) / 1000


def feasible(weights: Sequence[int], cpus: int) -> list[float]:
    """Weights readjusted so that no thread should have more than a CPU (Chandra and others)."""
    adjusted = [float(weight) for weight in weights]
    rest = sum(weights)
    found: list[int] = []
    for i in sorted(range(len(weights)), key=lambda i: -weights[i]):
        if len(found) == cpus or weights[i] * (cpus - len(found)) <= rest:
            break
        rest -= weights[i]
        found.append(i)
    for i in found:
        adjusted[i] = rest / (cpus - len(found)) if rest else 1.0
    return adjusted


def check_rounds(m: Machine) -> None:
    """All threads that may run anywhere are in L to L + 2, none runs in L + 2, idle CPUs are held."""
    m.check()
    views = [m.view(thread) for thread in range(m.threads)]
    bound = [m.homes[thread] != ANY_CPU for thread in range(m.threads)]
    counted = [view for thread, view in enumerate(views) if view.runnable and not bound[thread]]
    any_bound = any(view.runnable and bound[thread] for thread, view in enumerate(views))
    free = len(counted) <= m.cpus and not any_bound
    lowest = min((view.round for view in counted), default=0)
    assert all(lowest <= view.round <= lowest + 2 for view in counted)
    assert free or all(view.round <= lowest + 1 for view in counted if view.current)
    for cpu in range(m.cpus):
        if m.current(cpu) is None:
            assert not any(
                view.queued and view.cpu == cpu for view, own in zip(views, bound, strict=True) if own
            )
            assert not any(view.queued and (free or view.round <= lowest + 1) for view in counted)


# --- a round


def test_everybody_runs_its_slice_longest_first_then_the_next_round_begins() -> None:
    m = started(1, [512, 1024, 256])
    assert m.order(0) == [1, 0, 2]
    m.run(512_000 + 1024_000 + 256_000)
    assert m.services() == [512_000, 1024_000, 256_000]
    assert m.order(0) == [1, 0, 2]
    m.run(10 * 1792_000)
    assert m.services() == [5120_000, 10240_000, 2560_000]


def test_the_counterexample_of_the_paper() -> None:
    weights = [1024, 335, 335, 335, 335]
    m = started(2, weights)
    worst = 0.0
    while m.step(400 * B):
        worst = max(worst, gap(m, weights))
    assert worst == pytest.approx(1)
    services = m.services()
    assert services[0] / services[1] == pytest.approx(1024 / 335, rel=0.01)
    assert m.held == 0


def test_a_cpu_takes_what_is_left_of_the_round_before_it_begins_the_next() -> None:
    m = started(2, [1000, 1000, 1000])
    assert (m.running, m.order(0)) == ([0, 1], [0, 2])
    m.run(1000_000)
    assert m.running == [2, 1]
    m = Machine("dwrr", 2, slice=B)
    for weight in (1000, 100, 300):
        m.start(weight)
    assert m.order(0) == [0, 2]
    m.run(100_000)
    assert (m.running, m.moved) == ([0, 2], 1)
    assert m.view(1).round == 1


def test_a_cpu_is_held_when_the_round_after_the_next_would_begin() -> None:
    m = started(3, [500, 500, 500, 600])
    m.yield_(m.view(3).cpu)  # so the longest comes last
    m.run(500_000)
    assert sorted(m.running, key=str) == [1, 2, 3]
    m.run(999_999)
    assert m.held == 0
    m.run(1000_000)  # 1 and 2 have used up round 1, 0 is in it, 3 still in round 0
    assert [m.view(thread).round for thread in range(4)] == [1, 2, 2, 0]
    assert (m.held, sorted(m.running, key=str)) == (1, [0, 3, None])
    check_rounds(m)
    m.run(1099_999)
    assert m.running.count(None) == 1
    m.run(1100_000)  # L rises, and the CPU that was held goes on
    assert None not in m.running
    check_rounds(m)


def test_the_example_for_which_l_is_needed() -> None:
    """P = 3, two threads of weight 10 and small ones of weight 10 together: 2.5 B without the rule for L."""
    weights = [1000, 1000] + [100] * 10
    held = 0
    for seed in range(100):
        rng = random.Random(seed)
        m = Machine("dwrr", 3, slice=B)
        threads = [m.thread(weight) for weight in weights]
        for thread in rng.sample(threads, len(threads)):
            m.wake(thread)
        for _ in range(150):
            cpu = rng.randrange(3)
            if m.current(cpu) in (0, 1):
                m.yield_(cpu)  # to be the last in its round
            m.step(m.now + rng.randrange(1, 200_000))
            assert gap(m, weights) <= 2
        held += m.held
    assert held > 0


def test_overrun_is_taken_from_the_next_slice() -> None:
    m = started(1, [100, 100], grain=150_000)
    m.run(150_000)
    assert (m.view(0).round, m.view(0).left) == (1, 50_000 << 10)
    m.run(150_000 * 40)
    assert m.services() == [3000_000, 3000_000]


def test_an_overrun_of_more_than_a_slice_costs_whole_rounds() -> None:
    weights = [1024, 100]
    m = started(1, weights, grain=450_000)
    while m.step(450_000 * 300):
        assert gap(m, weights) <= 2 + 4.5
    assert m.services()[0] / m.services()[1] == pytest.approx(10.24, rel=0.05)


# --- weights


def test_a_heavy_thread_does_not_hold_the_others() -> None:
    weights = [100_000, 100, 100, 100]
    m = started(2, weights)
    adjusted = feasible(weights, 2)
    assert adjusted == [300, 100, 100, 100]
    while m.step(60_000_000):
        assert gap(m, adjusted) <= 2
    assert m.services() == [60_000_000, 20_000_000, 20_000_000, 20_000_000]
    assert m.held == 0


def test_a_weight_is_infeasible_also_when_only_the_others_that_are_leave_it_too_much() -> None:
    """10 x 3 is less than all, but only until the heavier one is left out."""
    m = started(3, [1000, 100, 10, 10])
    m.run(30_000_000)
    assert m.services() == [30_000_000, 30_000_000, 15_000_000, 15_000_000]
    assert m.held == 0


def test_a_thread_is_not_infeasible_that_only_just_gets_its_share() -> None:
    m = started(2, [1000, 500, 500])
    m.run(100_000_000)
    assert m.services() == [100_000_000, 50_000_000, 50_000_000]


def test_nobody_is_held_or_charged_while_there_is_a_cpu_for_each() -> None:
    m = started(3, [1000, 10, 1])
    m.run(50_000_000)
    assert m.services() == [50_000_000] * 3
    assert (m.held, m.migrations) == (0, 0)
    assert [m.view(thread).round for thread in range(3)] == [0, 0, 0]
    m.start(1)
    m.run(51_000_000)
    check_rounds(m)


def test_what_threads_differ_by_stays_while_time_is_free() -> None:
    m = started(2, [100, 100, 100])
    m.run(100_000)
    assert m.services() == [100_000, 100_000, 0]
    m.block(1)
    m.run(10_000_000)
    assert m.services()[0] - m.services()[2] == 100_000
    m.wake(1)
    m.run(10_500_000)
    assert abs(m.services()[0] - m.services()[2]) <= 100_000


# --- sleepers


def test_who_wakes_in_its_round_goes_on_with_what_was_left() -> None:
    m = started(1, [100, 90])
    m.run(40_000)
    m.block(0)
    m.run(90_000)
    m.wake(0)
    assert (m.view(0).round, m.view(0).left) == (0, 60_000 << 10)
    assert m.running == [0]


def test_who_wakes_in_a_later_round_gets_one_slice_and_no_more() -> None:
    m = started(1, [100, 1000, 1000])
    m.block(0)
    m.run(100 * 2000_000 + 5000)
    m.wake(0)
    assert (m.view(0).round, m.view(0).left) == (m.view(1).round, 100_000 << 10)
    m.run(m.now + 100_000)
    assert m.view(0).queued
    m.block(0)
    m.wake(0)
    assert m.view(0).round == m.view(1).round + 1


def test_sleeping_gains_nothing() -> None:
    """A thread that sleeps a little before the end of each slice gets no more than one that never sleeps."""
    m = started(2, [100] * 5)
    while m.now < 20_000_000:
        m.step(m.now + 7_000)
        view = m.view(0)
        if view.current and m.services()[0] % 100_000 > 80_000:
            m.block(0)
            m.step(m.now + 3_000)
            m.wake(0)
    assert m.services()[0] <= min(m.services()[1:]) + 200_000


def test_woken_threads_come_first_and_take_turns() -> None:
    m = started(1, [1000, 100, 100])
    m.block(1)
    m.block(2)
    m.run(500_000)
    m.wake(2, settle=False)
    assert m.need_resched == {0}
    m.settle()
    assert m.running == [2]
    m.wake(1, settle=False)
    assert m.need_resched == set()
    assert m.order(0) == [2, 1, 0]
    m.run(500_000 + B // 32)  # then another that wakes may preempt it
    assert m.running == [1]
    m.run(500_000 + 2 * (B // 32))
    assert m.order(0) == [1, 0, 2]


def test_a_woken_thread_of_the_next_round_comes_first_too() -> None:
    m = started(1, [100, 90])
    m.run(100_000)
    m.block(0)
    m.wake(0, settle=False)
    assert (m.need_resched, m.view(0).round) == ({0}, 1)
    m.run(200_000)
    assert (m.running, m.view(0).round) == ([1], 2)  # and then waits for the one in round 0


def test_a_round_that_closes_admits_nobody() -> None:
    """Once a CPU has begun the next round, who wakes joins that, with a new slice."""
    m = started(2, [1000, 100, 100, 800])
    m.run(50_000)
    sleeper = next(t for t in m.running if t)
    m.block(sleeper)
    m.run(300_000)
    assert {m.view(t).round for t in range(4) if m.view(t).current} == {0, 1}
    m.wake(sleeper)
    assert (m.view(sleeper).round, m.view(sleeper).left) == (1, m.weights[sleeper] * 1000 << 10)


def test_who_yields_is_last_of_its_round() -> None:
    m = started(1, [300, 200, 100])
    m.run(50_000)
    m.yield_(0)
    assert m.order(0) == [1, 2, 0]
    assert m.view(0).left == 250_000 << 10


# --- where


def test_place_is_the_last_cpu_if_idle_then_an_idle_one_then_the_last() -> None:
    m = Machine("dwrr", 3, slice=B)
    threads = [m.start() for _ in range(3)]
    assert m.running == threads
    m.block(1)
    m.wake(1)
    assert m.running == threads
    m.block(2)
    extra = m.start()
    assert m.running == [0, 1, extra]
    m.wake(2, settle=False)
    assert m.view(2).cpu == 2
    assert m.need_resched == {2}  # it has woken, the other has not


def test_bound_threads_take_part_in_the_rounds_of_their_cpu() -> None:
    m = Machine("dwrr", 2, slice=B)
    bound = m.start(300, home=0)
    others = [m.start(300) for _ in range(3)]
    m.run(100 * 300_000)
    assert m.view(bound).cpu == 0
    services = m.services()
    assert max(services[other] for other in others) - min(services[other] for other in others) <= 2 * 300_000
    assert services[bound] == pytest.approx(50 * 300_000, rel=0.05)


def test_bound_threads_do_not_hold_the_others_nor_are_held() -> None:
    m = Machine("dwrr", 2, slice=B)
    for weight in (100, 700):
        m.start(weight, home=0)
    for _ in range(3):
        m.start(1 << 20)
    for _ in range(200):
        m.step(m.now + 400_000)
        assert m.current(0) is not None
        check_rounds(m)
    assert m.held == 0


def test_a_cpu_with_bound_threads_does_not_make_a_weight_infeasible() -> None:
    """300 is more than half of 500, but the two CPUs are not wholly there for the three."""
    weights = [300, 100, 100]
    m = started(2, weights)
    bound = m.start(1000, home=0)
    while m.step(100_000_000):
        assert gap(m, weights) <= 2 + 1e-9
    assert m.services()[bound] > 0
    check_rounds(m)


def test_who_is_held_looks_again_when_a_thread_goes_as_a_weight_may_be_infeasible_now() -> None:
    m = started(3, [300, 300, 100, 200, 400])
    m.yield_(m.view(4).cpu)
    m.run(600_000)
    assert (m.running, m.held) == ([4, 0, None], 1)
    m.block(1)  # 400 x 3 is more than 1000: 4 holds nobody any more
    assert m.running == [4, 0, 3]
    check_rounds(m)


def test_a_bound_thread_that_nobody_shares_its_cpu_with_runs_all_the_time() -> None:
    m = Machine("dwrr", 2, slice=B)
    m.start(1, home=1)
    m.run(5_000_000)
    assert m.services() == [5_000_000]


def test_a_reserved_cpu_runs_its_owner_only_and_it_is_in_no_round() -> None:
    m = Machine("dwrr", 2, slice=B)
    first, owner = m.start(100), m.start(100)
    assert m.running == [first, owner]
    m.block(owner)
    m.own(1, owner)
    others = [first, m.start(100), m.start(100)]
    assert m.running == [first, None]
    m.wake(owner)
    m.run(3_000_000)
    assert m.services()[owner] == 3_000_000
    assert [m.services()[other] for other in others] == [1_000_000] * 3
    m.block(owner)
    assert m.running[1] is None
    m.own(1, None)
    m.resched(1)
    assert None not in m.running
    check_rounds(m)


# --- the bound


def random_weights(rng: random.Random, count: int) -> list[int]:
    kinds: list[Sequence[int]] = [
        (335, 1024), (1024,), range(100, 2000), (15, 88761), (512, 1024, 2048, 10240), (1, 2, 3, 1000),
    ]  # fmt: skip
    kind = rng.choice(kinds)
    return [rng.choice(kind) for _ in range(count)]


@pytest.mark.parametrize("seed", range(SEED, SEED + 8))
def test_two_threads_differ_by_at_most_two_b(seed: int) -> None:
    """Random weights and CPUs, all threads runnable from the start; infeasible weights as readjusted."""
    rng = random.Random(seed)
    for _ in range(25):
        cpus = rng.randint(1, 6)
        weights = random_weights(rng, rng.randint(1, 14))
        adjusted = feasible(weights, cpus)
        m = started(cpus, weights)
        for _ in range(300):
            m.step(1 << 62)
            assert gap(m, adjusted) <= 2 + 1e-9, (cpus, weights)
        check_rounds(m)


@pytest.mark.parametrize("seed", range(SEED, SEED + 4))
@pytest.mark.parametrize("coarse", [False, True], ids=["fine", "coarse"])
def test_by_a_tick_more_where_slices_end_at_ticks(seed: int, coarse: bool) -> None:
    """Slices below a tick: feasible weights only, as who is infeasible runs on while a tick holds others."""
    rng = random.Random(seed)
    for _ in range(25):
        cpus = rng.randint(1, 6)
        weights = [max(weight, 15) for weight in random_weights(rng, rng.randint(1, 14))]
        adjusted = feasible(weights, cpus)
        if coarse and adjusted != weights:
            continue
        tick = B // rng.choice([2, 10]) if coarse else min(weights) * 1000 // rng.choice([1, 2, 3])
        m = started(cpus, weights, grain=tick)
        for _ in range(300):
            m.step(1 << 62)
            assert gap(m, adjusted) <= 2 + tick / 1000 / min(weights) + 1e-9, (cpus, weights, tick)


@pytest.mark.parametrize("seed", range(SEED, SEED + 4))
def test_two_b_beside_threads_of_infeasible_weight_that_come_and_go(seed: int) -> None:
    rng = random.Random(seed)
    cpus = rng.randint(3, 6)
    weights = [100] * rng.randint(2 * cpus, 3 * cpus)
    m = started(cpus, weights)
    heavy = [m.thread(rng.choice((5_000, 50_000, 1 << 20))) for _ in range(cpus - 1)]
    for _ in range(2000):
        if rng.random() < 0.1:
            thread = rng.choice(heavy)
            if m.view(thread).runnable:
                m.block(thread)
            else:
                m.wake(thread)
        m.step(m.now + rng.randrange(1, 100_000))
        assert gap(m, weights) <= 2 + 1e-9, cpus
    check_rounds(m)


@pytest.mark.parametrize("seed", range(SEED, SEED + 10))
def test_two_b_beside_sleepers_and_bound_threads_and_four_b_over_any_time(seed: int) -> None:
    """Threads that never sleep, beside others that come and go, yield, and are bound to CPUs."""
    rng = random.Random(seed)
    for _ in range(4):
        cpus = rng.randint(1, 5)
        weights = random_weights(rng, rng.randint(2, 9))
        if len(set(weights)) > 1 and max(weights) * cpus > sum(weights):
            continue  # infeasible while the others sleep
        m = started(cpus, weights)
        steady = len(weights)
        others = []
        for _ in range(rng.randint(0, 8)):
            m.thread(
                rng.choice((15, 335, 1024, 9548)) if len(set(weights)) > 1 else weights[0],
                home=rng.randrange(cpus) if seed % 2 and rng.random() < 0.5 else ANY_CPU,
            )
            others.append(m.threads - 1)
        lowest: dict[tuple[int, int], float] = {}
        highest: dict[tuple[int, int], float] = {}
        pace = B // rng.choice((1, 3, 20))
        for _ in range(600):
            if others and rng.random() < 0.3:
                thread = rng.choice(others)
                if m.view(thread).runnable:
                    m.block(thread)
                else:
                    m.wake(thread)
            elif rng.random() < 0.05:
                m.yield_(rng.randrange(cpus))
            else:
                m.step(m.now + rng.randrange(1, 2 * pace))
            assert gap(m, weights) <= 2 + 1e-9, (cpus, weights)
            each = [service / weight / 1000 for service, weight in zip(m.services(), weights, strict=False)]
            for i in range(steady):
                for j in range(i):
                    lowest[i, j] = min(lowest.get((i, j), 0.0), each[i] - each[j])
                    highest[i, j] = max(highest.get((i, j), 0.0), each[i] - each[j])
        assert all(highest[pair] - lowest[pair] <= 4 + 1e-9 for pair in lowest)
        check_rounds(m)


@pytest.mark.parametrize("cpus", [1, 2, 3, 8])
@pytest.mark.parametrize("pinned", [False, True], ids=["free", "pinned"])
def test_random_threads(cpus: int, pinned: bool) -> None:
    m = Machine("dwrr", cpus, slice=1000)
    storm(m, seed=cpus, steps=2500, pinned=pinned, check=check_rounds)
