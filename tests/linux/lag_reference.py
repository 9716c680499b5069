# SPDX-License-Identifier: Apache-2.0
"""Lag and gaps as linux/lagmeter/README.md defines them: slow, and plainly so. Service and gaps are in ms."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

NEW, WAKE, THERE, IN, PREEMPTED, SLEEPS, ENDS = range(7)
NORMAL, FIFO, BATCH, IDLE = 0, 1, 3, 5
_WEIGHTS = """
88761 71755 56483 46273 36291 29154 23254 18705 14949 11916 9548 7620 6100 4904 3906 3121 2501 1991 1586 1277
1024 820 655 526 423 335 272 215 172 137 110 87 70 56 45 36 29 23 18 15
"""
WEIGHTS = tuple(map(int, _WEIGHTS.split()))


@dataclass(frozen=True)
class Event:
    at: int  # ns
    tid: int
    kind: int
    cpu: int = 0
    nice: int = 0
    policy: int = NORMAL
    allowed: int = 99
    counted: int | None = None  # CPU time so far by the kernel, ns

    def line(self) -> str:
        words = (self.at, self.tid, self.kind, self.cpu, self.nice, self.policy, self.allowed)
        known = "" if self.counted is None else f" {self.counted}"
        return f"event {' '.join(map(str, words))}{known}\n"


@dataclass
class Thread:
    tid: int
    nice: int
    policy: int
    counts: bool
    runnable: bool = False
    runs: bool = False
    joined: int = 0  # how many joins there were before this one
    lag: Fraction = Fraction(0)
    behind: Fraction = Fraction(0)
    ahead: Fraction = Fraction(0)
    ideal: Fraction = Fraction(0)
    cpu_ns: int = 0
    wait_ns: int = 0
    value: Fraction = Fraction(0)

    @property
    def weight(self) -> int:
        return 3 if self.policy == IDLE else WEIGHTS[self.nice + 20]


@dataclass
class Reference:
    cpus: int
    threads: dict[int, Thread] = field(default_factory=dict)
    now: int = 0
    largest: Fraction = Fraction(0)
    pair: tuple[int, int] | None = None  # who is ahead, who is behind
    # Of two that are runnable together: how far apart their values were when the later one became so.
    before: dict[tuple[int, int], Fraction] = field(default_factory=dict)

    def active(self) -> list[Thread]:
        return [t for t in self.threads.values() if t.runnable and t.counts]

    def shares(self) -> tuple[dict[int, Fraction], dict[int, Fraction]]:
        """By thread: the CPUs that it ought to have, and its feasible weight."""
        left = sorted(self.active(), key=lambda t: -t.weight)
        cpus = self.cpus
        infeasible = []
        while left and left[0].weight * cpus > sum(t.weight for t in left):
            infeasible.append(left.pop(0))
            cpus -= 1
        whole = sum(t.weight for t in left)
        share = {t.tid: Fraction(t.weight * cpus, whole) for t in left}
        weight = {t.tid: Fraction(t.weight) for t in left}
        for t in infeasible:
            share[t.tid] = Fraction(1)
            weight[t.tid] = Fraction(whole, cpus) if left else Fraction(1024)
        return share, weight

    def until(self, now: int) -> None:
        share, weight = self.shares()
        passed = Fraction(now - self.now, 1_000_000)
        for t in self.threads.values():
            if t.runs:
                t.cpu_ns += now - self.now
            elif t.runnable:
                t.wait_ns += now - self.now
            if t not in self.active():
                continue
            served = passed if t.runs else Fraction(0)
            t.value += served * 1024 / weight[t.tid]
            t.ideal += passed * share[t.tid]
            t.lag += passed * share[t.tid] - served
            t.behind, t.ahead = max(t.behind, t.lag), max(t.ahead, -t.lag)
        self.now = now
        for a, b in itertools.combinations(self.active(), 2):
            gap = a.value - b.value - self.before[a.tid, b.tid]
            if abs(gap) > self.largest:
                self.largest = abs(gap)
                self.pair = (a.tid, b.tid) if gap > 0 else (b.tid, a.tid)

    def join(self, t: Thread) -> None:
        t.runnable = True
        t.lag = Fraction(0)
        for other in self.active():
            self.before[t.tid, other.tid] = t.value - other.value
            self.before[other.tid, t.tid] = other.value - t.value

    def event(self, e: Event) -> None:
        self.until(max(e.at, self.now))
        counts = e.policy != FIFO and e.allowed >= self.cpus
        t = self.threads.setdefault(e.tid, Thread(e.tid, e.nice, e.policy, counts))
        if (t.nice, t.policy, t.counts) != (e.nice, e.policy, counts):
            t.nice, t.policy, t.counts = e.nice, e.policy, counts
            if t.runnable:
                self.join(t)
        if e.kind in (SLEEPS, ENDS):
            t.runnable = t.runs = False
            t.lag = Fraction(0)
            return
        if not t.runnable:
            self.join(t)
        t.runs = e.kind == IN if e.kind in (IN, PREEMPTED) else t.runs


def measured(cpus: int, events: Sequence[Event], end: int) -> Reference:
    reference = Reference(cpus)
    for e in events:
        reference.event(e)
    reference.until(end)
    return reference
