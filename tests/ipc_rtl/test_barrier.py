# SPDX-License-Identifier: Apache-2.0
"""The barriers at the ports: what each operation does, and in which cycle."""

from __future__ import annotations

import pytest

from .harness import FOREVER, Answer, Ports, word

BROKEN = 1 << 8


def meet(ports: Ports, barrier: int, members: int) -> None:
    assert ports.do(0, "barrier_members", barrier, members, store=True) == 0


@pytest.mark.parametrize("cpus", [1, 2, 3, 8])
def test_the_last_arrival_lets_all_go_on_in_its_cycle(cpus: int) -> None:
    with Ports(cpus) as ports:
        meet(ports, 1, (1 << cpus) - 1)
        for phase in range(3):
            last = phase % cpus
            start = ports.now
            for cpu in range(cpus):
                if cpu != last:
                    ports.issue(cpu, "barrier_arrive", 1, patience=FOREVER)
            assert ports.run(5) == []
            ports.issue(last, "barrier_arrive", 1, patience=FOREVER)
            assert ports.run(3) == [
                Answer(cpu, start if cpu != last else start + 5, start + 6, word("ok")) for cpu in range(cpus)
            ]


def test_phases_in_a_row() -> None:
    """A processor that comes back at once is in the next phase: one phase a cycle."""
    with Ports(3) as ports:
        meet(ports, 0, 0b111)
        start = ports.now
        for cpu in range(3):
            for _ in range(5):
                ports.issue(cpu, "barrier_arrive", patience=FOREVER)
        assert ports.run(7) == [
            Answer(cpu, start + n, start + n + 1, word("ok")) for n in range(5) for cpu in range(3)
        ]


def test_barriers_do_not_see_each_other() -> None:
    with Ports(4) as ports:
        meet(ports, 0, 0b0011)
        meet(ports, 3, 0b1100)
        start = ports.now
        ports.issue(0, "barrier_arrive", 0, patience=FOREVER)
        ports.issue(2, "barrier_arrive", 3, patience=FOREVER)
        assert ports.run(3) == []
        ports.issue(1, "barrier_arrive", 0, patience=FOREVER)
        assert ports.run(2) == [
            Answer(0, start, start + 4, word("ok")),
            Answer(1, start + 3, start + 4, word("ok")),
        ]


def test_who_gives_up_has_not_arrived() -> None:
    with Ports(3) as ports:
        meet(ports, 0, 0b111)
        start = ports.now
        ports.issue(0, "barrier_arrive", patience=2)
        ports.issue(1, "barrier_arrive", patience=FOREVER)
        assert ports.run(6) == [Answer(0, start, start + 5, word("timeout"))]
        ports.issue(2, "barrier_arrive", patience=FOREVER)
        assert ports.run(5) == []
        ports.interrupts = 0b010
        assert [answer[:1] + answer[2:] for answer in ports.run(3)] == [(1, start + 12, word("interrupted"))]
        ports.interrupts = 0
        assert ports.do(0, "barrier_arrive") == word("timeout")
        ports.issue(1, "barrier_arrive", patience=FOREVER)
        assert ports.run(3) == []
        last = ports.now
        ports.issue(0, "barrier_arrive")  # a try succeeds for the last one
        assert [answer[2:] for answer in ports.run(2)] == [(last + 1, word("ok"))] * 3


def test_an_arrival_in_the_last_cycle_is_in_time() -> None:
    with Ports() as ports:
        meet(ports, 0, 0b11)
        start = ports.now
        ports.issue(0, "barrier_arrive", patience=3)
        ports.issue(1, "barrier_arrive", delay=8)
        assert [answer[2:] for answer in ports.run(10)] == [(start + 9, word("ok"))] * 2


def test_only_members_arrive() -> None:
    with Ports(3) as ports:
        assert ports.do(0, "barrier_arrive", patience=FOREVER) == word("owner")  # after reset nobody may
        meet(ports, 0, 0b011)
        assert ports.do(2, "barrier_arrive", patience=FOREVER) == word("owner")
        meet(ports, 0, 0)
        assert ports.do(1, "barrier_arrive", patience=FOREVER) == word("owner")


