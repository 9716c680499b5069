# SPDX-License-Identifier: Apache-2.0
"""The Back-Door from garbage, and reset in the midst of what it does: nothing is left of before."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from cases import nightly_but

from .harness import FAR, NEAR, OFFSETS, SEED, Ask, Door, Side

RATIOS = [(1000, 1000), (1000, 1370), (3170, 1000)]
FRESH = {  # what a register holds after reset
    NEAR: ("control", "status", "error", "bell_pending", "bell_enable", "bell_merged", "down_bytes"),
    FAR: ("error", "bell_pending", "bell_enable", "dma_status", "dma_enable", "bus_error", "down_bytes"),
}  # fmt: skip


def noise(door: Door, side: int, reached: Counter[str]) -> Side:
    """Any accesses, without an end."""
    names = sorted(OFFSETS[side])
    while True:
        name = door.random.choice(names)
        store = door.random.random() < 0.6
        seen = yield Ask(name, door.random.getrandbits(32) if store else None)
        reached[f"{side} {'error' if seen.word is None else 'store' if store else 'load'}"] += 1


def check(door: Door) -> None:
    """A side that starts is as after the first reset, and works."""
    assert [door.near(name) for name in FRESH[NEAR]] == [0] * len(FRESH[NEAR])
    assert [door.near(f"word{n}") for n in range(4)] == [0] * 4
    door.begin()
    assert [door.far(name) for name in FRESH[FAR]] == [0] * len(FRESH[FAR])
    assert (door.near("mail_count"), door.far("mail_count")) == (16, 16)
    door.near("mail_send", 0x1234)
    door.far("bell_ring", 1 << 5)
    door.wait(40)
    assert door.far("mail_receive") == 0x1234
    assert door.near("bell_pending") == 1 << 5
    assert door.near("error") == door.far("error") == 0


@pytest.mark.parametrize("periods", nightly_but([(ratio,) for ratio in RATIOS], [(RATIOS[1],)]), ids=str)
def test_reset_in_the_midst(periods: tuple[int, int]) -> None:
    reached: Counter[str] = Counter()
    cut: Counter[bool] = Counter()
    for seed in range(SEED, SEED + 20):
        with Door(periods, late=True, seed=seed, garbage=True) as door:
            rng = random.Random(seed)
            check(door)
            for _ in range(3):
                door.start(NEAR, noise(door, NEAR, reached))
                door.start(FAR, noise(door, FAR, reached))
                door.wait(rng.randrange(1, 300))
                cut[bool(door.seen(FAR).live)] += 1
                door.reset()
                check(door)
    assert {f"{side} {what}" for side in (NEAR, FAR) for what in ("load", "store")} <= set(reached)
    assert min(cut[True], cut[False]) > 3, "processor 1 is always held, or never"
