# SPDX-License-Identifier: Apache-2.0
"""The doorbells at the ports: what each operation does, and in which cycle."""

from __future__ import annotations

import pytest

from .harness import FOREVER, Answer, Ports, word


def test_a_ring_ends_a_waiting_take_in_its_cycle() -> None:
    with Ports() as ports:
        ports.issue(1, "doorbell_take", 0b0110, patience=FOREVER)
        assert ports.run(10) == []
        ports.issue(0, "doorbell_ring", 0b10, 0b1011)
        assert ports.run(3) == [Answer(0, 10, 11, 0), Answer(1, 0, 11, word("ok", 0b0010))]
        assert ports.do(1, "doorbell_pending") == 0b1001  # what it did not wait for rings on
        assert ports.do(1, "doorbell_overrun") == 0


def test_a_bell_that_rings_already_is_overrun() -> None:
    with Ports() as ports:
        assert ports.do(0, "doorbell_ring", 0b10, 0b0101) == 0
        assert ports.do(0, "doorbell_ring", 0b10, 0b0110) == 0
        assert ports.do(1, "doorbell_pending") == 0b0111
        assert ports.do(1, "doorbell_overrun") == 0b0100
        assert ports.do(1, "doorbell_overrun") == 0  # told once
        assert ports.do(1, "doorbell_take", 0xFF) == word("ok", 0b0111)
        assert ports.do(1, "doorbell_take", 0xFF) == word("timeout")
        assert ports.do(0, "doorbell_pending") == 0


def test_a_ring_in_the_cycle_of_the_take_rings_anew() -> None:
    with Ports() as ports:
        ports.do(0, "doorbell_ring", 0b10, 1)
        start = ports.now
        ports.issue(0, "doorbell_ring", 0b10, 1)
        ports.issue(1, "doorbell_take", 1)
        assert ports.run(2) == [Answer(0, start, start + 1, 0), Answer(1, start, start + 1, word("ok", 1))]
        assert ports.do(1, "doorbell_take", 1) == word("ok", 1)
        assert ports.do(1, "doorbell_overrun") == 0


def test_two_rings_in_one_cycle_are_one_and_an_overrun() -> None:
    with Ports(3) as ports:
        ports.issue(2, "doorbell_take", 0b11, patience=FOREVER)
        ports.run(5)
        ports.issue(0, "doorbell_ring", 0b100, 0b001)
        ports.issue(1, "doorbell_ring", 0b100, 0b011)
        assert ports.run(2) == [Answer(0, 5, 6, 0), Answer(1, 5, 6, 0), Answer(2, 0, 6, word("ok", 0b011))]
        assert ports.do(2, "doorbell_overrun") == 0b001
        assert ports.do(2, "doorbell_pending") == 0


def test_one_ring_for_many() -> None:
    with Ports(4) as ports:
        for cpu in (1, 3):
            ports.issue(cpu, "doorbell_take", 0b1000_0000, patience=FOREVER)
        ports.run(4)
        ports.issue(0, "doorbell_ring", 0b1111, 0xFFFF_FF80)  # only the low eight bits are bells
        assert ports.run(2) == [
            Answer(0, 4, 5, 0),
            Answer(1, 0, 5, word("ok", 0x80)),
            Answer(3, 0, 5, word("ok", 0x80)),
        ]
        assert [ports.do(cpu, "doorbell_pending") for cpu in range(4)] == [0x80, 0, 0x80, 0]


@pytest.mark.parametrize("patience", range(6))
def test_patience(patience: int) -> None:
    """0 gives up in the first executing cycle, n 2^n cycles later; a ring in that cycle is in time."""
    last = 1 + (1 << patience if patience else 0)
    with Ports() as ports:
        ports.issue(1, "doorbell_take", 1, patience=patience)
        assert ports.run(last + 2) == [Answer(1, 0, last, word("timeout"))]
        start = ports.now
        ports.issue(1, "doorbell_take", 1, patience=patience)
        ports.issue(0, "doorbell_ring", 0b10, 1, delay=last - 1)
        assert ports.run(last + 2)[-1] == Answer(1, start, start + last, word("ok", 1))


