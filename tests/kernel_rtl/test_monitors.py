# SPDX-License-Identifier: Apache-2.0
"""A wait for a condition that is one operation and ends with the mutex (service monitors), course by course.

Random streams: test_referee.py; cycles: test_cycles.py; proven: test_induction.py.
"""

from __future__ import annotations

from pathlib import Path

from coreloom.reference.kernel import GIVE_WAY, RESUMED, Config, error
from coreloom.reference.scenario import Scenario

from .harness import run, words

MAIN = 16  # priority of thread 0
STATIC = 1 << 12
CONFIG = Config(cpus=4, timeouts=True, monitors=True)


class Monitor(Scenario):
    """Thread 0 runs on CPU 0; there are mutex 0 and condition variable 0."""

    def __init__(self) -> None:
        super().__init__(CONFIG)
        assert self.do(0, "mutex_create") == self.do(0, "cond_create") == 0

    def lock(self, cpu: int = 0) -> None:
        assert self.do(cpu, "mutex_lock", 0) == 0

    def runs(self, cpu: int, priority: int = MAIN) -> int:
        """A thread of this CPU."""
        tid = self.thread(0, priority | STATIC | cpu << 8)
        assert self.do(cpu, "next") == GIVE_WAY | tid
        return tid

    def waits(self, cpu: int, priority: int = MAIN) -> int:
        """One that waits, alone on its CPU."""
        tid = self.runs(cpu, priority)
        self.lock(cpu)
        assert self.do(cpu, "mutex_wait", 0, 0) is None
        return tid

    def state(self, tid: int) -> str:
        value = self.do(0, "thread_read", tid)
        assert value is not None
        return {2: "ready", 3: "running", 4: "blocked"}[value & 7]


def test_a_signal_locks_a_free_mutex(tmp_path: Path) -> None:
    s = Monitor()
    s.waits(1)
    s.lock()  # the wait has unlocked it
    s.do(0, "mutex_unlock", 0)
    s.do(0, "cond_signal", 0)
    assert words(s) == ((0, 0), (1, RESUMED))
    assert s.do(0, "mutex_trylock", 0) == error("ebusy")
    assert s.do(1, "mutex_unlock", 0) == 0
    run(s, tmp_path)


def test_with_the_mutex_locked_the_unlock_ends_the_wait(tmp_path: Path) -> None:
    s = Monitor()
    tid = s.waits(1)
    s.lock()
    s.do(0, "cond_signal", 0)
    assert words(s) == ((0, 0),)
    assert s.state(tid) == "blocked"
    assert s.do(0, "cond_destroy", 0) == 0  # it does not wait there any more
    s.do(0, "mutex_unlock", 0)
    assert words(s) == ((0, 0), (1, RESUMED))
    assert s.do(1, "mutex_unlock", 0) == 0
    run(s, tmp_path)


def test_the_wait_hands_the_mutex_over(tmp_path: Path) -> None:
    s = Monitor()
    s.runs(1)
    s.lock()
    assert s.do(1, "mutex_lock", 0) is None
    s.do(0, "mutex_wait", 0, 0)
    assert words(s) == ((1, RESUMED),)
    s.do(1, "cond_signal", 0)
    assert words(s) == ((1, 0),)
    s.do(1, "mutex_wait", 0, 0)
    assert words(s) == ((0, RESUMED),)
    assert s.do(0, "mutex_unlock", 0) == 0
    run(s, tmp_path)


def test_who_was_replaced_becomes_ready_without_the_mutex(tmp_path: Path) -> None:
    s = Monitor()
    tid = s.thread(0, MAIN)
    s.lock()
    assert s.switch(0, "mutex_wait", 0, 0) == GIVE_WAY | tid
    s.lock()
    assert s.do(0, "cond_signal", 0) == 0
    assert s.state(0) == "ready"
    assert s.switch(0, "yield") == GIVE_WAY
    assert s.do(0, "mutex_unlock", 0) == error("eperm")
    assert s.switch(0, "mutex_lock", 0) == GIVE_WAY | tid
    assert s.do(0, "mutex_unlock", 0) == 0
    run(s, tmp_path)


def test_who_is_replaced_after_the_signal_has_the_mutex(tmp_path: Path) -> None:
    s = Monitor()
    tid = s.waits(1)
    s.lock()
    s.do(0, "cond_signal", 0)
    other = s.thread(0, MAIN | STATIC | 1 << 8)
    assert words(s) == ((0, 0), (1, GIVE_WAY | other))
    s.store(1, "saved")
    s.do(0, "mutex_unlock", 0)
    assert s.state(tid) == "ready"
    assert s.switch(1, "yield") == GIVE_WAY | tid
    assert s.do(1, "mutex_lock", 0) == error("edeadlk")
    assert s.do(1, "mutex_unlock", 0) == 0
    run(s, tmp_path)


