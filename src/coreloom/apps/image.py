# SPDX-License-Identifier: Apache-2.0
"""Image filter of [SMP]: a picture in, the smoothed picture out."""

from __future__ import annotations

import io
import random
import struct
from pathlib import Path

from PIL import Image, ImageChops, ImageDraw, ImageFont, ImageOps, UnidentifiedImageError
from PIL import ImageFilter as Filters

from coreloom.apps.base import App, read_file
from coreloom.design.address_map import INPUT_ROOM, OUTPUT_ROOM
from coreloom.errors import UserError, WrongOutput
from coreloom.files import write_atomically

DEFAULT_SIZE = (200, 150)
_GRAIN = 12  # of 255: how much darker the default picture's grain makes a pixel at most
_KERNEL = Filters.Kernel((3, 3), (1, 2, 1, 2, 4, 2, 1, 2, 1), scale=16)
_ROWS_KEPT = 16  # ROWS of apps/image/main.c: decoded rows that lie behind the result
_HEADER = struct.Struct("<II")  # width, height; then a word a pixel: red, green, blue, 0


class ImageFilter(App):
    """apps/image. INPUT: a QOI file. OUTPUT: width, height, and a word a pixel."""

    name = "image"
    unit = "pixels"
    suffix = ".png"

    def prepare(self, input: Path | None) -> bytes:
        picture = draw() if input is None else load(input)
        data = encode(picture)
        if len(data) > INPUT_ROOM:
            raise UserError(
                f"{input}: the picture takes {len(data)} bytes in memory, at most {INPUT_ROOM} fit; "
                "make it smaller"
            )
        return data

    def expected(self, data: bytes) -> bytes:
        with Image.open(io.BytesIO(data), formats=("QOI",)) as file:
            picture = file.convert("RGB").filter(_KERNEL)
        zero = Image.new("L", picture.size)
        words = Image.merge("RGBA", (*picture.split(), zero)).tobytes()
        return _HEADER.pack(*picture.size) + words

    def check(self, output: bytes, data: bytes) -> None:
        expected = self.expected(data)
        if output == expected:
            return
        if len(output) != len(expected) or output[: _HEADER.size] != expected[: _HEADER.size]:
            raise WrongOutput(
                f"image: the output has {len(output)} bytes and begins with {output[:8].hex()}, "
                f"expected {len(expected)} and {expected[:8].hex()}"
            )
        width, _ = _HEADER.unpack_from(expected)
        at = next(i for i in range(_HEADER.size, len(output), 4) if output[i : i + 4] != expected[i : i + 4])
        y, x = divmod((at - _HEADER.size) // 4, width)
        raise WrongOutput(
            f"image: pixel x={x} y={y} is {tuple(output[at : at + 4])}, "
            f"expected {tuple(expected[at : at + 4])}"
        )

    def save(self, output: bytes, path: Path) -> None:
        size = _HEADER.unpack_from(output)
        picture = Image.frombytes("RGB", size, output[_HEADER.size :], "raw", "RGBX")
        file = io.BytesIO()
        picture.save(file, "PNG")
        write_atomically(path, file.getvalue())


def encode(picture: Image.Image) -> bytes:
    """A picture as a QOI file; with an alpha channel if it has one."""
    mode = "RGBA" if picture.has_transparency_data else "RGB"
    file = io.BytesIO()
    picture.convert(mode).save(file, "QOI")
    return file.getvalue()


def load(path: Path) -> Image.Image:
    """The user's picture, eight bits a channel."""
    data = read_file(path)
    try:
        with Image.open(io.BytesIO(data)) as file:
            width, height = file.size
            if _HEADER.size + 4 * width * (height + _ROWS_KEPT) > OUTPUT_ROOM:
                raise UserError(
                    f"{path}: {width}x{height} pixels are too many for the memory, about "
                    f"{OUTPUT_ROOM // 4_000_000} million fit; make it smaller"
                )
            return _eight_bits(ImageOps.exif_transpose(file), path)
    except UserError:
        raise
    except UnidentifiedImageError:
        raise UserError(f"{path} is not a picture: give a PNG or JPEG file") from None
    except Image.DecompressionBombError:
        raise UserError(f"{path}: the picture is too large for the memory: make it smaller") from None
    except Exception as error:  # decoders raise whatever the damaged file leads them to
        raise UserError(f"{path}: the picture is damaged or cut off ({error}): give a complete one") from None


def _eight_bits(picture: Image.Image, path: Path) -> Image.Image:
    """A copy with at most 8 bits a channel; Pillow's own conversion would cut 16 bits off at 255."""
    if picture.mode.startswith("I;16"):
        return picture.convert("I").point(lambda value: value * (1 / 256)).convert("L")
    if picture.mode in ("I", "F"):
        raise UserError(f"{path} has 32 bits a pixel: give a picture with 8 or 16")
    return picture.copy()


def draw(size: tuple[int, int] = DEFAULT_SIZE) -> Image.Image:
    """The default picture: smooth gradients behind, a woven pattern and letters with sharp edges in front."""
    width, height = size
    rise = Image.linear_gradient("L").resize(size, Image.Resampling.BILINEAR)
    glow = Image.radial_gradient("L").resize(size, Image.Resampling.BILINEAR)
    sky = ImageOps.colorize(rise, "#182848", "#f0a060")
    shade = glow.point([i // 2 for i in range(256)])
    picture = Image.composite(Image.new("RGB", size, "#301030"), sky, shade)
    pen = ImageDraw.Draw(picture)
    pen.ellipse((width * 5 // 8, height // 10, width * 7 // 8, height // 10 + width // 4), fill="#ffe8a0")
    step = max(height // 15, 4)
    top = height * 3 // 5
    colours = ("#2a6f97", "#e9c46a", "#e76f51", "#2a9d8f")
    for row, y in enumerate(range(top, height, step)):
        for column, x in enumerate(range(0, width, step)):
            over = (row + column) % 2 == 0  # warp over weft or the other way round
            colour = colours[column % 2] if over else colours[2 + row % 2]
            inset = (1, 0, 2, 1) if over else (0, 1, 1, 2)
            box = (x + inset[0], y + inset[1], x + step - inset[2], y + step - inset[3])
            pen.rectangle(box, fill=colour)
    text = Image.new("1", (width // 2, 12))
    ImageDraw.Draw(text).text((0, 0), "Coreloom", fill=1, font=ImageFont.load_default_imagefont())
    letters = text.resize((text.width * 2, text.height * 2), Image.Resampling.NEAREST)
    picture.paste("#f8f4e8", (width // 20, height // 4), letters)
    # Grain as of a photograph: without it the picture would be runs of equal pixels, that decode for nothing.
    noise = random.Random(1).randbytes(width * height)
    grain = Image.frombytes("L", size, noise).point([i * _GRAIN // 256 for i in range(256)])
    return ImageChops.subtract(picture, Image.merge("RGB", (grain, grain, grain)))


IMAGE = ImageFilter()