def test_an_interrupt_ends_the_wait_and_loses_nothing() -> None:
    with Ports() as ports:
        ports.issue(1, "doorbell_take", 1, patience=FOREVER)
        ports.run(5)
        ports.interrupts = 0b10
        assert ports.run(3) == [Answer(1, 0, 6, word("interrupted"))]
        ports.do(0, "doorbell_ring", 0b10, 1)
        assert ports.do(1, "doorbell_take", 1, patience=FOREVER) == word("ok", 1)


def test_enabled_bells_interrupt_while_they_ring() -> None:
    with Ports() as ports:
        ports.do(0, "doorbell_ring", 0b11, 0b01)
        ports.do(1, "doorbell_enable", 0, 0xFFFF_FF02, store=True)
        assert ports.do(1, "doorbell_enable", store=False) == 0x02
        ports.run(2)
        assert ports.irq == 0
        start = ports.now
        ports.issue(0, "doorbell_ring", 0b11, 0b10)
        assert ports.run(2) == [Answer(0, start, start + 1, 0)]
        assert ports.irq == 0
        ports.run(1)
        assert ports.irq == 0b10  # two cycles after the grant of the ring
        ports.do(1, "doorbell_take", 0b10)
        ports.run(1)
        assert ports.irq == 0


def test_a_processor_that_begins_anew_has_silent_bells() -> None:
    with Ports() as ports:
        for _ in range(2):
            ports.do(0, "doorbell_ring", 0b11, 0xFF)
        ports.do(1, "doorbell_enable", 0, 0xFF, store=True)
        assert ports.do(1, "reset_end") == 0
        ports.run(1)
        assert ports.irq == 0
        for op in ("doorbell_pending", "doorbell_overrun"):
            assert ports.do(1, op) == 0
            assert ports.do(0, op) == 0xFF
        assert ports.do(1, "doorbell_enable", store=False) == 0


def test_a_ring_in_the_cycle_of_a_reset_is_not_lost() -> None:
    with Ports() as ports:
        ports.issue(1, "reset_end")
        ports.issue(0, "doorbell_ring", 0b10, 1)
        ports.run(2)
        assert ports.do(1, "doorbell_pending") == 1


@pytest.mark.parametrize(
    ("op", "index", "store"),
    [
        ("doorbell_ring", 0, True),  # nobody
        ("doorbell_ring", 0b1000, True),  # a processor that is not there
        ("doorbell_ring", 0b1001, True),
        ("doorbell_ring", 1, False),
        ("doorbell_take", 0, False),  # no bell: it would wait for ever
        ("doorbell_take", 1, True),
        ("doorbell_pending", 0, True),
        ("doorbell_pending", 1, False),
        ("doorbell_overrun", 0, True),
        ("doorbell_overrun", 1, False),
        ("doorbell_enable", 1, True),
        ("doorbell_enable", 1, False),
    ],
)
def test_bus_errors(op: str, index: int, store: bool) -> None:
    """They do nothing, and do not wait either."""
    with Ports(3) as ports:
        ports.do(0, "doorbell_ring", 0b111, 0x0F)
        ports.do(0, "doorbell_ring", 0b111, 0x01)
        ports.do(0, "doorbell_enable", 0, 0xF0, store=True)
        start = ports.now
        ports.issue(0, op, index, 0xFF, patience=FOREVER, store=store)
        assert ports.run(2) == [Answer(0, start, start + 1, None)]
        for cpu in range(3):
            assert ports.do(cpu, "doorbell_pending") == 0x0F
            assert ports.do(cpu, "doorbell_overrun") == 0x01
        assert ports.do(0, "doorbell_enable", store=False) == 0xF0
