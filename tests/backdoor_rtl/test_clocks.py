# SPDX-License-Identifier: Apache-2.0
"""Both sides speak and listen at random, on clocks that have nothing to do with one another.

Words, block data and mail carry the number of what their side did last, so whoever hears of something can
tell whether all that was done before it has come, too. The synchronisers settle a cycle later at random.
"""

from __future__ import annotations

import random
from collections.abc import Generator
from dataclasses import dataclass, field

import pytest

from .harness import DOWN, FAR, NEAR, SEED, SPEC, UP, Ask, Door, Seen, Side, bit

RATIOS = [(1000, 1000), (1000, 733), (1000, 1370), (1000, 3170), (317, 1000), (1000, 1001)]
LIST = (
    0x4000_0000  # descriptors: a word of the down block to WORD, and 16 bytes on a word there to the up block
)
WORD = LIST + 0x100
DONE = bit("dma_status_word", "done")
Answer = Generator[Ask | None, Seen, int]


@dataclass
class Said:
    """What a side has done. A moment is (number, block, mails): what it had put into each."""

    number: int = 0
    block: int = 0
    rings: list[tuple[int, int, int]] = field(
        default_factory=list
    )  # the moment of each; ring n is bell n % 32
    mails: list[tuple[int, int, int]] = field(default_factory=list)
    heard: set[int] = field(default_factory=set)  # rings that the other side has heard
    taken: int = 0  # mails that the other side has taken
    ended: bool = False

    def moment(self) -> tuple[int, int, int]:
        return self.number, self.block, len(self.mails)

    def all_came(self) -> bool:
        return self.ended and self.taken == len(self.mails) and len(self.heard) == len(self.rings)


class Talker:
    """A side that does things until each clock has had `cycles` cycles, then listens until all has come."""

    def __init__(self, door: Door, side: int, own: Said, other: Said, cycles: int) -> None:
        self.door, self.side, self.own, self.other, self.cycles = door, side, own, other, cycles
        self.rng = random.Random(SEED + side)

    def process(self) -> Side:
        while min(self.door.cycles) < self.cycles:
            yield from self.rng.choice((self.idle, self.say, self.ring, self.send, self.listen, self.take))()
            if self.rng.randrange(8) == 0:
                yield from self.write()
        self.own.ended = True
        while not self.other.all_came():
            yield from self.rng.choice((self.idle, self.listen, self.take))()
        yield from self.listen()
        assert (yield from self.ask("mail_receive")) == 0, "a mail that nobody sent"
        assert (yield from self.ask("bell_pending")) == 0, "a bell that nobody rang"

    def ask(self, register: int | str, word: int | None = None) -> Answer:
        seen = yield Ask(register, word)
        assert seen.word is not None, f"bus error at {register}"
        return seen.word

    # --- what it says

    def idle(self) -> Side:
        for _ in range(self.rng.randrange(20)):
            yield None

    def say(self) -> Side:
        self.own.number += 1
        yield from self.ask("word0", self.own.number)

    def ring(self) -> Side:
        """One or more bells at once, each only when the other side has heard it before."""
        free = 32 - len(self.own.rings) + len(self.own.heard)
        bells = 0
        for _ in range(min(free, self.rng.randrange(1, 4))):
            if len(self.own.rings) - 32 in self.own.heard or len(self.own.rings) < 32:
                bells |= 1 << len(self.own.rings) % 32
                self.own.rings.append(self.own.moment())
        yield from self.ask("bell_ring", bells)

    def send(self) -> Side:
        if (yield from self.ask("mail_count")) & 0xFF:
            self.own.mails.append(self.own.moment())
            yield from self.ask("mail_send", len(self.own.mails))

    def write(self) -> Side:
        word = self.own.block + 1
        if self.side == NEAR:
            yield from self.ask(DOWN, word)
        else:
            self.door.poked = (WORD + 16, word)
            yield from self.move(LIST + 12)
        self.own.block = word

    def move(self, descriptors: int) -> Side:
        yield from self.ask("dma_list", descriptors)
        while not (yield from self.ask("dma_status")) & DONE:
            pass
        yield from self.ask("dma_clear", 0)

    # --- what it hears

    def listen(self) -> Side:
        pending = yield from self.ask("bell_pending")
        first = len(self.other.heard) - 31
        rings = [n for n in range(max(first, 0), len(self.other.rings)) if n not in self.other.heard]
        come = [n for n in rings if pending >> n % 32 & 1]
        assert pending == sum(1 << n % 32 for n in come), "a bell that nobody rang, or twice"
        if come:
            assert come == rings[: len(come)], "bells in another order"
            yield from self.check(max(self.other.rings[n] for n in come), "bell")
        yield from self.ask("bell_clear", pending)
        self.other.heard.update(come)

    def take(self) -> Side:
        word = yield from self.ask("mail_receive")
        if word:
            assert word == self.other.taken + 1, "a mail lost, twice, or out of order"
            self.other.taken += 1
            yield from self.check(self.other.mails[word - 1], "mail")

    def check(self, moment: tuple[int, int, int], what: str) -> Side:
        """All that was done up to that moment has come; one of it is looked at in the very next cycle."""
        number, block, mails = moment
        looks = [
            self.look_at_word(number, what),
            self.look_at_mail(mails, what),
            self.look_at_block(block, what),
        ]
        for look in self.rng.sample(looks, 3):
            yield from look

    def look_at_word(self, number: int, what: str) -> Side:
        word = yield from self.ask("far_word0" if self.side == NEAR else "near_word0")
        assert word >= number, f"a {what} overtook a word"

    def look_at_mail(self, mails: int, what: str) -> Side:
        waiting = (yield from self.ask("mail_count")) >> 8
        assert self.other.taken + waiting >= mails, f"a {what} overtook a mail"

    def look_at_block(self, block: int, what: str) -> Side:
        if self.side == NEAR:
            data = yield from self.ask(UP)
        else:
            yield from self.move(LIST)
            data = self.door.peek(WORD, 1)[0]
        assert data >= block, f"a {what} overtook block data"


