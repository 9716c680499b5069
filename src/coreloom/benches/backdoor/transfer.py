# SPDX-License-Identifier: Apache-2.0
"""A block between the memories of the two processors, by stream and through the window (transfer.c)."""

from __future__ import annotations

import itertools
import struct
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from coreloom.design import platform
from coreloom.errors import UserError
from coreloom.simulation.experiment import Experiment
from coreloom.simulation.simulate import Options

WAYS = {"down": "to processor 1", "up": "to processor 0"}
MEANS = ("stream", "window")
SIZES = (1, 4, 16, 64, 256, 1024, 4096, 16384)  # words; as in transfer.c
_SOURCE = str(Path(__file__).with_name("transfer.c"))
_MAX_CYCLES = 10_000_000
_DEFINES: dict[str, str | int] = {"CL_SLICE_TICKS": 0}  # no time slice falls into a block


class Block(msgspec.Struct, frozen=True, kw_only=True, tag_field="part", tag="block"):
    """A block of `words` at equal clocks, in cycles of processor 0.

    cycles: from its first call until the block has arrived and it knows. near_cycles: of them those in which
    it moves or asks for words itself.
    """

    way: str
    means: str
    core: str
    words: int
    cycles: int
    near_cycles: int


def blocks(core: str, output: bytes) -> list[Block]:
    """The rows of what the program wrote."""
    cases = list(itertools.product(WAYS, MEANS, SIZES))
    if len(output) != 8 * len(cases):
        raise UserError(f"it wrote {len(output)} bytes, not {8 * len(cases)}: a bug in Coreloom")
    return [
        Block(way=way, means=means, core=core, words=words, cycles=cycles, near_cycles=near)
        for (way, means, words), (cycles, near) in zip(cases, struct.iter_unpack("<2I", output), strict=True)
    ]


def measure(core: str, progress: Callable[[int], None] | None = None) -> list[Block]:
    """The rows of one core: both ways, both means, each of SIZES."""
    soc = platform.load(f"backdoor-{core}")
    try:
        outcome = Experiment(_SOURCE, soc, defines=_DEFINES).run(
            b"", Options(max_cycles=_MAX_CYCLES, progress=progress)
        )
        outcome.check_finished()
        return blocks(core, outcome.result.output)
    except UserError as error:
        raise UserError(f"blocks on {soc.name}: {error}") from None


class Cost(msgspec.Struct, frozen=True):
    """What the blocks of one way and core come to, of both means in the order of MEANS.

    start: cycles of one word. per_word: of each word more, between the two largest sizes. near_per_word: of
    them processor 0's own. even: the smallest size measured from which on the window is at least as fast;
    near_even: from which on it costs processor 0 no more; None: there is none.
    """

    way: str
    core: str
    start: tuple[int, ...]
    per_word: tuple[float, ...]
    near_per_word: tuple[float, ...]
    even: int | None
    near_even: int | None


def costs(rows: Sequence[Block]) -> list[Cost]:
    """For each way and core of the rows."""
    found = []
    for core, way in dict.fromkeys((row.core, row.way) for row in rows):
        here = sorted((row for row in rows if (row.core, row.way) == (core, way)), key=lambda row: row.words)
        stream, window = ([row for row in here if row.means == means] for means in MEANS)
        found.append(
            Cost(
                way=way,
                core=core,
                start=(stream[0].cycles, window[0].cycles),
                per_word=(_slope(stream, _cycles), _slope(window, _cycles)),
                near_per_word=(_slope(stream, _near_cycles), _slope(window, _near_cycles)),
                even=_even(stream, window, _cycles),
                near_even=_even(stream, window, _near_cycles),
            )
        )
    return found


def _cycles(row: Block) -> int:
    return row.cycles


def _near_cycles(row: Block) -> int:
    return row.near_cycles


def _slope(rows: Sequence[Block], of: Callable[[Block], int]) -> float:
    before, last = rows[-2:]
    return round((of(last) - of(before)) / (last.words - before.words), 3)


def _even(stream: Sequence[Block], window: Sequence[Block], of: Callable[[Block], int]) -> int | None:
    even = None
    for one, other in reversed(list(zip(stream, window, strict=True))):
        if of(other) > of(one):
            break
        even = one.words
    return even
