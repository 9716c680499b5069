# SPDX-License-Identifier: Apache-2.0
"""Streams of operations written by hand, with what the reference model answers."""

from __future__ import annotations

from coreloom.reference.kernel import SPEC, Config, Kernel
from coreloom.reference.stream import Kind, Step


class Scenario:
    """A stream written by hand; the reference model supplies what must be answered."""

    def __init__(self, config: Config) -> None:
        self.kernel = Kernel(config)
        self.steps = [Step(Kind.RESET, 0, 0, 0, 0, (), 0, 0)]

    def _note(self, kind: Kind, cpu: int, op: int, id: int, word: int, answer: int | None) -> None:
        words = ([] if answer is None else [(cpu, answer)]) + self.kernel.completions()
        config = self.kernel.config
        irq = sum(self.kernel.irq(c) << c for c in range(config.cpus))
        idle = sum(self.kernel.idle(c) << c for c in range(config.clients))
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

    def store(self, cpu: int, name: str, word: int = 0, id: int = 0) -> None:
        self.kernel.store(cpu, SPEC.ops[name].code, id, word)
        self._note(Kind.STORE, cpu, SPEC.ops[name].code, id, word, None)

    def tick(self) -> None:
        self.kernel.tick()
        self._note(Kind.TICK, 0, 0, 0, 0, None)

    def time(self, now: int) -> None:
        """The time goes on."""
        self.kernel.time(now)
        self._note(Kind.TIME, 0, 0, 0, now, None)

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
