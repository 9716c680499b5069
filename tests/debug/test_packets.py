# SPDX-License-Identifier: Apache-2.0
"""Packets of gdb's remote protocol, and what gdb is told of registers and threads."""

from __future__ import annotations

import random

import pytest

from coreloom.simulation.gdb import target
from coreloom.simulation.gdb.packets import Parser, Sign, packet, unescaped


@pytest.mark.parametrize(
    ("content", "made"),
    [
        (b"", b"$#00"),
        (b"OK", b"$OK#9a"),
        (b"#$}*", b"$}\x03}\x04}]}\n#62"),
        (bytes(range(256)), None),
    ],
)
def test_there_and_back(content: bytes, made: bytes | None) -> None:
    if made is not None:
        assert packet(content) == made
    assert list(Parser().feed(packet(content))) == [content]


def test_any_parts_make_the_same_packets() -> None:
    data = b"+" + packet(b"qSupported:a;b") + b"-" + packet(b"X0,2:}]*") + b"\x03" + packet(b"g")
    whole = [Sign.ACK, b"qSupported:a;b", Sign.NACK, b"X0,2:}]*", Sign.INTERRUPT, b"g"]
    dice = random.Random(1)
    for _ in range(100):
        parser, rest = Parser(), data
        found: list[bytes | Sign] = []
        while rest:
            size = dice.randint(1, 5)
            found += parser.feed(rest[:size])
            rest = rest[size:]
        assert found == whole


@pytest.mark.parametrize("bad", [b"$OK#9b", b"$OK#zz", b"$O}K#9a"])
def test_a_wrong_checksum_is_a_broken_packet(bad: bytes) -> None:
    assert list(Parser().feed(bad + packet(b"OK"))) == [Sign.BROKEN, b"OK"]


def test_what_is_between_packets_is_left_out() -> None:
    assert list(Parser().feed(b"abc" + packet(b"OK") + b"x")) == [b"OK"]


def test_a_packet_without_an_end_is_given_up() -> None:
    parser = Parser()
    assert list(parser.feed(b"$" + b"a" * 100_000)) == [Sign.BROKEN]
    assert list(parser.feed(packet(b"OK"))) == [b"OK"]


def test_an_escape_at_the_end() -> None:
    assert unescaped(b"a}") == b"a"


def test_registers() -> None:
    assert target.registers({0: 0, 2: 0x40001234, 32: -1}) == (
        "00000000xxxxxxxx34120040" + "xxxxxxxx" * 29 + "ffffffff"
    )
    assert target.description().count("<reg ") == 33


def test_a_name_is_text() -> None:
    listed = [target.Thread("1", 'a<"&', "tid 0, ready"), target.Thread("a", "", "CPU 1")]
    assert target.threads(listed) == (
        '<?xml version="1.0"?><threads><thread id="1" name=\'a&lt;"&amp;\'>tid 0, ready</thread>'
        '<thread id="a">CPU 1</thread></threads>'
    )