def talk(periods: tuple[int, int], seed: int, cycles: int) -> None:
    phases = random.Random(seed)
    down, up = (SPEC.enums["dma_op"][name][0] << 28 | 1 << 31 for name in ("down", "up"))
    with Door(periods, (phases.randrange(1000), phases.randrange(1000)), late=True, seed=seed) as door:
        door.begin()
        door.near(DOWN, 0)
        door.poke(LIST, [down | 1, WORD, 0, up | 1, WORD + 16, 0, 0])
        door.poke(WORD + 16, [0])
        door.far("dma_list", LIST + 12)
        door.wait(40)
        door.far("dma_clear", 0)
        said = (Said(), Said())
        door.run(
            Talker(door, NEAR, said[NEAR], said[FAR], cycles).process(),
            Talker(door, FAR, said[FAR], said[NEAR], cycles).process(),
            most=1000 * cycles,
        )
        assert min(len(s.rings) for s in said) > cycles // 80
        assert min(len(s.mails) for s in said) > cycles // 80
        for side in (NEAR, FAR):
            assert door.do(side, "error") == bit("near_error_word", "mail_empty")
        assert door.near("bell_merged") == 0


@pytest.mark.parametrize("periods", RATIOS, ids=str)
def test_nothing_is_lost_or_overtaken(periods: tuple[int, int]) -> None:
    """REQ-backdoor-2 to 5"""
    talk(periods, SEED, 4000)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(20))
def test_nothing_is_lost_at_any_clocks(seed: int) -> None:
    rng = random.Random(SEED + seed)
    talk((rng.randrange(100, 5000), rng.randrange(100, 5000)), SEED + seed, 4000)


@pytest.mark.parametrize("side", [NEAR, FAR])
@pytest.mark.parametrize("periods", RATIOS, ids=str)
def test_right_behind_one_another(periods: tuple[int, int], side: int) -> None:
    """REQ-backdoor-5: who sees the later of two things as soon as it can be sees the earlier."""
    there = "near_word0" if side == NEAR else "far_word0"
    pairs = [("word0", "mail_send"), ("word0", "bell_ring"), ("mail_send", "bell_ring")]
    heard = {"word0": there, "mail_send": "mail_receive", "bell_ring": "bell_pending"}
    with Door(periods, (0, 500), late=True).begin() as door:
        rng = random.Random(SEED)
        turn = 0  # of the listener

        def speak() -> Side:
            for n in range(300):
                while turn < n:
                    yield None
                for _ in range(rng.randrange(20)):
                    yield None
                for register in pairs[n % 3]:
                    yield Ask(register, n + 1)

        def listen() -> Side:
            nonlocal turn
            for n in range(300):
                first, second = (heard[register] for register in pairs[n % 3])
                seen = yield Ask(second)
                while not seen.word:
                    seen = yield Ask(second)
                assert seen.word == n + 1
                seen = yield Ask(first)
                assert seen.word == n + 1, f"{second} overtook {first}"
                yield Ask("bell_clear", 0xFFFF_FFFF)
                turn = n + 1

        door.run(*((speak(), listen()) if side == NEAR else (listen(), speak())))


@pytest.mark.parametrize("side", [NEAR, FAR])
@pytest.mark.parametrize("periods", RATIOS, ids=str)
def test_the_last_ring_is_heard(periods: tuple[int, int], side: int) -> None:
    """A flood of one bell: rings merge, but whoever clears the bell and then looks has missed nothing."""
    rings = 500
    there = "near_word0" if side == NEAR else "far_word0"
    with Door(periods, late=True).begin() as door:
        seen_words: list[int] = []

        def flood() -> Side:
            rng = random.Random(SEED)
            for n in range(rings):
                yield Ask("word0", n + 1)
                yield Ask("bell_ring", 1)
                for _ in range(rng.choice((0, 0, 1, 20))):
                    yield None

        def clear_and_look() -> Side:
            seen = yield Ask("bell_enable", 1)
            while not seen_words or seen_words[-1] != rings:
                while not seen.irq:
                    seen = yield None
                yield Ask("bell_clear", 1)
                seen = yield Ask(there)
                assert seen.word is not None
                seen_words.append(seen.word)

        door.run(*((flood(), clear_and_look()) if side == NEAR else (clear_and_look(), flood())))
        assert seen_words == sorted(seen_words)
