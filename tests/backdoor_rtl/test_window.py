# SPDX-License-Identifier: Apache-2.0
"""The window of the Back-Door from register to register: what arrives, what is refused, in exact cycles."""

from __future__ import annotations

import random

import pytest

from .harness import BLOCK, DOWN, FAR, MEMORY, NEAR, SEED, SPEC, UP, Ask, Door, Side, bit

RAM = SPEC.limits["memory_base"]
ERROR = {name: code for name, (code, _) in SPEC.enums["window_error"].items()}
BUSY = bit("window_status_word", "busy")
ON = 1 << SPEC.layouts["window_start_word"]["up"].lsb
WRITABLE = bit("window_word", "writable")
BASE, WORDS = RAM + 0x400, 64  # the window of these tests
BEGIN = 5  # cycles from the end of a store to window_start until near has seen it


def open_window(door: Door, size: int = 4 * WORDS | WRITABLE, base: int = BASE) -> None:
    assert door.near("window", 0) == door.near("window_base", base) == door.near("window", size) == 0
    door.wait(10)


def move(door: Door, start: int, offset: int = 0, block: int = 0, most: int = 4000) -> int:
    """One transfer from the far side; its error."""
    for register, word in (("window_offset", offset), ("window_block", block), ("window_start", start)):
        assert door.far(register, word) == 0
    for _ in range(most):
        status = door.far("window_status")
        assert status is not None
        if not status & BUSY:
            return status >> 4
    raise AssertionError("no end")


def numbers(seed: int, count: int) -> list[int]:
    return [random.Random(seed).getrandbits(32) for _ in range(count)]


