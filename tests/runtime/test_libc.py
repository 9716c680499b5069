# SPDX-License-Identifier: Apache-2.0
"""Doubles of the C library (runtime/libc), compiled for this machine: against Python and exact fractions."""

from __future__ import annotations

import ctypes
import errno
import math
import random
import re
import struct
import subprocess
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest

from coreloom.paths import RUNTIME
from coreloom.toolchain import zig

pytestmark = pytest.mark.test
HOST = Path(__file__).parent / "libc_host"
LIBC = RUNTIME / "libc"
MOST = struct.unpack("<d", struct.pack("<Q", 0x7FEFFFFFFFFFFFFF))[0]


def of_bits(bits: int) -> float:
    value: float = struct.unpack("<d", struct.pack("<Q", bits))[0]
    return value


def to_bits(value: float) -> int:
    bits: int = struct.unpack("<Q", struct.pack("<d", value))[0]
    return bits


def float_bits(value: Fraction) -> int:
    """The bits of the float next to it, by fractions alone."""
    if value == 0:
        return 0
    e = max(value.numerator.bit_length() - value.denominator.bit_length() - 1, -126)
    while value >= Fraction(2) ** (e + 1):
        e += 1
    m = round(value / Fraction(2) ** (e - 23))  # half to even
    if m == 1 << 24:
        m, e = m >> 1, e + 1
    if e > 127:
        return 255 << 23
    return ((e + 127) << 23 | m & 0x7FFFFF) if m >> 23 else m


