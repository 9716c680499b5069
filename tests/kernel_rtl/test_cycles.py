# SPDX-License-Identifier: Apache-2.0
# mypy: disable-error-code="func-returns-value"
"""Exact cycles of the operations on a quiet unit: from the request to the answer, as a core sees them.

The README's table shows the same rows; the test compares them, so that the page is what was measured.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from coreloom.reference.kernel import HARDWARE_PARAM, Config
from coreloom.reference.scenario import Scenario
from coreloom.simulation.harness.kernel_port import Cycles, play

from .harness import DEFAULT, KERNEL, LARGE

MAIN = DEFAULT.main_priority
LOW, HIGH = MAIN - 1, MAIN + 1
STATIC, ON_CPU_1 = 1 << 12, 1 << 12 | 1 << 8
Case = Callable[[Scenario], object]
CASES: dict[str, Case] = {}


def case(label: str) -> Callable[[Case], Case]:
    """The last step of the scenario is the one measured; a short one is a tuple of its steps.

    CPU 0 runs thread 0 at its start.
    """

    def register(function: Case) -> Case:
        CASES[label] = function
        return function

    return register


def two_run(s: Scenario, priority: int = MAIN) -> None:
    """CPU 1 runs thread 1."""
    s.thread(0, priority)
    s.do(1, "next")


def wait_for_semaphores(s: Scenario, count: int, priority: int) -> None:
    """`count` threads of `priority` wait for semaphore 0."""
    s.do(0, "semaphore_create", word0=0)
    for _ in range(count):
        s.thread(0, HIGH)
        s.switch(0, "yield")
        s.switch(0, "semaphore_wait", 0)
    for tid in range(1, count + 1):
        s.do(0, "set_sched_param", tid, word0=priority)


def receiver_waits(s: Scenario, ports: int = 1, immediate: int = 0) -> None:
    """That many threads wait, each at a port of its own (0, 1, ...)."""
    for port in range(ports):
        s.thread(0, HIGH)
        s.switch(0, "yield")
        s.do(0, "port_open", port, word0=immediate)
        s.switch(0, "port_receive", port)


CASES["word0 (load)"] = lambda s: s.do(0, "word0")
CASES["self"] = lambda s: s.do(0, "self")
CASES["an operation that fails"] = lambda s: s.do(0, "mutex_unlock", 1023)
CASES["slice"] = lambda s: s.do(0, "slice", word0=10)

case("next, a thread is ready")(lambda s: (s.thread(0, MAIN), s.do(1, "next")))
case("yield, no other thread")(lambda s: s.do(0, "yield"))
case("yield, switch")(lambda s: (s.thread(0, MAIN), s.do(0, "yield")))
case("preempt, switch")(lambda s: (s.thread(0, HIGH), s.do(0, "preempt")))
case("self, implies a save that enqueues")(lambda s: (s.thread(0, MAIN), s.do(0, "yield"), s.do(0, "self")))
case("thread_create")(lambda s: s.do(0, "thread_create", word0=MAIN))
case("thread_start")(lambda s: s.do(0, "thread_start", s.thread(0, MAIN, start=False)))


@case("thread_start, a CPU waits")
def _(s: Scenario) -> None:
    tid = s.thread(0, MAIN, start=False)
    s.do(1, "next")
    s.do(0, "thread_start", tid)


case("thread_exit, another thread is ready")(lambda s: (s.thread(0, MAIN), s.do(0, "thread_exit")))
case("thread_exit, wakes its joiner")(
    lambda s: (s.thread(0, MAIN), s.switch(0, "thread_join", 1), s.do(0, "thread_exit"))
)
case("move, blocks here and wakes on a CPU that waits")(
    lambda s: (s.do(1, "next"), s.thread(0, MAIN | STATIC), s.do(0, "move", word0=STATIC | 1 << 8))
)
case("move, blocks here and wakes in a queue")(
    lambda s: (s.thread(0, MAIN), s.do(0, "move", word0=STATIC | 1 << 8))
)
case("thread_join, it has exited")(
    lambda s: (s.thread(0, HIGH), s.switch(0, "yield"), s.do(0, "thread_exit"), s.do(0, "thread_join", 1))
)
case("thread_join, blocks")(lambda s: (s.thread(0, LOW), s.do(0, "thread_join", 1)))
case("thread_detach")(lambda s: (s.thread(0, LOW), s.do(0, "thread_detach", 1)))
case("set_sched_param, a ready thread")(
    lambda s: (s.thread(0, LOW), s.do(0, "set_sched_param", 1, word0=LOW - 1))
)
case("thread_read")(lambda s: s.do(0, "thread_read", 0))
case("set_sched_param, not queued")(
    lambda s: s.do(0, "set_sched_param", s.thread(0, LOW, start=False), word0=HIGH)
)
case("get_sched_param")(lambda s: s.do(0, "get_sched_param", 0))
case("check_sched_param")(lambda s: s.do(0, "check_sched_param", 0, word0=HIGH))
case("dequeue")(lambda s: (s.thread(0, LOW), s.do(0, "dequeue")))
case("remove")(lambda s: s.do(0, "remove", s.thread(0, LOW)))
case("get_entry")(lambda s: s.do(0, "get_entry", 0))
case("is_queued")(lambda s: s.do(0, "is_queued", 0))
case("is_empty")(lambda s: s.do(0, "is_empty"))
case("set_idle_thread")(lambda s: s.do(0, "set_idle_thread", s.thread(0, LOW, start=False)))
case("next, only the idle thread is ready")(
    lambda s: (s.do(1, "set_idle_thread", s.thread(0, LOW, start=False)), s.do(1, "next"))
)
case("mutex_create")(lambda s: s.do(0, "mutex_create"))
case("mutex_lock, free")(lambda s: (s.do(0, "mutex_create"), s.do(0, "mutex_lock", 0)))


@case("mutex_lock, blocks, first waiter")
def _(s: Scenario) -> None:
    s.do(0, "mutex_create")
    s.do(0, "mutex_lock", 0)
    s.thread(0, HIGH)
    s.switch(0, "yield")
    s.do(0, "mutex_lock", 0)


case("mutex_trylock, locked")(
    lambda s: (s.do(0, "mutex_create"), s.do(0, "mutex_lock", 0), s.do(0, "mutex_trylock", 0))
)
case("mutex_unlock, no waiter")(
    lambda s: (s.do(0, "mutex_create"), s.do(0, "mutex_lock", 0), s.do(0, "mutex_unlock", 0))
)


@case("mutex_unlock, hands over")
def _(s: Scenario) -> None:
    s.do(0, "mutex_create")
    s.do(0, "mutex_lock", 0)
    s.thread(0, HIGH)
    s.switch(0, "yield")
    s.switch(0, "mutex_lock", 0)
    s.do(0, "mutex_unlock", 0)


@case("mutex_unlock, the waiter's CPU is idle")
def _(s: Scenario) -> None:
    s.do(0, "mutex_create")
    s.do(0, "mutex_lock", 0)
    two_run(s)
    s.do(1, "mutex_lock", 0)
    s.do(0, "mutex_unlock", 0)


case("semaphore_wait, count above 0")(
    lambda s: (s.do(0, "semaphore_create", word0=1), s.do(0, "semaphore_wait", 0))
)
case("semaphore_wait, blocks behind 10 waiters")(
    lambda s: (wait_for_semaphores(s, 10, MAIN), s.thread(0, LOW), s.do(0, "semaphore_wait", 0))
)
case("semaphore_wait, blocks behind 20 waiters")(
    lambda s: (wait_for_semaphores(s, 20, MAIN), s.thread(0, LOW), s.do(0, "semaphore_wait", 0))
)
case("semaphore_leave, the first waiter")(
    lambda s: (wait_for_semaphores(s, 20, LOW), s.do(0, "semaphore_leave", 0, word0=1))
)
case("semaphore_leave, behind 10 waiters")(
    lambda s: (wait_for_semaphores(s, 20, LOW), s.do(0, "semaphore_leave", 0, word0=11))
)
case("semaphore_leave, not among 20 waiters")(
    lambda s: (wait_for_semaphores(s, 20, LOW), s.do(0, "semaphore_leave", 0, word0=0))
)


@case("semaphore_leave, the waiter's CPU is idle")
def _(s: Scenario) -> None:
    two_run(s)
    s.do(0, "semaphore_create", word0=0)
    s.do(1, "semaphore_wait", 0)
    s.do(0, "semaphore_leave", 0, word0=1)


case("semaphore_post, no waiter")(
    lambda s: (s.do(0, "semaphore_create", word0=1), s.do(0, "semaphore_post", 0))
)
case("semaphore_post, a thread waits")(
    lambda s: (wait_for_semaphores(s, 1, LOW), s.do(0, "semaphore_post", 0))
)
case("semaphore_value")(lambda s: (s.do(0, "semaphore_create", word0=1), s.do(0, "semaphore_value", 0)))
case("port_open")(lambda s: s.do(0, "port_open", 0, word0=0))
case("port_send")(lambda s: (s.do(0, "port_open", 0, word0=0), s.do(0, "port_send", 0, word0=1)))
case("port_send, immediate, the receiver waits")(
    lambda s: (receiver_waits(s, immediate=1), s.do(0, "port_send", 0, word0=1))
)


@case("port_send, full, blocks")
def _(s: Scenario) -> None:
    s.do(0, "port_open", 0, word0=1)
    s.thread(0, LOW)
    for message in range(DEFAULT.port_depth):
        s.do(0, "port_send", 0, word0=message)
    s.do(0, "port_send", 0, word0=0)


case("port_receive, a message is there")(
    lambda s: (s.do(0, "port_open", 0, word0=1), s.do(0, "port_send", 0, word0=1), s.do(0, "port_receive", 0))
)
case("port_receive, blocks, nothing to publish")(
    lambda s: (s.do(0, "port_open", 0, word0=0), s.thread(0, LOW), s.do(0, "port_receive", 0))
)


@case("port_receive, blocks, publishes to a thread that waits")
def _(s: Scenario) -> None:
    receiver_waits(s)
    s.do(0, "port_open", 9, word0=0)
    s.do(0, "port_send", 0, word0=1)
    s.do(0, "port_receive", 9)


@case("port_receive, blocks, publishes to 3 threads that wait")
def _(s: Scenario) -> None:
    receiver_waits(s, ports=3)
    s.do(0, "port_open", 9, word0=0)
    for port in range(3):
        s.do(0, "port_send", port, word0=1)
    s.do(0, "port_receive", 9)


case("port_tryreceive, empty")(lambda s: (s.do(0, "port_open", 0, word0=0), s.do(0, "port_tryreceive", 0)))
case("port_publish, to a thread that waits")(
    lambda s: (receiver_waits(s), s.do(0, "port_send", 0, word0=1), s.do(0, "port_publish"))
)
case("port_leave, the receiver")(lambda s: (receiver_waits(s), s.do(0, "port_leave", 0, word0=1)))
case("cond_create")(lambda s: s.do(0, "cond_create"))
case("cond_ticket")(lambda s: (s.do(0, "cond_create"), s.do(0, "cond_ticket", 0)))
case("cond_wait, signalled since the ticket")(
    lambda s: (s.do(0, "cond_create"), s.do(0, "cond_signal", 0), s.do(0, "cond_wait", 0, word0=0))
)


def wait_for_condition(s: Scenario, count: int) -> None:
    """`count` threads wait for condition variable 0."""
    s.do(0, "cond_create")
    for _ in range(count):
        s.thread(0, HIGH)
        s.switch(0, "yield")
        s.switch(0, "cond_wait", 0, word0=0)
    for tid in range(1, count + 1):
        s.do(0, "set_sched_param", tid, word0=LOW)


case("cond_wait, blocks, first waiter")(
    lambda s: (wait_for_condition(s, 0), s.thread(0, LOW), s.do(0, "cond_wait", 0, word0=0))
)
case("cond_signal, no waiter")(lambda s: (wait_for_condition(s, 0), s.do(0, "cond_signal", 0)))
case("cond_signal, a thread waits")(lambda s: (wait_for_condition(s, 1), s.do(0, "cond_signal", 0)))
case("cond_broadcast, 10 threads wait")(lambda s: (wait_for_condition(s, 10), s.do(0, "cond_broadcast", 0)))
case("cond_broadcast, 20 threads wait")(lambda s: (wait_for_condition(s, 20), s.do(0, "cond_broadcast", 0)))
case("interrupt_bind")(lambda s: s.do(0, "interrupt_bind", 0, word0=0))
case("interrupt_unbind")(lambda s: (s.do(0, "interrupt_bind", 0, word0=0), s.do(0, "interrupt_unbind", 0)))
case("interrupt_wait, it has come")(
    lambda s: (s.do(0, "interrupt_bind", 0, word0=0), s.line(0), s.do(0, "interrupt_wait", 0))
)
case("interrupt_wait, blocks")(
    lambda s: (s.thread(0, LOW), s.do(0, "interrupt_bind", 0, word0=0), s.do(0, "interrupt_wait", 0))
)


def handler_waits(s: Scenario) -> None:
    """A thread above CPU 0's waits for line 0."""
    s.thread(0, HIGH)
    s.switch(0, "yield")
    s.do(0, "interrupt_bind", 0, word0=0)
    s.switch(0, "interrupt_wait", 0)


