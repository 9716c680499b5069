# SPDX-License-Identifier: Apache-2.0
"""The reference model itself: each rule of the kernel that an implementer must be able to look up."""

from __future__ import annotations

from typing import Any

import pytest

from coreloom.reference.kernel import GIVE_WAY, RESUMED, SPEC, Config, Kernel, error

CODES = {name: op.code for name, op in SPEC.ops.items()}
STATIC, DETACHED = 1 << 12, 1 << 13


class Driver:
    """A kernel with short calls: op(cpu, "name", id, word0)."""

    def __init__(self, cpus: int = 1, **sizes: Any) -> None:
        self.kernel = Kernel(Config(cpus=cpus, **sizes))

    def op(self, cpu: int, name: str, id: int = 0, word0: int | None = None) -> int | None:
        if word0 is not None:
            self.kernel.store(cpu, CODES["word0"], 0, word0)
        return self.kernel.load(cpu, CODES[name], id)

    def saved(self, cpu: int) -> None:
        self.kernel.store(cpu, CODES["saved"], 0, 0)

    def thread(self, priority: int = 16, flags: int = 0, on_cpu: int = 0) -> int:
        """Create and start a thread from CPU 0."""
        tid = self.op(0, "thread_create", 0, priority | on_cpu << 8 | flags)
        assert tid is not None
        assert self.op(0, "thread_start", tid) == 0
        return tid

    def state(self, tid: int) -> str:
        value = self.kernel.threads[tid].state
        return next(name for name, code in SPEC.states.items() if code == value)


def test_reset_runs_thread_0_on_cpu_0() -> None:
    d = Driver(2)
    assert d.op(0, "self") == 0
    assert d.op(1, "self") == error("esrch")
    assert d.op(0, "thread_read", 0) == 3 | 16 << 3


def test_yield_goes_to_the_tail_of_its_priority() -> None:
    d = Driver()
    a, b = d.thread(), d.thread()
    assert d.op(0, "yield") == GIVE_WAY | a
    d.saved(0)
    assert d.op(0, "yield") == GIVE_WAY | b
    d.saved(0)
    assert d.op(0, "yield") == GIVE_WAY | 0


def test_yield_to_nobody_of_the_priority_goes_on() -> None:
    d = Driver()
    d.thread(priority=3)
    assert d.op(0, "yield") == 0


def test_thread_that_gives_way_is_not_eligible_before_it_is_saved() -> None:
    d = Driver(2)
    assert d.op(1, "next") is None
    a = d.thread()
    assert d.kernel.completions() == [(1, GIVE_WAY | a)]
    b = d.thread()
    assert d.op(0, "yield") == GIVE_WAY | b
    assert d.op(1, "thread_exit") is None, "thread 0 is ready, but its context is not in memory yet"
    d.saved(0)
    assert d.kernel.completions() == [(1, GIVE_WAY | 0)]


def test_next_operation_implies_saved() -> None:
    d = Driver()
    a = d.thread()
    assert d.op(0, "yield") == GIVE_WAY | a
    assert d.op(0, "yield") == GIVE_WAY | 0


def test_woken_before_saved_is_queued_when_saved() -> None:
    d = Driver(2)
    semaphore = d.op(0, "semaphore_create", 0, 0)
    assert semaphore == 0
    d.op(1, "next")
    a = d.thread()
    b = d.thread()
    assert d.op(0, "semaphore_wait", 0) == GIVE_WAY | b
    assert d.op(1, "semaphore_post", 0) == 0
    assert d.state(0) == "ready"
    assert d.op(1, "yield") == 0, f"thread 0 must not run on CPU 1 beside {a}"
    d.saved(0)
    assert d.op(1, "yield") == GIVE_WAY | 0


def test_idle_load_is_resumed_in_place() -> None:
    d = Driver(2)
    d.op(0, "semaphore_create", 0, 0)
    d.op(1, "next")
    a = d.thread()
    assert d.kernel.completions() == [(1, GIVE_WAY | a)]
    assert d.op(1, "semaphore_wait", 0) is None
    assert d.kernel.idle(1)
    assert d.op(0, "semaphore_post", 0) == 0
    assert d.kernel.completions() == [(1, RESUMED)]
    assert d.op(1, "self") == a


