# SPDX-License-Identifier: Apache-2.0
"""The names in a waveform: scopes and signals of an FST file, as far as Verilator writes the format."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_HEAD_BYTES = 329
_HIERARCHY = 6  # kind of the block, compressed as LZ4
_PARAMETER = 2
_ATTRIBUTE, _END, _SCOPE, _UP = range(252, 256)  # entries of it; smaller, as _PARAMETER: the type of a signal


@dataclass(frozen=True)
class Signal:
    """A signal: as viewers call it, and its bits."""

    name: str  # with its range, as `TOP.cl_soc.value_o[31:0]`
    bits: int
    handle: int  # the same of signals that are always equal
    constant: bool


@dataclass(frozen=True)
class Hierarchy:
    """The scopes of a file, each with its signals."""

    scopes: Mapping[str, list[Signal]]

    def within(self, scopes: list[str]) -> list[Signal]:
        """The signals in these scopes and below them."""
        return [
            signal
            for name, signals in self.scopes.items()
            for signal in signals
            if any(f"{name}.".startswith(f"{scope}.") for scope in scopes)
        ]


def hierarchy(path: Path) -> Hierarchy:
    """The names in a file."""
    data = path.read_bytes()
    at = 0
    while at < len(data):
        kind, length = struct.unpack_from(">BQ", data, at)
        if kind == _HIERARCHY:
            return Hierarchy(_entries(_unpacked(data[at + 17 : at + 1 + length])))
        at += 1 + length
    return Hierarchy({})


def is_whole(path: Path) -> bool:
    """Whether its head has been written, which comes last."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(9) == struct.pack(">BQ", 0, _HEAD_BYTES)


def _entries(data: bytes) -> dict[str, list[Signal]]:
    at = 0

    def text() -> str:
        nonlocal at
        end = data.index(0, at)
        found = data[at:end].decode()
        at = end + 1
        return found

    def number() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    scopes: dict[str, list[Signal]] = {}
    inside: list[str] = []
    handles = 0
    while at < len(data):
        tag = data[at]
        at += 1
        if tag == _SCOPE:
            at += 1
            inside.append(text())
            text()
            scopes.setdefault(".".join(inside), [])
        elif tag == _UP:
            inside.pop()
        elif tag == _ATTRIBUTE:
            at += 2
            text()
            number()
        elif tag != _END:
            at += 1
            name, bits, handle = text(), number(), number()
            if not handle:
                handles += 1
            scope = ".".join(inside)
            scopes[scope].append(
                Signal(f"{scope}.{name.replace(' [', '[')}", bits, handle or handles, tag == _PARAMETER)
            )
    return scopes


def _unpacked(data: bytes) -> bytes:
    """A block of LZ4."""
    out = bytearray()
    at = 0

    def length(low: int) -> int:
        nonlocal at
        if low == 15:
            while True:
                byte = data[at]
                at += 1
                low += byte
                if byte != 255:
                    break
        return low

    while at < len(data):
        token = data[at]
        at += 1
        literals = length(token >> 4)
        out += data[at : at + literals]
        at += literals
        if at >= len(data):
            break
        distance = int.from_bytes(data[at : at + 2], "little")
        at += 2
        count = length(token & 15) + 4
        start = len(out) - distance
        if distance >= count:
            out += out[start : start + count]
        else:  # it overlaps
            for n in range(count):
                out.append(out[start + n])
    return bytes(out)