case("interrupt_raise, its thread waits")(lambda s: (handler_waits(s), s.do(0, "interrupt_raise", 0)))


@case("interrupt_raise, line 0: a semaphore")
def _(s: Scenario) -> None:
    wait_for_semaphores(s, 1, HIGH)
    s.do(0, "interrupt_bind", 0, word0=1 << 10)
    s.do(0, "interrupt_raise", 0)


case("line rises, its thread waits")(lambda s: (handler_waits(s), s.line(0)))
case("line rises, its thread waits, a CPU is idle")(lambda s: (handler_waits(s), s.do(1, "next"), s.line(0)))
case("line rises, its thread does not wait")(lambda s: (s.do(0, "interrupt_bind", 0, word0=0), s.line(0)))
case("line rises, bound to a semaphore, a thread waits")(
    lambda s: (wait_for_semaphores(s, 1, HIGH), s.do(0, "interrupt_bind", 0, word0=1 << 10), s.line(0))
)
case("line rises, bound to a port, its receiver waits")(
    lambda s: (receiver_waits(s), s.do(0, "interrupt_bind", 0, word0=2 << 10), s.line(0))
)
HYBRID_CASES: dict[str, Case] = {}


def hybrid_case(function: Case) -> Case:
    """Of a kernel with a hardware thread: client 2."""
    HYBRID_CASES[(function.__doc__ or "").strip()] = function
    return function