def test_interrupt_ends_an_idle_wait_and_next_continues_it() -> None:
    d = Driver(2)
    d.op(0, "semaphore_create", 0, 0)
    assert d.op(1, "next") is None
    d.kernel.interrupt(1, True)
    assert d.kernel.completions() == [(1, error("eintr"))]
    assert d.op(1, "next") == error("eintr"), "the level is still there"
    d.kernel.interrupt(1, False)
    assert d.op(1, "next") is None


def test_preempted_thread_keeps_the_head_of_its_priority() -> None:
    d = Driver()
    a = d.thread()
    high = d.thread(priority=20)
    assert d.kernel.irq(0)
    assert d.op(0, "preempt") == GIVE_WAY | high
    d.saved(0)
    assert d.op(0, "thread_exit") == GIVE_WAY | 0, f"thread 0 before {a}"


def test_slice_used_up_sends_to_the_tail() -> None:
    d = Driver()
    d.op(0, "slice", 0, 2)
    a = d.thread()
    d.kernel.tick()
    assert not d.kernel.irq(0)
    d.kernel.tick()
    assert d.kernel.irq(0)
    assert d.op(0, "preempt") == GIVE_WAY | a
    d.saved(0)
    assert not d.kernel.irq(0)


def test_irq_goes_to_the_cpu_that_runs_the_worst_thread() -> None:
    d = Driver(3)
    for cpu in (1, 2):
        d.op(cpu, "next")
    d.thread(priority=10)
    d.thread(priority=5)
    d.saved(1)
    d.saved(2)
    d.thread(priority=12)
    assert [d.kernel.irq(cpu) for cpu in range(3)] == [False, False, True]


def test_no_irq_between_give_way_and_saved() -> None:
    d = Driver()
    low = d.thread(priority=16)
    assert d.op(0, "yield") == GIVE_WAY | low
    d.kernel.load(0, CODES["word0"], 0)
    assert not d.kernel.irq(0)
    d.saved(0)
    assert d.op(0, "set_sched_param", low, 2) == 16
    assert d.kernel.irq(0), "thread 0 is better now"


def test_static_threads_run_on_their_cpu_only() -> None:
    d = Driver(2)
    d.op(1, "next")
    a = d.thread(flags=STATIC, on_cpu=0)
    assert d.kernel.completions() == []
    b = d.thread(flags=STATIC, on_cpu=1)
    assert d.kernel.completions() == [(1, GIVE_WAY | b)]
    assert d.op(0, "yield") == GIVE_WAY | a


def test_equal_static_and_dynamic_threads_take_turns() -> None:
    d = Driver()
    static = [d.thread(flags=STATIC) for _ in range(2)]
    dynamic = [d.thread() for _ in range(2)]
    order = []
    for _ in range(4):
        word = d.op(0, "yield")
        assert word is not None
        order.append(word & 0xFFFF)
        d.saved(0)
    assert order == [static[0], dynamic[0], static[1], dynamic[1]]


def test_messages_are_published_when_the_sender_gives_way() -> None:
    d = Driver()
    a = d.thread()
    assert d.op(0, "yield") == GIVE_WAY | a
    d.saved(0)
    assert d.op(0, "port_open", 2, 0) == 0
    assert d.op(0, "port_receive", 2) == GIVE_WAY | 0
    d.saved(0)
    assert d.op(0, "port_send", 2, 0xDEADBEEF) == 0
    assert d.state(a) == "blocked"
    assert d.op(0, "yield") == GIVE_WAY | a
    d.saved(0)
    assert d.op(0, "port_receive", 2) == 0
    assert d.op(0, "word0") == 0xDEADBEEF


def test_immediate_port_publishes_at_the_send() -> None:
    d = Driver()
    assert d.op(0, "port_open", 0, 1) == 0
    d.op(0, "port_send", 0, 7)
    port = d.kernel.ports[0]
    assert port is not None and list(port.frozen) == [(7,)]


def test_second_writer_publishes_at_once() -> None:
    d = Driver(2)
    d.op(1, "next")
    d.thread()
    d.op(0, "port_open", 0, 0)
    d.op(0, "port_send", 0, 1)
    port = d.kernel.ports[0]
    assert port is not None and list(port.active) == [(1,)]
    d.op(1, "port_send", 0, 2)
    assert list(port.frozen) == [(1,), (2,)]


