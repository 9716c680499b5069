# SPDX-License-Identifier: Apache-2.0
"""Every wrong operation answers its error and changes nothing: a table of them all, on model and RTL."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from coreloom.reference.kernel import GIVE_WAY, HARDWARE_PARAM, SPEC, Config, error
from coreloom.reference.scenario import Scenario
from coreloom.reference.stream import Generator
from coreloom.simulation.harness.kernel_port import play

from .harness import SEED, small

CONFIG = replace(
    small(2, hw_threads=1),
    lines=8,
    reserve=True,
    timeouts=True,
    inheritance=True,
    event_flags=True,
)
UNIT = CONFIG.cpus  # the client that is the hardware thread
STATIC, DETACHED = 1 << 12, 1 << 13
SEMAPHORE, PORT, NO_KIND = 1 << 10, 2 << 10, 3 << 10
INHERIT, PROTECT, NO_PROTOCOL = 1 << 8, 2 << 8, 3 << 8
SEMAPHORE_MAX = SPEC.limits["semaphore_max"]
WITH_THREAD = [(name, op) for name, op in SPEC.ops.items() if op.needs_thread and name != "mutex_wait"]
FLAGS = [name for name, op in SPEC.ops.items() if op.kind == "flags"]


def populated(config: Config = CONFIG) -> Scenario:
    """CPU 0 runs thread 0 (priority 4), CPU 1 thread 1 (3); objects in every state an operation can meet."""
    s = Scenario(config)
    assert s.thread(0, 3) == 1
    assert s.do(1, "next") == GIVE_WAY | 1
    assert s.thread(0, 2, start=False) == 2  # created
    assert s.thread(0, 7) == 3
    assert s.switch(0, "yield") == GIVE_WAY | 3
    assert s.do(0, "thread_exit") == GIVE_WAY | 0  # thread 3: exited, not joined
    assert s.thread(0, 2 | DETACHED, start=False) == 4
    assert s.thread(0, 2, start=False) == 5
    assert s.thread(0, 7) == 6
    s.switch(0, "yield")
    assert s.switch(0, "thread_join", 5) == GIVE_WAY | 0  # thread 5: being joined
    assert s.thread(0, 1) == 7
    for _ in range(3):
        s.do(0, "mutex_create")  # 0: free, 1: of thread 0, 2: of thread 1
    s.do(0, "mutex_lock", 1)
    s.do(1, "mutex_lock", 2)
    for count in (0, SEMAPHORE_MAX, 0):
        s.do(0, "semaphore_create", word0=count)  # 0: empty, 1: full, 2: a thread waits
    assert s.thread(0, 7) == 8
    s.switch(0, "yield")
    assert s.switch(0, "semaphore_wait", 2) == GIVE_WAY | 0
    s.do(0, "port_open", 0, word0=1)  # open, empty
    s.do(1, "port_open", 1, word0=1)  # of another thread
    s.do(0, "port_open", 2, word0=1)  # full, a sender waits
    s.do(1, "port_open", 4, word0=1)  # full
    for message in range(CONFIG.port_depth):
        s.do(0, "port_send", 2, word0=message)
        s.do(0, "port_send", 4, word0=message)
    assert s.thread(0, 7) == 9
    s.switch(0, "yield")
    assert s.switch(0, "port_send", 2, word0=9) == GIVE_WAY | 0
    assert s.thread(0, 1, start=False) == 10
    assert s.do(0, "set_idle_thread", 10) == 0  # of CPU 0
    assert s.thread(0, HARDWARE_PARAM, start=False) == 11  # created
    assert s.thread(0, 1) == 12
    assert s.do(0, "remove", 12) == 0  # suspended
    s.do(0, "interrupt_bind", 0, word0=0)  # 0: of thread 0
    assert s.thread(0, 7) == 13
    s.switch(0, "yield")
    s.do(0, "interrupt_bind", 1, word0=0)  # 1: its thread waits
    assert s.switch(0, "interrupt_wait", 1) == GIVE_WAY | 0
    s.do(0, "interrupt_bind", 2, word0=SEMAPHORE | 1)  # 2: its semaphore is full
    s.do(0, "interrupt_bind", 3, word0=PORT | 4)  # 3: its port is full
    assert s.do(0, "semaphore_create", word0=0) == 3
    s.do(0, "interrupt_bind", 4, word0=SEMAPHORE | 3)  # 4: its semaphore is no more
    s.do(0, "semaphore_destroy", 3)
    s.do(0, "port_open", 5, word0=0)
    s.do(0, "interrupt_bind", 5, word0=PORT | 5)  # 5: its port is closed; 6 and 7: bound to nothing
    s.do(0, "port_close", 5)
    s.do(0, "cond_create")  # 0: nobody waits
    s.do(0, "cond_create")  # 1: a thread waits
    assert s.thread(0, 7) == 14
    s.switch(0, "yield")
    assert s.switch(0, "cond_wait", 1, word0=0) == GIVE_WAY | 0
    return s


def weighted() -> Scenario:
    """The same where threads have weights."""
    return populated(replace(CONFIG, policy="dwrr", reserve=False, inheritance=False))


def without_thread() -> Scenario:
    """CPU 1 runs nothing yet."""
    s = Scenario(CONFIG)
    s.do(0, "mutex_create")
    s.do(0, "semaphore_create", word0=1)
    s.do(0, "port_open", 0, word0=0)
    s.thread(0, 2, start=False)
    return s


def full() -> Scenario:
    """Every table is full."""
    s = Scenario(CONFIG)
    for _ in range(CONFIG.threads - 1):
        s.thread(0, 1, start=False)
    for _ in range(CONFIG.mutexes):
        s.do(0, "mutex_create")
    for _ in range(CONFIG.semaphores):
        s.do(0, "semaphore_create", word0=0)
    for _ in range(CONFIG.conditions):
        s.do(0, "cond_create")
    return s


def by_deadline() -> Scenario:
    """Policy edf: CPU 0 runs thread 0, thread 1 is ready, 2 is the idle thread, 3 the hardware thread."""
    s = Scenario(replace(CONFIG, reserve=False, inheritance=False, policy="edf"))
    assert s.thread(0, 2) == 1
    assert s.do(0, "set_deadline", 1, word0=100) == 0
    assert s.thread(0, 1, start=False) == 2
    assert s.do(0, "set_idle_thread", 2) == 0
    assert s.thread(0, HARDWARE_PARAM, start=False) == 3
    return s


def without() -> Scenario:
    """A kernel without reservations, timeouts, inheritance and event flags."""
    return Scenario(replace(CONFIG, reserve=False, timeouts=False, inheritance=False, event_flags=False))


def monitors(config: Config = CONFIG) -> Scenario:
    """Those exclude inheritance."""
    return populated(replace(config, inheritance=False, monitors=True))


def above() -> Scenario:
    """Thread 0 is above the ceiling of mutex 0."""
    s = Scenario(CONFIG)
    s.do(0, "mutex_create")
    s.do(0, "mutex_protocol", 0, word0=PROTECT | 2)
    return s


def reserved() -> Scenario:
    """CPU 1 is thread 1's, which is not started; thread 2 is another."""
    s = Scenario(CONFIG)
    assert s.thread(0, 3, start=False) == 1
    assert s.thread(0, 3, start=False) == 2
    assert s.do(0, "reserve", 1, word0=1) == 0
    return s