@hybrid_case
def _(s: Scenario) -> None:
    """thread_create, a hardware thread"""
    s.thread(0, HARDWARE_PARAM, start=False)


@hybrid_case
def _(s: Scenario) -> None:
    """thread_start, a hardware thread whose unit waits"""
    s.do(2, "next")
    s.thread(0, HARDWARE_PARAM)


@hybrid_case
def _(s: Scenario) -> None:
    """thread_start, a hardware thread whose unit does not wait yet"""
    s.thread(0, HARDWARE_PARAM)


@hybrid_case
def _(s: Scenario) -> None:
    """semaphore_post, a hardware thread waits"""
    s.do(2, "next")
    s.thread(0, HARDWARE_PARAM)
    s.do(0, "semaphore_create", word0=0)
    s.do(2, "semaphore_wait", 0)
    s.do(0, "semaphore_post", 0)


RESERVE_CASES: dict[str, Case] = {}


def reserve_case(label: str) -> Callable[[Case], Case]:
    """Of a kernel with reservations."""

    def register(function: Case) -> Case:
        RESERVE_CASES[label] = function
        return function

    return register


def placed(s: Scenario, count: int) -> int:
    """CPU 1 runs a thread placed there, and `count` more are ready there. A thread for CPU 1."""
    for _ in range(count + 1):
        s.thread(0, MAIN | ON_CPU_1)
    s.switch(1, "next")
    return s.thread(0, LOW | STATIC)


