# SPDX-License-Identifier: Apache-2.0
"""The mutexes at the ports: what each operation does, and in which cycle."""

from __future__ import annotations

import pytest

from .harness import FOREVER, Answer, Ports, word

ORPHAN = 1 << 8


def register(owner: int, value: int) -> int:
    """What mutex_word reads."""
    return owner << 16 | value


def test_lock_and_unlock_are_done_in_the_cycle_they_execute() -> None:
    with Ports() as ports:
        ports.issue(1, "mutex_lock", 3, patience=FOREVER)
        ports.issue(1, "mutex_unlock", 3)
        ports.issue(1, "mutex_lock", 3)
        assert ports.run(4) == [
            Answer(1, 0, 1, word("ok", 1)),
            Answer(1, 1, 2, word("ok")),
            Answer(1, 2, 3, word("ok", 1)),
        ]


def test_an_unlock_hands_over_in_its_cycle() -> None:
    with Ports() as ports:
        ports.do(0, "mutex_lock")
        ports.issue(1, "mutex_lock", patience=FOREVER)
        ports.run(10)
        start = ports.now
        ports.issue(0, "mutex_unlock")
        ports.issue(0, "mutex_lock")
        assert [answer[:1] + answer[2:] for answer in ports.run(3)] == [
            (0, start + 1, word("ok")),
            (1, start + 1, word("ok", 1)),
            (0, start + 2, word("timeout")),  # no overtaking
        ]
        assert ports.do(0, "mutex_word", store=False) == register(1, 1)


@pytest.mark.parametrize("cpus", [2, 3, 5, 8])
def test_waiting_processors_take_turns(cpus: int) -> None:
    """From the last owner on, whoever asked first: each holds it for a cycle and asks again."""
    with Ports(cpus) as ports:
        first = cpus // 2
        ports.do(first, "mutex_lock")
        for cpu in reversed(range(cpus)):
            if cpu != first:
                ports.issue(cpu, "mutex_lock", patience=FOREVER)
                ports.run(1)
        for cpu in range(cpus):
            for _ in range(3):
                ports.issue(cpu, "mutex_unlock")
                ports.issue(cpu, "mutex_lock", patience=FOREVER)
        start = ports.now + 1
        locked = [answer for answer in ports.run(3 * cpus + 1) if answer.word != word("ok")]
        owners = [(first + turn) % cpus for turn in range(1, 3 * cpus + 1)]
        # Processor 0 has the same answer for lock and unlock.
        assert [(answer.cpu, answer.answered) for answer in locked] == [
            (cpu, start + turn) for turn, cpu in enumerate(owners) if cpu
        ]


def test_a_lock_of_the_owner_is_a_deadlock() -> None:
    with Ports() as ports:
        ports.do(1, "mutex_lock", 2)
        start = ports.now
        ports.issue(1, "mutex_lock", 2, patience=FOREVER)
        assert ports.run(2) == [Answer(1, start, start + 1, word("deadlock"))]
        assert ports.do(0, "mutex_word", 2, store=False) == register(1, 1)


def test_only_the_owner_unlocks() -> None:
    with Ports() as ports:
        assert ports.do(0, "mutex_unlock") == word("owner")
        ports.do(1, "mutex_lock")
        assert ports.do(0, "mutex_unlock") == word("owner")
        assert ports.do(0, "mutex_lock") == word("timeout")
        assert ports.do(0, "mutex_word", 0, 0, store=True) == 0
        assert ports.do(0, "mutex_word", 0, 7, store=True) == 0
        assert ports.do(0, "mutex_word", store=False) == register(1, 1)
        assert ports.do(1, "mutex_unlock") == word("ok")
        assert ports.do(1, "mutex_unlock") == word("owner")


def test_the_word_of_the_vendors() -> None:
    with Ports() as ports:
        assert ports.do(1, "mutex_word", 5, 0xABCD_0042, store=True) == 0
        assert ports.do(0, "mutex_word", 5, 0x0000_0043, store=True) == 0
        assert ports.do(0, "mutex_word", 5, store=False) == register(1, 0x42)
        assert ports.do(0, "mutex_lock", 5) == word("timeout")
        assert ports.do(1, "mutex_lock", 5) == word("deadlock")
        ports.do(1, "mutex_word", 5, 0x0001_0000, store=True)  # value 0 frees it
        assert ports.do(0, "mutex_word", 5, store=False) == register(1, 0)
        ports.do(0, "mutex_word", 5, 0, store=True)
        assert ports.do(1, "mutex_word", 5, store=False) == register(0, 0)  # who wrote last
        assert ports.do(0, "mutex_lock", 5) == word("ok", 0)
        ports.do(0, "mutex_word", 5, 0xFFFF, store=True)
        assert ports.do(1, "mutex_word", 5, store=False) == register(0, 0xFFFF)
        assert ports.do(0, "mutex_unlock", 5) == word("ok")


