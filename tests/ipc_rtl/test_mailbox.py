# SPDX-License-Identifier: Apache-2.0
"""The mailboxes at the ports: what each operation does, and in which cycle."""

from __future__ import annotations

from .harness import FOREVER, SENTINEL, Answer, Ports, word


def test_a_put_ends_a_waiting_get_in_its_cycle() -> None:
    """REQ-mailbox-6"""
    with Ports() as ports:
        ports.issue(1, "mailbox_get", 0, patience=FOREVER)
        assert ports.run(10) == []
        ports.issue(0, "mailbox_put", 0b10, 0xCAFE_F00D)
        assert ports.run(3) == [Answer(0, 10, 11, 0), Answer(1, 0, 11, 0xCAFE_F00D)]


def test_words_come_in_order_one_a_cycle() -> None:
    """REQ-mailbox-1 and 2"""
    with Ports() as ports:
        for n in range(16):
            ports.issue(0, "mailbox_put", 0b10, n + 1)
        assert ports.run(17) == [Answer(0, n, n + 1, 0) for n in range(16)]
        assert ports.do(0, "mailbox_room", 1) == word("timeout")
        assert ports.do(1, "mailbox_level", 0) == word("ok", 16)
        start = ports.now
        for _ in range(17):
            ports.issue(1, "mailbox_get", 0)
        assert ports.run(18) == [
            Answer(1, start + n, start + n + 1, n + 1 if n < 16 else SENTINEL) for n in range(17)
        ]
        assert ports.do(1, "mailbox_received", 0) == word("timeout", 16)
        assert ports.do(0, "mailbox_sent", 1) == word("ok", 16)


def test_a_stream_through_two_words_of_room() -> None:
    """Sender and receiver at one word a cycle: the smallest mailbox does not slow them down."""
    with Ports(depth=2) as ports:
        for n in range(100):
            ports.issue(0, "mailbox_put", 0b10, n, patience=FOREVER)
            ports.issue(1, "mailbox_get", 0, patience=FOREVER)
        answers = ports.run(101)
        assert [a for a in answers if a.cpu == 0] == [Answer(0, n, n + 1, 0) for n in range(100)]
        assert [a for a in answers if a.cpu == 1] == [Answer(1, n, n + 1, n) for n in range(100)]


def test_a_put_waits_for_room() -> None:
    """The put is done in the cycle after the get that made the room."""
    with Ports(depth=2) as ports:
        for n in range(3):
            ports.issue(0, "mailbox_put", 0b10, n, patience=FOREVER)
        assert ports.run(10) == [Answer(0, 0, 1, 0), Answer(0, 1, 2, 0)]
        ports.issue(1, "mailbox_get", 0)
        assert ports.run(3) == [Answer(1, 10, 11, 0), Answer(0, 2, 12, 0)]
        ports.issue(0, "mailbox_room", 1, patience=FOREVER)
        assert ports.run(3) == []
        ports.issue(1, "mailbox_get", 0)
        assert ports.run(3) == [Answer(1, 16, 17, 1), Answer(0, 13, 18, word("ok", 1))]


def test_a_put_to_several_is_for_all_or_none() -> None:
    """REQ-mailbox-5"""
    with Ports(4) as ports:
        for n in range(16):
            assert ports.do(0, "mailbox_put", 0b0100, n) == 0
        ports.issue(1, "mailbox_get", 0, patience=FOREVER)
        ports.issue(3, "mailbox_get", 0, patience=FOREVER)
        ports.issue(0, "mailbox_put", 0b1110, 3, patience=FOREVER)
        assert ports.run(10) == []
        start = ports.now
        ports.issue(2, "mailbox_get", 0)
        answers = ports.run(3)
        assert [(a.cpu, a.answered - start, a.word) for a in answers] == [
            (2, 1, 0),
            (0, 2, 0),
            (1, 2, 3),
            (3, 2, 3),
        ]
        # A receiver without room is told apart: only its end gets the error, and no later put goes to it.
        assert ports.do(0, "mailbox_put", 0b1110, 4) == 0
        assert [ports.do(0, "mailbox_sent", r) for r in (1, 2, 3)] == [
            word("ok", 1),
            word("timeout", 17),
            word("ok", 1),
        ]
        assert ports.do(0, "mailbox_put", 0b1110, 5, patience=FOREVER) == 0
        assert ports.do(0, "mailbox_put", 0b0010, 6) == 0
        assert [ports.do(r, "mailbox_level", 0) for r in (1, 2, 3)] == [
            word("ok", 1),
            word("ok", 16),
            word("timeout"),
        ]