for number in (0, 1, 10, 20):
    RESERVE_CASES[f"reserve, {number} placed threads are ready"] = lambda s, number=number: s.do(  # type: ignore[misc]
        0, "reserve", 1, word0=placed(s, number)
    )

reserve_case("reserve, the CPU is idle")(
    lambda s: (s.do(1, "next"), s.do(0, "reserve", 1, word0=s.thread(0, LOW | STATIC)))
)
reserve_case("reserve, the thread is not ready")(
    lambda s: s.do(0, "reserve", 1, word0=s.thread(0, LOW, start=False))
)
reserve_case("preempt, the owner takes its CPU")(
    lambda s: (s.do(0, "reserve", 1, word0=placed(s, 10)), s.do(1, "preempt"))
)


@reserve_case("thread_start, the owner's CPU waits")
def _(s: Scenario) -> None:
    tid = s.thread(0, LOW, start=False)
    s.do(0, "reserve", 1, word0=tid)
    s.do(1, "next")
    s.do(0, "thread_start", tid)


reserve_case("release, 20 placed threads are ready")(
    lambda s: (s.do(0, "reserve", 1, word0=placed(s, 20)), s.switch(1, "preempt"), s.do(0, "release", 1))
)


@reserve_case("release, the CPU is idle, 20 placed threads are ready")
def _(s: Scenario) -> None:
    s.do(0, "semaphore_create", word0=0)
    s.do(0, "reserve", 1, word0=placed(s, 20))
    s.switch(1, "preempt")
    s.do(1, "semaphore_wait", 0)
    s.do(0, "release", 1)


DWRR_CASES: dict[str, Case] = {}


def dwrr_case(label: str) -> Callable[[Case], Case]:
    """Of a kernel with policy dwrr; slices are one tick for each unit of weight."""

    def register(function: Case) -> Case:
        DWRR_CASES[f"dwrr: {label}"] = function
        return function

    return register