def test_a_store_of_zero_hands_over_too() -> None:
    with Ports() as ports:
        ports.do(0, "mutex_word", 1, 9, store=True)
        ports.issue(1, "mutex_lock", 1, patience=FOREVER)
        ports.run(5)
        start = ports.now
        ports.issue(0, "mutex_word", 1, 0, store=True)
        assert [answer[:1] + answer[2:] for answer in ports.run(2)] == [
            (0, start + 1, 0),
            (1, start + 1, word("ok", 1)),
        ]


def test_stores_of_several_in_one_cycle_have_one_winner() -> None:
    with Ports(4) as ports:
        ports.do(1, "mutex_lock")
        ports.do(1, "mutex_unlock")
        for cpu in range(4):
            ports.issue(cpu, "mutex_word", 0, 0x10 + cpu, store=True)
        ports.run(2)
        assert ports.do(0, "mutex_word", store=False) == register(2, 0x12)  # the next after the last owner


def test_a_processor_that_begins_anew_leaves_orphans() -> None:
    with Ports(3) as ports:
        ports.do(0, "mutex_lock", 0)
        ports.do(0, "mutex_word", 1, 7, store=True)
        ports.do(1, "mutex_lock", 2)
        ports.issue(2, "mutex_lock", 0, patience=FOREVER)
        ports.run(5)
        start = ports.now
        ports.issue(0, "reset_end")
        assert [answer[:1] + answer[2:] for answer in ports.run(2)] == [
            (0, start + 1, 0),
            (2, start + 1, word("ok", 2 | ORPHAN)),
        ]
        assert ports.do(2, "mutex_unlock", 0) == word("ok")
        assert ports.do(1, "mutex_lock", 0) == word("ok", 1)  # told once
        # The flag waits for a mutex_lock.
        ports.do(1, "mutex_word", 1, 8, store=True)
        assert ports.do(2, "mutex_word", 1, store=False) == register(1, 8)
        ports.do(1, "mutex_word", 1, 0, store=True)
        assert ports.do(2, "mutex_lock", 1) == word("ok", 2 | ORPHAN)
        assert ports.do(2, "mutex_unlock", 1) == word("ok")
        assert ports.do(2, "mutex_lock", 1) == word("ok", 2)
        # Another's mutex, and a free one, are not touched.
        assert ports.do(2, "mutex_word", 2, store=False) == register(1, 1)
        assert ports.do(2, "mutex_lock", 3) == word("ok", 2)


def test_a_lock_that_gives_up_holds_nothing() -> None:
    with Ports(3) as ports:
        ports.do(0, "mutex_lock")
        start = ports.now
        ports.issue(1, "mutex_lock", patience=3)
        assert ports.run(10) == [Answer(1, start, start + 9, word("timeout"))]
        start = ports.now
        ports.issue(1, "mutex_lock", patience=FOREVER)
        ports.run(3)
        ports.interrupts = 0b010
        assert ports.run(3) == [Answer(1, start, start + 4, word("interrupted"))]
        ports.interrupts = 0
        ports.do(0, "mutex_unlock")
        assert ports.do(2, "mutex_lock") == word("ok", 2)


@pytest.mark.parametrize("cpu", [1, 2])
def test_an_unlock_in_the_last_cycle_is_in_time(cpu: int) -> None:
    with Ports(3) as ports:
        ports.do(0, "mutex_lock")
        start = ports.now
        ports.issue(cpu, "mutex_lock", patience=3)
        ports.issue(0, "mutex_unlock", delay=8)
        assert ports.run(10) == [
            Answer(0, start + 8, start + 9, word("ok")),
            Answer(cpu, start, start + 9, word("ok", cpu)),
        ]


@pytest.mark.parametrize(
    ("op", "index", "store"),
    [
        ("mutex_lock", 5, False),  # not there
        ("mutex_lock", 0xFF, False),
        ("mutex_lock", 0, True),
        ("mutex_unlock", 5, False),
        ("mutex_unlock", 0, True),
        ("mutex_word", 5, False),
        ("mutex_word", 8, True),
        ("reset_end", 1, True),
        ("reset_end", 0, False),
    ],
)
def test_bus_errors(op: str, index: int, store: bool) -> None:
    """They do nothing, and do not wait either."""
    with Ports(3, mutexes=5) as ports:
        for mutex in range(4):
            ports.do(0, "mutex_lock", mutex)
        start = ports.now
        ports.issue(0, op, index, 0, patience=FOREVER, store=store)
        assert ports.run(2) == [Answer(0, start, start + 1, None)]
        assert [ports.do(1, "mutex_word", mutex, store=False) for mutex in range(5)] == [1, 1, 1, 1, 0]