def test_a_broadcast_serves_all_by_priority(tmp_path: Path) -> None:
    """Those of mutex_wait get the mutex one after the other; who waits without one goes on."""
    s = Monitor()
    s.waits(1, MAIN + 1)
    s.runs(2, MAIN + 2)
    assert s.do(2, "cond_wait", 0, 0) is None
    s.waits(3, MAIN + 3)
    s.do(0, "cond_broadcast", 0)
    assert words(s) == ((0, 0), (3, RESUMED), (2, RESUMED))
    s.do(3, "mutex_unlock", 0)
    assert words(s) == ((3, 0), (1, RESUMED))
    assert s.do(1, "mutex_unlock", 0) == 0
    assert s.do(0, "mutex_destroy", 0) == s.do(0, "cond_destroy", 0) == 0
    run(s, tmp_path)


def test_they_wait_for_the_mutex_by_priority(tmp_path: Path) -> None:
    s = Monitor()
    for cpu, priority in ((1, MAIN + 1), (2, MAIN + 3), (3, MAIN + 2)):
        s.waits(cpu, priority)
    s.lock()
    s.do(0, "cond_broadcast", 0)
    assert words(s) == ((0, 0),)
    for cpu, then in ((0, 2), (2, 3), (3, 1)):
        s.do(cpu, "mutex_unlock", 0)
        assert words(s) == ((cpu, 0), (then, RESUMED))
    assert s.do(1, "mutex_unlock", 0) == 0
    run(s, tmp_path)


def test_messages_are_published_before(tmp_path: Path) -> None:
    s = Monitor()
    receiver = s.thread(0, MAIN + 1)
    assert s.switch(0, "yield") == GIVE_WAY | receiver
    assert s.do(0, "port_open", 0, 0) == 0
    assert s.switch(0, "port_receive", 0) == GIVE_WAY
    s.lock()
    assert s.do(0, "port_send", 0, 7) == 0
    assert s.do(0, "mutex_wait", 0, 99) == error("einval")
    assert s.state(receiver) == "blocked"
    assert s.switch(0, "mutex_wait", 0, 0) == GIVE_WAY | receiver
    run(s, tmp_path)


def test_what_is_refused_changes_nothing(tmp_path: Path) -> None:
    s = Monitor()
    assert s.do(0, "mutex_wait", 0, 0) == error("eperm")  # it is free
    s.runs(1)
    s.lock()
    for mutex, condition in ((1, 0), (1023, 0), (0, 1), (0, 1024), (0, 1 << 31)):
        assert s.do(0, "mutex_wait", mutex, condition) == error("einval")
    assert s.do(1, "mutex_wait", 0, 0) == error("eperm")  # it is another's
    assert s.do(1, "mutex_trylock", 0) == error("ebusy")
    run(s, tmp_path)


def test_who_leaves_does_not_have_the_mutex(tmp_path: Path) -> None:
    """Neither from the condition variable nor, after a signal, from the mutex."""
    s = Monitor()
    tid = s.waits(1)
    s.do(0, "cond_leave", 0, tid)
    assert words(s) == ((0, 0), (1, RESUMED))
    s.lock(1)
    assert s.do(1, "mutex_wait", 0, 0) is None
    s.lock()
    s.do(0, "cond_signal", 0)
    assert s.do(0, "cond_leave", 0, tid) == error("enoent")
    s.do(0, "mutex_leave", 0, tid)
    assert words(s) == ((0, 0), (1, RESUMED))
    assert s.do(1, "mutex_unlock", 0) == error("eperm")
    run(s, tmp_path)


def test_a_mutex_that_is_gone_is_not_locked(tmp_path: Path) -> None:
    s = Monitor()
    s.waits(1)
    assert s.do(0, "mutex_destroy", 0) == 0
    s.do(0, "cond_signal", 0)
    assert words(s) == ((0, 0), (1, RESUMED))
    assert s.do(0, "mutex_create") == 0
    s.lock()
    run(s, tmp_path)


def test_the_next_wait_without_a_mutex_locks_none(tmp_path: Path) -> None:
    s = Monitor()
    tid = s.waits(1)
    s.do(0, "cond_leave", 0, tid)
    assert s.do(1, "cond_wait", 0, s.do(1, "cond_ticket", 0)) is None
    s.lock()
    s.do(0, "cond_signal", 0)
    assert words(s) == ((0, 0), (1, RESUMED))
    run(s, tmp_path)


def test_a_deadline_ends_the_wait_for_the_signal_alone(tmp_path: Path) -> None:
    s = Monitor()
    s.runs(1)
    s.lock(1)
    assert s.do(1, "timeout_start", word0=100) == 0
    assert s.do(1, "mutex_wait", 0, 0) is None
    s.time(100)
    assert words(s) == ((1, RESUMED),)
    assert s.do(1, "timeout_stop") == 1
    s.lock(1)
    assert s.do(1, "timeout_start", word0=200) == 0
    assert s.do(1, "mutex_wait", 0, 0) is None
    s.lock()
    s.do(0, "cond_signal", 0)
    s.time(200)
    assert words(s) == ()
    s.do(0, "mutex_unlock", 0)
    assert words(s) == ((0, 0), (1, RESUMED))
    assert s.do(1, "timeout_stop") == 0
    run(s, tmp_path)