def slice_used(s: Scenario, *weights: int) -> None:
    """CPU 0 runs thread 0, CPU 1 thread 1, the others of these weights are ready; then a tick."""
    for weight in weights[1:]:
        s.do(0, "set_weight", s.thread(0, MAIN), word0=weight)
    s.do(0, "set_weight", 0, word0=weights[0])
    s.do(0, "slice", word0=1)
    s.tick()


dwrr_case("set_weight")(lambda s: s.do(0, "set_weight", 0, word0=3))
dwrr_case("preempt, the slice is used, another thread is ready")(
    lambda s: (slice_used(s, 1, 1), s.do(0, "preempt"))
)
dwrr_case("preempt, the slice is used, the next round begins")(
    lambda s: (slice_used(s, 1), s.do(0, "preempt"))
)
dwrr_case("next, the next round begins")(
    lambda s: (slice_used(s, 1, 1), s.switch(0, "preempt"), s.do(1, "next"))
)


@dwrr_case("semaphore_wait, blocks, the next round begins")
def _(s: Scenario) -> None:
    slice_used(s, 1, 1)
    s.switch(0, "preempt")
    s.do(0, "semaphore_create", word0=0)
    s.do(0, "semaphore_wait", 0)


@dwrr_case("preempt, held, but an infeasible weight ends its round")
def _(s: Scenario) -> None:
    s.thread(0, MAIN)
    s.switch(1, "next")
    s.do(0, "set_weight", 0, word0=10)
    s.do(0, "slice", word0=1)
    s.tick()
    s.do(1, "preempt")
    s.tick()
    s.do(1, "preempt")


@dwrr_case("preempt, ends another CPU's wait for the next round")
def _(s: Scenario) -> None:
    s.thread(0, MAIN)
    s.switch(1, "next")
    s.thread(0, MAIN)
    s.do(0, "set_weight", 0, word0=2)
    s.do(0, "slice", word0=1)
    for _ in range(3):
        s.tick()
        s.switch(1, "preempt")
    s.tick()
    assert s.do(1, "preempt") is None and s.kernel.cpus[1].held
    s.do(0, "preempt")


EDF_CASES: dict[str, Case] = {}


def edf_case(function: Case) -> Case:
    """With the policy edf."""
    EDF_CASES[(function.__doc__ or "").strip()] = function
    return function


def deadline(s: Scenario, ticks: int) -> int:
    """A new thread with a deadline, ready."""
    tid = s.thread(0, MAIN, start=False)
    s.do(0, "set_deadline", tid, word0=ticks)
    s.do(0, "thread_start", tid)
    return tid


@edf_case
def _(s: Scenario) -> None:
    """set_deadline, the caller"""
    s.do(0, "set_deadline", 0, word0=10)


@edf_case
def _(s: Scenario) -> None:
    """set_deadline, a ready thread becomes the earliest of 20"""
    for ticks in range(100, 120):
        deadline(s, ticks)
    s.do(0, "set_deadline", 20, word0=10)


@edf_case
def _(s: Scenario) -> None:
    """edf: thread_start, the earliest deadline of 20"""
    for ticks in range(100, 119):
        deadline(s, ticks)
    s.do(0, "set_deadline", 0, word0=50)
    deadline(s, 10)


@edf_case
def _(s: Scenario) -> None:
    """edf: preempt, switch to the earliest of 20"""
    for ticks in range(100, 120):
        deadline(s, ticks)
    s.do(0, "preempt")


@edf_case
def _(s: Scenario) -> None:
    """edf: semaphore_post, a thread with an earlier deadline waits"""
    wait_for_semaphores(s, 1, MAIN)
    s.do(0, "set_deadline", 1, word0=10)
    s.do(0, "semaphore_post", 0)


INHERITANCE_CASES: dict[str, Case] = {}
INHERIT, PROTECT = 1 << 8, 2 << 8


def inheritance_case(label: str) -> Callable[[Case], Case]:
    """Of a kernel with inheritance; each case begins with four mutexes that have it."""

    def register(function: Case) -> Case:
        def begin(s: Scenario) -> None:
            for mutex in range(4):
                s.do(0, "mutex_create")
                s.do(0, "mutex_protocol", mutex, word0=INHERIT)
            function(s)

        INHERITANCE_CASES[f"inheritance: {label}"] = begin
        return function

    return register


