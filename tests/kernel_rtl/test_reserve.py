# SPDX-License-Identifier: Apache-2.0
"""Reservations of CPUs ([GF]: Golden-Finger), course by course. Random streams: test_referee.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from coreloom.reference.kernel import GIVE_WAY, RESUMED, Config, error
from coreloom.reference.scenario import Scenario

from .harness import irq, run, words

MAIN = Config().main_priority
STATIC = 1 << 12


def on(cpu: int) -> int:
    return STATIC | cpu << 8


def scenario(cpus: int) -> Scenario:
    return Scenario(Config(cpus=cpus, reserve=True))


def test_an_idle_cpu_is_its_owners_at_once(tmp_path: Path) -> None:
    """Dynamic and placed threads run elsewhere until the CPU is released."""
    s = scenario(2)
    owner = s.thread(0, 1 | on(0))
    s.do(1, "next")
    s.do(0, "reserve", 1, word0=owner)
    assert words(s) == ((0, 0), (1, GIVE_WAY | owner))
    s.store(1, "saved")
    better, placed = s.thread(0, MAIN + 1), s.thread(0, MAIN + 2 | on(1))
    assert irq(s) == 1  # only CPU 0 may run them
    assert s.do(1, "yield") == s.do(1, "preempt") == 0
    assert s.do(1, "is_empty") == 1
    assert s.switch(0, "preempt") == GIVE_WAY | placed
    assert s.do(0, "release", 1) == 0
    assert irq(s) == 2 and s.switch(1, "preempt") == GIVE_WAY | better
    run(s, tmp_path)


def test_an_owner_that_blocks_leaves_the_cpu_empty(tmp_path: Path) -> None:
    s = scenario(2)
    s.do(0, "semaphore_create", word0=0)
    owner = s.thread(0, 1 | on(0))
    s.do(1, "next")
    s.do(0, "reserve", 1, word0=owner)
    assert s.do(1, "semaphore_wait", 0) is None
    s.thread(0, MAIN + 1)
    assert irq(s) == 1 and s.steps[-1].idle == 2
    s.do(0, "semaphore_post", 0)
    assert words(s) == ((0, 0), (1, RESUMED))
    run(s, tmp_path)


def test_who_runs_there_gives_way_when_the_owner_is_ready(tmp_path: Path) -> None:
    """A created owner comes when it is started; until then no context would be left to go to."""
    s = scenario(2)
    other = s.thread(0, MAIN)
    assert s.switch(1, "next") == GIVE_WAY | other
    owner = s.thread(0, 1, start=False)
    assert s.do(0, "reserve", 1, word0=owner) == 0
    assert irq(s) == 0 and s.do(1, "preempt") == 0 and s.do(1, "yield") == 0
    s.do(0, "thread_start", owner)
    assert irq(s) == 2
    assert s.switch(1, "preempt") == GIVE_WAY | owner
    assert s.do(0, "is_empty") == 0  # the other one waits for CPU 0
    assert s.switch(0, "yield") == GIVE_WAY | other
    run(s, tmp_path)


def test_an_owner_that_runs_elsewhere_comes_when_it_leaves(tmp_path: Path) -> None:
    s = scenario(2)
    s.do(1, "next")
    assert s.do(0, "reserve", 1, word0=0) == 0  # the caller, for itself
    assert irq(s) == 0 and s.do(0, "yield") == 0  # CPU 0 has nobody else
    low = s.thread(0, 0)
    assert irq(s) == 1  # whoever comes, and be he worse
    assert s.do(0, "preempt") == GIVE_WAY | low
    s.store(0, "saved")
    assert words(s) == ((1, GIVE_WAY | 0),)
    run(s, tmp_path)


def test_an_owner_not_saved_yet_goes_to_its_cpu(tmp_path: Path) -> None:
    s = scenario(2)
    other = s.thread(0, MAIN)
    assert s.do(0, "yield") == GIVE_WAY | other
    s.do(1, "next")
    s.do(0, "thread_detach", 0)
    assert words(s) == ((0, 0), (1, GIVE_WAY | 0))  # as the operation implies the save
    third = s.thread(0, MAIN)
    assert s.do(1, "yield") == GIVE_WAY | third
    assert s.do(0, "reserve", 1, word0=0) == 0  # thread 0 is behind CPU 1
    assert irq(s) == 0
    s.store(1, "saved")
    assert irq(s) == 2 and s.switch(1, "preempt") == GIVE_WAY | 0
    run(s, tmp_path)


def test_the_exit_of_the_owner_releases(tmp_path: Path) -> None:
    """On its own CPU, and elsewhere: then its CPU, which waits, gets its turn."""
    s = scenario(2)
    owner = s.thread(0, 1 | on(0))
    s.do(1, "next")
    s.do(0, "reserve", 1, word0=owner)
    s.store(1, "saved")
    placed = s.thread(0, 1 | on(1))
    assert s.do(1, "thread_exit") == GIVE_WAY | placed
    s.store(1, "saved")
    assert s.do(0, "release", 1) == error("enoent")
    assert s.do(1, "thread_exit") is None
    assert s.do(0, "reserve", 1, word0=0) == 0
    dynamic, placed = s.thread(0, MAIN - 1), s.thread(0, MAIN | on(1))
    assert irq(s) == 1
    s.do(0, "thread_exit")
    assert words(s) == ((0, GIVE_WAY | placed), (1, GIVE_WAY | dynamic))
    run(s, tmp_path)


def test_queues_go_to_the_lightest_and_come_home(tmp_path: Path) -> None:
    """What a CPU has taken over moves on with its own queue; each comes back when its own CPU is released."""
    s = scenario(4)
    first, second = s.thread(0, 1, start=False), s.thread(0, 1, start=False)
    for cpu, count in ((0, 1), (1, 2), (2, 1), (3, 1)):
        for _ in range(count):
            s.thread(0, 2 | on(cpu))
    assert s.do(0, "reserve", 1, word0=first) == 2  # 2 and 3 have one thread each, CPU 0 has two
    assert s.do(0, "reserve", 0, word0=second) == 3
    assert s.kernel.keepers == [3, 2, 2, 3]
    third = s.thread(0, 1, start=False)
    assert s.do(0, "reserve", 2, word0=third) == 3
    assert s.kernel.keepers == [3, 3, 3, 3]
    assert s.do(0, "reserve", 3, word0=s.thread(0, 1, start=False)) == error("ebusy")
    assert s.do(0, "release", 1) == 0
    assert s.kernel.keepers == [3, 1, 3, 3]
    assert s.do(1, "next") == GIVE_WAY | 4
    assert s.switch(3, "next") == GIVE_WAY | 6
    assert s.do(0, "release", 0) == s.do(0, "release", 2) == 0
    assert s.kernel.keepers == [0, 1, 2, 3]
    run(s, tmp_path)


def test_queues_that_a_cpu_serves_take_turns(tmp_path: Path) -> None:
    """Of equals the queue after the one that won the last tie."""
    s = scenario(3)
    owners = [s.thread(0, 1, start=False) for _ in range(2)]
    homes = {s.thread(0, MAIN | on(cpu)): cpu for cpu in (0, 1, 2) for _ in range(2)}
    assert s.do(0, "reserve", 2, word0=owners[0]) == 1
    assert s.do(0, "reserve", 1, word0=owners[1]) == 0
    turns = []
    for _ in range(12):
        word = s.switch(0, "yield")
        assert word is not None
        turns.append(homes.get(word & 0xFFFF, -1))
    assert {turns.count(cpu) for cpu in (0, 1, 2)} == {2, 3}  # the others are thread 0's
    run(s, tmp_path)


def test_a_cpu_that_waits_takes_over_what_is_ready(tmp_path: Path) -> None:
    s = scenario(3)
    owner = s.thread(0, 1, start=False)
    placed = s.thread(0, 1 | on(1))
    s.do(2, "next")
    s.do(0, "reserve", 1, word0=owner)
    assert words(s) == ((0, 2), (2, GIVE_WAY | placed))
    run(s, tmp_path)


def test_idle_threads_and_reservations_exclude_each_other(tmp_path: Path) -> None:
    s = scenario(2)
    idle, owner = s.thread(0, 1, start=False), s.thread(0, 1, start=False)
    assert s.do(0, "set_idle_thread", idle) == 0
    assert s.do(0, "reserve", 0, word0=owner) == error("ebusy")
    assert s.do(0, "reserve", 1, word0=idle) == error("enotsup")
    assert s.do(0, "reserve", 1, word0=owner) == 0
    assert s.do(1, "set_idle_thread", s.thread(0, 1, start=False)) == error("ebusy")
    # An owner that runs elsewhere gives way to the idle thread, too.
    assert s.do(0, "release", 1) == 0
    assert s.do(0, "reserve", 1, word0=0) == 0
    assert irq(s) == 1 and s.switch(0, "preempt") == GIVE_WAY | idle
    assert s.switch(1, "next") == GIVE_WAY | 0
    run(s, tmp_path)


def test_a_new_priority_goes_with_the_owner(tmp_path: Path) -> None:
    """In its place, and in wait lists afterwards."""
    s = scenario(2)
    s.do(0, "semaphore_create", word0=0)
    other = s.thread(0, MAIN)
    assert s.switch(1, "next") == GIVE_WAY | other
    owner = s.thread(0, 1)
    assert s.do(0, "reserve", 1, word0=owner) == 0
    assert s.do(0, "set_sched_param", owner, word0=MAIN + 3) == 1
    assert s.switch(1, "preempt") == GIVE_WAY | owner
    s.do(0, "semaphore_wait", 0)
    s.do(1, "semaphore_wait", 0)
    s.line(0)
    s.interrupt(1, True)
    s.do(1, "semaphore_post", 0)
    assert s.do(1, "next") == RESUMED  # the owner was first, being better
    run(s, tmp_path)


@pytest.mark.parametrize("removed", [False, True])
def test_a_removed_owner_comes_back(removed: bool, tmp_path: Path) -> None:
    s = scenario(2)
    other = s.thread(0, MAIN)
    assert s.switch(1, "next") == GIVE_WAY | other
    owner = s.thread(0, 1)
    assert s.do(0, "reserve", 1, word0=owner) == 0
    if removed:
        assert s.do(0, "remove", owner) == 0
        assert irq(s) == 0 and s.do(0, "is_queued", owner) == 0
        assert s.do(0, "thread_start", owner) == 0
    assert s.do(0, "is_queued", owner) == 1
    assert s.do(0, "release", 1) == 0
    assert s.do(0, "remove", owner) == 0
    assert s.do(0, "thread_start", owner) == 0
    run(s, tmp_path)