def owner() -> Scenario:
    """CPU 0 is thread 0's, which runs there."""
    s = Scenario(CONFIG)
    assert s.do(0, "reserve", 0, word0=0) == 1
    return s


# Of these a kernel with this policy answers nothing else than enotsup.
OTHER_POLICIES = ("set_weight",)
# (scene, CPU, operation, id, WORD0 or None, status)
Row = tuple[Callable[[], Scenario], int, str, int, "int | None", str]
BEYOND = {
    "thread": CONFIG.threads,
    "mutex": CONFIG.mutexes,
    "semaphore": CONFIG.semaphores,
    "port": CONFIG.ports,
    "condition": CONFIG.conditions,
    "line": CONFIG.lines,
    "cpu": CONFIG.cpus,
}
NOT_MADE = {"thread": 15, "mutex": 3, "semaphore": 3, "condition": 2}

TABLE: list[Row] = [
    (populated, 0, "thread_create", 0, CONFIG.priorities, "einval"),
    (populated, 0, "thread_create", 0, HARDWARE_PARAM - 1, "einval"),
    (populated, 0, "thread_create", 0, HARDWARE_PARAM + CONFIG.hw_threads, "enodev"),
    (populated, 0, "thread_create", 0, 255, "enodev"),
    (populated, 0, "thread_create", 0, HARDWARE_PARAM, "ebusy"),  # it has a thread
    (populated, 0, "thread_create", 0, STATIC | CONFIG.cpus << 8, "einval"),
    (full, 0, "thread_create", 0, 1, "eagain"),
    (populated, 0, "thread_start", 1, None, "einprogress"),  # it runs
    (populated, 0, "thread_start", 0, None, "einprogress"),  # the caller
    (populated, 0, "thread_start", 7, None, "ealready"),  # ready: enqueued twice
    (populated, 0, "thread_start", 10, None, "ealready"),  # a ready idle thread
    (populated, 0, "thread_start", 8, None, "einprogress"),  # blocked
    (populated, 0, "thread_start", 3, None, "eshutdown"),  # exited
    (populated, 0, "thread_join", 0, None, "edeadlk"),
    (populated, 0, "thread_join", 4, None, "einval"),  # detached
    (populated, 0, "thread_join", 5, None, "ebusy"),  # another joins it
    (populated, 0, "thread_detach", 4, None, "einval"),
    (populated, 0, "thread_detach", 5, None, "ebusy"),
    *(
        (populated, 0, name, *rest)
        for name in ("set_sched_param", "check_sched_param")
        for rest in (
            (3, 1, "eshutdown"),
            (10, 1, "enotsup"),  # an idle thread
            (11, 1, "enotsup"),  # a hardware thread
            (1, CONFIG.priorities, "einval"),
            (1, HARDWARE_PARAM, "einval"),
            (1, 0x8000_0001, "einval"),
        )
    ),
    *((populated, 0, "set_deadline", id, 1, "enotsup") for id in (0, 1, 3, 7, 8, 10, 11)),
    *((by_deadline, 0, "set_deadline", id, 1, "enotsup") for id in (2, 3)),
    *((by_deadline, 0, "set_deadline", id, 1, "esrch") for id in (4, BEYOND["thread"], 1023)),
    *((by_deadline, 0, "set_deadline", 1, word0, "einval") for word0 in (1 << 15, 1 << 31, 0xFFFF_FFFF)),
    (populated, UNIT, "dequeue", 0, None, "eagain"),
    (without_thread, 0, "dequeue", 0, None, "eagain"),
    (populated, 0, "remove", 0, None, "enoent"),  # it runs
    (populated, 0, "remove", 8, None, "enoent"),  # blocked
    (populated, 0, "remove", 12, None, "enoent"),  # removed before
    (populated, 0, "set_idle_thread", 7, None, "ealready"),
    (populated, 0, "set_idle_thread", 10, None, "ealready"),
    (populated, 0, "set_idle_thread", 1, None, "einprogress"),
    (populated, 0, "set_idle_thread", 8, None, "einprogress"),
    (populated, 0, "set_idle_thread", 3, None, "eshutdown"),
    (populated, 1, "set_idle_thread", 11, None, "enotsup"),  # a hardware thread
    (populated, UNIT, "set_idle_thread", 2, None, "enotsup"),  # for a hardware thread
    (populated, 0, "set_idle_thread", 2, None, "ebusy"),
    (without, 0, "timeout_start", 0, 1, "einval"),
    (without, 0, "timeout_stop", 0, None, "einval"),
    (populated, 0, "set_weight", 1, 1, "enotsup"),
    (populated, 0, "reserve", 0, 1, "ebusy"),  # it has an idle thread
    (populated, 0, "reserve", 1, 15, "esrch"),  # never made
    (populated, 0, "reserve", 1, CONFIG.threads, "esrch"),
    (populated, 0, "reserve", 1, 0x8000_0001, "esrch"),
    (populated, 0, "reserve", 1, 3, "eshutdown"),
    (populated, 0, "reserve", 1, 10, "enotsup"),  # an idle thread
    (populated, 0, "reserve", 1, 11, "enotsup"),  # a hardware thread
    (populated, UNIT, "reserve", UNIT, 1, "einval"),
    (populated, 0, "release", 1, None, "enoent"),
    (reserved, 0, "reserve", 1, 2, "ebusy"),
    (reserved, 0, "reserve", 1, 1, "ebusy"),
    (reserved, 0, "reserve", 0, 2, "ebusy"),  # the last one
    (reserved, 0, "reserve", 0, 1, "ebusy"),
    (reserved, 0, "release", 0, None, "enoent"),
    (reserved, 0, "set_idle_thread", 1, None, "ebusy"),  # it has a CPU
    (reserved, 1, "set_idle_thread", 2, None, "ebusy"),  # the CPU is another's
    (without, 0, "reserve", 1, 0, "enotsup"),
    (without, 0, "release", 1, None, "enotsup"),
    (full, 0, "mutex_create", 0, None, "eagain"),
    (populated, 0, "mutex_destroy", 1, None, "ebusy"),
    (populated, 0, "mutex_destroy", 2, None, "ebusy"),
    (populated, 0, "mutex_lock", 1, None, "edeadlk"),
    (populated, 0, "mutex_trylock", 1, None, "ebusy"),
    (populated, 0, "mutex_trylock", 2, None, "ebusy"),
    (populated, 0, "mutex_unlock", 0, None, "eperm"),  # nobody holds it
    (populated, 0, "mutex_unlock", 2, None, "eperm"),  # another holds it
    (populated, 0, "mutex_protocol", 2, INHERIT, "ebusy"),  # another holds it
    (populated, 0, "mutex_protocol", 0, NO_PROTOCOL, "einval"),
    (populated, 0, "mutex_protocol", 0, PROTECT | CONFIG.priorities, "einval"),
    (without, 0, "mutex_protocol", 0, INHERIT, "einval"),
    (monitors, 0, "mutex_wait", 3, 0, "einval"),
    (monitors, 0, "mutex_wait", 1, 2, "einval"),
    (monitors, 0, "mutex_wait", 0, 0, "eperm"),  # it is free
    (monitors, 0, "mutex_wait", 2, 0, "eperm"),  # another holds it
    (without, 0, "mutex_wait", 0, 0, "einval"),
    (above, 0, "mutex_lock", 0, None, "einval"),
    (above, 0, "mutex_trylock", 0, None, "einval"),
    (full, 0, "semaphore_create", 0, 0, "eagain"),
    (populated, 0, "semaphore_create", 0, SEMAPHORE_MAX + 1, "einval"),
    (populated, 0, "semaphore_create", 0, 0x8000_0000, "einval"),
    (populated, 0, "semaphore_destroy", 2, None, "ebusy"),
    (populated, 0, "semaphore_trywait", 0, None, "eagain"),
    (populated, 0, "semaphore_post", 1, None, "erange"),
    (populated, 0, "port_open", 0, 0, "ebusy"),
    (populated, 0, "port_open", 1, 0, "ebusy"),
    (populated, 0, "port_close", 1, None, "eperm"),
    (populated, 0, "port_close", 2, None, "ebusy"),
    (populated, 0, "port_trysend", 4, 1, "eagain"),
    (populated, 0, "port_receive", 1, None, "eperm"),
    (populated, 0, "port_tryreceive", 1, None, "eperm"),
    (populated, 0, "port_tryreceive", 4, None, "eperm"),
    (populated, 0, "port_tryreceive", 0, None, "eagain"),
    (full, 0, "cond_create", 0, None, "eagain"),
    (populated, 0, "cond_destroy", 1, None, "ebusy"),
    *((without, 0, name, 0, 1, "einval") for name in FLAGS),
    *(
        (populated, 0, name, id, 1, "einval")
        for name in FLAGS
        if name != "flags_found"
        for id in (NOT_MADE["condition"], CONFIG.conditions, 63, 1023)
    ),
    *((populated, 0, name, 0, 0, "einval") for name in FLAGS if name.endswith(("_any", "_all"))),
    *((populated, 0, name, 0, 1, "eagain") for name in FLAGS if name.startswith("flags_try")),
    (populated, 0, "interrupt_bind", 6, NO_KIND, "einval"),
    (populated, 0, "interrupt_bind", 6, SEMAPHORE | 3, "einval"),  # no such semaphore
    (populated, 0, "interrupt_bind", 6, SEMAPHORE | 1023, "einval"),
    (populated, 0, "interrupt_bind", 6, PORT | CONFIG.ports, "einval"),
    (populated, 0, "interrupt_bind", 6, PORT | 3, "ebadf"),
    *((populated, 0, "interrupt_bind", line, 0, "ebusy") for line in range(6)),
    (populated, 0, "interrupt_bind", 2, SEMAPHORE | 0, "ebusy"),
    (populated, 0, "interrupt_bind", 2, PORT | 0, "ebusy"),
    (populated, 0, "interrupt_unbind", 6, None, "enoent"),
    (populated, 0, "interrupt_unbind", 1, None, "ebusy"),
    (populated, 0, "interrupt_wait", 6, None, "enoent"),
    (populated, 0, "interrupt_wait", 1, None, "eperm"),  # another thread's
    (populated, 0, "interrupt_wait", 2, None, "eperm"),  # a semaphore's
    (populated, 0, "interrupt_raise", 6, None, "enoent"),
    (populated, 0, "interrupt_raise", 2, None, "erange"),
    (populated, 0, "interrupt_raise", 3, None, "eagain"),
    (populated, 0, "interrupt_raise", 4, None, "einval"),
    (populated, 0, "interrupt_raise", 5, None, "ebadf"),
    *(
        (populated, 0, name, id, word0, "enoent")
        for name, ids in {
            "mutex_leave": (0, 1, 2),
            "semaphore_leave": (0, 1, 2),
            "port_leave": (0, 1, 2, 4),
            "cond_leave": (0, 1),
        }.items()
        for id in ids
        for word0 in (
            0,
            1,
            2,
            13,
            15,
            CONFIG.threads,
            0x8000_0008,
            0x8000_0009,
        )  # 8, 9 and 14 wait, 13 elsewhere
    ),
    # Closed ports
    *(
        (populated, 0, name, 3, 0, "ebadf")
        for name, op in SPEC.ops.items()
        if op.id == "port" and op.errors.get("ebadf")
    ),
    (populated, 0, "set_weight", 1, 1, "enotsup"),  # the policy has no weights
    (populated, 0, "set_weight", CONFIG.threads, 0, "enotsup"),
    *((weighted, 0, "set_weight", id, 0, "esrch") for id in (CONFIG.threads, 1023, NOT_MADE["thread"])),
    (weighted, 0, "set_weight", 1, 0, "einval"),
    (weighted, 0, "set_weight", 1, 256, "einval"),
    (weighted, 0, "set_weight", 1, 0x8000_0001, "einval"),
    (weighted, 0, "set_weight", 10, 1, "enotsup"),  # an idle thread
    (weighted, 0, "set_weight", 11, 1, "enotsup"),  # a hardware thread
    # Ids that name nothing: beyond the table, the largest, never made
    *(
        (populated, 0, name, id, 0, "esrch" if op.id == "thread" else "einval")
        for name, op in SPEC.ops.items()
        if op.id in BEYOND and name not in OTHER_POLICIES  # any word is one of the port's
        for id in (BEYOND[op.id], 1023, *((NOT_MADE[op.id],) if op.id in NOT_MADE else ()))
    ),
    # A thread that moves itself
    (populated, 0, "move", 0, STATIC | CONFIG.cpus << 8, "einval"),  # no such CPU
    (populated, 0, "move", 0, CONFIG.priorities, "einval"),
    (owner, 0, "move", 0, STATIC | 1 << 8, "ebusy"),
    (weighted, 0, "move", 0, 0, "enotsup"),
    # No thread to act for
    *((without_thread, 1, name, 1, 0, "esrch") for name, op in WITH_THREAD),
    (monitors, UNIT, "mutex_wait", 1, 0, "esrch"),
    (without_thread, 1, "mutex_lock", 0, None, "esrch"),
    (without_thread, 1, "port_send", 0, 0, "esrch"),
]


