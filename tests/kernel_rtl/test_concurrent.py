# SPDX-License-Identifier: Apache-2.0
"""All clients and lines at the same time: what they saw is what the model says for the engine's order."""

from __future__ import annotations

import json
import struct
import subprocess
from collections import Counter, deque
from dataclasses import replace
from enum import IntEnum
from pathlib import Path

import pytest

from cases import nightly_but
from coreloom.reference.kernel import SPEC, Config, Kernel, error
from coreloom.simulation.harness.kernel_port import params, rtl
from coreloom.toolchain import verilate

from .harness import KERNEL, SEED

WORD0 = SPEC.ops["word0"].code


class Entry(IntEnum):
    RESET = 0
    TAKE = 1
    SAVE = 2
    ANSWER = 3
    READ = 4
    QUIET = 5
    LINE = 6
    TICK = 7
    WRITE = 8


def small(cpus: int, hw_threads: int, policy: str) -> Config:
    return Config(
        cpus=cpus,
        threads=16,
        priorities=8,
        ports=5,
        port_depth=2,
        mutexes=4,
        semaphores=4,
        conditions=2,
        event_flags=True,
        monitors=True,
        lines=5,
        hw_threads=hw_threads,
        policy=policy,
    )


def replay(config: Config, log: bytes) -> None:
    """Play the log on the model."""
    kernel = Kernel(config)
    owed: list[deque[int]] = []
    for number, (kind, cpu, a, b) in enumerate(struct.iter_unpack("<4I", log)):
        where = f"entry {number} (cpu {cpu})"
        if kind == Entry.RESET:
            kernel = Kernel(config)
            owed = [deque() for _ in range(config.clients)]
        elif kind == Entry.TAKE:
            answer = kernel.load(cpu, a >> 10, a & 0x3FF)
            if answer is not None:
                owed[cpu].append(answer)
        elif kind == Entry.SAVE:
            kernel._save(cpu)
        elif kind == Entry.ANSWER:
            if not owed[cpu] and a == error("eintr"):
                kernel.interrupt(cpu, True)
                kernel.interrupt(cpu, False)
                assert kernel.completions() == [(cpu, a)], where
                continue
            assert owed[cpu], f"{where}: answered {a:08x}, nothing was expected"
            expected = owed[cpu].popleft()
            assert a == expected, f"{where}: answered {a:08x}, expected {expected:08x}"
        elif kind == Entry.LINE:
            assert kernel.lines[a] is not None, where
            kernel.line(a)
        elif kind == Entry.READ:
            assert a == kernel.load(cpu, WORD0, b), where
        elif kind == Entry.WRITE:
            kernel.store(cpu, WORD0, b, a)
        elif kind == Entry.TICK:
            kernel.tick()
        elif kind == Entry.QUIET:
            asks = sum(kernel.irq(c) << c for c in range(config.cpus))
            assert a == asks & ~cpu, where  # `cpu` is rests_o here
            assert b == sum(kernel.idle(c) << c for c in range(config.clients)), where
            assert not any(owed), where
        for woken, word in kernel.completions():
            owed[woken].append(word)


@pytest.mark.parametrize(
    ("cpus", "hw_threads", "reserve", "policy"),
    nightly_but(
        [
            *((cpus, units, False, "priority") for cpus, units in ((2, 0), (16, 0), (4, 0), (2, 2), (4, 3))),
            *((cpus, units, True, "priority") for cpus, units in ((4, 1), (2, 0), (16, 0))),
            *((cpus, units, False, "dwrr") for cpus, units in ((4, 3), (2, 0), (4, 0))),
        ],
        [(4, 1, True, "priority"), (4, 3, False, "dwrr")],
    ),
)
def test_concurrent_clients(cpus: int, hw_threads: int, reserve: bool, policy: str, tmp_path: Path) -> None:
    check(replace(small(cpus, hw_threads, policy), reserve=reserve), tmp_path)


@pytest.mark.parametrize(
    ("cpus", "hw_threads", "reserve"),
    [(4, 2, True), *(pytest.param(cpus, 0, False, marks=pytest.mark.nightly) for cpus in (2, 16))],
)
def test_concurrent_clients_of_a_pipeline(cpus: int, hw_threads: int, reserve: bool, tmp_path: Path) -> None:
    # Not with a pipeline
    kernel = replace(small(cpus, hw_threads, "priority"), event_flags=False, monitors=False)
    check(replace(kernel, reserve=reserve, pipeline=True), tmp_path)


def test_concurrent_messages_of_several_words(tmp_path: Path) -> None:
    check(replace(small(3, 1, "priority"), port_words=3), tmp_path)


def concurrent(config: Config) -> Path:
    """The program of concurrent.cpp."""
    design = verilate.Design("cl_kernel_referee", (*rtl(), KERNEL / "tb" / "cl_kernel_referee.sv"))
    return verilate.build(design, KERNEL / "tb" / "concurrent.cpp", params(config), name="kernel-concurrent")


def check(config: Config, tmp_path: Path) -> None:
    log = tmp_path / "log.bin"
    done = subprocess.run(
        [concurrent(config), "20000", str(SEED), log], capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr or done.stdout
    assert json.loads(done.stdout)["cycles_with_several_requests"] > 1000
    log_bytes = log.read_bytes()
    replay(config, log_bytes)
    kinds = Counter(kind for kind, _, _, _ in struct.iter_unpack("<4I", log_bytes))
    assert kinds[Entry.LINE] > 100 and kinds[Entry.TICK] > 100 and kinds[Entry.QUIET] > 100
