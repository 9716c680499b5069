# SPDX-License-Identifier: Apache-2.0
"""Condition variables that serve as event flags (decision 47), course by course; and proven.

Random streams: test_referee.py; cycles: test_cycles.py.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from coreloom.reference.kernel import GIVE_WAY, Config, error
from coreloom.reference.scenario import Scenario
from soc.formal import proves

from .harness import KERNEL, SERVICES, run, words

MAIN = 16  # priority of thread 0
ANY, ALL, CLEAR, TRY = 0, 1, 2, 4
CONFIG = SERVICES
WAITS = [f"{wait}_{many}" for wait in ("wait", "take", "trywait", "trytake") for many in ("any", "all")]


class Flags(Scenario):
    """Thread 0 runs on CPU 0; condition variable 0 serves as event flags."""

    def __init__(self, config: Config = CONFIG) -> None:
        super().__init__(config)
        assert self.do(0, "cond_create") == 0

    def op(self, verb: str, word0: int | None = None, cpu: int = 0, id: int = 0) -> int | None:
        return self.do(cpu, f"flags_{verb}", id, word0)

    def wait(self, how: int, flags: int, cpu: int = 0) -> int | None:
        return self.op(WAITS[how], flags, cpu)

    def word(self, verb: str, cpu: int = 0) -> int | None:
        """What the operation leaves in WORD0."""
        assert self.op(verb, cpu=cpu) == 0
        return self.do(cpu, "word0")

    def waiter(self, how: int, flags: int, priority: int = MAIN + 2) -> int:
        """A thread of this priority that waits."""
        tid = self.thread(0, priority)
        assert self.switch(0, "yield") == GIVE_WAY | tid
        assert self.wait(how, flags) == GIVE_WAY | 0
        self.store(0, "saved")
        return tid

    def go_on(self, tids: list[int], found: int) -> None:
        """These threads run, one after the other, have found these flags, and end; nobody else does."""
        for tid, then in zip(tids, [*tids[1:], 0], strict=True):
            if tid == tids[0]:
                assert self.switch(0, "preempt") == GIVE_WAY | tid
            assert self.word("found") == found
            assert self.switch(0, "thread_exit") == GIVE_WAY | then


def test_flags_are_set_cleared_and_read(tmp_path: Path) -> None:
    s = Flags()
    assert s.word("get") == 0
    assert s.op("set", 0x8001_0003) == 0
    assert s.op("set", 0x10) == 0
    assert s.op("clear", 0x0001_0001) == 0
    assert s.word("get") == 0x8000_0012
    assert s.do(0, "cond_destroy", 0) == 0
    assert s.do(0, "cond_create") == 0
    assert s.word("get") == 0
    run(s, tmp_path)


def test_flags_that_are_there_end_the_wait_at_once(tmp_path: Path) -> None:
    s = Flags()
    assert s.word("found") == 0
    s.op("set", 0x8000_0006)
    assert s.wait(ANY, 3) == 0
    assert s.word("found") == 0x8000_0006
    assert s.wait(ALL | TRY, 3) == error("eagain")
    assert s.wait(ANY | TRY | CLEAR, 3) == 0
    assert s.word("found") == 0x8000_0006
    assert s.wait(ALL | CLEAR, 0x8000_0004) == 0
    assert s.word("found") == 0x8000_0004
    assert s.word("get") == 0
    run(s, tmp_path)


def test_what_one_clears_is_seen_by_all(tmp_path: Path) -> None:
    s = Flags()
    s.op("set", 0x10)
    low = s.waiter(ANY | CLEAR, 2, MAIN + 2)
    late = s.waiter(ALL, 0x22, MAIN + 4)
    high = s.waiter(ALL | CLEAR, 3, MAIN + 3)
    assert s.op("set", 7) == 0
    assert s.word("get") == 0x14
    s.go_on([high, low], 0x17)
    assert s.op("set", 0x22) == 0
    s.go_on([late], 0x36)
    assert s.do(0, "cond_destroy", 0) == 0
    run(s, tmp_path)


@pytest.mark.parametrize("satisfied", range(1, 16))
def test_any_of_those_that_wait_leave(satisfied: int, tmp_path: Path) -> None:
    """The first, those in the middle, the last, in every combination; the others stay in their order."""
    s = Flags()
    waiters = [s.waiter(ANY, 1 << n) for n in range(4)]
    assert s.op("set", satisfied) == 0
    s.go_on([tid for n, tid in enumerate(waiters) if satisfied >> n & 1], satisfied)
    last = s.waiter(ANY, 1 << 4)
    assert s.op("set", 31) == 0
    s.go_on([*(tid for n, tid in enumerate(waiters) if not satisfied >> n & 1), last], 31)
    assert s.do(0, "cond_destroy", 0) == 0
    run(s, tmp_path)


def test_who_waits_on_an_idle_cpu_is_woken_there(tmp_path: Path) -> None:
    s = Flags(dataclasses.replace(CONFIG, cpus=2))
    other = s.thread(0, MAIN)
    assert s.do(1, "next") == GIVE_WAY | other
    assert s.wait(ALL, 6, cpu=1) is None
    assert s.do(0, "cond_destroy", 0) == error("ebusy")
    assert s.op("set", 2) == 0
    assert len(words(s)) == 1
    assert s.op("set", 4) == 0
    assert len(words(s)) == 2  # and the other's load has returned
    assert s.word("found", cpu=1) == 6
    run(s, tmp_path)


def test_who_leaves_is_not_woken_again(tmp_path: Path) -> None:
    s = Flags()
    other = s.waiter(ANY | CLEAR, 1)
    assert s.do(0, "cond_leave", 0, other) == 0
    assert s.op("set", 1) == 0
    assert s.word("get") == 1
    run(s, tmp_path)


def test_a_deadline_ends_the_wait(tmp_path: Path) -> None:
    s = Flags()
    assert s.do(0, "timeout_start", word0=100) == 0
    assert s.wait(ANY, 1) is None
    s.time(100)
    assert len(words(s)) == 1
    assert s.do(0, "timeout_stop") == 1
    run(s, tmp_path)


def flags_prove(
    threads: int = 2,
    module: str = "cl_kernel_condition_ops",
    old: str = "",
    new: str = "",
    never: bool = False,
) -> bool:
    """The rule of cl_kernel_event_flags_formal, of a text in one of its modules with a fault."""
    text = (KERNEL / "rtl" / f"{module}.sv").read_text()
    assert not old or text.count(old) == 1
    names = (
        *("cl_kernel_pkg", "cl_outcome_pkg", "cl_ram_1r1w", "cl_find_last_set", "cl_free_id"),
        *("cl_object_table", "cl_pipeline_register", "cl_kernel_condition_ops", "cl_kernel_event_flags"),
    )
    rest = [KERNEL / "rtl" / f"{name}.sv" for name in names if name != module]
    rest.append(KERNEL / "formal" / "cl_kernel_event_flags_formal.sv")
    text = text.replace(old, new) if old else text
    params = f"-GThreads={threads} -GNever={int(never)}"
    return proves("cl_kernel_event_flags_formal", text, params, rest, 3, "--no-synthesis-define")


@pytest.mark.parametrize("threads", [2, pytest.param(3, marks=pytest.mark.nightly)])
@pytest.mark.formal
def test_a_set_wakes_whom_it_should(threads: int) -> None:
    """After every sequence of operations."""
    assert flags_prove(threads)


@pytest.mark.parametrize(
    ("module", "old", "new"),
    [
        # what one clears is gone for the next
        ("cl_kernel_event_flags", "suffice(flags_q,", "suffice(flags_q & ~cleared_q,"),
        # what the first clears is forgotten
        ("cl_kernel_event_flags", "cleared_q <= cleared;", "cleared_q <= '0;"),
        # who waits clears, though it is not satisfied
        ("cl_kernel_event_flags", "(satisfied_o && record.how[1])", "record.how[1]"),
        # a try that fails waits
        ("cl_kernel_condition_ops", "else if (op_i[2]) ", "else if (1'b0) "),
        # the flags read are those of the next operation
        ("cl_kernel_condition_ops", "flags_o = 32'(signals) |", "flags_o = 32'(set_to) |"),
        # a set does not look at the waiters
        (
            "cl_kernel_condition_ops",
            "if (op_i == OpFlagsSet && waiter_valid_i) outcome_o.course = CourseLeave;",
            "",
        ),
    ],
    ids=["order", "forgets", "clears", "try", "read", "asleep"],
)
@pytest.mark.nightly(but=("order", "try"))
@pytest.mark.formal
def test_the_proof_of_event_flags_notices(module: str, old: str, new: str) -> None:
    assert not flags_prove(2, module, old, new)


@pytest.mark.formal
def test_all_may_be_woken() -> None:
    """The properties are not true of nothing."""
    assert not flags_prove(2, never=True)
