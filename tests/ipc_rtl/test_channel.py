# SPDX-License-Identifier: Apache-2.0
"""The req and ack wires at the ports: what each operation does, and in which cycle."""

from __future__ import annotations

import pytest

from coreloom.reference.ipc import SPEC

from .harness import FOREVER, Answer, Ports, word

REQ, ACK = 0, 1


def wire(cpu: int, kind: int, level: int) -> int:
    """Index of channel_wait."""
    layout = SPEC.layouts["wire_index"]
    return cpu << layout["cpu"].lsb | kind << layout["wire"].lsb | level << layout["level"].lsb


@pytest.mark.parametrize(("op", "kind"), [("channel_req", REQ), ("channel_ack", ACK)])
def test_a_store_ends_a_wait_in_its_cycle(op: str, kind: int) -> None:
    with Ports() as ports:
        ports.issue(1, "channel_wait", wire(0, kind, 1), patience=FOREVER)
        assert ports.run(10) == []
        ports.issue(0, op, 1, 1)
        assert ports.run(3) == [Answer(0, 10, 11, 0), Answer(1, 0, 11, word("ok", 1))]
        ports.issue(1, "channel_wait", wire(0, kind, 0), patience=FOREVER)
        assert ports.run(5) == []
        ports.issue(0, op, 1, 0xFFFF_FFFE)  # only bit 0 counts
        assert ports.run(3) == [Answer(0, 18, 19, 0), Answer(1, 13, 19, word("ok", 0))]


def test_a_wire_that_has_the_level_is_not_waited_for() -> None:
    with Ports() as ports:
        for kind in (REQ, ACK):
            start = ports.now
            ports.issue(1, "channel_wait", wire(0, kind, 0))
            assert ports.run(2) == [Answer(1, start, start + 1, word("ok", 0))]
            assert ports.do(1, "channel_wait", wire(0, kind, 1)) == word("timeout")


def test_four_phases_between_two() -> None:
    """The handshake of [IPC]: each step ends the wait of the other side in its cycle."""
    with Ports() as ports:
        ports.issue(0, "channel_req", 1, 1)
        ports.issue(0, "channel_wait", wire(1, ACK, 1), patience=FOREVER)
        ports.issue(0, "channel_req", 1, 0)
        ports.issue(0, "channel_wait", wire(1, ACK, 0), patience=FOREVER)
        ports.issue(1, "channel_wait", wire(0, REQ, 1), patience=FOREVER)
        ports.issue(1, "channel_ack", 0, 1)
        ports.issue(1, "channel_wait", wire(0, REQ, 0), patience=FOREVER)
        ports.issue(1, "channel_ack", 0, 0)
        assert ports.run(10) == [
            Answer(0, 0, 1, 0),
            Answer(1, 0, 1, word("ok", 1)),
            Answer(0, 1, 2, word("ok", 1)),
            Answer(1, 1, 2, 0),
            Answer(0, 2, 3, 0),
            Answer(1, 2, 3, word("ok", 0)),
            Answer(0, 3, 4, word("ok", 0)),
            Answer(1, 3, 4, 0),
        ]


def test_a_pair_has_four_wires_of_its_own() -> None:
    with Ports(4) as ports:
        ports.do(0, "channel_req", 1, 1)
        ports.do(1, "channel_ack", 0, 1)
        ports.do(2, "channel_req", 3, 1)
        ports.do(2, "channel_ack", 3, 1)
        seen = {
            (me, other): ports.do(me, "channel_read", other)
            for me in range(4)
            for other in range(4)
            if me != other
        }
        assert {pair: wires for pair, wires in seen.items() if wires} == {
            (0, 1): 0b0110,  # req_out, ack_in
            (1, 0): 0b1001,
            (2, 3): 0b1100,
            (3, 2): 0b0011,
        }


def test_a_wire_is_read_a_cycle_after_its_store() -> None:
    with Ports() as ports:
        ports.issue(0, "channel_req", 1, 1)
        for _ in range(2):
            ports.issue(1, "channel_read", 0)
        assert ports.run(4) == [Answer(0, 0, 1, 0), Answer(1, 0, 1, 0), Answer(1, 1, 2, 1)]


