# SPDX-License-Identifier: Apache-2.0
"""The programs for two processors: apps/sort, dhrystone, fft and wavelet, whose shared part is apps/pair.

They make their input themselves and have their size from the macro PAIR_SIZE. The expected output is computed
here from what the programs' first lines say, with Python's integers.
"""

from __future__ import annotations

import abc
import json
import math
import struct
import zlib
from pathlib import Path

from coreloom import licence
from coreloom.apps.base import App
from coreloom.errors import UserError, WrongOutput
from coreloom.files import write_atomically

FIGURES = (
    "magic",
    "size",
    "cycles_1",
    "cycles_2",
    "serial_cycles",
    "transfer_cycles",
    "words_down",
    "words_up",
    "load_cycles",
    "crc_1",
    "crc_2",
    "wait_cycles",
)
"""Words of OUTPUT in front of the result; see apps/pair/README.md."""

_HEADER = struct.Struct(f"<{len(FIGURES)}I")
_MAGIC = 0x52494150
_WORD = (1 << 32) - 1


def figures(output: bytes) -> dict[str, int]:
    """The words in front of the result, by their names in FIGURES.

    Raises WrongOutput if they are not there.
    """
    if len(output) < _HEADER.size:
        raise WrongOutput(f"the output has {len(output)} bytes, too few for its header")
    found = dict(zip(FIGURES, _HEADER.unpack_from(output), strict=True))
    if found["magic"] != _MAGIC:
        raise WrongOutput(f"the output begins with {found['magic']:#x}, not with {_MAGIC:#x}")
    return found


class PairProgram(App):
    """A program for one and two processors. No INPUT. OUTPUT: its figures, then its result in words."""

    suffix = ".json"
    sizes: tuple[int, ...]  # what is measured, ascending

    def prepare(self, input: Path | None) -> bytes:
        if input is not None:
            raise UserError(f"{self.name} takes no input: it makes its own")
        return b""

    @abc.abstractmethod
    def result(self, size: int) -> bytes:
        """The result for a size: what follows the figures."""

    def expected(self, data: bytes) -> bytes:
        """The result for the smallest size that is measured; the figures before it are not known."""
        return self.result(self.sizes[0])

    def check(self, output: bytes, data: bytes) -> None:
        found = figures(output)
        result = output[_HEADER.size :]
        wanted = self.result(found["size"])
        if len(result) != len(wanted):
            raise WrongOutput(f"{self.name}: the result has {len(result)} bytes, expected {len(wanted)}")
        for (at, got), (right,) in zip(
            enumerate(struct.iter_unpack("<I", result)), struct.iter_unpack("<I", wanted), strict=True
        ):
            if got[0] != right:
                raise WrongOutput(f"{self.name}: word {at} of the result is {got[0]:#x}, expected {right:#x}")
        for name in ("crc_1", "crc_2"):
            if found[name] != zlib.crc32(wanted):
                raise WrongOutput(
                    f"{self.name}: {name} is {found[name]:#x}, expected {zlib.crc32(wanted):#x}"
                )

    def save(self, output: bytes, path: Path) -> None:
        """Figures and words of the result as JSON."""
        words = [word for (word,) in struct.iter_unpack("<I", output[_HEADER.size :])]
        text = json.dumps({"figures": figures(output), "result": words}) + "\n"
        write_atomically(path, text.encode())


def random(count: int) -> list[int]:
    """The first numbers of pair_random() from state 1."""
    numbers = []
    state = 1
    for _ in range(count):
        state ^= state << 13 & _WORD
        state ^= state >> 17
        state ^= state << 5 & _WORD
        numbers.append(state)
    return numbers


class Sort(PairProgram):
    """Random numbers in order."""

    name = "sort"
    unit = "numbers"
    sizes = (50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000)

    def result(self, size: int) -> bytes:
        return struct.pack(f"<{size}I", *sorted(random(size)))


