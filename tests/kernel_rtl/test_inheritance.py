# SPDX-License-Identifier: Apache-2.0
"""Priorities of threads that hold mutexes with a protocol (decision 42), course by course; and proven.

Random streams: test_referee.py; cycles: test_cycles.py.
"""

from __future__ import annotations

import dataclasses
import os
import shutil
from itertools import pairwise
from pathlib import Path

import pytest

from coreloom.design import record
from coreloom.paths import BUILD
from coreloom.reference.kernel import GIVE_WAY, SPEC, Config, Kernel, Protocol, error
from coreloom.reference.scenario import Scenario
from coreloom.reference.stream import Generator
from coreloom.toolchain import yosys

from .harness import DEFAULT, FULL, KERNEL, SEED, run, small

MAIN = 16  # priority of thread 0
CYCLES = 30  # of an operation in the proof, at most
INHERIT, PROTECT = 1 << 8, 2 << 8


class Inheriting(Scenario):
    def __init__(self, cpus: int = 1, config: Config = DEFAULT) -> None:
        own = config if config.inheritance else dataclasses.replace(config, cpus=cpus, inheritance=True)
        super().__init__(own)

    def mutex(self, attributes: int) -> int:
        mutex = self.do(0, "mutex_create")
        assert mutex is not None
        assert self.do(0, "mutex_protocol", mutex, attributes) == 0
        return mutex

    def priority(self, tid: int) -> int:
        word = self.do(0, "thread_read", tid)
        assert word is not None
        return SPEC.layouts["thread_word"]["priority"].get(word)

    def own(self, tid: int) -> int | None:
        return self.do(0, "get_sched_param", tid)

    def run(self, tid: int) -> None:
        """CPU 0 switches to this thread, which is the best one that is ready."""
        assert self.switch(0, "preempt") == GIVE_WAY | tid

    def block(self, name: str, id: int, then: int) -> None:
        """The running thread waits, and `then` runs."""
        assert self.switch(0, name, id) == GIVE_WAY | then


def test_an_owner_has_the_priority_of_its_best_waiter_until_it_unlocks(tmp_path: Path) -> None:
    s = Inheriting()
    mutex = s.mutex(INHERIT)
    assert s.do(0, "mutex_lock", mutex) == 0
    best, second = s.thread(0, 20), s.thread(0, 18)
    s.run(best)
    s.block("mutex_lock", mutex, 0)  # not `second`: it is raised before the next thread is chosen
    assert (s.priority(0), s.own(0)) == (20, MAIN)
    assert s.do(0, "mutex_unlock", mutex) == 0
    assert (s.priority(0), s.own(0)) == (MAIN, MAIN)
    s.run(best)
    s.block("thread_exit", 0, second)
    run(s, tmp_path)


def test_a_mutex_without_protocol_gives_no_priority(tmp_path: Path) -> None:
    s = Inheriting()
    mutex = s.do(0, "mutex_create") or 0
    assert s.do(0, "mutex_lock", mutex) == 0
    best, second = s.thread(0, 20), s.thread(0, 18)
    s.run(best)
    s.block("mutex_lock", mutex, second)
    assert s.priority(0) == MAIN
    run(s, tmp_path)


def test_a_priority_goes_on_along_the_chain_and_back(tmp_path: Path) -> None:
    s = Inheriting()
    first, second = s.mutex(INHERIT), s.mutex(INHERIT)
    assert s.do(0, "mutex_lock", first) == 0
    low, high = s.thread(0, 18), s.thread(0, 20)
    assert s.do(0, "remove", high) == 0
    s.run(low)
    assert s.do(0, "mutex_lock", second) == 0
    s.block("mutex_lock", first, 0)
    assert (s.priority(0), s.priority(low)) == (18, 18)
    assert s.do(0, "thread_start", high) == 0
    s.run(high)
    s.block("mutex_lock", second, 0)
    assert (s.priority(0), s.priority(low)) == (20, 20)
    assert s.do(0, "mutex_leave", second, high) == 0
    assert (s.priority(0), s.priority(low)) == (18, 18)
    assert s.do(0, "set_sched_param", low, 19) == 18
    assert (s.priority(0), s.priority(low)) == (19, 19)
    assert s.do(0, "set_sched_param", 0, 25) == MAIN
    assert s.do(0, "set_sched_param", 0, 3) == 25
    assert (s.priority(0), s.own(0)) == (19, 3)
    run(s, tmp_path)


