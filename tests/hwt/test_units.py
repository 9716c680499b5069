# SPDX-License-Identifier: Apache-2.0
"""The units compute what Python computes, however long their accesses take."""

from __future__ import annotations

import os
import random
import struct
import zlib

import pytest

from .harness import BASE, KERNEL, THREAD_EXIT, Thread, words

SEED = int(os.environ.get("CORELOOM_SEED", "20261121"), 0)
EINVAL = 22
POST = KERNEL.ops["semaphore_post"].code
seeds = pytest.mark.parametrize("seed", [0, SEED], ids=["no waiting", "waiting"])


@seeds
def test_crc32(seed: int) -> None:
    """Every alignment of both ends, from nothing to many words; and a CRC goes on where another ended."""
    data = random.Random(SEED).randbytes(4096)
    with Thread("crc32", seed) as thread:
        thread.poke(BASE + 0x1000, data)
        for start in range(4):
            for length in (*range(14), 1000 + start, 4000):
                thread.poke(BASE, words(BASE + 0x1000 + start, length, 0))
                assert thread.compute(BASE)[0] == zlib.crc32(data[start : start + length]), (start, length)
        thread.poke(BASE + 16, words(BASE + 0x1000, 100, zlib.crc32(b"before")))
        assert thread.compute(BASE + 16)[0] == zlib.crc32(b"before" + data[:100])
        assert thread.peek(BASE + 0x1000, 4096) == data


def convolution_block(
    width: int, height: int, stride: int, kernel: list[int], shift: int, offset: int, to: int = BASE + 0x40000
) -> bytes:
    return words(BASE + 0x1000, to, width, height, stride, shift, offset) + struct.pack("<9b3x", *kernel)


def convolve(
    image: bytes, width: int, height: int, stride: int, kernel: list[int], shift: int, offset: int
) -> list[bytes]:
    """The rows of the result."""

    def pixel(x: int, y: int) -> int:
        return image[min(max(y, 0), height - 1) * stride + min(max(x, 0), width - 1)]

    def result(x: int, y: int) -> int:
        total = sum(kernel[3 * j + i] * pixel(x + i - 1, y + j - 1) for j in range(3) for i in range(3))
        return min(max((total >> shift) + offset, 0), 255)

    return [bytes(result(x, y) for x in range(width)) for y in range(height)]


@seeds
def test_convolution(seed: int) -> None:
    """Every width around a word, one row, one column; extreme kernels; what is beside the image stays."""
    draw = random.Random(SEED)
    sizes = [(w, h) for w in range(1, 10) for h in (1, 2, 3)] + [
        (1, 9),
        (31, 7),
        (64, 5),
        (1023, 3),
        (1024, 2),
    ]
    kernels = [[1, 2, 1, 2, 4, 2, 1, 2, 1], [-128] * 9, [127] * 9, [0, 0, 0, 0, 1, 0, 0, 0, 0]]
    with Thread("convolution", seed) as thread:
        for width, height in sizes:
            stride = (width + 3) // 4 * 4 + draw.choice([0, 4, 8])
            image = draw.randbytes(stride * height)
            kernel = draw.choice([*kernels, [draw.randrange(-128, 128) for _ in range(9)]])
            shift, offset = draw.choice(
                [(0, 0), (4, 0), (7, 128), (31, 7), (3, -40), (0, -(2**31)), (0, 2**31 - 1)]
            )
            thread.poke(BASE + 0x1000, image)
            thread.poke(BASE + 0x40000, b"\xa5" * (stride * height))
            thread.poke(BASE, convolution_block(width, height, stride, kernel, shift, offset))
            assert thread.compute(BASE)[0] == 0
            rows = convolve(image, width, height, stride, kernel, shift, offset)
            wanted = b"".join(row + b"\xa5" * (stride - width) for row in rows)
            assert thread.peek(BASE + 0x40000, stride * height) == wanted, (
                width,
                height,
                stride,
                kernel,
                shift,
                offset,
            )


