# SPDX-License-Identifier: Apache-2.0
"""Courses of events that random streams visit seldom; the rules of rtl/kernel/README.md one by one."""

from __future__ import annotations

from pathlib import Path

import pytest

from coreloom.reference.kernel import GIVE_WAY, HARDWARE_PARAM, SEMAPHORE_MAX, Config, error
from coreloom.reference.scenario import Scenario
from coreloom.simulation.harness.kernel_port import play

from .harness import DEFAULT, irq, run

pytestmark = pytest.mark.test
RESUMED = 1 << 30
MAIN = DEFAULT.main_priority
STATIC = 1 << 12
ON_CPU_1 = STATIC | 1 << 8


def idle(s: Scenario) -> int:
    return s.steps[-1].idle


@pytest.fixture
def s(tmp_path: Path) -> Scenario:
    return Scenario(DEFAULT)


def test_slice_lets_an_equal_thread_in(s: Scenario, tmp_path: Path) -> None:
    s.do(0, "slice", word0=2)
    s.thread(0, MAIN)
    s.tick()
    assert irq(s) == 0 and s.do(0, "preempt") == 0
    s.tick()
    assert irq(s) == 1
    assert s.do(0, "preempt") == GIVE_WAY | 1
    assert irq(s) == 0  # the context is not saved
    s.store(0, "saved")
    s.tick()
    s.tick()
    assert irq(s) == 1 and s.switch(0, "preempt") == GIVE_WAY | 0
    s.do(0, "slice", word0=0)
    for _ in range(3):
        s.tick()
        assert irq(s) == 0
    run(s, tmp_path)


def test_preempted_thread_keeps_its_place(s: Scenario, tmp_path: Path) -> None:
    """Preempted before its slice is used: head of its priority; after: tail."""
    for slice_used in (False, True):
        s.do(0, "slice", word0=1)
        equal = s.thread(0, MAIN)
        if slice_used:
            s.tick()
        better = s.thread(0, MAIN + 1)
        assert irq(s) == 1
        assert s.switch(0, "preempt") == GIVE_WAY | better
        assert s.do(0, "thread_exit") == GIVE_WAY | (equal if slice_used else 0)
        if not slice_used:
            assert s.switch(0, "yield") == GIVE_WAY | equal
        assert s.do(0, "thread_exit") == GIVE_WAY | 0
    run(s, tmp_path)


def preempted(s: Scenario, run_before: int, length: int | None = None) -> None:
    """Thread 0 is preempted on CPU 0 after so many ticks, and goes on; length: of a slice from then on."""
    for _ in range(run_before):
        s.tick()
    assert irq(s) & 1 == 0
    better = s.thread(0, s.kernel.config.main_priority + 1)
    assert s.switch(0, "preempt") == GIVE_WAY | better
    s.tick()  # of the better one
    if length is not None:
        s.do(0, "slice", word0=length)
    assert s.do(0, "thread_exit") == GIVE_WAY | 0
    s.store(0, "saved")


def ticks_left(s: Scenario) -> int:
    """Of the thread on CPU 0, until it is asked to give way."""
    for ticks in range(20):
        if irq(s) & 1:
            return ticks
        s.tick()
    raise AssertionError


def test_a_preempted_thread_keeps_the_rest_of_its_slice(s: Scenario, tmp_path: Path) -> None:
    """REQ-kernel-slice-rest: so its equals get their turn however often it is preempted."""
    s.do(0, "slice", word0=7)
    equal = s.thread(0, MAIN)
    for _ in range(3):
        preempted(s, 2)
    assert ticks_left(s) == 1
    assert s.switch(0, "preempt") == GIVE_WAY | equal
    assert ticks_left(s) == 7
    assert s.switch(0, "preempt") == GIVE_WAY | 0
    assert ticks_left(s) == 7  # it gave way: the next one is whole again
    run(s, tmp_path)


@pytest.mark.parametrize(("new", "left"), [(3, 1), (6, 2), (20, 16)])
def test_a_slice_that_goes_on_has_the_length_set_since(
    s: Scenario, tmp_path: Path, new: int, left: int
) -> None:
    s.do(0, "slice", word0=9)
    s.thread(0, MAIN)
    preempted(s, 4, length=new)
    assert ticks_left(s) == left
    run(s, tmp_path)


