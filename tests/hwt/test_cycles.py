# SPDX-License-Identifier: Apache-2.0
"""Exact cycles of the hardware threads when nothing makes them wait: the tables of rtl/hwt/README.md."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

import pytest

from .harness import (
    ARGUMENT,
    BASE,
    COMMAND,
    EXIT_RECORD,
    HAS_THREAD,
    HWT,
    IDLE,
    RESET,
    RUNNING,
    START,
    Thread,
    words,
)
from .test_units import convolution_block

README = (HWT / "README.md").read_text()


def table(heading: str) -> dict[str, int]:
    """Rows of two columns below a heading of the README."""
    text = README.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    rows = re.findall(r"^\| ([^|]+) \| (\d+) \|$", text, re.MULTILINE)
    return {name: int(cycles) for name, cycles in rows}


def sorting(thread: Thread, values: list[int]) -> int:
    thread.poke(BASE + 0x1000, words(*values))
    thread.poke(BASE, words(BASE + 0x1000, len(values)))
    return thread.compute(BASE)[1]


def units() -> Iterator[tuple[str, int]]:
    draw = random.Random(1)
    with Thread("crc32") as thread:
        for name, start, length in (
            ("nothing", 0, 0),
            ("1 byte", 0, 1),
            ("1024 bytes, aligned", 0, 1024),
            ("1024 bytes, from the second byte of a word", 1, 1024),
            ("65536 bytes, aligned", 0, 65536),
        ):
            thread.poke(BASE, words(BASE + 0x1000 + start, length, 0))
            yield f"crc32: {name}", thread.compute(BASE)[1]
    with Thread("convolution") as thread:
        for width, height in ((1, 1), (64, 48), (320, 240)):
            thread.poke(BASE, convolution_block(width, height, (width + 3) // 4 * 4, [1] * 9, 3, 0))
            yield f"convolution: {width} x {height} pixels", thread.compute(BASE)[1]
    with Thread("sort") as thread:
        for count in (1, 16, 256, 4096, 65536):
            values = [draw.getrandbits(32) for _ in range(count)]
            yield f"sort: {count} words at random", sorting(thread, values)
        values = sorted(values[:4096])
        yield "sort: 4096 words at random, sorted already", sorting(thread, values)
        yield "sort: 4096 equal words", sorting(thread, [5] * 4096)
        yield "sort: 4096 words below 256", sorting(thread, [value & 255 for value in values])
    with Thread("template") as thread:
        thread.poke(BASE, words(BASE + 0x1000, 100, 0))
        yield "template: 100 words, without the post", thread.compute(BASE)[1] - 2


def control() -> Iterator[tuple[str, int]]:
    def state(thread: Thread, wanted: int) -> int:
        return thread.until(HAS_THREAD | 7, wanted)

    with Thread("script") as thread:
        thread.poke(BASE, words(0x101, 0, 0))  # spins
        thread.write(ARGUMENT, BASE)
        thread.write(COMMAND, START)
        yield "START by a store, to the module's first cycle", state(thread, RUNNING)
        thread.write(COMMAND, RESET)
        thread.give(5)
        # The kernel's response is in the cycle after `give`.
        yield (
            "START by the kernel's answer, to the module's first cycle",
            state(thread, HAS_THREAD | RUNNING) - 1,
        )
    with Thread("script") as thread:
        # A step that waits for one cycle, and one that calls and writes a word more to the memory
        took = {}
        for name, op in (("delay", 0x104), ("operation", 4)):
            thread.poke(BASE, words(op, 0, 0, 0, 0) + words(0x100, 0, 0))
            thread.write(ARGUMENT, BASE)
            thread.give(5)
            state(thread, HAS_THREAD | RUNNING)
            took[name] = state(thread, HAS_THREAD | IDLE)
            thread.until(HAS_THREAD, 0)
        yield "operation of a module with argument and message", took["operation"] - took["delay"] - 1 + 1
    with Thread("template") as thread:
        thread.poke(BASE, words(BASE, 0, 0))
        bare = thread.compute(BASE)[1] - 1
        thread.give(5)
        begun = state(thread, HAS_THREAD | RUNNING)
        # In a bare run the answer comes in the second cycle.
        yield "operation of a module, plain", state(thread, HAS_THREAD | IDLE) - begun - bare + 2
    for name, record, joiner in (
        ("without an exit record", 0, 0),
        ("with an exit record", BASE + 0x100, 0),
        ("with an exit record and a joiner", BASE + 0x100, BASE + 0x200),
    ):
        with Thread("script") as thread:
            thread.poke(BASE, words(0x100, 0, 0))
            thread.poke(BASE + 0x104, words(joiner))
            thread.write(ARGUMENT, BASE)
            thread.write(EXIT_RECORD, record)
            thread.give(5)
            state(thread, HAS_THREAD | RUNNING)
            ended = state(thread, HAS_THREAD | IDLE)
            yield f"end of a thread {name}, to its thread_exit", thread.until(HAS_THREAD, 0) - ended


@pytest.mark.parametrize(("heading", "measure"), [("Cycles", control), ("Cycles of the units", units)])
def test_cycles(heading: str, measure: object) -> None:
    assert callable(measure)
    assert dict(measure()) == table(heading)