def state(scenario: Scenario) -> dict[str, Any]:
    """All that the model knows."""
    return copy.deepcopy(vars(scenario.kernel))


def test_the_table_is_complete() -> None:
    wanted = {(name, status) for name, op in SPEC.ops.items() for status in op.errors}
    wanted |= {(name, "esrch") for name, op in SPEC.ops.items() if op.needs_thread}
    wanted -= {(name, status) for name in OTHER_POLICIES for status in ("esrch", "einval")}
    assert wanted - {(name, status) for _, _, name, _, _, status in TABLE} == set()


def row_name(row: Row) -> str:
    scene, cpu, name, id, word0, status = row
    return f"{scene.__name__}-{cpu}-{name}-{id}-{'' if word0 is None else hex(word0)}-{status}"


@pytest.mark.parametrize(
    "scene",
    [populated, weighted, without_thread, full, reserved, owner, without, monitors, above, by_deadline],
)
def test_wrong_operation(scene: Callable[[], Scenario], tmp_path: Path) -> None:
    """Each row of the scene: the same read-out before and after it, and the same future as the model's."""
    s = scene()
    for row in (row for row in TABLE if row[0] is scene):
        _, cpu, name, id, word0, status = row
        if word0 is not None:
            s.store(cpu, "word0", word0)
        before, first = state(s), len(s.steps)
        s.read_out(0)
        assert s.do(cpu, name, id) == error(status), row_name(row)
        middle = len(s.steps)
        s.read_out(0)
        assert state(s) == before, f"{row_name(row)}: the state changed"
        told = [step.words for step in s.steps[first : middle - 1]]
        assert told == [step.words for step in s.steps[middle:]], row_name(row)
    config = s.kernel.config
    generator = Generator(config, SEED)
    next(iter(generator.steps(1)))
    generator.kernel = copy.deepcopy(s.kernel)
    play(config, [*s.steps, *(generator._step() for _ in range(500))], 0, tmp_path)


def test_unknown_operations(tmp_path: Path) -> None:
    s = populated()
    known = {op.code for op in SPEC.ops.values() if op.access != "store"}
    for op in set(range(256)) - known:
        for cpu, id in ((0, 0), (1, 1023)):
            before = state(s)
            assert s.code(cpu, op, id) == error("einval")
            assert state(s) == before
    play(CONFIG, s.steps, 0, tmp_path)
