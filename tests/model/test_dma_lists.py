# SPDX-License-Identifier: Apache-2.0
"""The Back-Door's DMA as a function, next to which the unit is tested: each limit, exactly."""

from __future__ import annotations

import zlib
from dataclasses import replace

import pytest

from coreloom.reference.backdoor import BASE, ERROR, Descriptor, Dma, packed

_WORDS, _BLOCK = 32, 8


def work(*descriptors: Descriptor) -> tuple[Dma, int]:
    """A list at the start of the memory; the words behind it are their own places, the block's 100 and on."""
    words = packed(descriptors)
    dma = Dma([*words, *range(len(words), _WORDS)], list(range(100, 100 + _BLOCK)), [0] * _BLOCK)
    return dma, dma.run(BASE)


def test_the_last_words_are_moved() -> None:
    last = BASE + 4 * (_WORDS - 2)
    dma, error = work(
        Descriptor("up", 2, last, 4 * (_BLOCK - 2)), Descriptor("down", 2, last, 4 * (_BLOCK - 2))
    )
    assert error == ERROR["none"]
    assert dma.up == [0] * (_BLOCK - 2) + [_WORDS - 2, _WORDS - 1]
    assert dma.memory[-2:] == [106, 107]
    assert (dma.up_bytes, dma.down_bytes, dma.descriptors, dma.cycles) == (8, 8, 2, 13)
    moved = b"".join(word.to_bytes(4, "little") for word in (_WORDS - 2, _WORDS - 1, 106, 107))
    assert dma.crc == zlib.crc32(moved)


def test_check_adds_to_the_sum_alone() -> None:
    dma, error = work(Descriptor("check", 3, 0, 4))
    assert error == ERROR["none"]
    assert dma.memory[3:] == list(range(3, _WORDS))
    assert (dma.up, dma.down_bytes) == ([0] * _BLOCK, 12)
    assert dma.crc == zlib.crc32(b"".join(word.to_bytes(4, "little") for word in (101, 102, 103)))


_RIGHT = Descriptor("up", 2, BASE + 4 * (_WORDS - 2), 4 * (_BLOCK - 2))


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        (replace(_RIGHT, words=3, offset=0), "memory"),
        (replace(_RIGHT, address=BASE + 2), "memory"),
        (replace(_RIGHT, address=BASE - 4), "memory"),
        (replace(_RIGHT, address=BASE + 4 * _WORDS), "memory"),
        (replace(_RIGHT, words=3, address=BASE), "block"),
        (replace(_RIGHT, offset=2), "block"),
        (replace(_RIGHT, words=0, offset=4 * _BLOCK), "block"),
        (replace(_RIGHT, op=3), "op"),
    ],
)
def test_what_is_refused_moves_nothing(wrong: Descriptor, error: str) -> None:
    dma, said = work(wrong)
    assert said == ERROR[error]
    assert (dma.up, dma.memory[3:], dma.crc) == ([0] * _BLOCK, list(range(3, _WORDS)), 0)
    assert (dma.descriptors, dma.cycles) == (1, 5)


def test_a_list_that_goes_beyond_the_memory() -> None:
    dma = Dma([0] * _WORDS, [0] * _BLOCK, [0] * _BLOCK)
    assert dma.run(BASE + 4 * (_WORDS - 2)) == ERROR["list"]
    assert (dma.descriptors, dma.cycles) == (0, 1)
    dma.memory[-3:] = packed([Descriptor("check", 1)])
    assert dma.run(BASE + 4 * (_WORDS - 3)) == ERROR["none"]
