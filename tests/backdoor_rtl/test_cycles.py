# SPDX-License-Identifier: Apache-2.0
"""What takes how many cycles when both clocks are one: the table in rtl/ipc/backdoor/README.md."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest

from .harness import FAR, NEAR, Ask, Door, Seen, Side, bit


def cycles(door: Door, side: int, asks: list[Ask | None], sees: Callable[[Seen], bool], poll: str) -> int:
    """From the last of `asks` to the cycle in which the other side sees it.

    poll: the register that the other side loads in each cycle, the cycle of the load counts; empty: it sees
    its lines and the core's reset only.
    """
    asked: list[int] = []
    seen_in: list[int] = []

    def tell() -> Side:
        for ask in asks:
            seen = yield ask
            asked.append(seen.cycle - 1)

    def look() -> Side:
        while not seen_in:
            seen = yield Ask(poll) if poll else None
            if sees(seen):
                seen_in.append(seen.cycle - bool(poll))

    door.run(*((tell(), look()) if side == NEAR else (look(), tell())))
    return seen_in[0] - asked[-1]


@pytest.mark.parametrize("side", [NEAR, FAR])
def test_cycles(side: int) -> None:
    other = 1 - side
    word = "near_word0" if side == NEAR else "far_word0"
    with Door().begin() as door:
        door.do(other, "bell_enable", 0xFFFF_FFFF)

        def irq(seen: Seen) -> bool:
            return seen.irq

        def took(asks: list[Ask | None], sees: Callable[[Seen], bool], poll: str = "") -> int:
            door.wait(20)
            return cycles(door, side, asks, sees, poll)

        def clear() -> None:
            door.do(other, "bell_clear", 0xFFFF_FFFF)

        assert took([Ask("bell_ring", 1)], irq) == 4
        clear()
        assert took([Ask("bell_ring", 1)], lambda seen: seen.word == 1, "bell_pending") == 4
        clear()
        assert took([Ask("word0", 7)], lambda seen: seen.word == 7, word) == 5
        # A bell right behind a word goes with it; later ones wait for what is under way.
        assert took([Ask("word0", 8), Ask("bell_ring", 1)], irq) == 4
        clear()
        assert took([Ask("word0", 9), None, Ask("bell_ring", 1)], irq) == 9
        clear()
        assert took([Ask("mail_send", 3)], lambda seen: bool(seen.word), "mail_receive") == 5
        # From the load that takes a mail to that of the count with its room
        for n in range(16):
            door.do(side, "mail_send", n)
        door.wait(20)
        side = other
        assert took([Ask("mail_receive")], lambda seen: seen.word == 1, "mail_count") == 3


def test_bundles_follow_one_another() -> None:
    """A word that is stored in every cycle comes in every sixth."""
    with Door().begin() as door:
        found: list[tuple[int, int | None]] = []

        def store() -> Side:
            for n in range(100):
                yield Ask("word0", n + 1)

        def load() -> Side:
            while not found or found[-1][1] != 100:
                seen = yield Ask("near_word0")
                if seen.word and (not found or found[-1][1] != seen.word):
                    found.append((seen.cycle, seen.word))

        door.run(store(), load())
        times = [cycle for cycle, _ in found]
        assert {after - before for before, after in itertools.pairwise(times)} == {6}
        assert [word for _, word in found] == [*range(1, 100, 6), 100]


def test_hold_and_start() -> None:
    with Door() as door:
        running = bit("status_word", "running")

        def took(store: int, live: bool) -> int:
            return cycles(door, NEAR, [Ask("control", store)], lambda seen: seen.live == live, "")

        def known(store: int) -> int:
            """To the load that tells it."""
            times: list[int] = []

            def process() -> Side:
                seen = yield Ask("control", store)
                times.append(seen.cycle - 1)
                while True:
                    seen = yield Ask("status")
                    if bool((seen.word or 0) & running) == bool(store):
                        times.append(seen.cycle - 1)
                        return

            door.run(process())
            return times[1] - times[0]

        figures = []
        for _ in range(2):
            figures.append((took(1, True), took(0, False)))
            door.wait(20)
            figures.append((known(1), known(0)))
            door.wait(20)
        assert figures == [(13, 6), (10, 10)] * 2
        assert door.near("control", 1) == 0
        door.until(live=True)
        assert door.seen(FAR).live


def test_the_counters_of_the_dma_hold_up_no_bell() -> None:
    """They go along with what is said, and are no reason to say something."""
    words = 1000
    with Door().begin() as door:
        door.near("bell_enable", 1)
        door.poke(0x4000_0000, [1 << 28 | 1 << 31 | words, 0x4000_0000, 0])
        door.far("dma_list", 0x4000_0000)
        door.wait(20)
        assert door.status() & bit("status_word", "dma_busy")
        before = door.near("far_up_bytes")
        for n in range(6):  # of the cycles between two bundles, if there were any
            door.wait(20 + n)
            assert cycles(door, FAR, [Ask("bell_ring", 1)], lambda seen: seen.irq, "") == 4
            door.near("bell_clear", 1)
        assert (door.near("far_up_bytes") or 0) > (before or 0)