def test_full_port_blocks_its_sender_until_there_is_room() -> None:
    d = Driver(2, port_depth=2)
    d.op(0, "port_open", 0, 0)
    d.op(1, "next")
    sender = d.thread()
    assert d.kernel.completions() == [(1, GIVE_WAY | sender)]
    for word in (1, 2):
        assert d.op(1, "port_send", 0, word) == 0
    assert d.op(1, "port_trysend", 0, 3) == error("eagain")
    assert d.op(1, "port_send", 0, 3) is None
    assert d.op(0, "port_receive", 0) == 1
    assert d.kernel.completions() == [(1, RESUMED)]
    assert d.op(1, "port_send", 0, 3) == 0


def test_mutex_is_handed_over_by_priority_then_order() -> None:
    d = Driver(4)
    assert d.op(0, "mutex_create") == 0
    assert d.op(0, "mutex_lock", 0) == 0
    for cpu, priority in ((1, 5), (2, 9), (3, 9)):
        d.op(cpu, "next")
        d.thread(priority, STATIC, cpu)
        assert d.op(cpu, "mutex_lock", 0) is None
    d.kernel.completions()
    assert d.op(0, "mutex_unlock", 0) == 0
    assert d.kernel.completions() == [(2, RESUMED)]
    assert d.op(2, "mutex_unlock", 0) == 0
    assert d.kernel.completions() == [(3, RESUMED)]
    assert d.op(3, "mutex_unlock", 0) == 0
    assert d.kernel.completions() == [(1, RESUMED)]


def test_join_frees_the_thread_and_its_id_is_used_again() -> None:
    d = Driver()
    a = d.thread()
    assert d.op(0, "thread_join", a) == GIVE_WAY | a
    d.saved(0)
    assert d.op(0, "thread_exit") == GIVE_WAY | 0
    assert d.state(a) == "free"
    assert d.op(0, "thread_create", 0, 1) == a


def test_detached_thread_is_freed_at_its_exit() -> None:
    d = Driver()
    a = d.thread(flags=DETACHED)
    assert d.op(0, "thread_detach", a) == error("einval")
    d.op(0, "yield")
    assert d.op(0, "thread_exit") == GIVE_WAY | 0
    assert d.op(0, "thread_read", a) == error("esrch")


@pytest.mark.parametrize(
    ("name", "id", "word0", "status"),
    [
        ("thread_create", 0, 32, "einval"),
        ("thread_create", 0, STATIC | 1 << 8, "einval"),
        ("move", 0, STATIC | 1 << 8, "einval"),
        ("move", 0, 32, "einval"),
        ("thread_start", 63, 0, "esrch"),
        ("thread_start", 1023, 0, "esrch"),
        ("thread_start", 0, 0, "einprogress"),
        ("thread_join", 0, 0, "edeadlk"),
        ("thread_join", 9, 0, "esrch"),
        ("thread_detach", 9, 0, "esrch"),
        ("set_sched_param", 9, 1, "esrch"),
        ("set_sched_param", 0, 32, "einval"),
        ("mutex_lock", 5, 0, "einval"),
        ("mutex_lock", 600, 0, "einval"),
        ("mutex_unlock", 5, 0, "einval"),
        ("semaphore_create", 0, 32768, "einval"),
        ("semaphore_wait", 5, 0, "einval"),
        ("semaphore_post", 600, 0, "einval"),
        ("port_open", 32, 0, "einval"),
        ("port_send", 32, 0, "einval"),
        ("port_send", 3, 0, "ebadf"),
        ("port_receive", 3, 0, "ebadf"),
        ("port_close", 3, 0, "ebadf"),
        ("saved", 0, 0, "einval"),
    ],
)
def test_wrong_operation_returns_its_error(name: str, id: int, word0: int, status: str) -> None:
    d = Driver()
    assert d.op(0, name, id, word0) == error(status)


def test_a_thread_moves_to_the_cpu_that_it_names_and_to_any() -> None:
    d = Driver(cpus=2)
    assert d.op(1, "next") is None
    assert d.op(0, "move", 0, STATIC | 1 << 8) is None  # CPU 0 has nothing else to do
    assert d.kernel.completions() == [(1, GIVE_WAY | 0)]
    assert (d.kernel.threads[0].static, d.kernel.threads[0].cpu) == (True, 1)
    assert d.op(1, "move", 0, 0) is None  # CPU 0 waits, and takes it
    assert d.kernel.completions() == [(0, GIVE_WAY | 0)]
    assert not d.kernel.threads[0].static


