# SPDX-License-Identifier: Apache-2.0
"""What the loader refuses, why, and that nothing of it is written: as it is, on the model of device.c."""

from __future__ import annotations

import errno

import pytest

from . import door as d
from .door import GOOD, MEMORY, REASON, STATE, Door, Segment, elf, image
from .images import BAD, END, HEADERS, cut


@pytest.mark.parametrize("what", BAD)
def test_bad_image(door: Door, what: str) -> None:
    data, reason = BAD[what]
    before = door.memory()
    assert door.boot(data) == errno.ENOEXEC
    error, status = door.status()
    assert (error, status.state, status.detail) == (0, STATE["refused"], REASON[reason])
    assert door.memory() == before
    # The next one is taken without a reset.
    assert door.load(GOOD) == 0
    assert door.memory()[:64] == d.CODE


@pytest.mark.parametrize("size", [*range(0, HEADERS, 4), HEADERS, len(GOOD) - 16, len(GOOD) - 4])
def test_image_that_ends_early(door: Door, size: int) -> None:
    before = door.memory()
    assert door.boot(GOOD[:size]) == errno.ENOEXEC
    assert door.status()[1].detail == REASON["truncated"]
    if size >= 16 + 52:  # the same with a record that is right
        assert door.boot(cut(size - 16)) == errno.ENOEXEC
        assert door.status()[1].detail == REASON["truncated"]
    assert door.memory() == before


def test_every_reason_is_tested() -> None:
    others = {"none", "command", "argument"}  # test_driver.py
    assert {reason for _, reason in BAD.values()} == set(REASON) - others


def test_oversized_image(door: Door) -> None:
    assert door.boot(GOOD) == 0
    memory, down = door.memory(), door.down()
    assert door.boot(bytes(d.BLOCK + 4)) == errno.EFBIG
    assert door.load(bytes(d.BLOCK + 4)) == errno.EFBIG
    assert (door.memory(), door.down()) == (memory, down)
    assert door.status()[1].state == STATE["loaded"]
    assert door.load(GOOD[:-1]) == errno.EINVAL


def test_what_is_loaded(door: Door) -> None:
    data = bytes(n * 13 & 255 for n in range(d.BLOCK - 16 - 52 - 3 * 32))
    segments = [
        Segment(MEMORY + 64, b"", 64),
        Segment(END - len(data), data),
        Segment(MEMORY, b"", 0),
    ]
    assert door.boot(image(elf(segments, entry=END - 4))) == 0
    memory = door.memory()
    assert memory[64:128] == bytes(64)
    assert memory[-len(data) :] == data
    assert set(memory[:64] + memory[128 : -len(data)]) == {0x5A}


def test_eight_segments(door: Door) -> None:
    segments = [Segment(MEMORY + 128 * n, bytes([n]) * 32, 64) for n in range(8)]
    assert door.boot(image(elf(segments), stack=END - MEMORY - 7 * 128 - 64)) == 0
    memory = door.memory()
    for n in range(8):
        assert memory[128 * n : 128 * n + 128] == bytes([n]) * 32 + bytes(32) + b"\x5a" * 64
