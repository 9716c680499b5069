# SPDX-License-Identifier: Apache-2.0
"""Packets of gdb's remote serial protocol: bytes in, packets out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

_START, _ESCAPE = b"$}"
_SPECIAL = b"$#}*"
_LONGEST = 1 << 16  # of a packet that is accepted


class Sign(Enum):
    """Bytes that are not a packet."""

    ACK = "+"
    NACK = "-"
    INTERRUPT = "\x03"
    BROKEN = "broken"  # a packet with a wrong checksum


@dataclass
class Parser:
    """Makes packets of what arrives, in whatever parts."""

    _rest: bytearray = field(default_factory=bytearray)

    def feed(self, data: bytes) -> Iterator[bytes | Sign]:
        """The contents of the packets, unescaped, and the signs that are complete now."""
        self._rest += data
        while self._rest:
            first = self._rest[0]
            if first == _START:
                end = self._rest.find(b"#")
                if end < 0 or len(self._rest) < end + 3:
                    if len(self._rest) > _LONGEST:
                        self._rest.clear()
                        yield Sign.BROKEN
                    return
                body, digits = bytes(self._rest[1:end]), bytes(self._rest[end + 1 : end + 3])
                del self._rest[: end + 3]
                yield unescaped(body) if digits.lower() == b"%02x" % (sum(body) & 0xFF) else Sign.BROKEN
                continue
            del self._rest[0]
            if chr(first) in ("+", "-", "\x03"):
                yield Sign(chr(first))


def unescaped(body: bytes) -> bytes:
    """A packet's content without escapes."""
    made = bytearray()
    escaped = False
    for byte in body:
        if escaped:
            made.append(byte ^ 0x20)
            escaped = False
        elif byte == _ESCAPE:
            escaped = True
        else:
            made.append(byte)
    return bytes(made)


def packet(content: bytes) -> bytes:
    """A packet with this content."""
    body = bytearray()
    for byte in content:
        if byte in _SPECIAL:
            body += bytes((_ESCAPE, byte ^ 0x20))
        else:
            body.append(byte)
    return b"$" + bytes(body) + b"#%02x" % (sum(body) & 0xFF)
