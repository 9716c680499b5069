# SPDX-License-Identifier: Apache-2.0
"""Policy partitioned ([GF]: ARTiS), rule by rule. Random streams: test_referee.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from coreloom.reference.kernel import GIVE_WAY, Config
from coreloom.reference.scenario import Scenario

from .harness import irq, run, words

RT = 20  # priorities from here on are real-time


@pytest.fixture
def s() -> Scenario:
    """CPU 0 is the real-time CPU of three. It runs thread 0 of priority 10."""
    scenario = Scenario(Config(cpus=3, policy="partitioned", rt_cpus=1, rt_priority=RT))
    scenario.do(0, "set_sched_param", 0, word0=10)
    return scenario


def start(s: Scenario, cpu: int, priority: int) -> int:
    """CPU runs a new thread."""
    tid = s.thread(0, priority)
    assert s.switch(cpu, "next") == GIVE_WAY | tid
    return tid


def test_a_real_time_thread_preempts_the_real_time_cpu(s: Scenario, tmp_path: Path) -> None:
    """It preempts neither the CPU that runs the lowest priority of all, nor does another idle CPU take it."""
    start(s, 1, 1)
    assert s.do(2, "next") is None
    rt = s.thread(0, RT)
    assert irq(s) == 1 and s.steps[-1].idle == 4
    assert s.do(1, "yield") == 0
    assert s.do(0, "preempt") == GIVE_WAY | rt
    s.store(0, "saved")
    assert words(s) == ((2, GIVE_WAY | 0),)
    run(s, tmp_path)


def test_a_surplus_is_for_everybody(s: Scenario, tmp_path: Path) -> None:
    """As soon as the real-time CPU runs a real-time thread, a CPU that waits has the next one."""
    low = start(s, 2, 1)
    assert s.do(1, "next") is None
    first, second = s.thread(0, RT), s.thread(0, RT + 1)
    assert irq(s) == 1 and s.steps[-1].idle == 2
    s.do(0, "preempt")
    assert words(s) == ((0, GIVE_WAY | second), (1, GIVE_WAY | first))
    s.store(0, "saved")
    third = s.thread(0, RT)
    assert irq(s) == 4  # CPU 2 runs the worst of all
    assert s.do(2, "preempt") == GIVE_WAY | third
    s.store(2, "saved")
    s.do(2, "thread_exit")
    assert words(s) == ((2, GIVE_WAY | 0),)
    assert s.do(0, "is_queued", low) == 1
    run(s, tmp_path)


def test_real_time_cpus_run_others_while_there_is_nobody(s: Scenario, tmp_path: Path) -> None:
    s.do(0, "semaphore_create", word0=0)
    rt, other = s.thread(0, RT), s.thread(0, 10)
    assert s.switch(0, "preempt") == GIVE_WAY | rt
    assert s.do(0, "semaphore_wait", 0) == GIVE_WAY | 0
    s.store(0, "saved")
    assert s.switch(0, "yield") == GIVE_WAY | other
    s.do(0, "semaphore_post", 0)
    assert irq(s) == 1
    run(s, tmp_path)


def test_a_new_priority_changes_the_group(s: Scenario, tmp_path: Path) -> None:
    """Of a ready thread, which may go to a CPU that waits; and of one that runs, by which a surplus comes."""
    assert s.do(1, "next") is None
    assert s.do(2, "next") is None
    rt, second = s.thread(0, RT), s.thread(0, RT)
    s.do(0, "set_sched_param", rt, word0=RT - 1)
    assert words(s) == ((0, RT), (1, GIVE_WAY | rt))
    assert irq(s) == 1
    s.do(0, "set_sched_param", 0, word0=RT + 1)
    assert words(s) == ((0, 10), (2, GIVE_WAY | second))
    s.store(1, "saved")
    s.store(2, "saved")
    ready = s.thread(0, 1)
    s.do(0, "set_sched_param", ready, word0=RT + 2)
    assert irq(s) == 2  # CPU 1 runs the worst
    assert s.switch(1, "preempt") == GIVE_WAY | ready
    run(s, tmp_path)