@pytest.mark.parametrize(
    "block",
    [
        words(BASE + 0x1002, BASE + 0x40000, 8, 8, 8, 0, 0, 0, 0, 0),
        words(BASE + 0x1000, BASE + 0x40001, 8, 8, 8, 0, 0, 0, 0, 0),
        words(BASE + 0x1000, BASE + 0x40000, 0, 8, 8, 0, 0, 0, 0, 0),
        words(BASE + 0x1000, BASE + 0x40000, 1025, 8, 2048, 0, 0, 0, 0, 0),
        words(BASE + 0x1000, BASE + 0x40000, 8, 0, 8, 0, 0, 0, 0, 0),
        words(BASE + 0x1000, BASE + 0x40000, 8, 65536, 8, 0, 0, 0, 0, 0),
        words(BASE + 0x1000, BASE + 0x40000, 8, 8, 10, 0, 0, 0, 0, 0),
        words(BASE + 0x1000, BASE + 0x40000, 9, 8, 8, 0, 0, 0, 0, 0),
        words(BASE + 0x1000, BASE + 0x40000, 8, 8, 8, 32, 0, 0, 0, 0),
    ],
    ids=["from", "to", "no width", "width", "no height", "height", "stride", "narrow", "shift"],
)
def test_convolution_refuses(block: bytes) -> None:
    with Thread("convolution") as thread:
        thread.poke(BASE, block)
        thread.poke(BASE + 0x40000, b"\xa5" * 256)
        assert thread.compute(BASE)[0] == EINVAL
        assert thread.peek(BASE + 0x40000, 256) == b"\xa5" * 256


def lists(draw: random.Random) -> dict[str, list[int]]:
    """Lists that could be hard to sort."""
    made = {
        str(length): [draw.getrandbits(32) for _ in range(length)] for length in (*range(21), 33, 100, 999)
    }
    made["equal"] = [7] * 300
    made["sorted"] = list(range(1000))
    made["backwards"] = list(range(1000, 0, -1))
    made["two values"] = [draw.choice([0, 0xFFFF_FFFF]) for _ in range(300)]
    made["one other"] = [5] * 200 + [4] + [5] * 200
    made["few bits"] = [draw.getrandbits(3) for _ in range(500)]
    # Each split leaves one word alone: the deepest nesting there is.
    made["powers"] = [1 << bit for bit in range(32)] * 2 + [0]
    made["powers turned"] = [0xFFFF_FFFF ^ (1 << bit) for bit in range(32)] * 3
    made["saw"] = [value % 37 << 20 for value in range(700)]
    return made


@seeds
def test_sort(seed: int) -> None:
    with Thread("sort", seed) as thread:
        for name, values in lists(random.Random(SEED)).items():
            thread.poke(BASE + 0x1000, b"\xa5" * 4 + words(*values) + b"\xa5" * 4)
            thread.poke(BASE, words(BASE + 0x1004, len(values)))
            assert thread.compute(BASE)[0] == 0
            wanted = b"\xa5" * 4 + words(*sorted(values)) + b"\xa5" * 4
            assert thread.peek(BASE + 0x1000, 4 * len(values) + 8) == wanted, name


@pytest.mark.parametrize(
    "block", [(BASE + 0x1002, 2), (BASE + 0x1000, 0x4000_0000)], ids=["address", "count"]
)
def test_sort_refuses(block: tuple[int, int]) -> None:
    with Thread("sort") as thread:
        thread.poke(BASE + 0x1000, words(3, 2, 1))
        thread.poke(BASE, words(*block))
        assert thread.compute(BASE)[0] == EINVAL
        assert thread.peek(BASE + 0x1000, 12) == words(3, 2, 1)


@seeds
def test_template(seed: int) -> None:
    values = [random.Random(SEED).getrandbits(32) for _ in range(100)]
    with Thread("template", seed) as thread:
        thread.poke(BASE + 0x1000, words(*values))
        for count in (0, 1, 100):
            thread.poke(BASE, words(BASE + 0x1000, count, 5))
            assert thread.compute(BASE)[0] == sum(values[:count]) & 0xFFFF_FFFF
        thread.write(0x08, BASE)
        thread.give(9)
        thread.until(16, 16)
        thread.until(16, 0)
    assert thread.calls[-3:] == ["saved", (POST, 5, 0), (THREAD_EXIT, 0, 0)]