def test_a_thread_that_moves_waits_behind_its_equals_there() -> None:
    d = Driver(cpus=2)
    other, there = d.thread(), d.thread(flags=STATIC | 1 << 8)
    assert d.op(0, "move", 0, STATIC | 1 << 8) == GIVE_WAY | other
    assert d.op(1, "next") == GIVE_WAY | there
    assert d.op(1, "thread_exit") == GIVE_WAY | 0


def test_unknown_operation_is_invalid() -> None:
    assert Driver().kernel.load(0, 23, 0) == error("einval")


def test_waiting_for_oneself_and_foreign_objects_are_refused() -> None:
    d = Driver()
    d.op(0, "mutex_create")
    d.op(0, "mutex_lock", 0)
    d.op(0, "port_open", 0, 0)
    a = d.thread()
    assert d.op(0, "mutex_lock", 0) == error("edeadlk")
    d.op(0, "yield")
    assert d.op(0, "self") == a
    assert d.op(0, "mutex_unlock", 0) == error("eperm")
    assert d.op(0, "mutex_trylock", 0) == error("ebusy")
    assert d.op(0, "mutex_destroy", 0) == error("ebusy")
    assert d.op(0, "port_receive", 0) == error("eperm")
    assert d.op(0, "port_close", 0) == error("eperm")
    assert d.op(0, "port_open", 0, 0) == error("ebusy")


# --- condition variables --------------------------------------------------------------------------------


def test_a_signal_since_the_ticket_is_not_missed() -> None:
    d = Driver()
    d.op(0, "cond_create")
    ticket = d.op(0, "cond_ticket", 0)
    assert d.op(0, "cond_signal", 0) == 0
    assert d.op(0, "cond_wait", 0, ticket) == 0
    assert d.op(0, "cond_ticket", 0) == 1


def test_broadcast_wakes_all_by_priority_then_in_order() -> None:
    d = Driver()
    d.op(0, "cond_create")
    low, high, also_low = d.thread(17), d.thread(18), d.thread(17)
    for tid in (high, low, also_low):
        assert d.op(0, "preempt" if tid == high else "cond_wait", 0, 0) == GIVE_WAY | tid
        d.saved(0)
    assert d.op(0, "cond_wait", 0, 0) == GIVE_WAY | 0
    d.saved(0)
    assert [d.state(tid) for tid in (low, high, also_low)] == ["blocked"] * 3
    assert d.op(0, "cond_destroy", 0) == error("ebusy")
    assert d.op(0, "cond_broadcast", 0) == 0
    assert d.op(0, "preempt") == GIVE_WAY | high
    d.saved(0)
    assert d.op(0, "thread_exit") == GIVE_WAY | low
    d.saved(0)
    assert d.op(0, "thread_exit") == GIVE_WAY | also_low


# --- interrupts -----------------------------------------------------------------------------------------


def test_a_thread_waits_for_its_line_and_the_wait_takes_an_earlier_interrupt() -> None:
    d = Driver()
    assert d.op(0, "interrupt_bind", 2, 0) == 0
    assert d.op(0, "interrupt_bind", 2, 0) == error("ebusy")
    d.kernel.line(2)
    d.kernel.line(2)  # two before a wait are one
    assert d.op(0, "interrupt_wait", 2) == 0
    assert d.op(0, "interrupt_wait", 2) is None
    d.kernel.line(2)
    assert d.kernel.completions() == [(0, RESUMED)]


def test_an_interrupt_preempts_only_what_is_lower() -> None:
    d = Driver()
    a = d.thread(priority=20)
    assert d.op(0, "preempt") == GIVE_WAY | a
    d.saved(0)
    d.op(0, "interrupt_bind", 0, 0)
    assert d.op(0, "interrupt_wait", 0) == GIVE_WAY | 0
    d.saved(0)
    d.op(0, "set_sched_param", 0, 25)
    d.kernel.line(0)
    assert not d.kernel.irq(0) and d.state(a) == "ready"
    d.op(0, "set_sched_param", 0, 10)
    assert d.kernel.irq(0)