def preempted_without_slices(s: Scenario) -> None:
    """Thread 0 has used nothing, although it went on with a slice before."""
    s.do(0, "slice", word0=7)
    s.thread(0, s.kernel.config.main_priority)
    for length in (0, 7):
        preempted(s, 2, length)
    assert ticks_left(s) == 7


def test_slices_that_are_off_use_nothing(s: Scenario, tmp_path: Path) -> None:
    preempted_without_slices(s)
    run(s, tmp_path)


def test_who_leaves_otherwise_has_a_whole_slice(s: Scenario, tmp_path: Path) -> None:
    """It yields, moves, or is a new thread with the number of an old one."""
    s.do(0, "slice", word0=7)
    other = s.thread(0, MAIN)
    preempted(s, 2)
    assert s.switch(0, "yield") == GIVE_WAY | other
    assert s.switch(0, "yield") == GIVE_WAY | 0
    assert ticks_left(s) == 7
    s.do(0, "slice", word0=7)
    preempted(s, 2)
    assert s.do(0, "move", word0=MAIN) == GIVE_WAY | other  # without a place, as before
    s.store(0, "saved")
    assert s.switch(0, "yield") == GIVE_WAY | 0
    assert ticks_left(s) == 7
    assert s.switch(0, "preempt") == GIVE_WAY | other
    s.tick()
    better = s.thread(0, MAIN + 1)
    assert s.switch(0, "preempt") == GIVE_WAY | better
    assert s.do(0, "thread_exit") == GIVE_WAY | other
    s.store(0, "saved")
    assert s.do(0, "thread_exit") == GIVE_WAY | 0
    s.store(0, "saved")
    s.do(0, "thread_detach", other)
    assert s.thread(0, MAIN) == other
    assert s.switch(0, "yield") == GIVE_WAY | other
    s.thread(0, MAIN)
    assert ticks_left(s) == 7
    run(s, tmp_path)


def test_who_is_woken_in_place_has_a_whole_slice(s: Scenario, tmp_path: Path) -> None:
    """Also if it was preempted before."""
    s.do(0, "slice", word0=7)
    s.do(0, "semaphore_create", word0=0)
    s.thread(0, MAIN)
    s.do(1, "next")
    preempted(s, 2)
    assert s.do(0, "semaphore_wait", 0) is None
    s.do(1, "semaphore_post", 0)
    s.thread(1, MAIN)
    assert ticks_left(s) == 7
    run(s, tmp_path)


def test_a_cpu_keeps_the_rest_of_who_has_moved_away(s: Scenario, tmp_path: Path) -> None:
    """CPU 0, where a thread was the last, gets another one while that waits for CPU 1."""
    s.do(0, "slice", word0=7)
    s.do(1, "next")
    assert s.do(0, "move", word0=ON_CPU_1 | MAIN) is None
    assert s.steps[-1].words == ((1, GIVE_WAY | 0),)
    s.store(1, "saved")
    for _ in range(5):
        s.tick()
    better = s.thread(1, ON_CPU_1 | (MAIN + 1))
    assert s.switch(1, "preempt") == GIVE_WAY | better
    s.thread(1, MAIN)
    assert s.steps[-1].words[-1] == (0, GIVE_WAY | 2)
    s.store(0, "saved")
    assert s.do(1, "thread_exit") == GIVE_WAY | 0
    s.store(1, "saved")
    s.thread(1, ON_CPU_1 | MAIN)
    s.tick()
    assert irq(s) == 0
    s.tick()
    assert irq(s) == 2
    run(s, tmp_path)


def test_waking_in_place_starts_the_slice_anew(s: Scenario, tmp_path: Path) -> None:
    s.do(0, "slice", word0=2)
    s.do(0, "semaphore_create", word0=0)
    s.thread(0, MAIN)
    s.do(1, "next")
    s.tick()
    assert s.do(1, "semaphore_wait", 0) is None
    assert idle(s) == 2
    s.tick()  # does not count: CPU 1 is idle
    s.do(0, "semaphore_post", 0)
    assert s.steps[-1].words == ((0, 0), (1, RESUMED))
    s.thread(0, MAIN)
    s.tick()
    assert irq(s) == 1  # CPU 0 has used its slice, CPU 1 has not
    s.tick()
    assert irq(s) == 3
    run(s, tmp_path)