@pytest.mark.parametrize("periods", [(1000, 1000), (1000, 3001), (3001, 1000)])
@pytest.mark.parametrize("grants", [100, 40])
def test_what_was_asked_arrives(periods: tuple[int, int], grants: int) -> None:
    """REQ-backdoor-19, both ways; processor 0 uses both blocks meanwhile."""
    rng = random.Random(SEED)
    with Door(periods, late=True) as door:
        door.begin()
        open_window(door)
        door.grants = grants
        memory = numbers(1, MEMORY // 4)
        door.poke(RAM, memory, NEAR)
        down: dict[int, int] = {}
        up = numbers(2, BLOCK // 4)

        def near() -> Side:  # the other half of the blocks
            while True:
                place = rng.randrange(BLOCK // 8, BLOCK // 4)
                asks = (Ask(DOWN + 4 * place, rng.getrandbits(32)), Ask(UP + 4 * place), None)
                ask = rng.choice(asks)
                seen = yield ask
                if ask is not None and ask.word is not None:
                    down[place] = ask.word
                if ask is not None and ask.word is None:
                    assert seen.word == up[place]

        _fill_up(door, up)
        door.start(NEAR, near())
        moved = 0
        for _ in range(30):
            words = rng.randrange(WORDS + 1)
            offset, block = 4 * rng.randrange(WORDS - words + 1), 4 * rng.randrange(BLOCK // 8 - words)
            first = (BASE - RAM + offset) // 4
            if rng.random() < 0.5:
                assert move(door, words, offset, block) == ERROR["none"]
                down.update({block // 4 + n: memory[first + n] for n in range(words)})
            else:
                assert move(door, words | ON, offset, block) == ERROR["none"]
                memory[first : first + words] = up[block // 4 : block // 4 + words]
            moved += words
        door._sides[NEAR] = door._asks[NEAR] = None
        door.wait(20)
        assert door.near("window_words") == moved
        assert door.peek(RAM, MEMORY // 4, NEAR) == memory
        found = _read_down(door)
        assert {place: found[place] for place in down} == down


def _fill_up(door: Door, words: list[int]) -> None:
    """Into the up block, by the far DMA."""
    door.poke(RAM + 64, words, FAR)
    door.poke(RAM, [len(words) | SPEC.enums["dma_op"]["up"][0] << 28 | 1 << 31, RAM + 64, 0], FAR)
    _dma(door)


def _read_down(door: Door) -> list[int]:
    """The down block, by the far DMA."""
    door.poke(RAM, [BLOCK // 4 | 1 << 31, RAM + 64, 0], FAR)
    _dma(door)
    return door.peek(RAM + 64, BLOCK // 4, FAR)


def _dma(door: Door) -> None:
    assert door.far("dma_list", RAM) == 0
    while door.far("dma_status") != bit("dma_status_word", "done"):
        pass
    door.far("dma_clear", 0)


SIZE = 4 * WORDS
# start, offset, block, size of the window: the error
REFUSED = {
    "closed": (1, 0, 0, 0, "window"),
    "nothing of a closed one": (0, 0, 0, 0, "window"),
    "a word beyond": (WORDS + 1, 0, 0, SIZE | WRITABLE, "window"),
    "begins at the end": (1, SIZE, 0, SIZE | WRITABLE, "window"),
    "the last and one more": (2, SIZE - 4, 0, SIZE, "window"),
    "below, by wrapping": (1, 2**32 - 4, 0, SIZE | WRITABLE, "window"),
    "as many as wrap": (2**20 - 1, 2**32 - 4, 0, SIZE | WRITABLE, "window"),
    "not a word": (1, 2, 0, SIZE | WRITABLE, "window"),
    "not writable": (1 | ON, 0, 0, SIZE, "write"),
    "window before write": (WORDS + 1 | ON, 0, 0, SIZE, "window"),
    "write before block": (1 | ON, 0, BLOCK, SIZE, "write"),
    "block beyond": (1, 0, BLOCK, SIZE, "block"),
    "block's last and one more": (2 | ON, 0, BLOCK - 4, SIZE | WRITABLE, "block"),
    "block not a word": (1, 0, 1, SIZE, "block"),
    "block far beyond": (1, 0, 1 << 31, SIZE, "block"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    """REQ-backdoor-20: nothing is moved, and the next transfer works."""
    start, offset, block, size, error = REFUSED[name]
    with Door().begin() as door:
        memory = numbers(3, MEMORY // 4)
        door.poke(RAM, memory, NEAR)
        open_window(door, size)
        assert door.far("window") == size
        assert move(door, start, offset, block) == ERROR[error]
        assert door.near("window_words") == 0
        assert door.peek(RAM, MEMORY // 4, NEAR) == memory
        open_window(door)
        assert move(door, WORDS) == ERROR["none"]
        assert _read_down(door)[:WORDS] == memory[0x100 : 0x100 + WORDS]


def test_nothing_answers() -> None:
    with Door().begin() as door:
        open_window(door, base=RAM + MEMORY - 8)
        assert move(door, 2) == ERROR["none"]
        assert move(door, 3) == ERROR["memory"]
        assert move(door, 5 | ON) == ERROR["memory"]
        assert move(door, 2 | ON) == ERROR["none"]


@pytest.mark.parametrize(
    "register, word", [("window", 0), ("window", 4), ("window_base", BASE), ("control", 0)]
)
@pytest.mark.nightly(but=("window-0", "window_base-1073742848"))
def test_change_during_a_transfer(register: str, word: int) -> None:
    """REQ-backdoor-18: whenever it comes, nothing is moved from the next cycle on."""
    for after in range(40):
        with Door().begin() as door:
            memory = numbers(4, MEMORY // 4)
            door.poke(RAM, memory, NEAR)
            _fill_up(door, up := numbers(5, BLOCK // 4))
            open_window(door)
            door.far("window_start", 24 | ON)
            door.wait(after)
            assert door.near(register, word) == 0
            moved = door.near("window_words")
            during = (
                BEGIN <= after < BEGIN + 27
            )  # 24 words, a check, the first word of the block and the last answer
            door.wait(60)
            if after < BEGIN and register == "window_base":
                moved = 24  # the same window, before it was asked for
            assert moved is not None and door.near("window_words") == moved
            here = 0x100
            assert door.peek(RAM, MEMORY // 4, NEAR) == [
                *memory[:here], *up[:moved], *memory[here + moved :]
            ]  # fmt: skip
            if register == "control":
                held = bit("near_error_word", "held")
                assert door.near("error") == (held if during else 0)
                assert door.near("window") == 0
            else:
                before = "none" if register == "window_base" else "window"
                error = "cut" if during else before if after < BEGIN else "none"
                assert door.far("window_status") == ERROR[error] << 4


def test_busy() -> None:
    """What is stored while a transfer is busy is ignored, with an error."""
    with Door().begin() as door:
        open_window(door)
        door.far("window_start", 8)
        for register in ("window_offset", "window_block", "window_start"):
            assert door.far(register, 4) == 0
            assert door.far("error") == bit("far_error_word", "window_busy")
            door.far("error", 0xFFFF_FFFF)
        assert (door.far("window_offset"), door.far("window_block")) == (0, 0)
        assert door.far("window_status") == BUSY
        door.wait(30)
        assert (door.far("window_status"), door.far("error")) == (0, 0)
        assert door.near("window_words") == 8


def test_next_program_finds_it_closed() -> None:
    with Door().begin() as door:
        open_window(door)
        assert move(door, 1) == ERROR["none"]
        assert door.near("control", 0) == 0
        door.until(live=False)
        door.wait(20)
        door.begin()
        assert (door.far("window"), door.far("window_status")) == (0, 0)
        assert move(door, 1) == ERROR["window"]


@pytest.mark.parametrize("words", [0, 1, 2, 16, 64])
@pytest.mark.parametrize("up", [0, ON])
def test_cycles(words: int, up: int) -> None:
    """From the store to window_start to the first load of window_status that shows the end."""
    with Door().begin() as door:
        open_window(door)
        took: list[int] = []

        def far() -> Side:
            started = (yield Ask("window_start", words | up)).cycle - 1
            while (seen := (yield Ask("window_status"))).word:
                pass
            took.append(seen.cycle - 1 - started)

        door.run(far=far())
        assert took == [11 if not words else words + 12 + (up != 0)]
