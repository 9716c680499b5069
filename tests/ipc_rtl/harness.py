# SPDX-License-Identifier: Apache-2.0
"""Runs cl_ipc with somebody at each port, see rtl/ipc/port/tb/ipc.cpp."""

from __future__ import annotations

import os
import struct
import subprocess
from collections import deque
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from coreloom.design import manifest
from coreloom.paths import RTL
from coreloom.reference.ipc import ERROR, FOREVER, SENTINEL, SPEC, Access, Config, Outputs, address, word
from coreloom.toolchain import verilate
from garbage import from_garbage

__all__ = ["ERROR", "FOREVER", "SENTINEL", "Answer", "Config", "Ports", "word"]

IPC = RTL / "ipc"
SEED = int(os.environ.get("CORELOOM_SEED", "20261122"), 0)


def sources() -> tuple[Path, ...]:
    """All files of cl_ipc."""
    return manifest.files("cl_ipc")


@lru_cache
def model(config: Config, garbage: bool = False) -> Path:
    design = verilate.Design("cl_ipc_bench", (*sources(), IPC / "port" / "tb" / "cl_ipc_bench.sv"))
    harness = IPC / "port" / "tb" / "ipc.cpp"
    name = f"ipc-{config.cpus}{'-pipeline' if config.pipeline else ''}"
    with from_garbage(garbage):
        return verilate.build(design, harness, params(config), name=name, cxx_defines={"CPUS": config.cpus})


def params(config: Config) -> dict[str, int]:
    """The parameters of cl_ipc."""
    return {
        "Cpus": config.cpus,
        "MailboxDepth": config.depth,
        "Mutexes": config.mutexes,
        "Barriers": config.barriers,
        "Pipeline": int(config.pipeline),
    }


class Answer(NamedTuple):
    """An access that is answered: the cycles of grant and answer; word None: a bus error."""

    cpu: int
    granted: int
    answered: int
    word: int | None


IDLE = Access(False, 0)


def pack(
    requests: list[Access | None], interrupts: int = 0, reset: bool = False, flush: bool = True
) -> bytes:
    """A cycle for the bench."""
    words = [flush | reset << 1]
    for cpu, request in enumerate(requests):
        access = request or IDLE
        control = (request is not None) | access.store << 1 | (interrupts >> cpu & 1) << 2
        words += [control, access.address, access.word]
    return struct.pack(f"<{len(words)}I", *words)


def unpack(data: bytes, cpus: int) -> list[Outputs]:
    words = struct.unpack(f"<{2 * cpus}I", data)
    return [
        Outputs(bool(f & 1), bool(f & 2), bool(f & 4), bool(f & 8), value)
        for f, value in zip(words[::2], words[1::2], strict=True)
    ]


class Ports:
    """A session with cl_ipc, cycle by cycle. Cycle 0 is the first one after a reset.

    `issue` puts an access behind those of the same port, `run` lets cycles pass. A port asks in each cycle
    until it is granted, then for the next access in the cycle after.
    """

    def __init__(
        self, cpus: int = 2, depth: int = 16, mutexes: int = 16, barriers: int = 4, pipeline: bool = False
    ) -> None:
        config = Config(cpus, depth, mutexes, barriers, pipeline)
        self._process = subprocess.Popen([model(config)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.cpus = cpus
        self.interrupts = 0  # set of CPUs with an interrupt to take
        self.irq = 0  # set of CPUs that are interrupted, in the last cycle
        self.now = 0  # the next cycle
        self._queues: list[deque[tuple[int, Access]]] = [deque() for _ in range(cpus)]
        self._granted: list[int | None] = [None] * cpus
        self.reset()

    def reset(self) -> None:
        for queue in self._queues:
            queue.clear()
        self._granted = [None] * self.cpus
        self._cycle([None] * self.cpus, reset=True)
        self.now = 0

    def _cycle(self, requests: list[Access | None], reset: bool = False) -> list[Outputs]:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(pack(requests, self.interrupts, reset))
        self._process.stdin.flush()
        return unpack(self._process.stdout.read(8 * self.cpus), self.cpus)

    def issue(
        self,
        cpu: int,
        op: str | int,
        index: int = 0,
        word: int = 0,
        *,
        patience: int = 0,
        store: bool | None = None,
        delay: int = 0,
    ) -> None:
        """An access, asked for `delay` cycles later than it could be. store None: as the operation is."""
        if store is None:
            assert isinstance(op, str) and SPEC.ops[op].access != "both", "say whether it is a store"
            store = SPEC.ops[op].access == "store"
        queue = self._queues[cpu]
        earliest = max(self.now, queue[-1][0] + 1 if queue else 0) + delay
        queue.append((earliest, Access(store, address(op, index, patience), word)))

    def run(self, cycles: int) -> list[Answer]:
        """The answers of so many cycles, in their order, those of one cycle by CPU."""
        answers = []
        for _ in range(cycles):
            requests = [queue[0][1] if queue and queue[0][0] <= self.now else None for queue in self._queues]
            outputs = self._cycle(requests)
            self.irq = sum(out.irq << cpu for cpu, out in enumerate(outputs))
            for cpu, out in enumerate(outputs):
                granted = self._granted[cpu]
                if out.valid:
                    assert granted is not None, f"cpu {cpu}: an answer nobody asked for"
                    answers.append(Answer(cpu, granted, self.now, None if out.error else out.word))
                    self._granted[cpu] = None
                if out.granted:
                    assert requests[cpu] is not None and self._granted[cpu] is None
                    self._queues[cpu].popleft()
                    self._granted[cpu] = self.now
            self.now += 1
        return answers

    def do(
        self,
        cpu: int,
        op: str | int,
        index: int = 0,
        word: int = 0,
        *,
        patience: int = 0,
        store: bool | None = None,
        most: int = 1000,
    ) -> int | None:
        """The answer of an access while the other ports do nothing new; None: a bus error."""
        assert all(granted is None or c != cpu for c, granted in enumerate(self._granted)), "it still waits"
        self.issue(cpu, op, index, word, patience=patience, store=store)
        for _ in range(most):
            for answer in self.run(1):
                assert answer.cpu == cpu, f"an answer for cpu {answer.cpu}"
                return answer.word
        raise AssertionError(f"no answer in {most} cycles")

    def __enter__(self) -> Ports:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.close()
        self._process.stdout.close()
        assert self._process.wait(60) == 0
