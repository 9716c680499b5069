# SPDX-License-Identifier: Apache-2.0
"""Deadlines of waits, course by course and to the cycle; and proven. Random streams: test_referee.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from coreloom.reference.kernel import GIVE_WAY, RESUMED, Config, error
from coreloom.reference.scenario import Scenario
from coreloom.simulation.harness.kernel_port import play
from soc.formal import proves

from .harness import KERNEL, run, words

WAITS = ("mutex_lock", "semaphore_wait", "cond_wait", "port_receive", "port_send")


def scenario(cpus: int, timeouts: bool = True) -> Scenario:
    return Scenario(Config(cpus=cpus, ports=4, port_depth=1, timeouts=timeouts))


def wait(s: Scenario, name: str, deadline: int) -> None:
    """The last CPU's thread waits, alone there, until the deadline; nobody has what it waits for."""
    cpu = s.kernel.config.cpus - 1
    if cpu:
        placed = s.thread(0, 20 | 1 << 12 | cpu << 8)
        assert s.do(cpu, "next") == GIVE_WAY | placed
    for kind in ("mutex", "semaphore", "cond"):
        assert s.do(0, f"{kind}_create", word0=0) == 0
    s.do(0, "mutex_lock", 0)
    s.do(cpu, "port_open", 0, word0=0)
    s.do(cpu, "port_open", 1, word0=0)
    s.do(cpu, "port_send", 1, word0=0)
    assert s.do(cpu, "timeout_start", word0=deadline) == 0
    assert s.do(cpu, name, int(name == "port_send"), word0=0) is None


@pytest.mark.parametrize("name", WAITS)
def test_a_wait_ends_at_its_deadline_and_not_before(name: str, tmp_path: Path) -> None:
    s = scenario(2)
    wait(s, name, 100)
    s.time(99)
    assert words(s) == ()
    s.time(100)
    assert words(s) == ((1, RESUMED),)
    assert s.do(1, "timeout_stop") == 1
    run(s, tmp_path)


@pytest.mark.parametrize("cpus", [1, 2])
def test_it_ends_five_cycles_after_its_deadline(cpus: int, tmp_path: Path) -> None:
    """Compared, taken, looked for in the list, woken, answered; for a port's receiver one cycle less."""
    took = {}
    for name in WAITS if cpus > 1 else ("semaphore_wait", "cond_wait", "port_receive", "port_send"):
        s = scenario(cpus)
        wait(s, name, 100)
        s.time(100)
        _, cycles = play(s.kernel.config, s.steps, 0, tmp_path)
        took[name] = cycles[-1].other
    assert took.pop("port_receive") == 4
    assert set(took.values()) == {5}


def test_what_comes_before_the_deadline_ends_the_wait(tmp_path: Path) -> None:
    s = scenario(2)
    wait(s, "semaphore_wait", 100)
    s.do(0, "semaphore_post", 0)
    assert words(s) == ((0, 0), (1, RESUMED))
    s.time(200)
    assert s.do(1, "timeout_stop") == 0 and s.do(1, "timeout_stop") == 1
    assert s.do(0, "semaphore_value", 0) == 0
    run(s, tmp_path)


def test_a_deadline_that_has_passed_ends_the_wait_at_once_and_once(tmp_path: Path) -> None:
    s = scenario(2)
    s.time(500)
    wait(s, "semaphore_wait", 100)
    s.time(501)
    assert not s.kernel.cpus[1].waiting  # has been answered by the wait itself
    assert s.do(1, "semaphore_wait", 0) is None
    s.time(600)
    assert words(s) == ()
    run(s, tmp_path)


def test_a_join_has_no_deadline(tmp_path: Path) -> None:
    s = scenario(1)
    other = s.thread(0, 1, start=False)
    s.do(0, "timeout_start", word0=10)
    assert s.do(0, "thread_join", other) is None
    s.time(20)
    assert words(s) == ()
    run(s, tmp_path)


def test_a_kernel_without_timeouts_has_no_such_operation(tmp_path: Path) -> None:
    s = scenario(1, timeouts=False)
    assert s.do(0, "timeout_start", word0=10) == s.do(0, "timeout_stop") == error("einval")
    run(s, tmp_path)


def timeouts_prove(steps: int, params: str, old: str = "", new: str = "") -> bool:
    text = (KERNEL / "rtl" / "cl_kernel_timeouts.sv").read_text()
    assert not old or text.count(old) == 1
    others = [KERNEL / "rtl" / f"{name}.sv" for name in ("cl_kernel_pkg", "cl_ram_1r1w")]
    others.append(KERNEL / "formal" / "cl_kernel_timeouts_formal.sv")
    text = text.replace(old, new) if old else text
    return proves("cl_kernel_timeouts_formal", text, params, others, steps, "--no-synthesis-define")


@pytest.mark.parametrize("threads", [2, 3])
@pytest.mark.formal
def test_no_wait_ends_early_elsewhere_or_twice(threads: int) -> None:
    assert timeouts_prove(4, f"-GThreads={threads}")


@pytest.mark.formal
def test_every_wait_ends_in_time() -> None:
    """Two threads, so that another deadline can be in the way, an operation every other cycle."""
    assert timeouts_prove(17, "-GOnce=1 -GLatest=14")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "first_valid_q && !earlier(now_i, first_deadline_q);\n      held",
            "first_valid_q;\n      held",
        ),  # early
        ("if (ended_i) set_q[taken_o]  <= 1'b0;", ""),  # twice
        ("if (first_valid_q && gone) left_q <= (TidWidth + 1)'(Threads);", ""),  # never looked for
        ("again_q     <= waits;", "again_q     <= 1'b0;"),  # never seen
    ],
    ids=["early", "twice", "lost", "unseen"],
)
@pytest.mark.nightly(but=("early", "twice"))
@pytest.mark.formal
def test_proof_of_the_timeouts_notices(old: str, new: str) -> None:
    assert not timeouts_prove(4, "", old, new)
