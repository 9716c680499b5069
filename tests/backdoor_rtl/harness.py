# SPDX-License-Identifier: Apache-2.0
"""Runs cl_backdoor with a processor at each end, edge by edge, see rtl/ipc/backdoor/tb/backdoor.cpp."""

from __future__ import annotations

import os
import random
import struct
import subprocess
from collections.abc import Generator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from coreloom.design import manifest, spec
from coreloom.design.spec import Register
from coreloom.paths import RTL
from coreloom.toolchain import verilate
from garbage import from_garbage

BACKDOOR = RTL / "ipc" / "backdoor"
SEED = int(os.environ.get("CORELOOM_SEED", "20261122"), 0)
NEAR, FAR = 0, 1
SPEC = spec.backdoor()
DOWN, UP = SPEC.limits["down_offset"], SPEC.limits["up_offset"]
BLOCK, MEMORY = 0x1000, 0x4000  # bytes, of the bench


def offsets(registers: dict[str, Register]) -> dict[str, int]:
    """Offset of each register by name; those of several are name0, name1, ..."""
    return {
        f"{name}{n}" if register.count > 1 else name: register.offset + 4 * n
        for name, register in registers.items()
        for n in range(register.count)
    }


OFFSETS = (offsets(SPEC.registers["near"]), offsets(SPEC.registers["far"]))


def bit(layout: str, field: str) -> int:
    """A field of one bit that is 1."""
    return 1 << SPEC.layouts[layout][field].lsb


def sources() -> tuple[Path, ...]:
    """All files of cl_backdoor."""
    return manifest.files("cl_backdoor")


@lru_cache
def model(late: bool, depth: int, garbage: bool = False) -> Path:
    design = verilate.Design(
        "cl_backdoor_bench",
        (*sources(), BACKDOOR / "tb" / "cl_backdoor_bench.sv"),
        defines=("CL_SYNC_LATE",) if late else (),
    )
    with from_garbage(garbage):
        return verilate.build(design, BACKDOOR / "tb" / "backdoor.cpp", {"MailDepth": depth}, name="backdoor")


class Ask(NamedTuple):
    """An access of a side in a cycle; word None: a load."""

    register: int | str  # its offset, or its name
    word: int | None = None
    be: int = 15


class Seen(NamedTuple):
    """What a side sees in a cycle: its lines, and the answer to what it asked in the cycle before."""

    word: int | None  # None: a bus error
    irq: bool  # near_irq_o or bell_irq_o
    dma_irq: bool
    fault_irq: bool
    live: bool  # the core is not in reset
    cycle: int  # of this side


Side = Generator["Ask | None", Seen, None]  # asks in each cycle for something or nothing
IDLE = Ask(0)


