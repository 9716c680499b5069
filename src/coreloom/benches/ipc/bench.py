# SPDX-License-Identifier: Apache-2.0
"""Every mechanism of [IPC] and more, on every platform with a communication port.

Blocks of words from local memory to local memory (transfer), single operations (latency), the start of the
user task (start), and what of it was to be reached.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import msgspec

from coreloom.benches.ipc import latency, start, transfer
from coreloom.benches.ipc.start import Start
from coreloom.benches.ipc.transfer import MECHANISMS, Mechanism, Row
from coreloom.design import platform
from coreloom.jobs.job import Job, whole
from coreloom.report import results
from coreloom.report.figure import Figure
from coreloom.report.table import number
from coreloom.toolchain.firmware import KERNELS

KINDS = ("amp", "smp")
CORES = ("standard", "economy")
CPUS = (2, 4, 8)
# [IPC] section 4: the numbers of its table are not in the text that there is. The text says that polling is
# the fastest and polling 2 slower; the rest of this order is what their overheads let expect.
PAPER_ORDER = ("polling_wires", "polling2_wires", "interrupt", "semaphore")
PAPER_WORDS = (8, 32, 128)
SEMAPHORE_PATH = 400
HEADLINE = "8 words by a semaphore, hardware kernel, 2 CPUs"


class Place(NamedTuple):
    """A platform: its kind (amp, smp, or amp with an SDRAM), its core, how many."""

    kind: str
    core: str
    cpus: int

    def platform(self) -> platform.Platform:
        return transfer.load(*self)

    def text(self) -> str:
        return f"{self.kind}-{self.core}, {self.cpus} CPUs"


def places(
    kinds: Sequence[str] = KINDS, cores: Sequence[str] = CORES, cpus: Sequence[int] = CPUS
) -> list[Place]:
    return [Place(kind, core, number) for kind in kinds for core in cores for number in cpus]


def sdram_places(cores: Sequence[str] = CORES) -> list[Place]:
    """[IPC]'s system with an SDRAM as its global memory."""
    return places((transfer.SDRAM,), cores, (2,))


def mechanisms(place: Place) -> list[Mechanism]:
    """Those of other APIs on [IPC]'s system only."""
    is_paper = (place.kind, place.cpus) == ("amp", 2)
    return [mechanism for mechanism in MECHANISMS.values() if is_paper or not mechanism.api]


def sizes(mechanism: Mechanism, words: Sequence[int]) -> tuple[int, ...]:
    """The semaphore also without the copying: its path is what is to be reached."""
    return (0, *words) if mechanism.name == "semaphore" else tuple(words)


def _transfers(place: Place, mechanism: Mechanism, words: Sequence[int]) -> list[Job[Row | Start]]:
    wanted: list[Job[Row | Start]] = []
    for kernel in mechanism.kernels:
        what = transfer.titled(mechanism.title, kernel if mechanism.by_kernel else None)
        run = partial(transfer.measure, *place, kernel, mechanism, words)
        wanted.append(Job(f"{place.text()}: {what}", whole(run)))
    return wanted


def paper_jobs(where: Sequence[Place]) -> list[Job[Row | Start]]:
    """[IPC]'s four mechanisms in its sizes at these places."""
    four = [mechanism for mechanism in MECHANISMS.values() if mechanism.paper]
    return [job for place in where for mechanism in four for job in _transfers(place, mechanism, PAPER_WORDS)]


def jobs(where: Sequence[Place], words: Sequence[int] = transfer.WORDS) -> list[Job[Row | Start]]:
    """Every measurement at these places, in the order of the tables."""
    wanted: list[Job[Row | Start]] = []
    for place in where:
        for mechanism in mechanisms(place):
            wanted += _transfers(place, mechanism, sizes(mechanism, words))
        for kernel in KERNELS:
            text = f"{place.text()}: single operations, {KERNELS[kernel]} kernel"
            wanted.append(Job(text, whole(partial(latency.measure, *place, kernel))))
        for kernel in KERNELS:
            text = f"{place.text()}: start of the user task, {KERNELS[kernel]} kernel"
            wanted.append(Job(text, whole(partial(start.measure, *place, kernel))))
    return wanted


def busy_jobs(where: Sequence[Place]) -> list[Job[Row | Start]]:
    """Every mechanism between pairs in [IPC]'s sizes, where the receiver is busy with another thread."""
    return [
        Job(f"{place.text()}: {transfer.titled(m.title, kernel)}, busy receiver", whole(run))
        for place in where
        for m in MECHANISMS.values()
        if m.shape == "pairs" and not m.api
        for kernel in m.kernels
        for run in (partial(transfer.measure, *place, kernel, m, PAPER_WORDS, transfer.BUSY),)
    ]


class Result(results.Result, kw_only=True):
    """What `coreloom bench ipc` writes."""

    rows: list[Row]
    starts: list[Start] = msgspec.field(default_factory=list)
    unit: str = "cycles"


