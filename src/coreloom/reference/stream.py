# SPDX-License-Identifier: Apache-2.0
"""Random streams of operations with what the reference model answers: the test of RTL and software kernel.

A stream is a list of steps; each step is one access, tick or interrupt level, and what must be seen after
it has taken effect: the words returned (at most one a CPU), irq_o of every CPU, idle_o of every client.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from coreloom.reference.kernel import (
    DEADLINE_MAX,
    GIVE_WAY,
    HARDWARE_PARAM,
    SPEC,
    WORD_MASK,
    Binding,
    Config,
    Kernel,
)


class Kind(IntEnum):
    LOAD = 0
    STORE = 1
    TICK = 2
    INTERRUPT = 3  # word = level
    RESET = 4
    LINE = 5  # a rising edge of interrupt line `id`
    TIME = 6  # word = now_i


# Operations that may leave their caller without a processor for long; kept rare while few threads can run.
_BLOCKING = {
    "thread_exit", "thread_join", "mutex_lock", "mutex_wait", "semaphore_wait", "port_receive", "port_send",
    "cond_wait", "barrier_wait", "interrupt_wait", "dequeue", "remove",
    *(name for name, op in SPEC.ops.items() if op.kind == "flags" and op.gives_way),
}  # fmt: skip
_EPISODE = 4000  # steps from reset to reset: threads lost for good (deadlocks) must not pile up
_MOOD = 500
_PATIENCE = 20  # steps without a thread that can run


@dataclass(frozen=True)
class Step:
    """One stimulus and what follows from it. `words`: (cpu, returned word), one at most for each CPU."""

    kind: Kind
    cpu: int
    op: int
    id: int
    word: int
    words: tuple[tuple[int, int], ...]
    irq: int  # bit c: irq_o of CPU c
    idle: int  # bit c: idle_o of client c

    def pack(self) -> bytes:
        """Little-endian 32-bit words: kind, cpu, op, id, word, irq, idle, n, then n times (cpu, word)."""
        flat = [int(self.kind), self.cpu, self.op, self.id, self.word, self.irq, self.idle, len(self.words)]
        for pair in self.words:
            flat.extend(pair)
        return struct.pack(f"<{len(flat)}I", *flat)


def pack(steps: Iterable[Step]) -> bytes:
    return b"".join(step.pack() for step in steps)


class Generator:
    """Plausible clients of a kernel: mostly right operations, some wrong ones, on all CPUs.

    atomic_save: a thread that gave way is saved in the very next step, as the software kernel does under
    its lock; otherwise saving comes late, by a store or by the next operation.
    interrupts: intr_i levels are part of the stream.
    """

    def __init__(
        self, config: Config, seed: int, *, atomic_save: bool = False, interrupts: bool = True
    ) -> None:
        self.random = random.Random(seed)
        self.kernel = Kernel(config)
        self.config = config
        self.atomic_save = atomic_save
        self.interrupts = interrupts
        self._unsaved: list[int] = []
        self._plan: tuple[int, int, int] | None = None  # the load that follows the WORD0 stored for it
        self._still = 0
        self._codes = {name: op.code for name, op in SPEC.ops.items()}
        # The mood changes from time to time, so that full tables and empty queues are both visited.
        self._weights: list[int] = []
        # Arguments that chance would rarely give
        self._arguments: dict[str, Callable[[int], int]] = {
            "cond_wait": self._ticket,
            "barrier_wait": self._others,
            "interrupt_bind": self._binding,
            "reserve": self._owner,
            "set_weight": lambda id: self.random.choice((1, 1, 2, 3, 5, 20)),
            "set_deadline": self._deadline,
            "move": lambda id: self._argument(),
            "timeout_start": lambda id: self._limit(),
            "mutex_protocol": lambda id: self._protocol(),
            "mutex_wait": lambda id: self._object("cond_wait", None),
        }
        for name, op in SPEC.ops.items():
            if op.kind == "flags" and op.word0:
                self._arguments[name] = lambda id: self._flags()
        if config.policy == "dwrr":
            self._arguments["slice"] = lambda id: self.random.choice((0, 1, 1, 2, 3))
        self._names = [name for name, op in SPEC.ops.items() if op.access == "load"]

    def steps(self, count: int) -> Iterator[Step]:
        """`count` steps; a reset comes first and then from time to time."""
        for number in range(count):
            if number % _MOOD == 0:
                self._change_mood()
            if number % _EPISODE == 0 or self._stuck():
                self._unsaved = []
                self._plan = None
                self.kernel = Kernel(self.config)
                yield self._observe(Kind.RESET, 0, 0, 0, 0, None)
            else:
                yield self._step()

    def _stuck(self) -> bool:
        """No thread can run, and none has for a while (an interrupt handler may still wake one)."""
        self._still = 0 if self._runnable() else self._still + 1
        return self._still > _PATIENCE

    def _change_mood(self) -> None:
        weight = dict.fromkeys(self._names, 3) | dict.fromkeys(_BLOCKING, 12)
        weight |= {"thread_create": 8, "thread_start": 8, "yield": 6, "thread_exit": 4, "mutex_unlock": 8}
        rare = ("next", "self", "slice", "port_close", "mutex_destroy", "cond_destroy", "dequeue", "remove")
        weight |= dict.fromkeys((*rare, "set_idle_thread", "interrupt_unbind", "reserve", "release"), 1)
        if self.config.policy == "dwrr":
            weight |= {"slice": 4, "set_weight": 8}
        if self.config.reserve:
            weight |= {"reserve": 12, "release": 8}
        if self.config.timeouts:
            weight |= {"timeout_start": 24, "timeout_stop": 8}
        if self.config.inheritance:
            weight |= dict.fromkeys(
                ("mutex_create", "mutex_protocol", "mutex_trylock", "set_sched_param"), 10
            )
            weight |= {"mutex_lock": 40, "mutex_unlock": 20, "mutex_leave": 6, "thread_read": 10}
        if self.config.monitors:
            weight |= {"mutex_wait": 24, "mutex_unlock": 12, "mutex_leave": 6}
            weight |= {"cond_signal": 12, "cond_broadcast": 6}
        else:
            weight["mutex_wait"] = 1
        flags = [name for name, op in SPEC.ops.items() if op.kind == "flags"]
        if self.config.event_flags:
            weight |= dict.fromkeys(flags, 6) | {"flags_set": 18}
        else:
            weight |= dict.fromkeys(flags, 0) | {"flags_get": 1}
        if self.config.policy == "edf":
            weight["set_deadline"] = 12
        self._weights = [weight[name] * self.random.choice((1, 1, 3)) for name in self._names]
        self._few = self.random.choice((1, self.config.cpus, self.config.cpus + 3))
        self._late_save = self.random.choice((0.1, 0.5, 0.9))
        self._wrong = self.random.choice((0.02, 0.2))

    def _observe(self, kind: Kind, cpu: int, op: int, id: int, word: int, answer: int | None) -> Step:
        words = ([] if answer is None else [(cpu, answer)]) + self.kernel.completions()
        if self.atomic_save:
            self._unsaved.extend(c for c, w in words if w & GIVE_WAY)
        irq = sum(self.kernel.irq(c) << c for c in range(self.config.cpus))
        idle = sum(self.kernel.idle(c) << c for c in range(self.config.clients))
        return Step(kind, cpu, op, id, word, tuple(words), irq, idle)

    def _load(self, cpu: int, op: int, id: int) -> Step:
        return self._observe(Kind.LOAD, cpu, op, id, 0, self.kernel.load(cpu, op, id))

    def _store(self, cpu: int, name: str, id: int, word: int) -> Step:
        self.kernel.store(cpu, self._codes[name], id, word)
        return self._observe(Kind.STORE, cpu, self._codes[name], id, word, None)

    def _step(self) -> Step:
        if self._unsaved:
            return self._store(self._unsaved.pop(0), "saved", 0, 0)
        rnd = self.random
        if self._plan:
            cpu, op, id = self._plan
            self._plan = None
            return self._load(cpu, op, id)
        free = [c for c in range(self.config.clients) if not self.kernel.cpus[c].waiting]
        return self._passed(free) or self._of_client(rnd.choice(free))

    def _passed(self, free: list[int]) -> Step | None:
        """Time passes, or something disturbs the clients; else it is theirs to do something."""
        rnd = self.random
        if self.config.policy in ("dwrr", "edf") and rnd.random() < 0.15:
            self.kernel.tick()
            return self._observe(Kind.TICK, 0, 0, 0, 0, None)
        if self.config.timeouts and rnd.random() < (0.1 if free else 0.5):
            now = self._later()
            self.kernel.time(now)
            return self._observe(Kind.TIME, 0, 0, 0, now, None)
        if not free or rnd.random() < 0.03:
            return self._disturb(free)
        return None

    def _of_client(self, cpu: int) -> Step:
        """What this client must do, or else an operation; seldom one that there is not."""
        rnd, port = self.random, self.kernel.cpus[cpu]
        if port.leaving is not None and rnd.random() < self._late_save:
            return self._store(cpu, "saved", 0, 0)
        if port.current is None or not self.kernel._runs(cpu):
            if rnd.random() < 0.8:
                return self._load(cpu, self._codes["next"], 0)
        elif cpu < self.config.cpus and self.kernel.irq(cpu) and rnd.random() < 0.7:
            return self._load(cpu, self._codes["preempt"], 0)
        if rnd.random() < 0.25:
            return self._store(cpu, "word0", self._register(), self._argument())
        if rnd.random() < (0.3 if self.config.port_words else 0.1):
            return self._load(cpu, self._codes["word0"], self._register())
        if rnd.random() < 0.01 and (op := rnd.randrange(256)) != self._codes["timeout_start"]:
            return self._load(cpu, op, rnd.randrange(1024))
        return self._operation(cpu)

    def _operation(self, cpu: int) -> Step:
        """An operation of the mood, with a likely object and argument."""
        rnd, port = self.random, self.kernel.cpus[cpu]
        name = rnd.choices(self._names, self._weights)[0]
        while name in _BLOCKING and self._runnable() <= self._few and rnd.random() < 0.95:
            name = rnd.choices(self._names, self._weights)[0]
        if rnd.random() < 0.05 and any(
            line and (line.kind, line.object) == (Binding.THREAD, port.current) for line in self.kernel.lines
        ):
            name = "interrupt_wait"
        if name == "mutex_wait" and self.config.monitors and rnd.random() > self._wrong:
            held = any(mutex and mutex.owner == port.current for mutex in self.kernel.mutexes)
            name = name if held else "mutex_trylock"
        id = self._object(name, port.current)
        if name.endswith("_leave"):
            id, word = self._waiter(name, id)
            self._plan = cpu, self._codes[name], id
            return self._store(cpu, "word0", 0, word)
        if name in self._arguments and (name == "timeout_start" or rnd.random() < 0.9):
            word = self._arguments[name](id)
            self._plan = cpu, self._codes[name], id
            return self._store(cpu, "word0", 0, word)
        return self._load(cpu, self._codes[name], id)

    def _register(self) -> int:
        """WORD0; if there are others, any of them, or seldom none."""
        return self.random.randrange(self.config.port_words + 2) if self.config.port_words else 0

    def _waiter(self, name: str, id: int) -> tuple[int, int]:
        """An object that a thread waits for, and the thread; or any."""
        rnd, kernel = self.random, self.kernel
        tables: dict[str, list[Any]] = {
            "mutex": [*kernel.mutexes], "semaphore": [*kernel.semaphores], "condition": [*kernel.conditions],
        }  # fmt: skip
        kind = SPEC.ops[name].id or ""
        pairs = [(i, tid) for i, o in enumerate(tables.get(kind, ())) if o for tid in o.waiters]
        if kind == "port":
            for i, p in enumerate(kernel.ports):
                if p:
                    pairs += [(i, tid) for tid in p.senders] + [(i, p.receiver)] * p.receiver_waits
        if pairs and rnd.random() < 0.8:
            return rnd.choice(pairs)
        return id, rnd.choice((rnd.randrange(self.config.threads), rnd.getrandbits(32)))

    def _ticket(self, id: int) -> int:
        """The right ticket of a condition variable, or an old one."""
        known = self.kernel.conditions[id : id + 1]
        return (known[0].signals if known and known[0] else 0) - (self.random.random() < 0.2) & 0xFFFF_FFFF

    def _others(self, id: int) -> int:
        """The number of processors that have come to the barrier, or a few more; seldom fewer."""
        known = self.kernel.conditions[id : id + 1]
        came = known[0].signals if known and known[0] else 0
        return came + self.random.choice((0, 0, 1, 2, -1)) & 0xFFFF_FFFF

    def _flags(self) -> int:
        """Few different ones, so that they meet; seldom none."""
        flag = self.random.choice((0x1, 0x2, 0x10000, 0x80000000))
        return self.random.choice((flag, flag, flag | self.random.getrandbits(2), 0x80010003, 0))

    def _protocol(self) -> int:
        """Mostly inheritance; a ceiling is high, and seldom too high."""
        protocol = self.random.choice((0, 1, 1, 1, 2, 2, 3) if self._wrong > 0.1 else (0, 1, 1, 1, 2))
        least = self.config.main_priority
        return protocol << 8 | least + self.random.randrange(self.config.priorities - least + (protocol == 3))

    def _deadline(self, id: int) -> int:
        """Near ones, which meet, and far ones; seldom none."""
        rnd = self.random
        return rnd.choice((rnd.randrange(6), 1 + rnd.randrange(30), DEADLINE_MAX - rnd.randrange(2)))

    def _limits(self) -> list[int]:
        """Times from now to the limits of threads; below 0: they have passed."""
        gaps = [
            t.limit - self.kernel.time_now & WORD_MASK for t in self.kernel.threads if t.limit is not None
        ]
        return sorted(gap - (gap >> 31 << 32) for gap in gaps)

    def _limit(self) -> int:
        """In the past, near or far, but no two at the same time."""
        gap = self.random.choice((-self.random.randrange(9), self.random.randrange(40), (1 << 30) - 200))
        while gap in self._limits():
            gap += 1
        return self.kernel.time_now + gap & WORD_MASK

    def _later(self) -> int:
        """A moment before the next limit, or a far one if there is none."""
        limits = self._limits()
        ahead = [gap for gap in limits if gap > 0]
        step = self.random.randrange(8)
        if ahead and self.random.random() < 0.5:
            step = min(ahead[0], 1 << 20)
        elif not limits:
            step = self.random.getrandbits(30)
        return self.kernel.time_now + min([step, *ahead]) & WORD_MASK

    def _binding(self, id: int) -> int:
        kind = self.random.choice((0, 0, 1, 2, 2, 3))
        size = {1: self.config.semaphores, 2: self.config.ports}.get(kind, 1)
        tables: dict[int, list[Any]] = {1: [*self.kernel.semaphores], 2: [*self.kernel.ports]}
        there = [i for i, o in enumerate(tables.get(kind, ())) if o] or [0]
        return kind << 10 | self.random.choice((self.random.choice(there), self.random.randrange(size or 1)))

    def _owner(self, id: int) -> int:
        there = [
            i for i, thread in enumerate(self.kernel.threads) if thread.state != SPEC.states["free"]
        ] or [0]
        return self.random.choice((self.random.choice(there), self.random.randrange(self.config.threads)))

    def _runnable(self) -> int:
        able = (SPEC.states["ready"], SPEC.states["running"])
        return sum(thread.state in able for thread in self.kernel.threads)

    def _disturb(self, free: list[int]) -> Step:
        """Something from outside; if no CPU can act, an interrupt level gets one going."""
        rnd = self.random
        if rnd.random() < 0.3 or (not self.interrupts and not free):
            id = rnd.randrange(self.config.lines)
            self.kernel.line(id)
            return self._observe(Kind.LINE, 0, 0, id, 0, None)
        if not self.interrupts or (free and rnd.random() < 0.7):
            self.kernel.tick()
            return self._observe(Kind.TICK, 0, 0, 0, 0, None)
        cpu = rnd.randrange(self.config.cpus)
        level = int(not free or not self.kernel.cpus[cpu].interrupt)
        if not free and self.kernel.cpus[cpu].interrupt:
            level = 0  # it must fall before it can rise again
        self.kernel.interrupt(cpu, bool(level))
        return self._observe(Kind.INTERRUPT, cpu, 0, 0, level, None)

    def _argument(self) -> int:
        """An attribute word, priority, count, flag or message: small numbers serve as all of them."""
        rnd = self.random
        if rnd.random() < self._wrong:
            return rnd.getrandbits(32)
        priority = rnd.choice((rnd.randrange(self.config.priorities), self.config.main_priority, 0, 1))
        if self.config.hw_threads and rnd.random() < 0.2:
            priority = HARDWARE_PARAM + rnd.randrange(self.config.hw_threads)
        cpu = rnd.randrange(self.config.cpus)
        return priority | cpu << 8 | rnd.getrandbits(1) << 12 | (rnd.random() < 0.2) << 13

    def _object(self, name: str, current: int | None) -> int:
        """An id that is likely to exist; for receivers and owners one that is likely to be the caller's."""
        rnd, kernel = self.random, self.kernel
        kind = SPEC.ops[name].id
        if kind is None:
            return 0 if rnd.random() > self._wrong else rnd.randrange(1024)
        if rnd.random() < self._wrong:
            return rnd.randrange(1024)
        mine: list[int] = []
        if kind == "port":
            if name != "port_open":
                receiving = name in ("port_close", "port_receive", "port_tryreceive")
                mine = [
                    i for i, p in enumerate(kernel.ports) if p and (not receiving or p.receiver == current)
                ]
            size = self.config.ports
        elif kind == "mutex":
            owned = ("mutex_unlock", "mutex_wait")
            mine = [
                i for i, m in enumerate(kernel.mutexes) if m and (m.owner == current or name not in owned)
            ]
            size = self.config.mutexes
        elif kind == "semaphore":
            mine = [i for i, s in enumerate(kernel.semaphores) if s]
            size = self.config.semaphores
        elif kind == "condition":
            mine = [i for i, c in enumerate(kernel.conditions) if c]
            size = self.config.conditions
        elif kind == "cpu":
            mine = [i for i, owner in enumerate(kernel.owners) if (owner is None) == (name == "reserve")]
            size = self.config.cpus
        elif kind == "line":
            waiting = name == "interrupt_wait"
            mine = [
                i
                for i, li in enumerate(kernel.lines)
                if li and (not waiting or (li.kind, li.object) == (Binding.THREAD, current))
            ]
            size = self.config.lines
        else:
            states = SPEC.states
            wanted = {
                "thread_start": ("created", "suspended"),
                "set_idle_thread": ("created", "suspended"),
                "thread_join": ("exited",),
                "remove": ("ready",),
            }.get(name, tuple(states))
            mine = [
                i
                for i, t in enumerate(kernel.threads)
                if t.state != states["free"] and any(t.state == states[name] for name in wanted)
            ]
            size = self.config.threads
        return rnd.choice(mine) if mine and rnd.random() < 0.9 else rnd.randrange(size or 1)