def test_a_member_that_begins_anew_breaks_it() -> None:
    with Ports(3) as ports:
        meet(ports, 0, 0b111)
        meet(ports, 1, 0b011)
        start = ports.now
        for cpu in (0, 1):
            ports.issue(cpu, "barrier_arrive", 0, patience=FOREVER)
        ports.run(5)
        ports.issue(2, "reset_end")
        assert [answer[:1] + answer[2:] for answer in ports.run(2)] == [
            (0, start + 6, word("reset")),
            (1, start + 6, word("reset")),
            (2, start + 6, 0),
        ]
        assert ports.do(2, "barrier_members", 0, store=False) == 0b111 | BROKEN
        assert ports.do(2, "barrier_members", 1, store=False) == 0b011
        for cpu in range(3):
            assert ports.do(cpu, "barrier_arrive", 0, patience=FOREVER) == word("reset")
        meet(ports, 0, 0b101 | BROKEN)  # a store makes it whole
        assert ports.do(2, "barrier_members", 0, store=False) == 0b101
        assert ports.do(1, "barrier_arrive", 0, patience=FOREVER) == word("owner")
        for cpu in (0, 2):
            ports.issue(cpu, "barrier_arrive", 0, patience=FOREVER)
        assert [answer.word for answer in ports.run(2)] == [word("ok")] * 2


def test_new_members_while_some_wait() -> None:
    """A store counts from the next cycle on: who is no member any more ends, the others wait for the new."""
    with Ports(4) as ports:
        meet(ports, 0, 0b0111)
        start = ports.now
        for cpu in (0, 1):
            ports.issue(cpu, "barrier_arrive", patience=FOREVER)
        ports.run(3)
        ports.issue(3, "barrier_members", 0, 0b1101, store=True)
        assert ports.run(5) == [
            Answer(3, start + 3, start + 4, 0),
            Answer(1, start, start + 5, word("owner")),
        ]
        # All of the new members are here: they go on in the next cycle.
        ports.issue(2, "barrier_members", 0, 0b0001, store=True)
        assert ports.run(3) == [
            Answer(2, start + 8, start + 9, 0),
            Answer(0, start, start + 10, word("ok")),
        ]


def test_of_two_stores_in_a_cycle_the_higher_processor_counts() -> None:
    with Ports(3) as ports:
        for cpu in range(3):
            ports.issue(cpu, "barrier_members", 2, 1 << cpu, store=True)
        ports.run(2)
        assert ports.do(0, "barrier_members", 2, store=False) == 0b100


def test_a_store_in_the_cycle_of_a_reset_makes_it_whole() -> None:
    with Ports(2) as ports:
        meet(ports, 0, 0b11)
        ports.issue(1, "reset_end")
        ports.issue(0, "barrier_members", 0, 0b11, store=True)
        ports.run(2)
        assert ports.do(0, "barrier_members", store=False) == 0b11


@pytest.mark.parametrize(
    ("op", "index", "word_", "store"),
    [
        ("barrier_members", 3, 1, True),  # not there
        ("barrier_members", 3, 0, False),
        ("barrier_members", 0, 0b1000, True),  # a member that is not there
        ("barrier_members", 0, 0b10000011, True),
        ("barrier_arrive", 3, 0, False),
        ("barrier_arrive", 0x80, 0, False),
        ("barrier_arrive", 0, 0, True),
    ],
)
def test_bus_errors(op: str, index: int, word_: int, store: bool) -> None:
    """They do nothing, and do not wait either."""
    with Ports(3, barriers=3) as ports:
        for barrier in range(3):
            meet(ports, barrier, 0b011)
        start = ports.now
        ports.issue(0, op, index, word_, patience=FOREVER, store=store)
        assert ports.run(2) == [Answer(0, start, start + 1, None)]
        assert [ports.do(1, "barrier_members", b, store=False) for b in range(3)] == [0b011] * 3
