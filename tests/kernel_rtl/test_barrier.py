# SPDX-License-Identifier: Apache-2.0
"""Condition variables that serve as barriers (decision 43), course by course; and proven.

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
CONFIG = SERVICES


def barrier(config: Config = CONFIG) -> Scenario:
    s = Scenario(config)
    assert s.do(0, "cond_create") == 0
    return s


def come(s: Scenario, tid: int, others: int, then: int) -> None:
    """The thread runs on CPU 0 and waits at the barrier; `then` runs."""
    assert s.switch(0, "yield") == GIVE_WAY | tid
    assert s.switch(0, "barrier_wait", 0, others) == GIVE_WAY | then


def test_the_last_wakes_all_by_priority_and_the_next_round_begins(tmp_path: Path) -> None:
    s = barrier()
    for _ in range(2):
        low, high = s.thread(0, MAIN), s.thread(0, MAIN + 2)
        come(s, high, 2, then=low)
        assert s.switch(0, "barrier_wait", 0, 2) == GIVE_WAY | 0
        assert s.do(0, "barrier_wait", 0, 2) == 1
        assert s.switch(0, "preempt") == GIVE_WAY | high
        assert s.switch(0, "thread_exit") == GIVE_WAY | 0
        assert s.switch(0, "yield") == GIVE_WAY | low
        assert s.switch(0, "thread_exit") == GIVE_WAY | 0
    assert s.do(0, "cond_ticket", 0) == 0
    run(s, tmp_path)


def test_a_barrier_for_one_never_waits(tmp_path: Path) -> None:
    s = barrier()
    assert s.do(0, "barrier_wait", 0, 0) == s.do(0, "barrier_wait", 0, 0) == 1
    assert s.do(0, "cond_destroy", 0) == 0
    assert s.do(0, "barrier_wait", 0, 0) == error("einval")
    run(s, tmp_path)


def test_who_waits_alone_is_woken_on_its_idle_cpu(tmp_path: Path) -> None:
    s = barrier(dataclasses.replace(CONFIG, cpus=2))
    other = s.thread(0, MAIN)
    assert s.do(1, "next") == GIVE_WAY | other
    assert s.do(1, "barrier_wait", 0, 1) is None
    assert s.do(0, "cond_destroy", 0) == error("ebusy")
    assert s.do(0, "barrier_wait", 0, 1) == 1
    assert len(words(s)) == 2  # and the other's load has returned
    run(s, tmp_path)


def test_who_leaves_has_come(tmp_path: Path) -> None:
    s = barrier()
    other = s.thread(0, MAIN)
    come(s, other, 1, then=0)
    assert s.do(0, "cond_leave", 0, other) == 0
    assert s.do(0, "barrier_wait", 0, 1) == 1
    run(s, tmp_path)


def test_a_deadline_ends_the_wait(tmp_path: Path) -> None:
    s = barrier()
    assert s.do(0, "timeout_start", word0=100) == 0
    assert s.do(0, "barrier_wait", 0, 1) is None
    s.time(100)
    assert len(words(s)) == 1
    assert s.do(0, "timeout_stop") == 1
    run(s, tmp_path)


def barriers_prove(others: int, old: str = "", new: str = "", never: bool = False) -> bool:
    text = (KERNEL / "rtl" / "cl_kernel_condition_ops.sv").read_text()
    assert not old or text.count(old) == 1
    rest = [
        KERNEL / "rtl" / f"{name}.sv"
        for name in (
            *("cl_kernel_pkg", "cl_outcome_pkg", "cl_ram_1r1w", "cl_find_last_set", "cl_free_id"),
            *("cl_object_table", "cl_pipeline_register"),
        )
    ]
    rest.append(KERNEL / "formal" / "cl_kernel_barrier_formal.sv")
    text = text.replace(old, new) if old else text
    params = f"-GOthers={others} -GNever={int(never)}"
    return proves("cl_kernel_barrier_formal", text, params, rest, 3, "--no-synthesis-define")


@pytest.mark.parametrize("others", [0, 1, 2, 65535])
@pytest.mark.formal
def test_nobody_passes_before_the_last_has_come(others: int) -> None:
    """After every sequence of arrivals."""
    assert barriers_prove(others)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("set_to         = '0;\n", "\n"),  # the next round is never full
        ("outcome_o.wake = waiter_valid_i ? WakeWaiters : WakeNone;", ""),  # nobody is woken
        ("answered(WordValueWidth'(1))", "answered(WordValueWidth'(waiter_valid_i))"),  # alone, not the last
    ],
    ids=["again", "asleep", "alone"],
)
@pytest.mark.nightly(but=("again", "asleep"))
@pytest.mark.formal
def test_the_proof_of_barriers_notices(old: str, new: str) -> None:
    assert not all(barriers_prove(others, old, new) for others in (0, 2))


@pytest.mark.formal
def test_the_last_comes() -> None:
    """The properties are not true of nothing."""
    assert not barriers_prove(2, never=True)
