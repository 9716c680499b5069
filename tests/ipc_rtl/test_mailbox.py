"""The mailboxes at the ports: what each operation does, and in which cycle."""

from __future__ import annotations

from .harness import FOREVER, SENTINEL, Answer, Ports, word


def test_a_put_ends_a_waiting_get_in_its_cycle() -> None:
    with Ports() as ports:
        ports.issue(1, "mailbox_get", 0, patience=FOREVER)
        assert ports.run(10) == []
        ports.issue(0, "mailbox_put", 0b10, 0xCAFE_F00D)
        assert ports.run(3) == [Answer(0, 10, 11, 0), Answer(1, 0, 11, 0xCAFE_F00D)]


def test_words_come_in_order_one_a_cycle() -> None:
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