def test_enabled_wires_interrupt_while_they_are_1() -> None:
    with Ports(3) as ports:
        ports.do(0, "channel_req", 2, 1)
        ports.do(2, "channel_enable", 0, 0xFFFF_0200, store=True)  # the ack wire of 1
        assert ports.do(2, "channel_enable", store=False) == 0x0200
        ports.do(1, "channel_req", 2, 1)
        ports.run(2)
        assert ports.irq == 0
        ports.issue(1, "channel_ack", 2, 1)
        ports.run(2)
        assert ports.irq == 0
        ports.run(1)
        assert ports.irq == 0b100  # two cycles after the grant of the store
        ports.do(2, "channel_enable", 0, 0x0001, store=True)  # the req wire of 0
        ports.run(1)
        assert ports.irq == 0b100
        ports.do(0, "channel_req", 2, 0)
        ports.run(1)
        assert ports.irq == 0


def test_only_wires_that_are_there_can_be_enabled() -> None:
    with Ports(3) as ports:
        for cpu, word_ in enumerate((0x0606, 0x0505, 0x0303)):
            ports.do(cpu, "channel_enable", 0, 0xFFFF_FFFF, store=True)
            assert ports.do(cpu, "channel_enable", store=False) == word_


def test_a_processor_that_begins_anew_drops_its_wires() -> None:
    with Ports(3) as ports:
        for cpu, other in ((0, 1), (1, 0), (0, 2), (2, 1)):
            ports.do(cpu, "channel_req", other, 1)
            ports.do(cpu, "channel_ack", other, 1)
        ports.do(0, "channel_enable", 0, 0x0606, store=True)
        ports.issue(1, "channel_wait", wire(0, ACK, 0), patience=FOREVER)
        ports.run(3)
        assert ports.irq == 0b001
        start = ports.now
        ports.issue(0, "reset_end")
        answers = ports.run(2)
        assert answers[0] == Answer(0, start, start + 1, 0)
        assert answers[1][2:] == (start + 1, word("ok", 0))
        ports.run(1)
        assert ports.irq == 0
        assert ports.do(0, "channel_enable", store=False) == 0
        assert ports.do(0, "channel_read", 1) == 0b0011  # what the other drives stays
        assert ports.do(2, "channel_read", 0) == 0
        assert ports.do(2, "channel_read", 1) == 0b1100


def test_a_wait_that_gives_up() -> None:
    with Ports() as ports:
        ports.issue(1, "channel_wait", wire(0, REQ, 1), patience=3)
        assert ports.run(10) == [Answer(1, 0, 9, word("timeout"))]
        ports.issue(1, "channel_wait", wire(0, REQ, 1), patience=FOREVER)
        ports.run(5)
        ports.interrupts = 0b10
        assert ports.run(3) == [Answer(1, 10, 16, word("interrupted"))]


@pytest.mark.parametrize(
    ("op", "index", "store"),
    [
        ("channel_req", 0, True),  # itself
        ("channel_req", 3, True),  # not there
        ("channel_req", 0x81, True),
        ("channel_req", 1, False),
        ("channel_ack", 0, True),
        ("channel_ack", 3, True),
        ("channel_ack", 1, False),
        ("channel_read", 0, False),
        ("channel_read", 3, False),
        ("channel_read", 1, True),
        ("channel_wait", wire(0, REQ, 0), False),
        ("channel_wait", wire(3, ACK, 0), False),
        ("channel_wait", wire(9, REQ, 1), False),
        ("channel_wait", wire(1, REQ, 1) | 0x40, False),
        ("channel_wait", wire(1, REQ, 1) | 0x80, False),
        ("channel_wait", wire(1, REQ, 0), True),
        ("channel_enable", 1, True),
        ("channel_enable", 1, False),
    ],
)
def test_bus_errors(op: str, index: int, store: bool) -> None:
    """They do nothing, and do not wait either."""
    with Ports(3) as ports:
        start = ports.now
        ports.issue(0, op, index, 0xFFFF_FFFF, patience=FOREVER, store=store)
        assert ports.run(2) == [Answer(0, start, start + 1, None)]
        assert ports.do(0, "channel_enable", store=False) == 0
        for cpu in (1, 2):
            assert ports.do(0, "channel_read", cpu) == 0