def test_idle_wait_ends_with_an_interrupt(s: Scenario, tmp_path: Path) -> None:
    s.do(0, "semaphore_create", word0=0)
    s.do(0, "semaphore_create", word0=0)
    s.thread(0, MAIN)
    s.do(1, "next")
    assert s.do(1, "semaphore_wait", 0) is None
    s.interrupt(1, True)
    assert s.steps[-1].words == ((1, error("eintr")),)
    assert s.do(1, "self") == error("esrch")  # its thread is blocked
    assert s.do(1, "next") == error("eintr")  # the level is still high
    assert s.do(1, "semaphore_post", 0) == 0  # the handler wakes the blocked thread itself
    assert s.do(1, "next") == RESUMED
    assert s.do(1, "semaphore_wait", 1) == error("eintr")
    s.interrupt(1, False)
    assert s.do(1, "next") is None
    s.do(0, "semaphore_post", 1)
    run(s, tmp_path)


def test_leaving_thread_is_not_eligible_before_it_is_saved(s: Scenario, tmp_path: Path) -> None:
    s.do(0, "semaphore_create", word0=0)
    s.thread(0, MAIN)
    assert s.do(0, "yield") == GIVE_WAY | 1
    assert s.do(1, "next") is None  # thread 0 is ready, but not saved
    s.store(0, "saved")
    assert s.steps[-1].words == ((1, GIVE_WAY),)
    # Woken before it is saved, and saved by the next operation
    s.thread(0, MAIN)
    assert s.do(0, "semaphore_wait", 0) == GIVE_WAY | 2
    s.do(1, "semaphore_post", 0)
    assert s.do(1, "yield") == 0
    assert s.do(0, "self") == 2
    assert s.do(1, "yield") == GIVE_WAY | 1
    run(s, tmp_path)


@pytest.mark.rtl
def test_preemption_is_directed(tmp_path: Path) -> None:
    s = Scenario(Config(cpus=4))
    for cpu, priority in ((1, MAIN - 2), (2, MAIN + 2), (3, MAIN - 2)):
        s.thread(0, priority)
        s.do(cpu, "next")
        s.store(cpu, "saved")
    s.thread(0, MAIN + 5)
    assert irq(s) == 0b0010  # the lowest priority, of equals the lowest number
    s.thread(0, MAIN + 3 | STATIC | 2 << 8)
    assert irq(s) == 0b0110
    s.do(2, "set_sched_param", 2, word0=MAIN - 5)  # the thread of CPU 2: now it is the worst
    assert irq(s) == 0b0100
    s.switch(2, "preempt")
    s.switch(1, "preempt")
    run(s, tmp_path)


def test_static_and_dynamic_threads_take_turns(s: Scenario, tmp_path: Path) -> None:
    for cpu in (0, 1):
        for _ in range(3):
            s.thread(0, MAIN | STATIC | cpu << 8)
            s.thread(0, MAIN)
    s.do(1, "next")
    for _ in range(6):
        for cpu in (0, 1):
            s.switch(cpu, "yield")
    run(s, tmp_path)


@pytest.mark.rtl
def test_waiting_cpus_take_threads_lowest_first(tmp_path: Path) -> None:
    s = Scenario(Config(cpus=4))
    for cpu in (3, 1, 2):
        assert s.do(cpu, "next") is None
    assert idle(s) == 0b1110
    s.thread(0, MAIN | STATIC | 2 << 8)
    assert idle(s) == 0b1010
    s.thread(0, MAIN)
    assert idle(s) == 0b1000
    s.thread(0, MAIN | STATIC | 1 << 8)
    assert idle(s) == 0b1000
    s.thread(0, MAIN)
    assert idle(s) == 0
    run(s, tmp_path)


