# SPDX-License-Identifier: Apache-2.0
"""Hold and start of processor 1, whatever it does, at equal and at unrelated clocks."""

from __future__ import annotations

import random

import pytest

from .harness import BLOCK, FAR, NEAR, SEED, SPEC, Ask, Door, Side, bit

RUNNING, HELD = bit("status_word", "running"), bit("near_error_word", "held")
REFUSED = bit("near_error_word", "mail_held")
LIST = 0x4000_0000
RATIOS = [(1000, 1000), (1000, 733), (1000, 1370), (1000, 3170), (3170, 1000)]


def hold(door: Door) -> None:
    assert door.near("control", 0) == 0
    for _ in range(100):
        if not door.status() & RUNNING:
            return
    raise AssertionError("processor 1 is not held")


@pytest.mark.parametrize("periods", RATIOS, ids=str)
def test_hold_begins_anew(periods: tuple[int, int]) -> None:
    """REQ-backdoor-7: nothing is left of the far side, and nothing is lost of the near side but its mail."""
    with Door(periods, late=True).begin() as door:
        door.near("word1", 5)
        door.near("mail_send", 1)
        door.near("bell_ring", 8)
        door.far("mail_send", 2)
        door.far("bell_ring", 16)
        for name in ("word0", "word3", "bell_enable", "dma_enable"):
            door.far(name, 0xFFFF_FFFF)
        door.far("mail_receive")
        door.far("mail_receive")
        door.wait(30)
        door.pc, door.fault = 0x4000_1230, 0x10
        door.step()
        hold(door)
        assert not door.seen(FAR).live
        assert door.near("far_pc") == 0x4000_1230
        assert [door.near(f"far_word{n}") for n in range(4)] == [0] * 4
        assert door.near("bell_pending") == 16  # it was rung before
        assert door.near("mail_count") == 0
        assert door.near("mail_receive") == 0
        assert door.near("error") == bit("near_error_word", "mail_empty")
        door.near("bell_ring", 32)  # nobody hears it
        door.wait(30)
        door.pc = 0x80
        door.begin()
        for name in ("word0", "word3", "bell_enable", "bell_pending", "error", "dma_enable", "bus_error"):
            assert door.far(name) == 0, name
        assert door.far("mail_count") == 16
        assert door.far("near_word1") == 5
        assert door.near("mail_count") == 16
        assert door.near("far_pc") == 0x4000_1230


def test_mail_to_a_held_processor_is_refused() -> None:
    """From the store on that holds it until it is known to run."""
    with Door() as door:
        assert door.near("mail_send", 1) == 0
        assert door.near("error") == REFUSED
        door.near("error", REFUSED)
        door.near("control", 1)
        door.near("mail_send", 2)
        assert door.near("error") == REFUSED
        door.until(live=True)
        door.near("error", REFUSED)
        door.near("mail_send", 3)
        door.near("control", 0)
        door.near("mail_send", 4)
        assert door.near("error") == REFUSED
        hold(door)
        door.near("error", REFUSED)
        door.begin()
        assert door.far("mail_count") == 16
        door.near("mail_send", 5)
        door.wait(20)
        assert (door.far("mail_receive"), door.near("error")) == (5, 0)


@pytest.mark.parametrize("periods", RATIOS, ids=str)
def test_hold_in_mid_transfer(periods: tuple[int, int]) -> None:
    """REQ-backdoor-8: the DMA stops at once, that is told, and the next list works."""
    words = BLOCK // 4
    up = SPEC.enums["dma_op"]["up"][0] << 28 | 1 << 31
    with Door(periods, late=True).begin() as door:
        door.poke(LIST, [up | words, LIST + BLOCK, 0])
        door.poke(LIST + BLOCK, [0xBEEF_0000 + n for n in range(words)])
        door.far("dma_list", LIST)
        door.wait(20, FAR)
        assert door.status() & bit("status_word", "dma_busy")
        hold(door)
        assert door.near("error") == HELD
        assert (door.near("far_dma"), door.near("far_up_bytes"), door.near("far_dma_cycles")) == (0, 0, 0)
        before = [door.near(0x20_0000 + offset) for offset in range(0, BLOCK, 4)]
        moved = sum(word == 0xBEEF_0000 + n for n, word in enumerate(before))
        assert 0 < moved < words
        door.wait(words, FAR)
        assert [door.near(0x20_0000 + offset) for offset in range(0, BLOCK, 4)] == before
        door.near("error", HELD)
        door.begin()
        assert door.near("error") == 0
        door.far("dma_list", LIST)
        door.wait(words + 40, FAR)
        assert door.far("dma_status") == bit("dma_status_word", "done")
        assert [door.near(0x20_0000 + 4 * n) for n in range(words)] == [0xBEEF_0000 + n for n in range(words)]
        # No error is told when the DMA was at rest.
        hold(door)
        assert door.near("error") == 0


@pytest.mark.parametrize("wait", range(0, 24, 2))
@pytest.mark.parametrize("periods", RATIOS, ids=str)
def test_no_hold_is_lost(periods: tuple[int, int], wait: int) -> None:
    """REQ-backdoor-9: a 0 stored between two 1 at any time and for one cycle only resets the processor."""
    phase = random.Random(SEED + wait).randrange(periods[FAR])
    with Door(periods, (0, phase), late=True, seed=SEED + wait) as door:
        held = False
        events: list[str] = []

        def pulse() -> Side:
            nonlocal held
            yield Ask("control", 1)
            for _ in range(wait):
                yield None
            yield Ask("control", 0)
            held = True
            yield Ask("control", 1)
            seen = yield Ask("status")
            while not (seen.word or 0) & RUNNING:
                seen = yield Ask("status")
            events.append("known")

        door.start(NEAR, pulse())
        before = False
        for _ in range(400):
            door.step()
            live = door.seen(FAR).live
            if live and not before:
                events.append("starts after" if held else "starts before")
                door.start(FAR, sends_mail())
            elif before and not live:
                events.append("held")
            before = live
        assert before, "it runs at the end"
        starts = [event for event in events if event.startswith("starts")]
        assert starts[-1] == "starts after" and len(starts) == 1 + events.count("held")
        assert "held" not in events[events.index("known") :], "the one that is known is the last"
        assert door.status() == RUNNING | bit("status_word", "mail_room") | bit("status_word", "mail_waiting")
        assert door.near("mail_count") == 1 << 8 | 16, "the mail of the life before is gone"


def sends_mail() -> Side:
    """A processor that sends a mail when it starts."""
    yield Ask("mail_send", 1)