class Dhrystone(PairProgram):
    """The final values that Dhrystone prescribes, of both halves."""

    name = "dhrystone"
    unit = "runs"
    sizes = (10, 100, 1000, 5000, 20000)

    def result(self, size: int) -> bytes:
        return b"".join(_dhrystone(runs) for runs in (size // 2, size - size // 2))


def _dhrystone(runs: int) -> bytes:
    """In the order in which the benchmark prints them; strings have 32 bytes."""
    some, first, second = (
        f"DHRYSTONE PROGRAM, {which} STRING".encode() for which in ("SOME", "1'ST", "2'ND")
    )
    globals_ = (runs, 5, 1, ord("A"), ord("B"), 7, runs + 10)
    return struct.pack(
        "<7I3I32s3I32s4I32s32s", *globals_, 0, 2, 17, some, 0, 1, 18, some, 5, 13, 7, 1, first, second
    )


TWIDDLES = 2048  # half a turn


def twiddles() -> list[tuple[int, int]]:
    """(cosine, sine) of the angles pi k / TWIDDLES in Q15, rounded to the nearest; 1 is 32767."""
    turns = [math.pi * k / TWIDDLES for k in range(TWIDDLES)]
    return [(round(32767 * math.cos(angle)), round(32767 * math.sin(angle))) for angle in turns]


def twiddles_header() -> str:
    """C header apps/fft/twiddles.h: cosine in the low half of a word, sine in the high one.

    Of the whole table a program of fewer points has each second word, each fourth ...: what it loads is what
    it uses.
    """
    most, least = 2 * TWIDDLES, Fft.sizes[0]
    steps = [1 << n for n in range((most // least).bit_length())]

    def word(k: int, cosine: int, sine: int) -> str:
        return f"T{min(k & -k, steps[-1]) or steps[-1]}(0x{sine << 16 | cosine & 0xFFFF:08x})"

    words = [word(k, *pair) for k, pair in enumerate(twiddles())]
    return "\n".join(
        [
            "/* Generated from src/coreloom/apps/pair.py by `coreloom generate`; do not edit. */",
            f"/* {licence.tag()} */",
            "/* Cosine (low half) and sine (high half) of pi k / TWIDDLES, Q15, for PAIR_SIZE points. */",
            "#ifndef TWIDDLES_H",
            "#define TWIDDLES_H",
            "",
            "#include <stdint.h>",
            "",
            f"enum {{ PAIR_SIZE_LEAST = {least}, PAIR_SIZE_MOST = {most}, TWIDDLES = PAIR_SIZE / 2 }};",
            "",
            "/* Tn: a word of each table whose words are n or less apart here. */",
            *(
                line
                for step in steps
                for line in (
                    f"#if PAIR_SIZE >= {most // step}",
                    f"#define T{step}(word) word,",
                    "#else",
                    f"#define T{step}(word)",
                    "#endif",
                )
            ),
            "",
            "/* clang-format off */",
            "static const uint32_t twiddles[TWIDDLES] = {",
            *(f"  {' '.join(words[i : i + 7])}" for i in range(0, len(words), 7)),
            "};",
            "/* clang-format on */",
            "",
            "#endif",
            "",
        ]
    )


class Fft(PairProgram):
    """Spectrum over the size, in the order of reversed bits; a word a point, real part in the low half."""

    name = "fft"
    unit = "points"
    sizes = (64, 128, 256, 512, 1024, 2048, 4096)

    def points(self, size: int) -> list[tuple[int, int]]:
        """The input: (real, imaginary) in Q15."""
        halves = struct.iter_unpack("<hh", struct.pack(f"<{size}I", *random(size)))
        return [(real >> 1, imaginary >> 1) for real, imaginary in halves]

    def result(self, size: int) -> bytes:
        return b"".join(struct.pack("<hh", *point) for point in _fft(self.points(size), twiddles()))


def _fft(points: list[tuple[int, int]], factors: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Decimation in frequency; factors: at least half as many as points, evenly over half a turn."""
    half = len(points) // 2
    if half == 0:
        return points
    pairs = list(zip(points[:half], points[half:], strict=True))
    sums = [((a + c) >> 1, (b + d) >> 1) for (a, b), (c, d) in pairs]
    differences = [((a - c) >> 1, (b - d) >> 1) for (a, b), (c, d) in pairs]
    step = len(factors) // half
    turned = [
        (
            (real * cosine + imaginary * sine + (1 << 14)) >> 15,
            (imaginary * cosine - real * sine + (1 << 14)) >> 15,
        )
        for (real, imaginary), (cosine, sine) in zip(differences[1:], factors[step::step], strict=True)
    ]
    return _fft(sums, factors) + _fft(differences[:1] + turned, factors)


class Wavelet(PairProgram):
    """Coefficients of three levels, 16 bits each, in place: those of level l are 1 << l apart."""

    name = "wavelet"
    unit = "rows"
    sizes = (32, 64, 128, 256)
    levels = 3

    def picture(self, size: int) -> list[list[int]]:
        """The input: rows of bytes."""
        noise = iter(random(size * size))
        return [
            [(x + 2 * y + ((x ^ y) & 32) + (next(noise) & 15)) & 255 for x in range(size)]
            for y in range(size)
        ]

    def result(self, size: int) -> bytes:
        rows = self.picture(size)
        for level in range(self.levels):
            step = 1 << level
            for row in rows[::step]:
                row[::step] = _lift(row[::step])
            for x in range(0, size, step):
                column = _lift([row[x] for row in rows[::step]])
                for row, value in zip(rows[::step], column, strict=True):
                    row[x] = value
        return b"".join(struct.pack(f"<{size}h", *row) for row in rows)


def _lift(samples: list[int]) -> list[int]:
    """5/3 lifting of an even number of samples that go on mirrored at both ends."""
    even, odd = samples[::2], samples[1::2]
    high = [b - ((a + c) >> 1) for a, b, c in zip(even, odd, even[1:] + even[-1:], strict=True)]
    low = [b + ((a + c + 2) >> 2) for a, b, c in zip(high[:1] + high, even, high, strict=False)]
    return [value for pair in zip(low, high, strict=True) for value in pair]


PAIR: dict[str, PairProgram] = {app.name: app for app in (Sort(), Dhrystone(), Fft(), Wavelet())}