@pytest.mark.parametrize("which", [1, 3, 5])
def test_priority_of_a_ready_thread(s: Scenario, tmp_path: Path, which: int) -> None:
    """First, middle and last of five ready threads go to another priority and come back to the tail."""
    for _ in range(5):
        s.thread(0, MAIN - 1)
    s.do(0, "set_sched_param", which, word0=MAIN - 2)
    s.do(0, "set_sched_param", which, word0=MAIN - 1)
    order = [tid for tid in range(1, 6) if tid != which] + [which]
    s.thread(0, MAIN - 1)
    for tid in (*order, 6):
        assert s.do(0, "thread_exit") == GIVE_WAY | tid
    run(s, tmp_path)


def test_waiters_are_sorted_by_their_priority_now(s: Scenario, tmp_path: Path) -> None:
    s.do(0, "semaphore_create", word0=0)
    for _ in range(4):
        s.thread(0, MAIN + 4)
        s.switch(0, "yield")
        s.switch(0, "semaphore_wait", 0)
    for tid, priority in ((1, 5), (2, 3), (3, 4), (4, 2)):
        s.do(0, "set_sched_param", tid, word0=priority)
    # 6 goes before 3 at first, then 5 before 6, ...: always before the first that is lower now
    for priority in (4, 9, 3, 2, 1):
        tid = s.thread(0, MAIN + 4)
        s.switch(0, "yield")
        s.do(0, "set_sched_param", tid, word0=priority)
        s.switch(0, "semaphore_wait", 0)
    for _ in range(9):
        s.do(0, "semaphore_post", 0)
    for _ in range(9):
        s.do(0, "thread_exit")
    run(s, tmp_path)


def test_semaphore_maximum(s: Scenario, tmp_path: Path) -> None:
    s.do(0, "semaphore_create", word0=SEMAPHORE_MAX - 1)
    assert s.do(0, "semaphore_post", 0) == 0
    assert s.do(0, "semaphore_post", 0) == error("erange")
    assert s.do(0, "semaphore_value", 0) == SEMAPHORE_MAX
    run(s, tmp_path)


def test_ports_are_double_buffered(s: Scenario, tmp_path: Path) -> None:
    """[SMP]: what is written is seen when its writer gives way, or when a second writer comes."""
    s.do(0, "port_open", 0, word0=0)
    s.thread(0, MAIN)
    s.do(1, "next")
    for message in (10, 11):
        assert s.do(1, "port_send", 0, word0=message) == 0
    assert s.do(0, "port_tryreceive", 0) == error("eagain")
    assert s.do(1, "yield") == 0
    assert s.do(0, "port_receive", 0) == 1
    assert s.do(0, "word0") == 10
    assert s.do(0, "port_send", 0, word0=12) == 0  # to itself, not published yet
    assert s.do(1, "port_send", 0, word0=13) == 0  # a second writer: both are published
    for message in (11, 12, 13):
        s.do(0, "port_receive", 0)
        assert s.do(0, "word0") == message
    assert s.do(0, "port_receive", 0) is None
    assert s.do(1, "port_send", 0, word0=14) == 0
    assert idle(s) == 1
    s.do(1, "port_publish")
    assert s.steps[-1].words == ((1, 0), (0, RESUMED))
    run(s, tmp_path)


def test_port_reopened_before_its_writer_published(s: Scenario, tmp_path: Path) -> None:
    s.thread(0, MAIN)
    s.do(1, "next")
    s.do(0, "port_open", 3, word0=0)
    s.do(1, "port_send", 3, word0=1)
    s.do(1, "port_open", 4, word0=0)
    s.do(1, "port_send", 4, word0=2)
    assert s.do(0, "port_close", 3) == 1
    s.do(0, "port_open", 3, word0=0)
    assert s.do(1, "port_publish") == 0
    assert s.do(0, "port_tryreceive", 3) == error("eagain")
    assert s.do(1, "port_receive", 4) == 0
    run(s, tmp_path)


# --- conditions, interrupts, idle threads, hardware threads ------------------------------------


