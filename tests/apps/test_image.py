# SPDX-License-Identifier: Apache-2.0
"""Image filter on the host: any picture gives what Pillow gives."""

from __future__ import annotations

import io
import random
from pathlib import Path

import pytest
from PIL import Image

from cases import nightly_but
from coreloom.apps import APPS
from coreloom.apps import image as module
from coreloom.errors import UserError, WrongOutput

from .conftest import Build

APP = APPS["image"]
EXIT_INPUT, EXIT_ROOM = 1, 2


def noise(mode: str, width: int, height: int, seed: int = 1, step: int = 1) -> Image.Image:
    """Random bytes; `step` > 1 makes neighbours equal or close, so that all chunks of QOI occur."""
    draw = random.Random(seed)
    size = width * height * len(mode)
    if step == 1:
        return Image.frombytes(mode, (width, height), draw.randbytes(size))
    walk, data = [0] * len(mode), bytearray()
    for _ in range(width * height):
        if draw.random() < 0.7:
            reach = draw.choice((1, 1, 8, 40))
            walk = [(value + draw.randrange(-reach, reach + 1)) & 255 for value in walk]
            if mode == "RGBA" and draw.random() < 0.8:
                walk[3] = 255
        data += bytes(walk)
    return Image.frombytes(mode, (width, height), bytes(data))


SIZES = [(1, 1), (2, 1), (1, 2), (2, 2), (3, 1), (1, 3), (2, 7), (9, 2), (3, 3), (4, 5), (33, 17), (16, 40)]