def test_an_error_stays_until_it_is_cleared() -> None:
    """REQ-mailbox-4"""
    with Ports() as ports:
        assert ports.do(1, "mailbox_get", 0) == SENTINEL
        ports.do(0, "mailbox_put", 0b10, 8)
        # The end is in error, so nothing is taken; that there is a word can be seen.
        assert ports.do(1, "mailbox_get", 0, patience=FOREVER) == SENTINEL
        assert ports.do(1, "mailbox_level", 0) == word("ok", 1)
        assert ports.do(1, "mailbox_any") == word("ok", 0)
        state = ports.do(1, "mailbox_received", 0)
        assert state == word("timeout", 0)
        ports.do(1, "mailbox_clear_received", 0, word("interrupted"))
        assert ports.do(1, "mailbox_received", 0) == state
        ports.do(1, "mailbox_clear_received", 0, state)
        assert ports.do(1, "mailbox_get", 0) == 8
        assert ports.do(1, "mailbox_received", 0) == word("ok", 1)


def test_a_word_may_look_like_the_sentinel() -> None:
    with Ports() as ports:
        ports.do(0, "mailbox_put", 0b10, SENTINEL)
        assert ports.do(1, "mailbox_get", 0) == SENTINEL
        assert ports.do(1, "mailbox_received", 0) == word("ok", 1)


def test_a_reset_ends_the_wait_at_the_other_end() -> None:
    """REQ-mailbox-3: one cycle after the reset is done."""
    with Ports() as ports:
        for op, sentinel in (("mailbox_get", SENTINEL), ("mailbox_level", word("reset"))):
            ports.issue(1, op, 0, patience=FOREVER)
            ports.run(5)
            start = ports.now
            ports.issue(0, "mailbox_reset_sent", 1)
            answers = ports.run(3)
            assert [(a.cpu, a.answered - start, a.word) for a in answers] == [(0, 1, 0), (1, 2, sentinel)]
            assert ports.do(1, "mailbox_received", 0) == word("reset")
            ports.do(1, "mailbox_clear_received", 0, word("reset"))
    for op, index, answer in (("mailbox_put", 0b10, 0), ("mailbox_room", 1, word("reset"))):
        with Ports() as ports:
            for n in range(16):
                assert ports.do(0, "mailbox_put", 0b10, n) == 0
            ports.issue(0, op, index, 99, patience=FOREVER)
            ports.run(5)
            start = ports.now
            ports.issue(1, "mailbox_reset_received", 0)
            answers = ports.run(3)
            assert [(a.cpu, a.answered - start, a.word) for a in answers] == [(1, 1, 0), (0, 2, answer)]
            assert ports.do(1, "mailbox_level", 0) == word("timeout")
            assert ports.do(0, "mailbox_sent", 1) == word("reset", 16)


def test_reset_end_resets_both_ends_of_everything() -> None:
    with Ports(3) as ports:
        for s, r in ((0, 1), (1, 0), (1, 2), (2, 1), (0, 2)):
            ports.do(s, "mailbox_put", 1 << r, 10 * s + r)
        assert ports.do(1, "reset_end") == 0
        assert [ports.do(1, op, c) for op in ("mailbox_sent", "mailbox_received") for c in (0, 2)] == [0] * 4
        assert ports.do(0, "mailbox_sent", 1) == word("reset", 1)
        assert ports.do(0, "mailbox_received", 1) == word("reset")
        assert ports.do(2, "mailbox_sent", 1) == word("reset", 1)
        assert ports.do(2, "mailbox_received", 1) == word("reset")
        assert [ports.do(cpu, "mailbox_any") for cpu in (0, 1)] == [word("timeout")] * 2
        assert ports.do(2, "mailbox_get", 0) == 2


def test_any_takes_turns() -> None:
    """REQ-mailbox-7"""
    with Ports(4) as ports:
        for s in (0, 1, 3):
            for n in range(3):
                ports.do(s, "mailbox_put", 0b0100, n)
        assert [ports.do(2, "mailbox_any") for _ in range(7)] == [0, 1, 3, 0, 1, 3, 0]
        for s in (0, 1, 3):
            for n in range(3):
                assert ports.do(2, "mailbox_get", s) == n
        # All put in one cycle: the turn goes on where it was.
        ports.issue(2, "mailbox_any", patience=FOREVER)
        ports.run(3)
        for s in (0, 1, 3):
            ports.issue(s, "mailbox_put", 0b0100, 9)
        start = ports.now
        assert Answer(2, start - 3, start + 1, word("ok", 1)) in ports.run(2)