class Door:
    """cl_backdoor in a process of its own. Sides are generators that are resumed once a cycle of their clock.

    Periods are in any unit; edge n of a side, which ends its cycle n, is at phase + n * period.
    """

    def __init__(
        self,
        periods: tuple[int, int] = (1000, 1000),
        phases: tuple[int, int] = (0, 0),
        late: bool = False,
        depth: int = 16,
        seed: int = SEED,
        garbage: bool = False,
    ) -> None:
        command = [str(model(late, depth, garbage)), str(seed & 0x7FFFFFFF or 1)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.periods = periods
        self.random = random.Random(seed)
        self.cycles = [0, 0]
        self.pc = 0  # of the core
        self.fault: int | None = None  # address of a fault of the core in the next cycle
        self.poked: tuple[int, int] | None = None  # address and word: into a memory with the next edge
        self.memory = FAR  # whose memory poke and peek mean
        self.grants = 100  # percent of the cycles in which each DMA has its memory
        self.stopped = False  # the far clock
        self._next = list(phases)
        self._sides: list[Side | None] = [None, None]
        self._asks: list[Ask | None] = [None, None]
        self._out = (0, 0, 0, 0)
        self.reset()

    def reset(self) -> None:
        """Of both sides, whatever they do."""
        self._sides, self._asks = [None, None], [None, None]
        self.fault = self.poked = None
        for edges in (0, 4, 0):  # the simulator wants to see it fall
            self._play(edges)

    def _play(self, edges: int, peek: int = 0) -> None:
        near, far = (ask or IDLE for ask in self._asks)
        near_control = (self._asks[NEAR] is not None) | (near.word is not None) << 1 | near.be << 2
        near_control |= self._granted() << 6
        far_control = (self._asks[FAR] is not None) | (far.word is not None) << 1
        far_control |= (self.fault is not None) << 2 | (self.poked is not None) << 4
        far_control |= self._granted() << 3 | (self.memory == NEAR) << 5
        address, word = self.poked or (peek, 0)
        data = struct.pack(
            "<11I",
            edges,
            near_control,
            self._offset(NEAR, near),
            near.word or 0,
            far_control,
            self._offset(FAR, far),
            far.word or 0,
            self.pc,
            self.fault or 0,
            address,
            word,
        )
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(data)
        self._process.stdin.flush()
        self._out = struct.unpack("<4I", self._process.stdout.read(16))
        if edges & (1 << self.memory):
            self.poked = None

    def _granted(self) -> bool:
        return self.grants == 100 or self.random.randrange(100) < self.grants

    @staticmethod
    def _offset(side: int, ask: Ask) -> int:
        return ask.register if isinstance(ask.register, int) else OFFSETS[side][ask.register]

    def _resume(self, side: int) -> None:
        """The side sees the cycle that begins, and asks in it."""
        process = self._sides[side]
        if process is None:
            self._asks[side] = None
            return
        try:
            self._asks[side] = process.send(self.seen(side))
        except StopIteration:
            self._sides[side] = self._asks[side] = None

    def seen(self, side: int) -> Seen:
        flags = self._out[3]
        error, irq = (flags & 1, flags & 2) if side == NEAR else (flags & 4, flags & 8)
        word = None if error else self._out[side]
        return Seen(word, bool(irq), bool(flags & 16), bool(flags & 32), bool(flags & 64), self.cycles[side])

    def step(self) -> None:
        """To the next edge, or edges."""
        times = [t for s, t in enumerate(self._next) if not (s == FAR and self.stopped)]
        now = min(times)
        edges = [s for s in (NEAR, FAR) if self._next[s] == now and not (s == FAR and self.stopped)]
        self._play(sum(1 << side for side in edges))
        for side in edges:
            self._next[side] += self.periods[side]
            self.cycles[side] += 1
            if side == FAR:
                self.fault = None
        if self.stopped:
            self._next[FAR] = max(self._next[FAR], now)
        for side in edges:
            self._resume(side)

    def start(self, side: int, process: Side) -> None:
        """From the cycle on that has begun already."""
        assert self._sides[side] is None
        self._sides[side] = process
        self._asks[side] = next(process)

    def run(self, near: Side | None = None, far: Side | None = None, most: int = 100_000) -> None:
        """Until both have ended."""
        for side, process in enumerate((near, far)):
            if process is not None:
                self.start(side, process)
        for _ in range(most):
            if self._sides == [None, None]:
                return
            self.step()
        raise AssertionError(f"not at the end in {most} edges")

    def wait(self, cycles: int, side: int = NEAR) -> None:
        """So many cycles of a side."""
        end = self.cycles[side] + cycles
        while self.cycles[side] < end:
            self.step()

    def do(self, side: int, register: int | str, word: int | None = None, be: int = 15) -> int | None:
        """One access; None: a bus error."""
        answer: list[int | None] = []

        def process() -> Side:
            seen = yield Ask(register, word, be)
            answer.append(seen.word)

        self.start(side, process())
        while self._sides[side] is not None:
            self.step()
        return answer[0]

    def near(self, register: int | str, word: int | None = None, be: int = 15) -> int | None:
        return self.do(NEAR, register, word, be)

    def far(self, register: int | str, word: int | None = None) -> int | None:
        return self.do(FAR, register, word)

    def status(self) -> int:
        status = self.near("status")
        assert status is not None
        return status

    def until(self, live: bool, most: int = 1000) -> int:
        """The cycles of the far side until processor 1 is held, or runs."""
        start = self.cycles[FAR]
        while self.seen(FAR).live != live:
            assert self.cycles[FAR] - start < most, f"live is not {live}"
            self.step()
        return self.cycles[FAR] - start

    def begin(self) -> Door:
        """Starts processor 1, and waits until the near side knows it."""
        assert self.near("control", 1) == 0
        self.until(live=True)
        assert self.status() & bit("status_word", "running")
        return self

    def poke(self, address: int, words: list[int], side: int = FAR) -> None:
        """Words into the memory of a processor, in no time of the other side."""
        asks, self._asks, self.memory = self._asks, [None, None], side
        for n, word in enumerate(words):
            self.poked = (address + 4 * n, word)
            self._play(1 << side)
        self._asks, self.memory = asks, FAR

    def peek(self, address: int, words: int, side: int = FAR) -> list[int]:
        self.memory, found = side, []
        for n in range(words):
            self._play(0, peek=address + 4 * n)
            found.append(self._out[2])
        self.memory = FAR
        return found

    def __enter__(self) -> Door:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.close()
        self._process.stdout.close()
        assert self._process.wait(60) == 0