def hold_and_wait(s: Scenario, threads: int) -> None:
    """Thread n of as many has mutex n and waits for n - 1, which n - 1 has; thread 0 runs."""
    s.do(0, "mutex_lock", 0)
    for n in range(1, threads):
        s.thread(0, MAIN + n)
        s.switch(0, "preempt")
        s.do(0, "mutex_lock", n)
        s.switch(0, "mutex_lock", n - 1)


inheritance_case("mutex_lock, free")(lambda s: s.do(0, "mutex_lock", 0))
inheritance_case("mutex_lock, free, its ceiling is higher")(
    lambda s: (s.do(0, "mutex_protocol", 0, word0=PROTECT | HIGH), s.do(0, "mutex_lock", 0))
)


def raise_chain(s: Scenario, threads: int) -> None:
    hold_and_wait(s, threads)
    s.thread(0, MAIN + threads)
    s.switch(0, "preempt")
    s.do(0, "mutex_lock", threads - 1)


@inheritance_case("mutex_lock, blocks, the owner has the priority already")
def _(s: Scenario) -> None:
    s.do(0, "mutex_lock", 0)
    two_run(s, LOW)
    s.store(1, "saved")
    s.thread(0, LOW)
    s.do(1, "mutex_lock", 0)


inheritance_case("mutex_lock, blocks, raises the owner")(lambda s: raise_chain(s, 1))
inheritance_case("mutex_lock, blocks, raises a chain of 2")(lambda s: raise_chain(s, 2))
inheritance_case("mutex_lock, blocks, raises a chain of 3")(lambda s: raise_chain(s, 3))
inheritance_case("mutex_unlock, no waiter")(lambda s: (s.do(0, "mutex_lock", 0), s.do(0, "mutex_unlock", 0)))


@inheritance_case("mutex_unlock, the oldest of 4")
def _(s: Scenario) -> None:
    for mutex in range(4):
        s.do(0, "mutex_lock", mutex)
    s.do(0, "mutex_unlock", 0)


inheritance_case("mutex_unlock, hands over, the priority goes back")(
    lambda s: (raise_chain(s, 1), s.store(0, "saved"), s.do(0, "mutex_unlock", 0))
)


@inheritance_case("mutex_unlock, hands over, 3 others are held")
def _(s: Scenario) -> None:
    for mutex in (1, 2, 3, 0):
        s.do(0, "mutex_lock", mutex)
    s.thread(0, HIGH)
    s.switch(0, "preempt")
    s.switch(0, "mutex_lock", 0)
    s.do(0, "mutex_unlock", 0)


inheritance_case("mutex_leave, the priority goes back along a chain of 3")(
    lambda s: (raise_chain(s, 3), s.store(0, "saved"), s.do(0, "mutex_leave", 2, word0=3))
)
inheritance_case("set_sched_param, a ready thread")(
    lambda s: s.do(0, "set_sched_param", s.thread(0, LOW), word0=HIGH)
)
inheritance_case("thread_exit, holds 2 mutexes, another thread is ready")(
    lambda s: (s.thread(0, MAIN), s.do(0, "mutex_lock", 0), s.do(0, "mutex_lock", 1), s.do(0, "thread_exit"))
)


def meet(s: Scenario, come: int) -> None:
    """The last of 21 threads comes to the barrier, or one of `come`, as the others have not."""
    s.do(0, "cond_create")
    for _ in range(come):
        s.thread(0, HIGH)
        s.switch(0, "yield")
        s.switch(0, "barrier_wait", 0, word0=20)
    for tid in range(1, come + 1):
        s.do(0, "set_sched_param", tid, word0=LOW)
    s.thread(0, LOW)
    s.do(0, "barrier_wait", 0, word0=20)


CASES["barrier_wait, blocks, first waiter"] = lambda s: meet(s, 0)
CASES["barrier_wait, the last, 20 threads wait"] = lambda s: meet(s, 20)


FLAGS_CASES: dict[str, Case] = {}


def flags_case(label: str, verb: str, word0: int = 1, there: int = 0, wait: int = 0, wanted: int = 2) -> None:
    """An operation on flags of which `there` are set; so many threads wait for `wanted`."""

    def case(s: Scenario) -> None:
        s.do(0, "cond_create")
        s.do(0, "flags_set", word0=there)
        for _ in range(wait):
            s.thread(0, HIGH)
            s.switch(0, "yield")
            s.switch(0, "flags_wait_any", word0=wanted)
        for tid in range(1, wait + 1):
            s.do(0, "set_sched_param", tid, word0=LOW)
        s.thread(0, LOW)
        s.store(0, "word0", word0)
        s.do(0, f"flags_{verb}")

    FLAGS_CASES[f"event_flags: {label}"] = case