def test_a_broadcast_wakes_by_priority_then_in_order(s: Scenario, tmp_path: Path) -> None:
    s.do(0, "cond_create")
    for priority in (3, 9, 3, 12, 9):
        tid = s.thread(0, MAIN + 1)
        s.switch(0, "yield")
        s.do(0, "set_sched_param", tid, word0=priority)
        s.switch(0, "cond_wait", 0, word0=0)
    s.do(0, "set_sched_param", 0, word0=0)
    assert s.do(1, "next") is None
    s.do(0, "cond_broadcast", 0)
    assert s.steps[-1].words == ((0, 0), (1, GIVE_WAY | 4))  # the first takes the idle CPU
    for tid in (2, 5, 1, 3):
        assert s.do(1, "thread_exit") == GIVE_WAY | tid
    assert s.do(0, "cond_ticket", 0) == 1
    run(s, tmp_path)


def test_no_signal_is_missed(s: Scenario, tmp_path: Path) -> None:
    """A signal between the unlock and the wait; the count goes round after 65536."""
    s.do(0, "cond_create")
    ticket = s.do(0, "cond_ticket", 0)
    s.do(0, "cond_signal", 0)
    assert s.do(0, "cond_wait", 0, word0=ticket) == 0
    s.thread(0, MAIN)
    assert s.do(0, "cond_wait", 0, word0=0xFFFF_0001) == GIVE_WAY | 1  # 16 bits of the ticket count
    assert s.do(0, "cond_signal", 0) == 0
    assert s.do(0, "thread_exit") == GIVE_WAY | 0
    run(s, tmp_path)


def test_an_interrupt_asks_only_for_a_better_thread(s: Scenario, tmp_path: Path) -> None:
    for priority, asked in ((MAIN + 1, 1), (MAIN, 0), (MAIN - 1, 0)):
        handler = s.thread(0, MAIN + 2)
        assert s.switch(0, "yield") == GIVE_WAY | handler
        s.do(0, "set_sched_param", handler, word0=priority)
        s.do(0, "interrupt_bind", 3, word0=0)
        assert s.switch(0, "interrupt_wait", 3) == GIVE_WAY
        s.line(3)
        assert irq(s) == asked
        s.line(3)  # it does not wait: the next wait takes this one
        s.do(0, "set_sched_param", handler, word0=MAIN + 2)
        assert s.switch(0, "preempt") == GIVE_WAY | handler
        assert s.do(0, "interrupt_wait", 3) == 0
        assert s.switch(0, "thread_exit") == GIVE_WAY  # and its lines are free again
    run(s, tmp_path)


def test_an_interrupt_wakes_a_handler_on_an_idle_cpu(s: Scenario, tmp_path: Path) -> None:
    s.thread(0, MAIN)
    s.do(1, "next")
    s.do(1, "interrupt_bind", 0, word0=0)
    assert s.do(1, "interrupt_wait", 0) is None
    s.line(0)
    assert s.steps[-1].words == ((1, RESUMED),)
    s.line(1)  # bound to nothing
    s.do(0, "interrupt_bind", 1, word0=0)
    assert s.do(0, "interrupt_wait", 1) is None  # it was not listened to
    s.line(1)
    run(s, tmp_path)


def test_a_line_posts_or_sends(s: Scenario, tmp_path: Path) -> None:
    s.do(0, "semaphore_create", word0=0)
    s.do(0, "port_open", 5, word0=0)
    s.do(0, "interrupt_bind", 0, word0=1 << 10)
    s.do(0, "interrupt_bind", 7, word0=2 << 10 | 5)
    s.line(0)
    s.line(7)
    assert s.do(0, "semaphore_value", 0) == 1
    assert s.do(0, "port_receive", 5) == 0
    assert s.do(0, "word0") == 7
    for _ in range(DEFAULT.port_depth + 1):
        s.line(7)  # the last one finds no room
    assert s.do(0, "port_close", 5) == DEFAULT.port_depth
    s.line(7)  # closed: nothing happens
    s.do(0, "semaphore_destroy", 0)
    s.line(0)
    s.do(0, "port_open", 5, word0=0)
    assert s.do(0, "port_tryreceive", 5) == error("eagain")
    run(s, tmp_path)


