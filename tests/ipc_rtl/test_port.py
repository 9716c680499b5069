# SPDX-License-Identifier: Apache-2.0
"""The port: grants, answers, patience, interrupts and bus errors, to the cycle."""

from __future__ import annotations

import pytest

from .harness import FOREVER, SENTINEL, Answer, Ports, word


def test_an_access_in_every_cycle() -> None:
    """REQ-port-3"""
    with Ports() as ports:
        for n in range(20):
            ports.issue(0, "doorbell_ring", 0b01, 1 << n % 8)
            ports.issue(1, "doorbell_pending")
        answers = ports.run(21)
        assert [a for a in answers if a.cpu == 0] == [Answer(0, n, n + 1, 0) for n in range(20)]
        assert [a for a in answers if a.cpu == 1] == [Answer(1, n, n + 1, word("ok")) for n in range(20)]


def test_an_access_in_every_second_cycle_of_a_pipeline() -> None:
    """REQ-port-3"""
    with Ports(pipeline=True) as ports:
        for n in range(20):
            ports.issue(0, "doorbell_ring", 0b01, 1 << n % 8)
            ports.issue(1, "doorbell_pending")
        answers = ports.run(41)
        assert [a for a in answers if a.cpu == 0] == [Answer(0, 2 * n, 2 * n + 2, 0) for n in range(20)]
        assert [a for a in answers if a.cpu == 1] == [
            Answer(1, 2 * n, 2 * n + 2, word("ok")) for n in range(20)
        ]


def test_patience() -> None:
    """REQ-port-5: 0 gives up in the first cycle, n after 2^n cycles."""
    with Ports() as ports:
        for patience in range(13):
            start = ports.now
            ports.issue(0, "mailbox_level", 1, patience=patience)
            after = 0 if patience == 0 else 1 << patience
            assert ports.run(after + 2) == [Answer(0, start, start + 1 + after, word("timeout"))]


def test_waits_of_a_pipeline() -> None:
    """Each answer a cycle later than without: patience, a partner's operation, an interrupt, a bus error."""
    with Ports(pipeline=True) as ports:
        for patience in range(6):
            start = ports.now
            ports.issue(0, "mailbox_level", 1, patience=patience)
            after = 0 if patience == 0 else 1 << patience
            assert ports.run(after + 3) == [Answer(0, start, start + 2 + after, word("timeout"))]
        start = ports.now
        ports.issue(0, "mailbox_get", 1, patience=3)
        ports.issue(1, "mailbox_put", 0b01, 5, delay=8)
        assert ports.run(12) == [Answer(0, start, start + 10, 5), Answer(1, start + 8, start + 10, 0)]
        ports.issue(0, "mailbox_level", 1, patience=FOREVER)
        start = ports.now
        assert ports.run(10) == []
        ports.interrupts = 0b01
        assert ports.run(3) == [Answer(0, start, start + 12, word("interrupted"))]
        start = ports.now
        ports.issue(0, 63, store=False)
        ports.issue(0, "reset_end")
        assert ports.run(5) == [Answer(0, start, start + 2, None), Answer(0, start + 2, start + 4, 0)]


def test_for_ever() -> None:
    with Ports() as ports:
        ports.issue(0, "mailbox_level", 1, patience=FOREVER)
        assert ports.run(20_000) == []
        ports.issue(1, "mailbox_put", 0b01, 7)
        assert ports.run(2) == [Answer(0, 0, 20_001, word("ok", 1)), Answer(1, 20_000, 20_001, 0)]


def test_done_in_the_last_cycle_is_done() -> None:
    with Ports() as ports:
        ports.issue(0, "mailbox_get", 1, patience=3)
        ports.issue(1, "mailbox_put", 0b01, 5, delay=8)
        assert ports.run(12) == [Answer(0, 0, 9, 5), Answer(1, 8, 9, 0)]
        ports.issue(0, "mailbox_get", 1, patience=3)
        ports.issue(1, "mailbox_put", 0b01, 6, delay=9)
        assert ports.run(12) == [Answer(0, 12, 21, SENTINEL), Answer(1, 21, 22, 0)]


def test_an_interrupt_ends_what_waits() -> None:
    """REQ-port-6: in the cycle after the one in which it comes."""
    with Ports() as ports:
        ports.issue(0, "mailbox_level", 1, patience=FOREVER)
        assert ports.run(10) == []
        ports.interrupts = 0b01
        assert ports.run(2) == [Answer(0, 0, 11, word("interrupted"))]
        # Nothing begins to wait either, and what can be done is done.
        ports.issue(0, "doorbell_take", 1, patience=FOREVER)
        ports.issue(0, "doorbell_ring", 1, 1)
        ports.issue(0, "doorbell_take", 1, patience=FOREVER)
        assert ports.run(4) == [
            Answer(0, 12, 13, word("interrupted")),
            Answer(0, 13, 14, 0),
            Answer(0, 14, 15, word("ok", 1)),
        ]
        # A try that fails is told so, or it would be tried for ever.
        assert ports.do(0, "mailbox_level", 1) == word("timeout")
        # The other ports do not notice.
        ports.issue(1, "mailbox_level", 0, patience=FOREVER)
        assert ports.run(10) == []


@pytest.mark.parametrize("cpus", [1, 2])
def test_bus_errors(cpus: int) -> None:
    """REQ-port-4: no operation of that number, a store where there is a load, an index of nothing."""
    with Ports(cpus, depth=2) as ports:
        assert ports.do(0, 63, store=False) is None
        assert ports.do(0, 6, store=True) is None
        assert ports.do(0, "mailbox_any", 0, store=True) is None
        assert ports.do(0, "doorbell_take", 1, store=True) is None
        assert ports.do(0, "mailbox_put", 0) is None
        assert ports.do(0, "mailbox_put", 0b1) is None
        assert ports.do(0, "mailbox_put", 1 << cpus) is None
        assert ports.do(0, "mailbox_get", 0, patience=FOREVER) is None
        assert ports.do(0, "mailbox_get", cpus, patience=FOREVER) is None
        assert ports.do(0, "mailbox_any", 1, patience=FOREVER) is None
        assert ports.do(0, "reset_end", 1) is None
        assert ports.do(0, "mailbox_any") == word("timeout")
        start = ports.now
        ports.issue(0, 63, store=False)
        ports.issue(0, "reset_end")
        assert ports.run(3) == [Answer(0, start, start + 1, None), Answer(0, start + 1, start + 2, 0)]