def test_lines_post_semaphores_and_send_to_ports() -> None:
    d = Driver()
    d.op(0, "semaphore_create", 0, 0)
    d.op(0, "port_open", 3, 0)
    assert d.op(0, "interrupt_bind", 0, 1 << 10) == 0
    assert d.op(0, "interrupt_bind", 1, 2 << 10 | 3) == 0
    d.kernel.line(0)
    d.kernel.line(1)
    assert d.op(0, "semaphore_value", 0) == 1
    assert d.op(0, "port_receive", 3) == 0
    assert d.op(0, "word0") == 1
    d.op(0, "semaphore_destroy", 0)
    assert d.op(0, "interrupt_raise", 0) == error("einval")


def test_an_exit_unbinds_the_threads_lines() -> None:
    d = Driver()
    a = d.thread(priority=20)
    assert d.op(0, "preempt") == GIVE_WAY | a
    d.saved(0)
    d.op(0, "interrupt_bind", 0, 0)
    d.op(0, "thread_exit")
    assert d.op(0, "interrupt_raise", 0) == error("enoent")


# --- [HT]'s scheduler -----------------------------------------------------------------------------------


def test_removed_and_dequeued_threads_are_suspended_until_they_are_started() -> None:
    d = Driver()
    a, b = d.thread(3), d.thread(4)
    assert d.op(0, "is_queued", a) == 1
    assert d.op(0, "get_entry", a) == 1 << 8 | 3
    assert d.op(0, "remove", a) == 0
    assert d.op(0, "remove", a) == error("enoent")
    assert d.op(0, "dequeue") == b
    assert d.op(0, "is_empty") == 1
    assert d.op(0, "dequeue") == error("eagain")
    assert d.state(a) == d.state(b) == "suspended"
    assert d.op(0, "thread_start", a) == 0
    assert d.op(0, "thread_start", a) == error("ealready")


def test_the_idle_thread_runs_only_when_nobody_else_can() -> None:
    d = Driver()
    idle = d.op(0, "thread_create", 0, 31)
    assert idle is not None
    assert d.op(0, "set_idle_thread", idle) == 0
    a = d.thread(0)
    assert not d.kernel.irq(0)
    assert d.op(0, "interrupt_bind", 0, 0) == 0
    assert d.op(0, "interrupt_wait", 0) == GIVE_WAY | a
    d.saved(0)
    assert d.op(0, "yield") == 0
    assert d.op(0, "set_sched_param", idle, 3) == error("enotsup")
    assert d.op(0, "thread_exit") == GIVE_WAY | idle
    d.saved(0)
    d.kernel.line(0)
    assert d.kernel.irq(0)
    assert d.op(0, "preempt") == GIVE_WAY | 0


def test_an_idle_thread_stays_with_its_cpu() -> None:
    d = Driver(2)
    idle = d.op(0, "thread_create", 0, 31)
    assert idle is not None
    assert d.op(0, "set_idle_thread", idle) == 0
    assert d.op(0, "remove", idle) == 0
    assert d.op(1, "set_idle_thread", idle) == error("ebusy")
    assert d.op(0, "thread_start", idle) == 0
    assert d.op(0, "get_entry", idle) == 1 << 10 | 1 << 9 | 1 << 8 | 31


# --- hardware threads -----------------------------------------------------------------------------------


def test_a_hardware_thread_is_started_on_its_unit_and_on_no_cpu() -> None:
    d = Driver(1, hw_threads=2)
    assert d.op(1, "next") is None
    assert d.op(2, "next") is None
    tid = d.op(0, "thread_create", 0, 128 + 1)
    assert tid == 1
    assert d.op(0, "thread_create", 0, 128 + 1) == error("ebusy")
    assert d.op(0, "thread_create", 0, 128 + 2) == error("enodev")
    assert d.op(0, "get_sched_param", tid) == 129
    assert d.op(0, "thread_start", tid) == 0
    assert d.kernel.completions() == [(2, GIVE_WAY | tid)]
    assert d.op(0, "thread_start", tid) == error("einprogress")
    d.saved(2)
    assert d.op(2, "self") == tid
    assert d.op(0, "thread_join", tid) is None
    assert d.op(2, "thread_exit") is None
    assert d.kernel.completions() == [(0, RESUMED)]
    assert d.op(0, "thread_create", 0, 128 + 1) == tid


def test_a_hardware_thread_waits_like_any_other() -> None:
    d = Driver(1, hw_threads=1)
    d.op(0, "mutex_create")
    d.op(0, "mutex_lock", 0)
    tid = d.op(0, "thread_create", 0, 128)
    assert tid is not None
    d.op(0, "thread_start", tid)
    assert d.op(1, "next") == GIVE_WAY | tid
    d.saved(1)
    assert d.op(1, "mutex_lock", 0) is None
    d.thread()  # a software thread is not for it
    assert d.op(0, "mutex_unlock", 0) == 0
    assert d.kernel.completions() == [(1, RESUMED)]
    assert d.op(1, "yield") == 0


