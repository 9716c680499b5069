# SPDX-License-Identifier: Apache-2.0
"""Runs one hardware thread with a memory and a stand-in for the kernel, see rtl/hwt/tb/thread.cpp."""

from __future__ import annotations

import struct
import subprocess
from functools import lru_cache
from pathlib import Path

from coreloom.design import hardware_threads, manifest, spec
from coreloom.paths import RTL
from coreloom.toolchain import verilate

KERNEL = spec.kernel()
HWT = RTL / "hwt"
BASE = 0x4000_0000
COMMAND, STATUS, ARGUMENT, RESULT, EXIT_RECORD, FAULT_ADDRESS, UNIT = range(0, 0x1C, 4)
START, STOP, RESUME, RESET = 1, 2, 3, 4
IDLE, RUNNING, STOPPED, FAULTED = range(4)
REFUSED, HAS_THREAD = 8, 16
NEXT, THREAD_EXIT = (KERNEL.ops[name].code for name in ("next", "thread_exit"))
CANCELED = 0xFFFF_FFFF
MOST = 10_000_000


def sources() -> tuple[Path, ...]:
    """All files of a hardware thread."""
    return manifest.files("cl_hw_thread")


@lru_cache
def model(unit: str) -> Path:
    kind = hardware_threads.load()[unit].kind
    design = verilate.Design("cl_hw_thread", sources())
    return verilate.build(design, HWT / "tb" / "thread.cpp", {"Kind": kind}, name=f"hwt-{unit}")


class Thread:
    """A session with a unit: commands are sent at once, `calls` gathers what its kernel was asked for.

    seed 0: no access waits.
    """

    def __init__(self, unit: str, seed: int = 0, size: int = 1 << 20) -> None:
        self._process = subprocess.Popen(
            [model(unit), str(size), str(seed)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        self.calls: list[tuple[int, ...] | str] = []

    def _ask(self, command: str) -> str:
        assert self._process.stdin and self._process.stdout and self._process.stderr
        self._process.stdin.write(command + "\n")
        for line in self._process.stdout:
            words = line.split()
            if words[0] == "call":
                self.calls.append(tuple(int(word, 16) for word in words[1:]))
            elif words[0] == "saved":
                self.calls.append("saved")
            else:
                return words[0]
        raise AssertionError(self._process.stderr.read())

    def write(self, offset: int, value: int, be: int = 15) -> bool:
        """Whether the store to a register was not a bus error."""
        return self._ask(f"write {offset:x} {value:x} {be:x}") == "ok"

    def read(self, offset: int) -> int | None:
        """A register; None is a bus error."""
        answer = self._ask(f"read {offset:x}")
        return None if answer == "error" else int(answer, 16)

    def command(self, command: int) -> bool:
        """Whether the command was accepted."""
        assert self.write(COMMAND, command)
        return not self.status() & REFUSED

    def status(self) -> int:
        status = self.read(STATUS)
        assert status is not None
        return status

    def state(self) -> int:
        return self.status() & 7

    def give(self, tid: int) -> bool:
        """The kernel starts a thread."""
        return self._ask(f"give {tid:x}") == "ok"

    def answer(self, word: int, message: int = 0, delay: int = 0) -> None:
        self._ask(f"answer {word:x} {message:x} {delay}")

    def run(self, cycles: int) -> None:
        self._ask(f"run {cycles}")

    def until(self, mask: int, value: int, most: int = MOST) -> int:
        """Cycles from the last START or give to the cycle in which STATUS & mask == value."""
        answer = self._ask(f"until {mask:x} {value:x} {most}")
        assert answer != "timeout", f"STATUS is 0x{self.status():x}"
        return int(answer)

    def compute(self, argument: int) -> tuple[int, int]:
        """A bare run to its end: the result and the cycles from START to idle."""
        self.write(ARGUMENT, argument)
        self.write(COMMAND, START)
        cycles = self.until(7, IDLE)
        result = self.read(RESULT)
        assert result is not None
        return result, cycles

    def poke(self, address: int, data: bytes) -> None:
        for at in range(0, len(data), 16384):
            self._ask(f"poke {address + at:x} {data[at : at + 16384].hex()}")

    def peek(self, address: int, count: int) -> bytes:
        return bytes.fromhex(self._ask(f"peek {address:x} {count}"))

    def __enter__(self) -> Thread:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin and self._process.stdout and self._process.stderr
        self._process.stdin.close()
        status = self._process.wait(60)
        said = self._process.stderr.read()
        self._process.stdout.close()
        self._process.stderr.close()
        assert status == 0, said


def words(*values: int) -> bytes:
    return struct.pack(f"<{len(values)}I", *(value & 0xFFFF_FFFF for value in values))
