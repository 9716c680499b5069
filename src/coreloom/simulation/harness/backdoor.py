# SPDX-License-Identifier: Apache-2.0
"""The Back-Door as a unit: lists on its DMA, and how many words that moves in a cycle."""

from __future__ import annotations

import json
import struct
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coreloom import uses
from coreloom.design import manifest
from coreloom.errors import UserError
from coreloom.paths import RTL
from coreloom.reference.backdoor import BASE, OP, Descriptor, packed
from coreloom.toolchain import verilate

_BACKDOOR = RTL / "ipc" / "backdoor"
_PACKAGES = (*manifest.files("cl_soc_pkg"), _BACKDOOR / "rtl" / "cl_backdoor_pkg.sv")
_BLOCK_BYTES, _MEMORY_BYTES = 0x8000, 0x40000  # for `measure`: as the platforms have them

WORDS = (16, 128, 1024, 8192)  # of a list
STREAM_WORDS = 1 << 16
PERIODS = ((1000, 1000), (1000, 1618), (1618, 1000), (1000, 3000), (3000, 1000))  # of near and far clock

FILL = 0x9E3779B9  # word n of the up block is n times this before a list


def design() -> verilate.Design:
    """cl_backdoor_dma alone."""
    return verilate.Design("cl_backdoor_dma", (*_PACKAGES, _BACKDOOR / "rtl" / "cl_backdoor_dma.sv"))


@uses.kept
def _model(block_bytes: int, memory_bytes: int) -> Path:
    params = {"BlockBytes": block_bytes, "MemoryBytes": memory_bytes}
    defines = {"BLOCK_BYTES": block_bytes, "MEMORY_BYTES": memory_bytes}
    return verilate.build(
        design(), _BACKDOOR / "tb" / "dma.cpp", params, name="backdoor-dma", cxx_defines=defines
    )


@dataclass(frozen=True)
class Result:
    """The effect of a list; blocks and memory in words.

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


def measure() -> list[dict[str, Any]]:
    """How many words are moved in a cycle when every request is granted at once, by operation.

    kind `list`: one descriptor, in cycles in which the DMA is busy. `stream`: near stores or loads the words
    while the DMA moves them, in cycles of the slower of the two buses, from the first word to the last.
    near_period, far_period: of the clocks, in any unit; None: only the far one takes part.
    UserError: what was moved is wrong.
    """
    _model(_BLOCK_BYTES, _MEMORY_BYTES)
    whole()
    uses.runs()
    return [*_lists(), *_streams()]


def _row(kind: str, op: str, words: int, near: int | None, far: int | None, cycles: float) -> dict[str, Any]:
    row = {"kind": kind, "op": op, "words": words, "near_period": near, "far_period": far}
    return {**row, "cycles": round(cycles), "words_per_cycle": words / cycles}


def _lists() -> list[dict[str, Any]]:
    memory = [0] * (_MEMORY_BYTES // 4)
    rows = []
    with Dma(_BLOCK_BYTES, _MEMORY_BYTES) as dma:
        for op in OP:
            for words in WORDS:
                memory[:3] = packed([Descriptor(op, words, BASE + 64)])
                result = dma.run(BASE, [0] * dma.block_words, memory)
                if result.error:
                    raise UserError(f"the DMA is wrong: {op} of {words} words: error {result.error}")
                rows.append(_row("list", op, words, None, None, result.busy))
    return rows


def _streams() -> list[dict[str, Any]]:
    rows = []
    for near, far in PERIODS:
        for op, code in OP.items():
            arguments = ("stream", *map(str, (code, STREAM_WORDS, near, far)))
            done = subprocess.run([whole(), *arguments], capture_output=True, text=True, timeout=600)
            if done.returncode:
                raise UserError(f"the Back-Door is wrong: {' '.join(arguments)}: {done.stderr.strip()}")
            cycles = json.loads(done.stdout)["time"] / max(near, far)
            rows.append(_row("stream", op, STREAM_WORDS, near, far, cycles))
    return rows


@uses.kept
def whole(
    block_bytes: int = _BLOCK_BYTES,
    memory_bytes: int = _MEMORY_BYTES,
    mail_depth: int = 16,
    files: tuple[Path, ...] = (),
) -> Path:
    """The programs of rtl/ipc/backdoor/tb/whole.cpp on cl_backdoor; files: others than the unit's."""
    sources = files or manifest.files("cl_backdoor")
    design = verilate.Design("cl_backdoor", sources, defines=("CL_SYNC_LATE",))
    sizes = {"BlockBytes": block_bytes, "MemoryBytes": memory_bytes, "MailDepth": mail_depth}
    defines = {"BLOCK_BYTES": block_bytes, "MEMORY_BYTES": memory_bytes, "MAIL_DEPTH": mail_depth}
    harness = _BACKDOOR / "tb" / "whole.cpp"
    return verilate.build(design, harness, sizes, name="backdoor-whole", cxx_defines=defines)