# --- the end of a wait ------------------------------------------------------------------------------------


def waiting_for_semaphore(count: int) -> Driver:
    """CPU 0 runs thread 0; threads 1 .. count wait in this order."""
    d = Driver()
    d.op(0, "semaphore_create", 0, 0)
    for _ in range(count):
        d.thread(priority=20)
        d.op(0, "yield")
        d.op(0, "semaphore_wait", 0)
    d.saved(0)
    return d


def test_who_leaves_is_ready_and_the_others_keep_their_order() -> None:
    d = waiting_for_semaphore(3)
    assert d.op(0, "semaphore_leave", 0, 2) == 0
    assert d.state(2) == "ready"
    assert d.op(0, "semaphore_leave", 0, 2) == error("enoent")
    semaphore = d.kernel.semaphores[0]
    assert semaphore and semaphore.waiters == [1, 3] and semaphore.count == 0


def test_a_wait_that_has_ended_is_not_ended_again() -> None:
    d = waiting_for_semaphore(1)
    assert d.op(0, "semaphore_post", 0) == 0
    assert d.op(0, "semaphore_leave", 0, 1) == error("enoent")


def test_a_sender_leaves_a_port_and_so_does_its_receiver() -> None:
    d = Driver(port_depth=1)
    d.op(0, "port_open", 0, 1)
    d.op(0, "port_send", 0, 7)
    tid = d.thread(priority=20)
    assert d.op(0, "yield") == GIVE_WAY | tid
    assert d.op(0, "port_send", 0, 8) == GIVE_WAY | 0
    d.saved(0)
    assert d.op(0, "port_leave", 0, 0) == error("enoent")
    assert d.op(0, "port_leave", 0, tid) == 0
    assert d.op(0, "port_receive", 0) == 0
    assert d.op(0, "port_receive", 0) == GIVE_WAY | tid
    d.saved(0)
    assert d.op(0, "port_leave", 0, 0) == 0
    assert d.state(0) == "ready"
    port = d.kernel.ports[0]
    assert port and not port.receiver_waits


def test_the_end_of_a_wait_does_not_imply_a_save() -> None:
    """The thread just left is woken, but nobody runs it before its context is saved."""
    d = Driver(2)
    d.op(0, "semaphore_create", 0, 0)
    tid = d.thread()
    assert d.op(0, "semaphore_wait", 0) == GIVE_WAY | tid
    assert d.op(1, "next") is None
    assert d.op(0, "semaphore_leave", 0, 0) == 0
    assert d.kernel.completions() == []
    d.saved(0)
    assert d.kernel.completions() == [(1, GIVE_WAY | 0)]


def test_a_time_limit_is_over_with_the_wait_that_it_ends() -> None:
    d = Driver(timeouts=True)
    d.op(0, "semaphore_create", 0, 0)
    assert d.op(0, "timeout_start", 0, 100) == 0
    assert d.op(0, "semaphore_wait", 0) is None
    d.kernel.time(99)
    assert d.kernel.completions() == []
    d.kernel.time(100)
    assert d.kernel.completions() == [(0, RESUMED)]
    assert d.op(0, "timeout_stop") == 1
    assert d.op(0, "timeout_start", 0, 200) == 0
    assert [d.op(0, "timeout_stop") for _ in range(2)] == [0, 1]


def test_flags_that_end_a_wait_are_cleared_only_if_it_says_so() -> None:
    d = Driver(event_flags=True)
    d.op(0, "cond_create")

    def flags(verb: str, word0: int | None = None) -> int | None:
        return d.op(0, f"flags_{verb}", 0, word0)

    def there() -> int | None:
        assert flags("get") == 0
        return d.op(0, "word0")

    assert flags("set", 7) == 0
    assert flags("wait_any", 10) == 0
    assert flags("wait_all", 6) == 0
    assert there() == 7
    assert flags("take_any", 10) == 0
    assert there() == 5
    assert flags("trytake_all", 6) == error("eagain")
    assert there() == 5
    assert flags("take_all", 5) == 0
    assert there() == 0
