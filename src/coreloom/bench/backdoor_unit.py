"""The Back-Door's DMA by itself: lists on the unit, with the cycles that they take."""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from coreloom import verilate
from coreloom.errors import UserError
from coreloom.paths import RTL

_BACKDOOR = RTL / "ipc" / "backdoor"
_PACKAGES = (RTL / "soc" / "rtl" / "cl_soc_pkg.sv", _BACKDOOR / "rtl" / "cl_backdoor_pkg.sv")
FILL = 0x9E3779B9  # word n of the up block is n times this before a list


def design() -> verilate.Design:
    """cl_backdoor_dma alone."""
    return verilate.Design("cl_backdoor_dma", (*_PACKAGES, _BACKDOOR / "rtl" / "cl_backdoor_dma.sv"))


@lru_cache
def _model(block_bytes: int, memory_bytes: int) -> Path:
    params = {"BlockBytes": block_bytes, "MemoryBytes": memory_bytes}
    defines = {"BLOCK_BYTES": block_bytes, "MEMORY_BYTES": memory_bytes}
    return verilate.build(
        design(), _BACKDOOR / "tb" / "dma.cpp", params, name="backdoor-dma", cxx_defines=defines
    )


@dataclass(frozen=True)
class Result:
    """What a list did; blocks and memory in words.

    error: dma_error; None: the DMA was reset before the end. busy: cycles. accesses: granted, at_end of
    them in the cycle in which the list ended.
    """

    error: int | None
    busy: int
    accesses: int
    at_end: int
    crc: int
    down_bytes: int
    up_bytes: int
    cycles: int
    up: list[int]
    memory: list[int]


class Dma:
    """A cl_backdoor_dma that runs. Its CRC and counters go on from list to list."""

    def __init__(self, block_bytes: int = 4096, memory_bytes: int = 16384) -> None:
        self.block_words, self.memory_words = block_bytes // 4, memory_bytes // 4
        self._process = subprocess.Popen(
            [_model(block_bytes, memory_bytes)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def run(
        self,
        address: int,
        down: Sequence[int],
        memory: Sequence[int],
        *,
        seed: int = 0,
        percent: int = 100,
        clear: bool = False,
        reset: bool = False,
        error_at: int = 0,
        reset_at: int = 0,
    ) -> Result:
        """Start it at the list at `address`.

        percent: of the cycles in which a request is granted, at random by seed. clear: the CRC, reset: all,
        before. error_at: the access that is answered with an error. reset_at: the cycle in which it is
        reset.
        A breach of the bus's rules, or no end, is a UserError.
        """
        assert len(down) == self.block_words and len(memory) == self.memory_words
        head = (address, clear | reset << 1, seed, percent, error_at, reset_at)
        assert self._process.stdin and self._process.stdout and self._process.stderr
        self._process.stdin.write(struct.pack(f"<{6 + len(down) + len(memory)}I", *head, *down, *memory))
        self._process.stdin.flush()
        words = 9 + self.block_words + self.memory_words
        answer = self._process.stdout.read(4 * words)
        if len(answer) != 4 * words:
            raise UserError(f"the DMA is wrong: {self._process.stderr.read().decode().strip()}")
        ended, error, busy, accesses, at_end, crc, down_bytes, up_bytes, cycles = struct.unpack_from(
            "<9I", answer
        )
        moved = struct.unpack_from(f"<{words - 9}I", answer, 36)
        return Result(
            error=error if ended else None,
            busy=busy,
            accesses=accesses,
            at_end=at_end,
            crc=crc,
            down_bytes=down_bytes,
            up_bytes=up_bytes,
            cycles=cycles,
            up=list(moved[: self.block_words]),
            memory=list(moved[self.block_words :]),
        )

    def __enter__(self) -> Dma:
        return self

    def __exit__(self, *_: object) -> None:
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            assert pipe
            pipe.close()
        self._process.wait(60)