class Order(NamedTuple):
    """[IPC]'s four mechanisms of one core and size, the fastest first; `kept`: as expected."""

    core: str
    kernel: str  # of the semaphore
    cpus: int
    words: int
    cycles: dict[str, int]
    kept: bool


def orders(rows: Sequence[Row], kind: str = "amp") -> list[Order]:
    """By core, kernel, CPUs and size. The paper's semaphore is one of a software kernel."""
    here = [row for row in rows if row.part == "transfer" and row.platform == kind and row.words]
    measured = {(row.core, row.cpus, row.words, row.mechanism, row.kernel): row.cycles for row in here}
    cases = dict.fromkeys((row.core, kernel, row.cpus, row.words) for row in here for kernel in KERNELS)
    found = []
    for core, kernel, cpus, words in sorted(cases, key=lambda case: case[:2], reverse=True):
        keys = {
            name: (core, cpus, words, name, kernel if MECHANISMS[name].by_kernel else None)
            for name in PAPER_ORDER
        }
        if all(key in measured for key in keys.values()):
            cycles = {name: measured[key] for name, key in keys.items()}
            kept = all(a < b for a, b in pairwise(cycles.values()))
            fastest_first = dict(sorted(cycles.items(), key=lambda item: item[1]))
            found.append(Order(core, kernel, cpus, words, fastest_first, kept))
    return found


def figures(rows: Sequence[Row], starts: Sequence[Start] = ()) -> list[Figure]:
    """What was to be reached beside what is: the standard core on amp; the start of the user task on both."""
    waiting = [row for row in rows if row.part != transfer.BUSY]
    here = [row for row in waiting if (row.platform, row.core) == ("amp", "standard")]

    def of(mechanism: str) -> list[Row]:
        return [row for row in here if row.mechanism == mechanism]

    def operation(what: str, mechanism: str, name: str, at_most: int, bound: int) -> Figure:
        slowest = max(row.cycles for row in of(mechanism) if row.operation == name)
        return Figure(f"{what} (cycles)", slowest, at_most=at_most, bound=bound)

    def semaphore(words: int) -> int:
        case = (words, "hw", 2)  # the paper's system
        return next(row.cycles for row in of("semaphore") if (row.words, row.kernel, row.cpus) == case)

    message = of("stream_message")
    own = max(row.own_cycles for row in message)
    through = [row.cycles for row in of("mailbox") if row.words == 128]
    order = orders(rows)
    fastest = sum(next(iter(case.cycles)) == PAPER_ORDER[0] for case in order)
    signal, trip = latency.SIGNAL_BOUND, latency.TRIP_BOUND
    port = "mutex of the communication port"
    found = [
        operation("doorbell to a waiting core", "doorbell_raw", "signal", 4, signal),
        operation("round trip of a word through mailboxes", "mailbox_trip_raw", "trip", 8, trip),
        Figure(
            "stream from registers to registers, words per cycle and port",
            min(row.words_per_cycle for row in of("stream_registers")),
            at_least=0.8,
            bound=1,
        ),
        Figure(
            "stream from memory to memory, throughput relative to the core alone",
            min(round(row.own_cycles / row.cycles, 3) for row in of("stream_memory")),
            at_least=0.9,
            bound=1,
        ),
        operation("lock unit: acquire", "lock_unit", "acquire", 2, 2),
        operation("lock unit: release", "lock_unit", "release", 1, 1),
        operation(f"{port}: acquire", "cpu_mutex_raw", "acquire", 2, 1),
        operation(f"{port}: release", "cpu_mutex_raw", "release", 1, 1),
        operation("lock unit: hand-over", "handover_lock_unit", "hand-over", 6, signal),
        operation(f"{port}: hand-over", "handover_cpu_mutex_raw", "hand-over", 6, signal),
        operation("barrier: last arrival until all continue", "barrier_raw", "barrier", 8, signal),
        Figure(
            "message of 128 words through a port: cycles above the core's own copy (plain loop)",
            max(row.cycles for row in message) - own,
            at_most=10,
        ),
    ]
    if through:
        what = "message of 128 words through a port: the same with mailbox_write, mailbox_read"
        found.append(Figure(what, max(through) - own, at_most=10))
    first, second = PAPER_ORDER[:2]
    slower, cases = sum(case.cycles[second] > case.cycles[first] for case in order), len(order)
    return [
        *found,
        Figure("cases in which polling is the fastest of [IPC]'s four", fastest, at_least=cases),
        Figure("cases in which polling 2 is slower than polling", slower, at_least=cases),
        Figure(HEADLINE, semaphore(8), at_most=SEMAPHORE_PATH),
        Figure("the same without the copy", semaphore(0), at_most=SEMAPHORE_PATH),
        *(
            Figure(
                f"user task started, {KERNELS[row.kernel]} kernel, {row.core} core, 2 CPUs (cycles; "
                f"paper: more than {number(start.PAPER)})",
                row.in_place,
                at_most=start.PAPER,
            )
            for row in starts
            if (row.platform, row.cpus) == ("amp", 2)
        ),
    ]