@pytest.mark.parametrize("falls", [True, False])
@pytest.mark.test
def test_a_waiter_gets_its_place_when_its_priority_changes(falls: bool, tmp_path: Path) -> None:
    """The first of two falls behind the other, or the second is raised by one that waits for it."""
    s = Inheriting(config=FULL)
    mutex, other = s.mutex(INHERIT), s.mutex(INHERIT)
    assert s.do(0, "mutex_lock", mutex) == 0
    second, first, best = (s.thread(0, priority, start=False) for priority in (5, 6, 7))
    for thread in (second, first):
        assert s.do(0, "thread_start", thread) == 0
        s.run(thread)
        if thread == second:
            assert s.do(0, "mutex_lock", other) == 0
        s.block("mutex_lock", mutex, 0)
    if falls:
        assert s.do(0, "set_sched_param", first, 3) == 6
    else:
        assert s.do(0, "thread_start", best) == 0
        s.run(best)
        s.block("mutex_lock", other, 0)
    assert s.priority(0) == s.priority(second) == (5 if falls else 7)
    assert s.do(0, "mutex_unlock", mutex) == 0
    s.run(second)
    run(s, tmp_path)


def test_of_several_mutexes_the_others_count_when_one_is_given(tmp_path: Path) -> None:
    s = Inheriting()
    mutexes = [s.mutex(INHERIT), s.mutex(PROTECT | 19), s.mutex(INHERIT)]
    for mutex in mutexes:
        assert s.do(0, "mutex_lock", mutex) == 0
    assert s.priority(0) == 19
    for priority, mutex in ((20, mutexes[0]), (22, mutexes[2])):
        s.run(s.thread(0, priority))
        s.block("mutex_lock", mutex, 0)
    seen = [s.priority(0)]
    for mutex in (mutexes[2], mutexes[0], mutexes[1]):  # the newest first, then the oldest
        assert s.do(0, "mutex_unlock", mutex) == 0
        seen.append(s.priority(0))
    assert seen == [22, 20, 19, MAIN]
    run(s, tmp_path)


def test_an_owner_has_the_ceiling(tmp_path: Path) -> None:
    s = Inheriting()
    mutex = s.mutex(PROTECT | 20)
    assert s.do(0, "mutex_trylock", mutex) == 0
    assert (s.priority(0), s.own(0)) == (20, MAIN)
    assert s.do(0, "mutex_protocol", mutex, INHERIT | 22) == 20  # the ceiling alone
    assert s.priority(0) == 22
    assert s.do(0, "mutex_unlock", mutex) == 0
    assert s.do(0, "set_sched_param", 0, 23) == MAIN
    assert s.do(0, "mutex_lock", mutex) == s.do(0, "mutex_trylock", mutex) == error("einval")
    run(s, tmp_path)


def test_who_is_handed_a_mutex_has_its_ceiling_before_it_is_queued(tmp_path: Path) -> None:
    s = Inheriting()
    mutex, semaphore = s.mutex(PROTECT | 25), s.do(0, "semaphore_create", 0, 0) or 0
    owner, waiter = s.thread(0, 20), s.thread(0, 18)
    s.run(owner)
    assert s.do(0, "mutex_lock", mutex) == 0
    s.block("semaphore_wait", semaphore, waiter)
    s.block("mutex_lock", mutex, 0)
    assert s.do(0, "semaphore_post", semaphore) == 0
    s.run(owner)
    assert s.do(0, "mutex_unlock", mutex) == 0
    assert s.priority(waiter) == 25
    s.run(waiter)
    run(s, tmp_path)


def test_mutexes_of_a_thread_that_has_ended_are_nobodys(tmp_path: Path) -> None:
    s = Inheriting()
    mutex = s.mutex(INHERIT)
    owner = s.thread(0, 20 | 1 << 13)  # detached
    s.run(owner)
    assert s.do(0, "mutex_lock", mutex) == 0
    s.block("thread_exit", 0, 0)
    again = s.thread(0, 20)
    assert again == owner  # the same number
    s.run(again)
    assert s.do(0, "mutex_unlock", mutex) == error("eperm")
    assert s.do(0, "mutex_trylock", mutex) == s.do(0, "mutex_protocol", mutex, 0) == error("ebusy")
    s.block("mutex_lock", mutex, 0)
    assert s.priority(0) == MAIN
    run(s, tmp_path)


def test_wrong_protocols(tmp_path: Path) -> None:
    s = Inheriting()
    assert s.do(0, "mutex_protocol", 0, INHERIT) == error("einval")  # no such mutex
    mutex = s.mutex(0)
    for attributes in (3 << 8, INHERIT | 32):
        assert s.do(0, "mutex_protocol", mutex, attributes) == error("einval")
    assert Scenario(DEFAULT).do(0, "mutex_protocol", 0, 0) == error("einval")  # without inheritance
    run(s, tmp_path)


