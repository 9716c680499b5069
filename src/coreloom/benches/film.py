# SPDX-License-Identifier: Apache-2.0
"""A film without a source from elsewhere, for the players and encoders of the guests."""

from __future__ import annotations


def yuv4mpeg(width: int, height: int, pictures: int, rounds: int = 1) -> bytes:
    """In YUV4MPEG2, 25 a second: a slanted pattern that moves, with a square that goes another way.

    rounds: how often it is shown, to and fro.
    """
    made = []
    for t in range(pictures):
        out = bytearray()
        for y in range(height):
            row = bytearray((2 * x + 3 * y + 5 * t + (x * y + 7 * t >> 6)) & 255 for x in range(width))
            if 0 <= y - 3 * t < 64:
                row[4 * t : 4 * t + 64] = bytes((40 + 2 * (y - 3 * t) + n) & 255 for n in range(64))
            out += row
        for plane in (0, 1):
            for y in range(height // 2):
                out += bytes((96 + (x if plane else y) // 2 + t) & 255 for x in range(width // 2))
        made.append(b"FRAME\n" + out)
    film = [picture for n in range(rounds) for picture in (made if n % 2 == 0 else reversed(made))]
    return f"YUV4MPEG2 W{width} H{height} F25:1 Ip C420jpeg\n".encode() + b"".join(film)
