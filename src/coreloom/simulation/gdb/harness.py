# SPDX-License-Identifier: Apache-2.0
"""The line protocol with the harness (rtl/soc/sim/debug.h)."""

from __future__ import annotations

import os
from typing import NamedTuple


class Stop(NamedTuple):
    """Why the time stands still; thread: its number, or that of all threads plus a CPU without one."""

    reason: str
    cpu: int
    thread: int
    address: int


class Exit(NamedTuple):
    """The program has ended."""

    status: int


class Cpu(NamedTuple):
    """Where a CPU is; thread as in Stop."""

    thread: int
    pc: int
    registers: tuple[int, ...]


class Gone(Exception):
    """The simulator has ended."""


class Harness:
    """Our ends of two pipes to the simulator, which has `theirs`."""

    def __init__(self) -> None:
        there, self._out = os.pipe()
        self._in, back = os.pipe()
        self.theirs = (there, back)
        self._rest = b""

    def started(self) -> None:
        """The simulator has its ends."""
        for descriptor in self.theirs:
            os.close(descriptor)

    def close(self) -> None:
        for descriptor in (self._in, self._out):
            os.close(descriptor)

    def fileno(self) -> int:
        """For select: something has arrived."""
        return self._in

    def send(self, *words: object) -> None:
        try:
            os.write(self._out, " ".join(map(str, words)).encode() + b"\n")
        except OSError:
            raise Gone from None

    def line(self) -> str:
        """The next line."""
        while b"\n" not in self._rest:
            part = os.read(self._in, 65536)
            if not part:
                raise Gone
            self._rest += part
        line, _, self._rest = self._rest.partition(b"\n")
        return line.decode()

    def ask(self, *words: object) -> str:
        self.send(*words)
        return self.line()

    def stop(self) -> Stop | Exit:
        """The stop that it tells of."""
        words = self.line().split()
        if words[0] == "exit":
            return Exit(int(words[1]))
        return Stop(words[1], *map(int, words[2:5]))

    def read(self, address: int, length: int, cpu: int = 0) -> bytes | None:
        """Memory as a CPU sees it; None if not all of it is memory."""
        answer = self.ask("read", cpu, address, length)
        return None if answer == "error" else bytes.fromhex(answer)

    def write(self, address: int, data: bytes, cpu: int = 0) -> bool:
        """Whether all of it is memory that can be written."""
        return not data or self.ask("write", cpu, address, data.hex()) == "ok"

    def cpus(self) -> list[Cpu]:
        numbers = list(map(int, self.ask("cpus").split()))
        return [
            Cpu(numbers[at], numbers[at + 1], tuple(numbers[at + 2 : at + 34]))
            for at in range(0, len(numbers), 34)
        ]

    def trapped(self, thread: int) -> Cpu | None:
        """Where a trap has interrupted a thread that is in one."""
        answer = self.ask("trapped", thread)
        if answer == "none":
            return None
        pc, *registers = map(int, answer.split())
        return Cpu(thread, pc, tuple(registers))

    def ran(self, thread: int) -> int:
        """The CPU that has run a thread last."""
        return int(self.ask("ran", thread))

    def cycles(self) -> int:
        """Since reset."""
        return int(self.ask("cycles"))

    def states(self) -> list[int]:
        """The states of the hardware kernel's threads."""
        return list(map(int, self.ask("states").split()))