@pytest.fixture(scope="module")
def libc(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    made = tmp_path_factory.mktemp("libc") / "libc.so"
    sources = [HOST / "host.c", *(LIBC / f"{name}.c" for name in ("decimal", "printf", "strtod"))]
    own = [f"-D{name}=own_{name}" for name in ("strtod", "strtof", "strtold", "atof")]
    flags = ["-std=gnu11", "-O2", "-shared", "-fPIC", "-fno-builtin", "-Wall", "-Wextra", "-Werror"]
    trap = ["-fsanitize=undefined", "-fsanitize-trap=undefined"]
    command = [*zig.cc(), *flags, *trap, *own, f"-I{HOST}", *map(str, sources), "-o", str(made)]
    subprocess.run(command, check=True, env=zig.environment())
    library = ctypes.CDLL(str(made))
    library.host_double.restype = ctypes.c_uint64
    library.host_float.restype = ctypes.c_uint32
    return library


def printed(libc: ctypes.CDLL, format: str, value: float, *numbers: int) -> str:
    room = ctypes.create_string_buffer(3000)
    given = [ctypes.c_int(number) for number in numbers]
    count = libc.host_print(room, len(room), format.encode(), *given, ctypes.c_double(value))
    assert count == len(room.value)
    return room.value.decode()


def read(libc: ctypes.CDLL, text: str, single: bool = False) -> tuple[int, int, int]:
    """Bits, errno, and how many characters were taken."""
    error, length = ctypes.c_int(), ctypes.c_int()
    function = libc.host_float if single else libc.host_double
    return function(text.encode(), ctypes.byref(error), ctypes.byref(length)), error.value, length.value


def doubles(count: int) -> Iterator[float]:
    """Random ones of all exponents, round ones, and those at the borders."""
    dice = random.Random(44)
    for bits in (1, 2, 0xFFFFFFFFFFFFF, 1 << 52, (1 << 52) + 1, 0x7FEFFFFFFFFFFFFF, 0x7FE0000000000000):
        yield of_bits(bits)
    for exponent in range(-323, 309):
        yield float(f"1e{exponent}")
        yield float(f"9.5e{exponent - 1}")
    for n in range(2000):
        yield n / 8
        yield n / 1000
    for n in range(-1074, 1024):
        yield math.ldexp(1, n)
    for _ in range(count):
        yield of_bits(dice.randrange(1, 0x7FF0000000000000))
        yield round(dice.uniform(0, 1000), dice.randrange(6))


def test_digits_of_doubles(libc: ctypes.CDLL) -> None:
    dice = random.Random(45)
    for value in doubles(3000):
        assert printed(libc, "%.17g", value) == f"{value:.17g}"
        for letter in "efg":
            precision = dice.choice((0, 1, 2, 6, 15, 16, 17, 20, 50))
            expected = f"%.{precision}{letter}" % value
            assert printed(libc, f"%.*{letter}", value, precision) == expected


@pytest.mark.parametrize(
    "value", [5e-324, 2**-1074 * (2**52 - 1), 2.2250738585072014e-308, 0.1, MOST, 1 / 3, 1e22]
)
def test_all_digits_there_are(libc: ctypes.CDLL, value: float) -> None:
    for precision in (300, 767, 1074, 1100):
        assert printed(libc, "%.*e", value, precision) == f"%.{precision}e" % value
        assert printed(libc, "%.*f", value, precision) == f"%.{precision}f" % value
        assert printed(libc, "%#.*g", value, precision) == f"%#.{precision}g" % value


@pytest.mark.parametrize(
    ("format", "value", "text"),
    [
        ("%f", 0.0, "0.000000"),
        ("%f", -0.0, "-0.000000"),
        ("%g", 0.0, "0"),
        ("%#g", 0.0, "0.00000"),
        ("%e", 0.0, "0.000000e+00"),
        ("%.0f", 0.5, "0"),
        ("%.0f", 1.5, "2"),
        ("%.0f", 2.5, "2"),
        ("%#.0f", 2.5, "2."),
        ("%.0f", 0.51, "1"),
        ("%.0f", 0.04, "0"),
        ("%.1f", 0.05, "0.1"),
        ("%.1f", 0.25, "0.2"),
        ("%.2f", 99.995, "100.00"),
        ("%.2f", 99.99499999999999, "99.99"),
        ("%.0e", 9.5, "1e+01"),
        ("%.0e", 8.5, "8e+00"),
        ("%#.0e", 8.5, "8.e+00"),
        ("%.3e", 9999.5, "1.000e+04"),
        ("%g", 100000.0, "100000"),
        ("%g", 1000000.0, "1e+06"),
        ("%g", 999999.5, "1e+06"),
        ("%g", 0.0001, "0.0001"),
        ("%g", 0.00001, "1e-05"),
        ("%.0g", 123.0, "1e+02"),
        ("%.3g", 0.00012345, "0.000123"),
        ("%#.3g", 1.0, "1.00"),
        ("%G", 1e-10, "1E-10"),
        ("%E", 1e100, "1.000000E+100"),
        ("%+.1f", 1.0, "+1.0"),
        ("% .1f", 1.0, " 1.0"),
        ("%10.2f|", -3.14159, "     -3.14|"),
        ("%-10.2f|", -3.14159, "-3.14     |"),
        ("%010.2f|", -3.14159, "-000003.14|"),
        ("%010f", math.inf, "       inf"),
        ("%-6F|", -math.inf, "-INF  |"),
        ("%G", math.nan, "NAN"),
        ("%f", -math.nan, "-nan"),
        ("%a", 0.0, "0x0p+0"),
        ("%a", 1.0, "0x1p+0"),
        ("%a", -0.1, "-0x1.999999999999ap-4"),
        ("%A", 255.5, "0X1.FFP+7"),
        ("%a", 5e-324, "0x0.0000000000001p-1022"),
        ("%.0a", 1.5, "0x2p+0"),
        ("%.0a", 1.25, "0x1p+0"),
        ("%.1a", 1.03125, "0x1.0p+0"),
        ("%.3a", 1.0, "0x1.000p+0"),
        ("%.15a", 1.5, "0x1.800000000000000p+0"),
        ("%#a", 1.0, "0x1.p+0"),
        ("%012a|", 1.5, "0x00001.8p+0|"),
        ("%12a|", -1.5, "   -0x1.8p+0|"),
        ("%y|%.0f", 2.0, "%y|2"),
        ("%%|%.0f", 2.0, "%|2"),
    ],
)
def test_formats(libc: ctypes.CDLL, format: str, value: float, text: str) -> None:
    assert printed(libc, format, value) == text


def test_hexadecimal_against_python(libc: ctypes.CDLL) -> None:
    for value in doubles(500):
        if value >= 2**-1022:
            assert float.fromhex(printed(libc, "%a", value)) == value
            mantissa, exponent = re.fullmatch(r"0x1(.*)p(.*)", value.hex()).groups()  # type: ignore[union-attr]
            expected = f"0x1{mantissa.rstrip('0').rstrip('.')}p{exponent}"
            assert printed(libc, "%a", value) == expected


def test_what_was_printed_is_read_back(libc: ctypes.CDLL) -> None:
    for value in doubles(3000):
        assert read(libc, printed(libc, "%.17g", value))[0] == to_bits(value)
        assert read(libc, printed(libc, "%a", value))[0] == to_bits(value)
        assert read(libc, repr(value))[0] == to_bits(value)


def halfway(bits: int, above: int = 0) -> str:
    """The number between a double and the next one, all its digits; above: -1, 1 a very little beside it."""
    low = Fraction(of_bits(bits))
    high = Fraction(of_bits(bits + 1)) if bits < to_bits(MOST) else Fraction(2) ** 1024
    digits = (low + high) / 2 * 10**1110 + above
    assert digits.denominator == 1
    return f"{digits.numerator}e-1110"


def test_numbers_halfway_between_two(libc: ctypes.CDLL) -> None:
    dice = random.Random(46)
    edges = [
        0,
        1,
        2,
        3,
        (1 << 52) - 1,
        1 << 52,
        (1 << 52) + 1,
        to_bits(1.0),
        to_bits(MOST) - 1,
        to_bits(MOST),
    ]
    for bits in [*edges, *(dice.randrange(to_bits(MOST)) for _ in range(700))]:
        assert read(libc, halfway(bits))[0] == bits + (bits & 1)
        assert read(libc, halfway(bits, 1))[0] == bits + 1
        assert read(libc, halfway(bits, -1))[0] == bits


def test_any_decimal_is_rounded_as_python_does(libc: ctypes.CDLL) -> None:
    dice = random.Random(47)
    for _ in range(20_000):
        digits = dice.choice((1, 3, 8, 15, 17, 19, 20, 25, 40, 400))
        text = str(dice.randrange(10**digits)).zfill(digits)
        point = dice.randrange(digits + 1)
        exponent = dice.choice((dice.randrange(-350, 320), dice.randrange(-30, 30))) - point
        text = f"{text[:point]}.{text[point:]}e{exponent:+d}"
        assert read(libc, text)[0] == to_bits(float(text)), text
        if digits < 40:
            single = float_bits(Fraction(text if text[0] != "." else f"0{text}"))
            assert read(libc, text, single=True)[0] == single, text


@pytest.mark.parametrize(
    ("text", "value", "error", "length"),
    [
        ("", 0.0, 0, 0),
        ("  x", 0.0, 0, 0),
        (" \t\n-12.5e1x", -125.0, 0, 10),
        ("+.5", 0.5, 0, 3),
        ("5.", 5.0, 0, 2),
        (".", 0.0, 0, 0),
        ("-.e1", 0.0, 0, 0),
        ("1e", 1.0, 0, 1),
        ("1e+", 1.0, 0, 1),
        ("1e-x", 1.0, 0, 1),
        ("1.2.3", 1.2, 0, 3),
        ("-0", -0.0, 0, 2),
        ("0e999999999999", 0.0, 0, 14),
        ("1e309", math.inf, errno.ERANGE, 5),
        ("-1e999999999999", -math.inf, errno.ERANGE, 15),
        ("1.7976931348623159e308", math.inf, errno.ERANGE, 22),
        ("1.7976931348623157e308", MOST, 0, 22),
        ("1e-400", 0.0, errno.ERANGE, 6),
        ("2e-324", 0.0, errno.ERANGE, 6),
        ("3e-324", 5e-324, errno.ERANGE, 6),
        ("-1e-999999999999", -0.0, errno.ERANGE, 16),
        ("2.2250738585072014e-308", 2.2250738585072014e-308, 0, 23),
        ("2.225073858507201e-308", 2.225073858507201e-308, errno.ERANGE, 22),
        ("0x1p-1074", 5e-324, 0, 9),
        ("0x1p-1075", 0.0, errno.ERANGE, 9),
        ("0x1.8p-1075", 5e-324, errno.ERANGE, 11),
        ("0x.8", 0.5, 0, 4),
        ("0X1.FFFFFFFFFFFFF8p0", 2.0, 0, 20),
        ("0x1.fffffffffffff7p0", of_bits(0x3FFFFFFFFFFFFFFF), 0, 20),
        ("0x1.00000000000008p0", 1.0, 0, 20),
        ("0x1.0000000000000800001p0", of_bits(0x3FF0000000000001), 0, 25),
        ("0x10000000000000000000000p-88", 1.0, 0, 29),
        ("0x1p1024", math.inf, errno.ERANGE, 8),
        ("0x", 0.0, 0, 1),
        ("0xg", 0.0, 0, 1),
        ("0x.p1", 0.0, 0, 1),
        ("0x1p", 1.0, 0, 3),
        ("\x10x1", 0.0, 0, 0),
        ("INF", math.inf, 0, 3),
        ("-infinite", -math.inf, 0, 4),
        ("Infinity!", math.inf, 0, 8),
        ("nanx", math.nan, 0, 3),
        ("NaN(0x7f_)", math.nan, 0, 10),
        ("nan(", math.nan, 0, 3),
        ("nan()", math.nan, 0, 5),
    ],
)
def test_texts(libc: ctypes.CDLL, text: str, value: float, error: int, length: int) -> None:
    bits, got_error, got_length = read(libc, text)
    assert (of_bits(bits).hex(), got_error, got_length) == (value.hex(), error, length)


@pytest.mark.parametrize(
    ("text", "value", "error"),
    [
        ("3.4028235677973367e38", math.inf, errno.ERANGE),
        ("3.4028235677973366e38", 3.4028234663852886e38, 0),
        ("1e-46", 0.0, errno.ERANGE),
        ("7.1e-46", 2.0**-149, errno.ERANGE),
        ("1.1754943508222875e-38", 2.0**-126, 0),
        ("16777217", 16777216.0, 0),
        ("16777217.0000000000000000000000000001", 16777218.0, 0),
        ("0x1.000001p0", 1.0, 0),
        ("0x1.0000010000001p0", 1 + 2.0**-23, 0),
        ("-0x1p-149", -(2.0**-149), 0),
        ("nan", math.nan, 0),
    ],
)
def test_texts_of_floats(libc: ctypes.CDLL, text: str, value: float, error: int) -> None:
    bits, got_error, length = read(libc, text, single=True)
    got: float = struct.unpack("<f", struct.pack("<I", bits))[0]
    assert (got.hex(), got_error, length) == (value.hex(), error, len(text))