def at_rest(kernel: Kernel) -> None:
    """Every thread has its priority, lists of waiters are sorted, lists of held mutexes complete."""
    for tid, thread in enumerate(kernel.threads):
        if thread.state in (SPEC.states["free"], SPEC.states["exited"]):
            continue
        owned = [m for m in kernel.mutexes if m is not None and m.owner == tid and m.protocol]
        assert sorted(map(id, owned)) == sorted(id(kernel.mutexes[n]) for n in thread.held)
        least = [thread.own]
        for mutex in owned:
            if mutex.protocol is Protocol.PROTECT:
                least.append(mutex.ceiling)
            else:
                least += [w.priority for w in (kernel.threads[n] for n in mutex.waiters) if not w.idle]
        assert thread.idle or thread.priority == max(least)
    for waiters in (mutex.waiters for mutex in kernel.mutexes if mutex is not None):
        levels = [kernel._level(tid) for tid in waiters]
        assert all(one >= other for one, other in pairwise(levels))


@pytest.mark.parametrize("timeouts", [False, True])
def test_it_is_so_after_every_operation(timeouts: bool) -> None:
    generator = Generator(dataclasses.replace(small(2), inheritance=True, timeouts=timeouts), SEED)
    raised = longest = 0
    for _ in generator.steps(60_000):
        kernel = generator.kernel
        at_rest(kernel)
        raised += sum(t.priority > t.own for t in kernel.threads)
        longest = max(longest, *(len(t.held) for t in kernel.threads))
    assert raised > 1000 and longest >= 3


def inheritance_proves(threads: int, mutexes: int, steps: int, old: str = "", new: str = "") -> bool:
    """Whether an operation keeps the invariant of cl_kernel_inheritance_formal; `old` replaced by `new`."""
    sources = [KERNEL / "rtl" / f"{name}.sv" for name in ("cl_kernel_pkg", "cl_outcome_pkg", "cl_ram_1r1w")]
    unit = KERNEL / "rtl" / "cl_kernel_inheritance.sv"
    text = unit.read_text()
    assert not old or text.count(old) == 1
    sizes = {"Threads": threads, "Mutexes": mutexes, "Priorities": 2, "Cycles": CYCLES}
    folder = BUILD / "tests" / "formal" / f"inheritance-{os.getpid()}"
    folder.mkdir(parents=True)
    try:
        changed = folder / unit.name
        changed.write_text(text.replace(old, new) if old else text)
        sources += [changed, KERNEL / "formal" / "cl_kernel_inheritance_formal.sv"]
        result = yosys.run(
            "read_slang --threads 1 --no-synthesis-define --top cl_kernel_inheritance_formal "
            f"{record.options('cl_kernel', sizes)} "
            f"{yosys.relative(sources)}\n"
            "prep -flatten -top cl_kernel_inheritance_formal\nasync2sync\ndffunmap\nchformal -lower\n"
            "memory_map\nopt -full\nselect -assert-min 6 t:$assert\n"
            f"sat -verify -tempinduct-baseonly -maxsteps {steps} -prove-asserts -set-assumes "
            "-set-at 1 cycle_q 0\n"
        )
    finally:
        shutil.rmtree(folder)
    proven = "Reached maximum number of time steps" in result.log
    assert proven == (result.status == 0) and (proven or "proof did fail" in result.log), result.log[-2000:]
    return proven


@pytest.mark.parametrize("mutexes", [1, pytest.param(2, marks=pytest.mark.nightly)])
@pytest.mark.formal
@pytest.mark.test("1")
def test_every_operation_keeps_the_priorities(mutexes: int) -> None:
    """From every state: what a thread inherits, sorted waiters, lists of held mutexes."""
    assert inheritance_proves(2, mutexes, CYCLES + 1)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("demand = rule.protocol == ProtocolProtect ?", "demand = 1'b0 ?"),
        ("done_o  = rule.protocol != ProtocolInherit;", "done_o  = 1'b1;"),
        ("held.mutex != id;", "1'b0;"),
        ("state_d = next.valid ? StBest : StSet;", "state_d = StSet;"),
        ("course_i == CourseExit && held.valid;", "1'b0;"),
        ("(gave && own != thread_i.prio)", "1'b0"),
    ],
    ids=["ceiling", "chain", "front", "several", "ended", "back"],
)
@pytest.mark.nightly(but=("ceiling", "chain"))
@pytest.mark.formal
def test_the_proof_of_priorities_notices(old: str, new: str) -> None:
    assert not inheritance_proves(2, 2, 14, old, new)
