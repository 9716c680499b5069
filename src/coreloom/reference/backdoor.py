# SPDX-License-Identifier: Apache-2.0
"""The Back-Door's DMA as a function: what a list does to memory, block, CRC and counters."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from coreloom.design import spec

SPEC = spec.backdoor()
BASE = SPEC.limits["memory_base"]
OP = {name: code for name, (code, _) in SPEC.enums["dma_op"].items()}
ERROR = {name: code for name, (code, _) in SPEC.enums["dma_error"].items()}
_CONTROL = SPEC.layouts["descriptor_control"]


@dataclass(frozen=True)
class Descriptor:
    """op: a name, or a code. address: in the local memory; offset: in the block; both in bytes."""

    op: str | int
    words: int
    address: int = BASE
    offset: int = 0
    last: bool = False

    def packed(self) -> tuple[int, int, int]:
        """Its three words."""
        values = {"words": self.words, "op": OP[self.op] if isinstance(self.op, str) else self.op}
        values["last"] = int(self.last)
        control = sum(value << _CONTROL[name].lsb for name, value in values.items())
        return control, self.address, self.offset


def packed(descriptors: Iterable[Descriptor]) -> list[int]:
    """The words of a list; the last descriptor ends it."""
    words = [word for descriptor in descriptors for word in descriptor.packed()]
    words[-3] |= 1 << _CONTROL["last"].lsb
    return words


@dataclass
class Dma:
    """The DMA with all that it moves, in words. `run` changes them as the unit does."""

    memory: list[int]
    down: list[int]
    up: list[int]
    crc: int = 0
    down_bytes: int = 0  # modulo 2^32, as up_bytes
    up_bytes: int = 0
    descriptors: int = 0  # of the last list, checked; with the one that stopped it
    cycles: int = 0  # of the last list, when every request is granted

    def run(self, address: int) -> int:
        """Work on the list at an address; its dma_error."""
        self.descriptors, self.cycles = 0, 0
        while True:
            if (place := self._place(address)) is None or place + 3 > len(self.memory):
                self.cycles += 1
                return ERROR["list"]
            control, where, offset = self.memory[place : place + 3]
            self.descriptors += 1
            words = control & (1 << _CONTROL["words"].width) - 1
            op = control >> _CONTROL["op"].lsb & 3
            self.cycles += 4 + max(words, 1)
            if error := self._error(op, words, where, offset):
                self.cycles += 1 - max(words, 1)
                return ERROR[error]
            self._move(op, words, (where - BASE) // 4, offset // 4)
            if control >> _CONTROL["last"].lsb & 1:
                self.cycles += 1
                return ERROR["none"]
            address += 12

    def _place(self, address: int) -> int | None:
        inside = BASE <= address < BASE + 4 * len(self.memory)
        return (address - BASE) // 4 if inside and address % 4 == 0 else None

    def _error(self, op: int, words: int, where: int, offset: int) -> str:
        if op not in OP.values():
            return "op"
        place = self._place(where)
        if op != OP["check"] and (place is None or place + words > len(self.memory)):
            return "memory"
        if offset % 4 or offset // 4 >= len(self.down) or offset // 4 + words > len(self.down):
            return "block"
        return ""

    def _move(self, op: int, words: int, place: int, offset: int) -> None:
        if op == OP["up"]:
            moved = self.memory[place : place + words]
            self.up[offset : offset + words] = moved
            self.up_bytes = (self.up_bytes + 4 * words) % 2**32
        else:
            moved = self.down[offset : offset + words]
            self.down_bytes = (self.down_bytes + 4 * words) % 2**32
            if op == OP["down"]:
                self.memory[place : place + words] = moved
        self.crc = crc(moved, self.crc)


def crc(words: Sequence[int], before: int = 0) -> int:
    """CRC-32 of words as little-endian bytes, going on from another one's."""
    return zlib.crc32(struct.pack(f"<{len(words)}I", *words), before)