flags_case("set, nobody waits", "set")
flags_case("set, 1 thread waits and is woken", "set", 2, wait=1)
flags_case("set, 10 threads wait, none is woken", "set", 1, wait=10)
flags_case("set, 20 threads wait, none is woken", "set", 1, wait=20)
flags_case("set, 20 threads wait and are woken", "set", 2, wait=20)
flags_case("clear", "clear")
flags_case("get", "get")
flags_case("found", "found")
flags_case("wait, the flags are there", "wait_any", there=1)
flags_case("wait, blocks, first waiter", "wait_any")
MONITORS = Config(cpus=4, monitors=True)
MONITOR_CASES: dict[str, Case] = {}


def monitor_case(label: str, last: str, *, waits: int = 0, locked: bool = False) -> None:
    """Threads of so many CPUs wait by mutex_wait. locked: thread 0 has the mutex; CPU 1 waits for it."""

    def case(s: Scenario) -> None:
        s.do(0, "mutex_create")
        s.do(0, "cond_create")
        for cpu in range(1, 1 + waits):
            s.thread(0, MAIN | STATIC | cpu << 8)
            s.do(cpu, "next")
            s.do(cpu, "mutex_lock", 0)
            s.do(cpu, "mutex_wait", 0, 0)
        if locked or last == "mutex_wait":
            s.do(0, "mutex_lock", 0)
        if locked and last == "mutex_wait":
            two_run(s)
            s.do(1, "mutex_lock", 0)
        s.store(0, "word0", 0)
        s.do(0, last, 0)

    MONITOR_CASES[f"monitors: {label}"] = case


monitor_case("mutex_wait, blocks", "mutex_wait")
monitor_case("mutex_wait, hands over to a CPU that waits", "mutex_wait", locked=True)
monitor_case("cond_signal, the mutex is free", "cond_signal", waits=1)
monitor_case("cond_signal, the mutex is locked", "cond_signal", waits=1, locked=True)
monitor_case("cond_broadcast, 3 CPUs wait, the mutex is locked", "cond_broadcast", waits=3, locked=True)
# With Pipeline, one case of each way that an operation takes
PIPELINE_CASES: dict[str, Case] = {
    f"pipeline: {label}": CASES[label]
    for label in (
        *("word0 (load)", "self", "an operation that fails", "next, a thread is ready"),
        *("yield, no other thread", "yield, switch", "preempt, switch", "self, implies a save that enqueues"),
        *("thread_create", "thread_start", "thread_start, a CPU waits"),
        *("thread_exit, another thread is ready", "thread_exit, wakes its joiner", "thread_join, blocks"),
        *("set_sched_param, a ready thread", "mutex_lock, free", "mutex_lock, blocks, first waiter"),
        *("mutex_unlock, hands over", "semaphore_wait, blocks behind 10 waiters"),
        *("semaphore_post, a thread waits", "semaphore_leave, behind 10 waiters", "port_send"),
        *("port_send, immediate, the receiver waits", "port_receive, a message is there"),
        *("port_receive, blocks, nothing to publish", "port_publish, to a thread that waits"),
        *("port_receive, blocks, publishes to 3 threads that wait", "cond_broadcast, 10 threads wait"),
        *("line rises, its thread waits", "line rises, its thread waits, a CPU is idle"),
    )
}


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Cycles]:
    folder = tmp_path_factory.mktemp("cycles")
    result: dict[str, Cycles] = {}
    builds = (
        (DEFAULT, CASES),
        (Config(hw_threads=1), HYBRID_CASES),
        (Config(reserve=True), RESERVE_CASES),
        (Config(policy="dwrr"), DWRR_CASES),
        (Config(policy="edf"), EDF_CASES),
        (Config(inheritance=True), INHERITANCE_CASES),
        (Config(event_flags=True), FLAGS_CASES),
        (MONITORS, MONITOR_CASES),
        (Config(pipeline=True), PIPELINE_CASES),
    )
    for config, cases in builds:
        steps, last = [], []
        for function in cases.values():
            scenario = Scenario(config)
            function(scenario)
            steps += scenario.steps
            last.append(len(steps) - 1)
        _, cycles = play(config, steps, 0, folder)
        result |= dict(zip(cases, (cycles[n] for n in last), strict=True))
    return result


def test_readme_shows_what_is_measured(measured: dict[str, Cycles]) -> None:
    rows = [f"| {label} | " + " | ".join(str(n or "") for n in row) + " |" for label, row in measured.items()]
    page = (KERNEL / "README.md").read_text().splitlines()
    missing = [row for row in rows if row not in page]
    assert not missing, "README.md lacks these rows:\n" + "\n".join(missing)


