# SPDX-License-Identifier: Apache-2.0
"""Packs programs of calls for program.c, runs them on the SoC, and compares what is logged with the model."""

from __future__ import annotations

import functools
import re
import struct
from collections.abc import Callable, Mapping
from pathlib import Path

from coreloom.design import platform
from coreloom.design.keys import Platform
from coreloom.reference.posix.objects import UNKNOWN
from coreloom.reference.posix.stream import Generator, Program
from coreloom.reference.posix.threads import NOTIFIER, Entry
from coreloom.simulation import simulate
from coreloom.toolchain import elf, firmware, verilate

from ..explore import machine

HERE = Path(__file__).parent
PROGRAM = HERE / "program.c"
LOG = 8  # kinds of trace events: LOG and LOG + 1
SETTLE = {"hw": 60, "sw": 0}
# What the kernel has left for the program: the runtime has a mutex for message queues and, of the hardware
# kernel, one for the heap, and a condition variable for all waits in memory.
LEFT = {
    "hw": {"mutex": 30, "semaphore": 32, "condition": 31},
    "sw": {"mutex": 31, "semaphore": 32, "condition": 31},
}
NAMES = tuple(re.findall(r"CALL\((\w+)\)", (HERE / "calls.h").read_text("utf-8").split("*/")[-1]))
# Those that no thread chooses, or that are logged only.
NOT_CHOSEN = ("end", "go", "exit", "begin", "cleanup", "destructor", "routine", "notified")
NUMBERS = {name: number for number, name in enumerate(NAMES)}
THREADS = 8


def make(seed: int, count: int, kernel: str) -> Program:
    return Generator(seed, count, LEFT[kernel], any_time=seed % 3 == 0).make()


def pack(program: Program) -> bytes:
    """struct stream of program.c."""
    last: dict[int, int] = {}
    following = [0] * (len(program.calls) + THREADS)
    for at, (slot, _) in enumerate(program.calls):
        following[last.get(slot, len(program.calls) + slot)] = at
        last[slot] = at
    records = [
        struct.pack("<BBBBiiI", slot, NUMBERS[c.name], c.object, c.other, c.argument, c.limit, following[at])
        for at, (slot, c) in enumerate(program.calls)
    ]
    return struct.pack(f"<{THREADS}I", *following[len(program.calls) :]) + b"".join(records)


def unpack(words: list[int]) -> list[Entry | str]:
    """The log; a text instead of an entry: what must not be."""
    entries: list[Entry | str] = []
    for word, state in zip(words[::2], words[1::2], strict=False):
        number = word >> 16 & 0xFF
        name = NAMES[number] if number < len(NAMES) else f"call {number}, which there is not,"
        if word >> 24 & 0xF:
            wrong = {1: "interrupts disabled", 2: "the lock held"}.get(word >> 24 & 0xF, "both")
            entries.append(f"slot {word >> 28}: {name} returns with {wrong}")
            continue
        priorities = tuple(state >> 3 * slot & 7 for slot in range(1, NOTIFIER))
        entries.append(Entry(word >> 28, name, word & 0xFFFF, priorities, state >> 21 & 0x7FF))
    return entries


def difference(program: Program, log: list[Entry | str]) -> str:
    """Empty, or the first place where the log is not the model's."""
    heap = UNKNOWN  # what the first count of it says
    for at, entry in enumerate(log):
        if at == len(program.log):
            return f"entry {at}: {entry}, but the model has ended"
        expected = program.log[at]
        expected = expected._replace(time=expected.time & 0x7FF)
        if isinstance(entry, Entry) and expected.result == UNKNOWN:
            heap = entry.result if heap == UNKNOWN else heap
            expected = expected._replace(result=heap)
        if entry != expected:
            return f"entry {at}: {entry} of {program.told[at]}, the model: {expected}"
    return "" if len(log) == len(program.log) else f"ends after {len(log)}: then {program.log[len(log)]}"


def soc(cpus: int) -> Platform:
    return platform.load("smp-standard", cpus, changes={"memory.heap_kib": 8, "memory.thread_stack_kib": 4})


@functools.cache
def image(kernel: str, cpus: int, any_time: bool) -> Path:
    macros = {"LOG": LOG, "SETTLE": SETTLE[kernel], "ANY_TIME": int(any_time)}
    return firmware.build(str(PROGRAM), soc(cpus), kernel, macros)


def play(program: Program) -> list[Entry | str]:
    """The same with the software kernel alone, without the SoC: much faster."""
    words, status, said = machine.play(elf.flat(image("sw", 1, program.any_time)), pack(program), LOG)
    log = unpack(words)
    if status != 0:
        log.append(f"status {status}: {said}")
    return log


def run(program: Program, kernel: str, cpus: int) -> list[Entry | str]:
    model = verilate.build_model(platform.load("smp-standard", cpus))
    options = simulate.Options(inputs=pack(program), max_simulated=60_000_000)
    ran = simulate.run(model, image(kernel, cpus, program.any_time), options)
    log = unpack([event.value for event in ran.events if event.kind in (LOG, LOG + 1)])
    if ran.exit_status:
        log.append(f"{ran.reason}, status {ran.exit_status}: {ran.why or ran.uart}")
    elif ran.exit_status is None:
        log.append(f"{ran.reason}: {ran.why}")
    return log


WHERE: Mapping[str, Callable[[Program], list[Entry | str]]] = {
    "hw": functools.partial(run, kernel="hw", cpus=1),
    "sw": functools.partial(run, kernel="sw", cpus=1),
    "host": play,
}


def kernel_of(where: str) -> str:
    return "sw" if where == "host" else where
