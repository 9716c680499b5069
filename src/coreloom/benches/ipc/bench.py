# SPDX-License-Identifier: Apache-2.0
"""Every mechanism of [IPC] and more, on every platform with a communication port.

Blocks of words from local memory to local memory (ipc_transfer), single operations (ipc_latency), and what of
it was to be reached.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

from coreloom.benches import pool
from coreloom.benches.ipc import latency as ipc_latency
from coreloom.benches.ipc import transfer as ipc_transfer
from coreloom.benches.ipc.transfer import MECHANISMS, Mechanism
from coreloom.benches.pool import Job, Row
from coreloom.design import platform
from coreloom.report.figure import Figure
from coreloom.toolchain.firmware import KERNELS

KINDS = ("amp", "smp")
CORES = ("standard", "economy")
CPUS = (2, 4, 8)
# [IPC] section 4: the numbers of its table are not in the text that there is. The text says that polling is
# the fastest and polling 2 slower; the rest of this order is what their overheads let expect.
PAPER_ORDER = ("polling_wires", "polling2_wires", "interrupt", "semaphore")
PAPER_SEMAPHORE = 20_000  # cycles, more than
PAPER_WORDS = (8, 32, 128)
SEMAPHORE_PATH = 400
README_FIGURE = "8 words by a semaphore, hardware kernel, 2 CPUs (paper: more than 20 000 cycles)"


class Place(NamedTuple):
    """A platform: amp or smp, its core, how many."""

    kind: str
    core: str
    cpus: int

    def platform(self) -> platform.Platform:
        return platform.load(f"{self.kind}-{self.core}", self.cpus)

    def text(self) -> str:
        return f"{self.kind}-{self.core}, {self.cpus} CPUs"


def places(
    kinds: Sequence[str] = KINDS, cores: Sequence[str] = CORES, cpus: Sequence[int] = CPUS
) -> list[Place]:
    return [Place(kind, core, number) for kind in kinds for core in cores for number in cpus]


def sizes(mechanism: Mechanism, words: Sequence[int]) -> tuple[int, ...]:
    """The semaphore also without the copying: its path is what is to be reached."""
    return (0, *words) if mechanism.name == "semaphore" else tuple(words)


def jobs(where: Sequence[Place], words: Sequence[int] = ipc_transfer.WORDS) -> list[Job]:
    """Every measurement at these places, in the order of the tables."""
    wanted = []
    for place in where:
        for mechanism in MECHANISMS.values():
            for kernel in mechanism.kernels:
                what = ipc_transfer.titled(mechanism.title, kernel if mechanism.by_kernel else None)
                text = f"{place.text()}: {what}"
                run = partial(ipc_transfer.measure, *place, kernel, mechanism, sizes(mechanism, words))
                wanted.append(Job(text, pool.whole(run)))
        for kernel in KERNELS:
            text = f"{place.text()}: single operations, {KERNELS[kernel]} kernel"
            wanted.append(Job(text, pool.whole(partial(ipc_latency.measure, *place, kernel))))
    return wanted


def steps(where: Sequence[Place], wanted: Sequence[Job]) -> int:
    """How often `run` calls on_done."""
    return len(where) + len(wanted)


def run(
    where: Sequence[Place],
    wanted: Sequence[Job],
    on_start: Callable[[str], None] | None = None,
    on_done: Callable[[], None] | None = None,
) -> list[Row]:
    """All rows in the order of `wanted`; the models are built first."""
    models = [pool.build(place.platform(), place.text()) for place in where]
    return pool.run(models, wanted, on_start, on_done)


def find(rows: Sequence[Row], mechanism: str, **wanted: Any) -> Row | None:
    """The row of that mechanism with these values; None if it was not measured."""
    wanted["mechanism"] = mechanism
    return next((row for row in rows if all(row.get(key) == value for key, value in wanted.items())), None)


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
    cases = dict.fromkeys(
        (row["core"], kernel, row["cpus"], row["words"])
        for row in rows
        for kernel in KERNELS
        if row["part"] == "transfer" and row["platform"] == kind and row["words"]
    )
    found = []
    for core, kernel, cpus, words in sorted(cases, key=lambda case: case[:2], reverse=True):
        cycles = {}
        for name in PAPER_ORDER:
            its = kernel if MECHANISMS[name].by_kernel else None
            row = find(rows, name, platform=kind, core=core, cpus=cpus, words=words, kernel=its)
            if row is not None:
                cycles[name] = row["cycles"]
        if len(cycles) == len(PAPER_ORDER):
            values = [cycles[name] for name in PAPER_ORDER]
            kept = all(a < b for a, b in pairwise(values))
            found.append(
                Order(core, kernel, cpus, words, dict(sorted(cycles.items(), key=lambda item: item[1])), kept)
            )
    return found


def figures(rows: Sequence[Row]) -> list[Figure]:
    """What was to be reached beside what is: the standard core on amp."""
    here = [row for row in rows if (row["platform"], row["core"]) == ("amp", "standard")]

    def most(mechanism: str, operation: str) -> int:
        return max(
            int(r["cycles"]) for r in here if (r["mechanism"], r.get("operation")) == (mechanism, operation)
        )

    def stream(mechanism: str, of: Callable[[Row], float]) -> float:
        return min(of(row) for row in here if row["mechanism"] == mechanism)

    def semaphore(words: int) -> int:
        row = find(here, "semaphore", words=words, kernel="hw", cpus=2)  # the paper's system
        assert row is not None
        return int(row["cycles"])

    message = [row for row in here if row["mechanism"] == "stream_message"]
    own = max(row["own_cycles"] for row in message)
    through = max(
        (row["cycles"] for row in here if (row["mechanism"], row["words"]) == ("mailbox", 128)), default=0
    )
    order = orders(rows)
    fastest = sum(next(iter(case.cycles)) == PAPER_ORDER[0] for case in order)
    signal, trip = ipc_latency.SIGNAL_BOUND, ipc_latency.TRIP_BOUND
    found = [
        Figure("doorbell to a waiting core", most("doorbell_raw", "signal"), at_most=4, bound=signal),
        Figure(
            "round trip of a word through mailboxes", most("mailbox_trip_raw", "trip"), at_most=8, bound=trip
        ),
        Figure(
            "stream from registers to registers, words a cycle a port",
            stream("stream_registers", lambda row: float(row["words_per_cycle"])),
            at_least=0.8,
            bound=1,
        ),
        Figure(
            "stream from memory to memory, share of what the core alone does",
            stream("stream_memory", lambda row: round(row["own_cycles"] / row["cycles"], 3)),
            at_least=0.9,
            bound=1,
        ),
        Figure("lock unit: acquire", most("lock_unit", "acquire"), at_most=2, bound=2),
        Figure("lock unit: release", most("lock_unit", "release"), at_most=1, bound=1),
        Figure(
            "mutex of the communication port: acquire", most("cpu_mutex_raw", "acquire"), at_most=2, bound=1
        ),
        Figure(
            "mutex of the communication port: release", most("cpu_mutex_raw", "release"), at_most=1, bound=1
        ),
        Figure("lock unit: hand-over", most("handover_lock_unit", "hand-over"), at_most=6, bound=signal),
        Figure(
            "mutex of the communication port: hand-over",
            most("handover_cpu_mutex_raw", "hand-over"),
            at_most=6,
            bound=signal,
        ),
        Figure(
            "barrier, last arrival to all going on", most("barrier_raw", "barrier"), at_most=8, bound=signal
        ),
        Figure(
            "message of 128 words through a port, beyond the core's own loads and stores (plain loop)",
            max(row["cycles"] for row in message) - own,
            at_most=10,
        ),
    ]
    if through:
        found.append(
            Figure(
                "message of 128 words through a port, beyond the same (mailbox_write, mailbox_read)",
                through - own,
                at_most=10,
            )
        )
    return [
        *found,
        Figure("[IPC]'s polling is the fastest of its four, cases", fastest, at_least=len(order)),
        Figure(
            "polling < polling 2 < interrupt < semaphore, cases",
            sum(case.kept for case in order),
            at_least=len(order),
        ),
        Figure(README_FIGURE, semaphore(8), at_most=SEMAPHORE_PATH),
        Figure("the same without the copying", semaphore(0), at_most=SEMAPHORE_PATH),
    ]
