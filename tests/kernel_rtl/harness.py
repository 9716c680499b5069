"""Builds cl_kernel with its referee and plays streams on it."""

from __future__ import annotations

import json
import os
import struct
import subprocess
from collections.abc import Iterable
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from coreloom import verilate
from coreloom.model.kernel import SPEC, Config, Kernel
from coreloom.model.stream import Kind, Step, pack
from coreloom.paths import RTL
from coreloom.platform import READY_QUEUES

KERNEL = RTL / "kernel"
SEED = int(os.environ.get("CORELOOM_SEED", "20261121"), 0)

DEFAULT = Config()
LARGE = Config(threads=256, priorities=128)


def small(cpus: int, hw_threads: int = 0) -> Config:
    """Tables that fill up, of sizes that are no powers of two."""
    return Config(
        cpus=cpus,
        threads=16,
        priorities=8,
        ports=6,
        port_depth=3,
        mutexes=5,
        semaphores=5,
        conditions=3,
        lines=5,
        hw_threads=hw_threads,
    )


def camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def params(config: Config, ready_queue: str | None = None) -> dict[str, int]:
    """Parameters of cl_kernel; the usual ready queue for one with or without hardware threads."""
    build = ready_queue or ("hybrid" if config.hw_threads else "bitmap")
    sizes = {camel(name): value for name, value in asdict(config).items()}
    return sizes | {"ReadyQueue": READY_QUEUES.index(build)}


def rtl() -> tuple[Path, ...]:
    return verilate.in_order(KERNEL / "rtl")


@lru_cache
def referee(config: Config, ready_queue: str | None = None) -> Path:
    design = verilate.Design("cl_kernel_referee", (*rtl(), KERNEL / "tb" / "cl_kernel_referee.sv"))
    sizes = params(config, ready_queue)
    return verilate.build(design, KERNEL / "tb" / "referee.cpp", sizes, name="kernel-referee")


class Cycles(NamedTuple):
    """Of one step, from its request: to its answer, another CPU's answer, a quiet unit, irq_o. 0: none."""

    answer: int
    other: int
    quiet: int
    irq: int


def play(
    config: Config, steps: Iterable[Step], seed: int, folder: Path, model: Path | None = None
) -> tuple[dict[str, Any], list[Cycles]]:
    """What the referee reports, and the cycles of each step. A mismatch fails the test.

    seed 0: each step waits for a quiet unit; others: delays and overlaps. model: another build of the unit.
    """
    stream, cycles = folder / "stream.bin", folder / "cycles.bin"
    stream.write_bytes(pack(steps))
    done = subprocess.run(
        [model or referee(config), stream, str(seed), cycles], capture_output=True, text=True, timeout=1200
    )
    assert done.returncode == 0, f"{config}, seed {seed}: {done.stderr or done.stdout}"
    raw = cycles.read_bytes()
    stream.unlink()
    return json.loads(done.stdout), [Cycles(*words) for words in struct.iter_unpack("<4I", raw)]


class Scenario:
    """A stream written by hand; the reference model supplies what must be answered."""

    def __init__(self, config: Config) -> None:
        self.kernel = Kernel(config)
        self.steps = [Step(Kind.RESET, 0, 0, 0, 0, (), 0, 0)]

    def _note(self, kind: Kind, cpu: int, op: int, id: int, word: int, answer: int | None) -> None:
        words = ([] if answer is None else [(cpu, answer)]) + self.kernel.completions()
        cpus = range(self.kernel.config.cpus)
        irq = sum(self.kernel.irq(c) << c for c in cpus)
        idle = sum(self.kernel.idle(c) << c for c in cpus)
        self.steps.append(Step(kind, cpu, op, id, word, tuple(words), irq, idle))

    def code(self, cpu: int, op: int, id: int = 0) -> int | None:
        """A load of any operation code."""
        answer = self.kernel.load(cpu, op, id)
        self._note(Kind.LOAD, cpu, op, id, 0, answer)
        return answer

    def do(self, cpu: int, name: str, id: int = 0, word0: int | None = None) -> int | None:
        """The operation `name`, after storing word0 if given. The word it answers, None while pending."""
        if word0 is not None:
            self.store(cpu, "word0", word0)
        return self.code(cpu, SPEC.ops[name].code, id)

    def store(self, cpu: int, name: str, word: int = 0) -> None:
        self.kernel.store(cpu, SPEC.ops[name].code, 0, word)
        self._note(Kind.STORE, cpu, SPEC.ops[name].code, 0, word, None)

    def tick(self) -> None:
        self.kernel.tick()
        self._note(Kind.TICK, 0, 0, 0, 0, None)

    def line(self, line: int) -> None:
        """A rising edge of an interrupt line."""
        self.kernel.line(line)
        self._note(Kind.LINE, 0, 0, line, 0, None)

    def interrupt(self, cpu: int, level: bool) -> None:
        self.kernel.interrupt(cpu, level)
        self._note(Kind.INTERRUPT, cpu, 0, 0, int(level), None)

    def thread(self, cpu: int, attributes: int, start: bool = True) -> int:
        """A new thread."""
        tid = self.do(cpu, "thread_create", word0=attributes)
        assert tid is not None
        if start:
            self.do(cpu, "thread_start", tid)
        return tid

    def switch(self, cpu: int, name: str, id: int = 0, word0: int | None = None) -> int | None:
        """An operation that gives way, and the save of the thread left."""
        answer = self.do(cpu, name, id, word0)
        self.store(cpu, "saved")
        return answer

    def read_out(self, cpu: int) -> None:
        """Everything that operations can read without a change."""
        config = self.kernel.config
        self.do(cpu, "word0")
        for tid in range(config.threads + 1):
            self.do(cpu, "thread_read", tid)
            self.do(cpu, "get_entry", tid)
        for semaphore in range(config.semaphores + 1):
            self.do(cpu, "semaphore_value", semaphore)
        for condition in range(config.conditions + 1):
            self.do(cpu, "cond_ticket", condition)
        for client in range(config.clients):
            if not self.kernel.cpus[client].waiting:
                self.do(client, "is_empty")
