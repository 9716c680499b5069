# SPDX-License-Identifier: Apache-2.0
"""CRC-32, convolution and sort of a picture, in software and by hardware threads ([HT])."""

from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path

from PIL import Image

from coreloom.apps.base import App
from coreloom.apps.image import draw, load
from coreloom.design.address_map import OUTPUT_ROOM
from coreloom.errors import UserError, WrongOutput
from coreloom.files import write_atomically

DEFAULT_SIZE = (62, 48)
WIDTH_MOST = 1024  # HWT_CONVOLUTION_WIDTH_MAX
_KERNEL = ((-1, -2, 1), (-2, 10, 2), (-1, 2, 1))  # of apps/hybrid/main.c, and so are these two
_SHIFT, _OFFSET = 2, 64
_HEADER = struct.Struct("<III")  # width, height, stride; then the rows, a byte a pixel
_RESULT = struct.Struct("<IIII")  # the same and the CRC; then the convolved rows and the sorted words


class Hybrid(App):
    """apps/hybrid. INPUT: a grey picture. OUTPUT: its CRC, it convolved, its words sorted."""

    name = "hybrid"
    unit = "jobs"
    suffix = ".png"

    def prepare(self, input: Path | None) -> bytes:
        picture = draw(DEFAULT_SIZE) if input is None else load(input)
        grey = picture.convert("L")
        width, height = grey.size
        if width > WIDTH_MOST:
            raise UserError(
                f"{input}: {width} pixels wide, the convolution takes {WIDTH_MOST}: make it smaller"
            )
        stride = -(-width // 4) * 4
        if _RESULT.size + 4 * stride * height > OUTPUT_ROOM:
            raise UserError(f"{input}: {width}x{height} pixels are too many for the memory: make it smaller")
        pad = bytes(stride - width)
        rows = grey.tobytes()
        return _HEADER.pack(width, height, stride) + b"".join(
            rows[y * width : (y + 1) * width] + pad for y in range(height)
        )

    def expected(self, data: bytes) -> bytes:
        width, height, stride = _HEADER.unpack_from(data)
        pixels = data[_HEADER.size :]
        words = sorted(struct.unpack(f"<{len(pixels) // 4}I", pixels))
        return (
            _RESULT.pack(width, height, stride, zlib.crc32(pixels))
            + _convolve(pixels, width, height, stride)
            + struct.pack(f"<{len(words)}I", *words)
        )

    def check(self, output: bytes, data: bytes) -> None:
        expected = self.expected(data)
        if output == expected:
            return
        if len(output) != len(expected):
            raise WrongOutput(f"hybrid: the output has {len(output)} bytes, expected {len(expected)}")
        _, height, stride = _HEADER.unpack_from(data)
        at = next(i for i in range(len(expected)) if output[i] != expected[i])
        if at < _RESULT.size:
            raise WrongOutput(f"hybrid: the header is {output[:16].hex()}, expected {expected[:16].hex()}")
        y, x = divmod(at - _RESULT.size, stride)
        if y < height:
            raise WrongOutput(
                f"hybrid: the convolution's pixel x={x} y={y} is {output[at]}, expected {expected[at]}"
            )
        raise WrongOutput(f"hybrid: sorted word {(at - _RESULT.size - stride * height) // 4} is wrong")

    def save(self, output: bytes, path: Path) -> None:
        width, height, stride, _ = _RESULT.unpack_from(output)
        picture = Image.frombytes("L", (width, height), output[_RESULT.size :], "raw", "L", stride)
        file = io.BytesIO()
        picture.save(file, "PNG")
        write_atomically(path, file.getvalue())


def _convolve(pixels: bytes, width: int, height: int, stride: int) -> bytes:
    """Row by row on rows with their edges repeated."""
    rows = [pixels[y * stride : y * stride + width] for y in range(height)]
    wide = [row[:1] + row + row[-1:] for row in (rows[0], *rows, rows[-1])]
    pad = bytes(stride - width)
    out = bytearray()
    for y in range(height):
        sums = [0] * width
        for row, factors in zip(wide[y : y + 3], _KERNEL, strict=True):
            for i, factor in enumerate(factors):
                sums = [total + factor * pixel for total, pixel in zip(sums, row[i:], strict=False)]
        out += bytes(min(255, max(0, _OFFSET + (total >> _SHIFT))) for total in sums) + pad
    return bytes(out)


HYBRID = Hybrid()