@pytest.mark.parametrize("size", [*SIZES, (700, 5), (1, 300)], ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("mode", ["RGB", "RGBA"])
def test_pictures(host: Build, size: tuple[int, int], mode: str) -> None:
    for picture in (noise(mode, *size), noise(mode, *size, step=2)):
        data = module.encode(picture)
        status, output, done = host("image").run(data)
        assert status == 0
        APP.check(output, data)
        assert done == size[0] * size[1]


@pytest.mark.parametrize("grain", nightly_but([1, 2, 5, 16, 100000], [1, 5, 100000]))
@pytest.mark.parametrize("depth", [1, 2, 8])
@pytest.mark.parametrize("placement", [0, 1])
@pytest.mark.parametrize("ports", ["BUFFERED", "DIRECT"])
@pytest.mark.nightly(but=("BUFFERED-0-1-1", "BUFFERED-0-8-100000", "DIRECT-1-2-5"))
def test_grain_and_port_depth(host: Build, grain: int, depth: int, placement: int, ports: str) -> None:
    macros = f"-DIMAGE_GRAIN={grain} -DCL_PLACEMENT={placement} -DIMAGE_PORTS=PORT_{ports}"
    program = host("image", macros)
    for size in ((1, 9), (33, 17), (3, 40)):
        data = module.encode(noise("RGB", *size, step=2))
        status, output, done = program.run(data, CL_PORT_DEPTH=depth)
        assert (status, done) == (0, size[0] * size[1])
        APP.check(output, data)


def test_default_picture(host: Build) -> None:
    data = APP.prepare(None)
    status, output, done = host("image").run(data)
    assert status == 0
    APP.check(output, data)
    assert done == 200 * 150


def test_encoding_loses_nothing() -> None:
    for mode in ("RGB", "RGBA"):
        picture = noise(mode, 50, 20, step=2)
        assert Image.open(io.BytesIO(module.encode(picture))).tobytes() == picture.tobytes()


def test_wrong_input_on_the_target(host: Build) -> None:
    whole = module.encode(noise("RGB", 8, 8))
    for data in (b"", whole[:20], b"x" + whole[1:], whole[:4] + bytes(4) + whole[8:]):
        status, output, done = host("image").run(data)
        assert (status, output, done) == (EXIT_INPUT, b"", 0)
    # A stream that ends early: the picture is finished, the status tells.
    status, output, _ = host("image").run(whole[:60])
    assert status == EXIT_INPUT
    assert len(output) == 8 + 4 * 64


def test_no_room_on_the_target(host: Build) -> None:
    data = module.encode(noise("RGB", 8, 8))
    need = 8 + 4 * 8 * (8 + 16)
    assert host("image").run(data, CL_OUTPUT_CAPACITY=need)[0] == 0
    assert host("image").run(data, CL_OUTPUT_CAPACITY=need - 1)[0] == EXIT_ROOM
    huge = data[:4] + b"\xff" * 8 + data[12:]
    assert host("image").run(huge)[0] == EXIT_ROOM


def test_formats(tmp_path: Path, host: Build) -> None:
    """What users have: palettes, grey, transparency, turned photographs."""
    colours = noise("RGB", 20, 10, step=2)
    turned = Image.Exif()
    turned[0x0112] = 6
    colours.save(tmp_path / "a.jpg", exif=turned)
    colours.quantize(16).save(tmp_path / "b.gif")
    colours.convert("L").save(tmp_path / "c.png")
    noise("RGBA", 20, 10).save(tmp_path / "d.png")
    colours.convert("1").save(tmp_path / "e.bmp")
    colours.convert("CMYK").save(tmp_path / "f.tiff")
    for name in ("a.jpg", "b.gif", "c.png", "d.png", "e.bmp", "f.tiff"):
        data = APP.prepare(tmp_path / name)
        size = Image.open(io.BytesIO(data)).size
        assert size == ((10, 20) if name == "a.jpg" else (20, 10))
        status, output, _ = host("image").run(data)
        assert status == 0
        APP.check(output, data)


def test_sixteen_bits_become_eight(tmp_path: Path) -> None:
    values = [0, 255, 256, 1000, 32768, 65535]
    path = tmp_path / "deep.png"
    Image.frombytes("I;16", (6, 1), b"".join(value.to_bytes(2, "little") for value in values)).save(path)
    with Image.open(io.BytesIO(APP.prepare(path)), formats=("QOI",)) as file:
        assert [file.getpixel((x, 0)) for x in range(6)] == [(value // 256,) * 3 for value in values]


def test_save(tmp_path: Path) -> None:
    data = module.encode(noise("RGB", 7, 5))
    APP.save(APP.expected(data), tmp_path / "new" / "out.png")
    saved = Image.open(tmp_path / "new" / "out.png")
    assert saved.format == "PNG"
    smooth = Image.open(io.BytesIO(data)).convert("RGB").filter(module._KERNEL)
    assert saved.tobytes() == smooth.tobytes()
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["out.png"]


def test_check_says_where() -> None:
    data = module.encode(noise("RGB", 7, 5))
    output = bytearray(APP.expected(data))
    output[8 + 4 * (7 * 2 + 3)] ^= 1
    with pytest.raises(WrongOutput, match=r"pixel x=3 y=2 is \("):
        APP.check(bytes(output), data)
    with pytest.raises(WrongOutput, match="the output has 0 bytes"):
        APP.check(b"", data)


def test_bad_files(tmp_path: Path) -> None:
    picture = tmp_path / "a.png"
    noise("RGB", 64, 64).save(picture)
    cut = tmp_path / "cut.png"
    cut.write_bytes(picture.read_bytes()[:3000])
    text = tmp_path / "text.png"
    text.write_text("no picture")
    Image.new("1", (4000, 3000)).save(tmp_path / "big.png")
    Image.new("1", (20000, 20000)).save(tmp_path / "bomb.png")
    for path, said in (
        (tmp_path / "none.png", "no such file, check the path"),
        (tmp_path, "cannot be read: Is a directory"),
        (text, "is not a picture"),
        (cut, "damaged or cut off"),
        (tmp_path / "big.png", "4000x3000 pixels are too many"),
        (tmp_path / "bomb.png", "too (large|many)"),
    ):
        with pytest.raises(UserError, match=said) as caught:
            APP.prepare(path)
        assert str(path) in str(caught.value)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("mode", ["I", "F"])
def test_pictures_with_more_than_16_bits_are_refused(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "deep.tiff"
    Image.new(mode, (4, 4)).save(path)
    with pytest.raises(UserError) as caught:
        APP.prepare(path)
    assert str(caught.value) == f"{path} has 32 bits a pixel: give a picture with 8 or 16"


def test_too_large_for_the_input(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    noise("RGB", 64, 64).save(tmp_path / "a.png")
    monkeypatch.setattr(module, "INPUT_ROOM", 10000)
    with pytest.raises(UserError, match="at most 10000 fit"):
        APP.prepare(tmp_path / "a.png")