def test_bounds(measured: dict[str, Cycles]) -> None:
    """The reach: non-blocking operations in 3 cycles, blocking ones in 6 unless they wake others first.

    Who ends a wait looks for the thread first.
    """
    for label, cycles in measured.items():
        answer = cycles.answer
        if label.startswith(("semaphore_leave", "inheritance", "pipeline")):
            continue
        if label.startswith("dwrr"):
            assert answer <= 6, label
            continue
        if not any(word in label for word in ("blocks", "exit", "implies", "line 0: a semaphore")):
            assert answer <= 3, label
        elif "publishes" not in label and "wakes" not in label:
            assert answer <= 6, label


def test_a_reservation_costs_the_same_for_any_number(measured: dict[str, Cycles]) -> None:
    """The reach is 4 cycles and one a moved thread."""
    rows = [measured[f"reserve, {number} placed threads are ready"] for number in (0, 1, 10, 20)]
    assert len(set(rows)) == 1 and rows[0].answer <= 4


def test_wait_lists_cost_nobody_an_answer(measured: dict[str, Cycles]) -> None:
    """Sorted insertion walks after the answer, a cycle a waiter."""
    ten = measured["semaphore_wait, blocks behind 10 waiters"]
    twenty = measured["semaphore_wait, blocks behind 20 waiters"]
    assert ten.answer == twenty.answer == 3
    assert twenty.quiet - ten.quiet == 10


def test_a_protocol_costs_nobody_an_answer_who_changes_no_priority(measured: dict[str, Cycles]) -> None:
    """Before a wait each owner along the chain costs three cycles."""
    for label in ("lock, free", "lock, free, its ceiling is higher", "unlock, no waiter"):
        assert measured[f"inheritance: mutex_{label}"].answer == 3
    one, two, three = (
        measured[f"inheritance: mutex_lock, blocks, raises {whom}"].answer
        for whom in ("the owner", "a chain of 2", "a chain of 3")
    )
    assert two - one == three - two == 3


def test_a_set_looks_at_a_waiter_in_each_cycle(measured: dict[str, Cycles]) -> None:
    """After the answer; and wakes one in each other cycle, in the end with the queue's own."""
    none, ten, twenty, woken = (
        measured[f"event_flags: set, {who}"]
        for who in (
            "nobody waits",
            "10 threads wait, none is woken",
            "20 threads wait, none is woken",
            "20 threads wait and are woken",
        )
    )
    assert none.answer == ten.answer == twenty.answer == woken.answer == 3
    assert twenty.quiet - ten.quiet == ten.quiet - none.quiet == 10
    assert woken.quiet - none.quiet == 2 * 20 + 1


@pytest.mark.parametrize(
    "config", [Config(event_flags=True), Config(monitors=True)], ids=["event_flags", "monitors"]
)
def test_a_service_costs_no_other_operation_a_cycle(
    config: Config, measured: dict[str, Cycles], tmp_path: Path
) -> None:
    for label, function in CASES.items():
        scenario = Scenario(config)
        function(scenario)
        assert play(config, scenario.steps, 0, tmp_path)[1][-1] == measured[label], label


def test_more_words_of_a_message_cost_no_cycle(measured: dict[str, Cycles], tmp_path: Path) -> None:
    config = Config(port_words=4)
    ports = ("word0", "port_", "line rises, bound to a port")
    for label in (label for label in CASES if label.startswith(ports)):
        scenario = Scenario(config)
        CASES[label](scenario)
        assert play(config, scenario.steps, 0, tmp_path)[1][-1] == measured[label], label


def test_ending_a_wait_takes_a_cycle_a_waiter(measured: dict[str, Cycles]) -> None:
    first, tenth = (
        measured["semaphore_leave, the first waiter"],
        measured["semaphore_leave, behind 10 waiters"],
    )
    assert tenth.answer - first.answer == tenth.quiet - first.quiet == 10


def test_answer_does_not_depend_on_sizes(tmp_path: Path) -> None:
    """The same answers at 256 threads and 128 priorities."""
    for label in ("yield, switch", "thread_exit, another thread is ready", "semaphore_post, a thread waits"):
        answers = []
        for config in (DEFAULT, LARGE):
            scenario = Scenario(config)
            for _ in range(20):
                scenario.thread(0, MAIN)
            CASES[label](scenario)
            answers.append(play(config, scenario.steps, 0, tmp_path)[1][-1].answer)
        assert answers[0] == answers[1], label