def test_the_idle_thread_is_below_every_priority(s: Scenario, tmp_path: Path) -> None:
    s.do(0, "semaphore_create", word0=0)
    idle_thread = s.thread(0, 31, start=False)
    assert s.do(1, "set_idle_thread", idle_thread) == 0
    assert s.do(0, "semaphore_wait", 0) is None  # it is of CPU 1 only
    assert s.do(1, "next") == GIVE_WAY | idle_thread
    s.store(1, "saved")
    s.do(1, "semaphore_post", 0)
    lowest = s.thread(0, 0)
    assert irq(s) == 2
    assert s.switch(1, "preempt") == GIVE_WAY | lowest
    assert s.do(0, "get_entry", idle_thread) == 31 | 1 << 8 | 1 << 9 | 1 << 10
    assert s.do(1, "yield") == 0
    assert s.do(0, "remove", idle_thread) == 0
    assert s.do(1, "thread_exit") is None
    s.do(0, "thread_start", idle_thread)
    assert s.steps[-1].words == ((0, 0), (1, GIVE_WAY | idle_thread))
    run(s, tmp_path)


def test_an_idle_thread_is_last_in_a_wait_list(s: Scenario, tmp_path: Path) -> None:
    s.do(0, "semaphore_create", word0=0)
    idle_thread = s.thread(0, 31, start=False)
    s.do(1, "set_idle_thread", idle_thread)
    s.do(1, "next")
    assert s.do(1, "semaphore_wait", 0) is None
    s.thread(0, 0)
    assert s.steps[-1].words == ((0, 0), (1, GIVE_WAY | 2))
    s.store(1, "saved")
    assert s.do(1, "semaphore_wait", 0) is None
    s.do(0, "semaphore_post", 0)
    assert s.steps[-1].words == ((0, 0), (1, RESUMED))
    s.do(0, "semaphore_post", 0)
    assert s.do(1, "thread_exit") == GIVE_WAY | idle_thread
    run(s, tmp_path)


@pytest.mark.rtl
def test_a_hardware_thread_from_start_to_exit(tmp_path: Path) -> None:
    s = Scenario(Config(hw_threads=2))
    unit = 3  # the client of hardware thread 1
    s.do(0, "semaphore_create", word0=0)
    s.do(0, "mutex_create")
    assert s.do(unit, "next") is None
    tid = s.thread(0, HARDWARE_PARAM + 1)
    assert s.steps[-1].words == ((0, 0), (unit, GIVE_WAY | tid))
    assert s.do(0, "get_sched_param", tid) == HARDWARE_PARAM + 1
    s.store(unit, "saved")
    assert s.do(unit, "semaphore_wait", 0) is None
    s.thread(0, MAIN)  # no thread for a unit
    s.do(0, "semaphore_post", 0)
    assert s.steps[-1].words == ((0, 0), (unit, RESUMED))
    s.do(0, "mutex_lock", 0)
    assert s.do(unit, "mutex_lock", 0) is None
    s.do(0, "mutex_unlock", 0)
    assert s.steps[-1].words == ((0, 0), (unit, RESUMED))
    assert s.do(unit, "yield") == 0
    assert s.do(unit, "thread_exit") is None
    assert s.do(0, "thread_create", word0=HARDWARE_PARAM + 1) == error("ebusy")  # not joined
    assert s.do(0, "thread_join", tid) == 0
    # The next one of the unit; it can be taken back before the unit has it
    other = s.thread(0, HARDWARE_PARAM + 1, start=False)
    s.do(0, "thread_start", other)
    assert s.steps[-1].words == ((0, 0), (unit, GIVE_WAY | other))
    first = s.thread(0, HARDWARE_PARAM)
    assert s.do(0, "remove", first) == 0
    assert s.do(0, "thread_start", first) == 0
    assert s.do(2, "next") == GIVE_WAY | first
    for seed in (0, 1, 2, 3):
        play(s.kernel.config, s.steps, seed, tmp_path)


def test_an_idle_thread_stays_with_its_cpu(tmp_path: Path) -> None:
    s = Scenario(DEFAULT)
    idle = s.thread(0, 31, start=False)
    s.do(0, "set_idle_thread", idle)
    s.do(0, "remove", idle)
    assert s.do(1, "set_idle_thread", idle) == error("ebusy")
    s.do(0, "thread_start", idle)
    s.do(0, "get_entry", idle)
    play(DEFAULT, s.steps, 0, tmp_path)
