# SPDX-License-Identifier: Apache-2.0
"""What a program asks of its kernel: one run on one CPU with the hardware kernel, whose calls are counted.

There an operation is one load, so that it is counted once; the cycles of the program's own are the same with
both kernels, but for the caches.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from coreloom.exploration.pareto import Work
from coreloom.simulation.places import Code
from coreloom.simulation.simulate import Event, Kind

# The kind of an operation, by the beginning of its name; the first that fits.
KINDS = {
    "port_": "port",
    "semaphore_": "semaphore",
    "mutex_": "mutex",
    "cond_": "condition",
    "barrier_": "barrier",
    "event_": "event flags",
    "interrupt_": "interrupt",
    "yield": "yield",
    "": "thread",
}
# What serves a service of the hardware kernel, by the functions that a program is linked with.
USES = {
    "timeouts": r"cl_timer_start$",
    "inheritance": r"pthread_mutexattr_setprotocol$|pthread_mutex_setprioceiling$",
    "events": r"event_flags_",
    "reserve": r"cl_cpu_reserve$",
}
COMMUNICATES = re.compile(r"mailbox_|doorbell_|channel_|cpu_(mutex|barrier|reset)_")
MOST_WATCHED = 224  # addresses of one run


class Calls(msgspec.Struct, frozen=True, kw_only=True):
    """Operations of one kind; waits: those after which another thread ran."""

    kind: str
    calls: int
    waits: int


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """Cycles are of the measured window, on one CPU with the hardware kernel."""

    core: str
    cycles: int
    own: int  # of the program and the library
    kernel: int
    idle: int
    calls: list[Calls]
    threads: dict[str, int]  # cycles of each thread, the kernel's on its behalf with them
    interrupts: int
    done: int  # units of work
    services: list[str]  # of the hardware kernel that it may use
    communicates: bool  # it uses the communication port

    @property
    def count(self) -> int:
        """Of all calls."""
        return sum(each.calls for each in self.calls)

    @property
    def between(self) -> float | None:
        """Cycles of its own from a call to the next; None without calls."""
        return self.own / self.count if self.count else None

    @property
    def work(self) -> Work:
        """Its longest thread without all of the kernel's cycles, as far as nothing says whose they are."""
        return Work(self.own, max(0, max(self.threads.values(), default=0) - self.kernel))


class Watched(NamedTuple):
    """An operation, and where its code begins."""

    operation: str
    address: int


_PREFIX = "cl_op_"


def operations(code: Code) -> list[Watched]:
    """Each place in a program where an operation of the kernel begins."""
    return [Watched(name.removeprefix(_PREFIX), address) for name, address in code.begins(_PREFIX)]


def kind(operation: str) -> str:
    """The kind of an operation, in words."""
    return next(text for beginning, text in KINDS.items() if operation.startswith(beginning))


def services(functions: Iterable[str]) -> list[str]:
    """The services of the hardware kernel that a program with these functions may use."""
    return [service for service, names in USES.items() if any(map(re.compile(names).match, functions))]


def communicates(functions: Iterable[str]) -> bool:
    """Whether a program with these functions uses the communication port."""
    return any(map(COMMUNICATES.match, functions))


def calls(events: Sequence[Event], watched: Sequence[Watched], start: int) -> list[Calls]:
    """Operations from cycle `start` on by kind, those with most calls first."""
    count: Counter[str] = Counter()
    waits: Counter[str] = Counter()
    last: dict[int, str] = {}  # of each CPU: the operation that may yet wait
    for event in sorted(events, key=lambda event: event.cycle):
        if event.kind >= Kind.WATCH:
            what = kind(watched[event.kind - Kind.WATCH].operation)
            last[event.cpu] = what
            count[what] += event.cycle >= start
        elif event.kind == Kind.TRAP:
            last.pop(event.cpu, None)
        elif event.kind == Kind.RUN and event.cpu in last:
            waits[last.pop(event.cpu)] += event.cycle >= start
    return [Calls(kind=what, calls=n, waits=waits[what]) for what, n in count.most_common() if n]


class Ran(NamedTuple):
    """A CPU ran a thread in the cycles [begin, end)."""

    cpu: int
    thread: int
    begin: int
    end: int


def ran(events: Iterable[Event], cpus: int, end: int) -> Iterator[Ran]:
    """When each CPU ran a thread: from its first instruction to the next thread's, without idling."""
    running: list[int | None] = [0] + [None] * (cpus - 1)
    since: list[int | None] = [0] + [None] * (cpus - 1)
    for event in sorted(events, key=lambda event: event.cycle):
        cpu, begin, thread = event.cpu, since[event.cpu], running[event.cpu]
        if event.kind not in (Kind.RUN, Kind.IDLE):
            continue
        if begin is not None and thread is not None:
            yield Ran(cpu, thread, begin, event.cycle)
        if event.kind == Kind.RUN:
            running[cpu] = event.value
        since[cpu] = None if event.kind == Kind.IDLE and event.value else event.cycle
    for cpu, thread in enumerate(running):
        begin = since[cpu]
        if begin is not None and thread is not None:
            yield Ran(cpu, thread, begin, end)


def names(events: Iterable[Event], texts: Sequence[str], cpus: int) -> dict[int, str]:
    """The name of each thread that ran, by its number."""
    given = iter(texts)
    running: list[int | None] = [0] + [None] * (cpus - 1)
    found = {0: "main"}
    for event in sorted(events, key=lambda event: event.cycle):
        if event.kind == Kind.RUN:
            running[event.cpu] = event.value
            found.setdefault(event.value, f"thread {event.value}")
        elif event.kind == Kind.NAME:
            text, thread = next(given), running[event.cpu]
            if text and thread is not None:
                found[thread] = text
    return found


def threads(events: Sequence[Event], texts: Sequence[str], cpus: int, start: int, end: int) -> dict[str, int]:
    """Cycles of each thread in the window, by its name; threads of one name together would not be longer."""
    known = names(events, texts, cpus)
    spent: Counter[int] = Counter()
    for each in ran(events, cpus, end):
        spent[each.thread] += max(0, each.end - max(each.begin, start))
    found: dict[str, int] = {}
    for thread, cycles in spent.items():
        name = known[thread]
        found[name if name not in found else f"{name} ({thread})"] = cycles
    return found


def interrupts(events: Iterable[Event], start: int) -> int:
    """Edges of interrupt lines in the window."""
    return sum(event.kind == Kind.INTERRUPT and event.cycle >= start for event in events)
