# SPDX-License-Identifier: Apache-2.0
"""Single operations between processors: signals, round trips, moves, streams, locks, barriers.

One simulation is all of them on one platform; latency.c is the program.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median_high
from typing import NamedTuple

from coreloom.benches.ipc.transfer import DEFINES, Row, moments, run
from coreloom.design import platform
from coreloom.errors import UserError
from coreloom.simulation.experiment import Experiment
from coreloom.simulation.simulate import Event, Kind

ROUNDS = 5  # the first of them, whose code is not yet in the cache, is left out
TURNS = 8  # of each processor in a round, of a lock that is handed over; as in latency.c
STREAM = 1024  # words
MESSAGE = 128  # words
_SOURCE = str(Path(__file__).with_name("latency.c"))

# Store granted, executed in the unit (which answers the load that waits), answer used.
SIGNAL_BOUND = 3
# The same there, and back: the instruction that uses the answer is the store that sends it back.
TRIP_BOUND = 2 * SIGNAL_BOUND - 1
# Through memory: the store's beat, the load's beat, its answer, which is used.
_MEMORY_BOUND = 4


_PINNED = "threads pinned to their processors; waiting occupies the processor"
_POLLS = "threads pinned to their processors; the waiting one polls"
_THREADS = "threads of the kernel, on any processor; others run while they wait"
_FEW = "a few instructions without a kernel service; waiting stops the processor, interrupts included"
_ISR = "an interrupt service routine; the processor may do other work meanwhile"


@dataclass(frozen=True)
class Test:
    """`name` as in latency.c. bound: cycles that nothing can beat, of each of its operations.

    needs: what a program that uses it must have or keep to; None where it is not for a program to choose.
    """

    name: str
    part: str  # signal | trip | move | stream | lock | handover | barrier
    title: str
    bound: tuple[int, ...]
    by_kernel: bool = False
    needs: str | None = None
    handover: str | None = None  # of a lock: the test that hands it over

    @property
    def holds_cpu(self) -> bool:
        """Whoever waits keeps its processor from other work."""
        return not self.by_kernel and self.needs != _ISR

    def labels(self) -> tuple[str, ...]:
        """The moments to watch."""
        if self.part == "stream":
            where = "registers" if self.name == "stream_registers" else "memory"
            return tuple(f"{end}_{where}_{m}" for end in ("out", "in") for m in ("begin", "end"))
        suffixes = {"lock": ("begin", "got", "end"), "handover": ("got", "free")}
        return tuple(f"{self.name}_{m}" for m in suffixes.get(self.part, ("begin", "end")))


_ONE, _TRIP = (SIGNAL_BOUND,), (TRIP_BOUND,)
TESTS = {
    t.name: t
    for t in (
        Test("doorbell_raw", "signal", "doorbell, plain store and load", _ONE),
        Test("doorbell_api", "signal", "doorbell", _ONE, needs=_PINNED),
        Test("mailbox_raw", "signal", "mailbox, plain store and load", _ONE),
        Test("mailbox_api", "signal", "mailbox", _ONE, needs=_PINNED),
        Test("wire_raw", "signal", "wire, blocking load, plain store and load", _ONE),
        Test("wire_api", "signal", "wire, blocking load", _ONE, needs=_PINNED),
        Test("wire_polled", "signal", "wire, polled", _ONE, needs=_POLLS),
        Test("variable_polled", "signal", "variable in global memory", (_MEMORY_BOUND,), needs=_POLLS),
        Test("interrupt_wire", "signal", "interrupt by a wire, to the handler", _ONE, needs=_ISR),
        Test("interrupt_doorbell", "signal", "interrupt by a doorbell, to the handler", _ONE, needs=_ISR),
        Test("semaphore_signal", "signal", "semaphore", _ONE, by_kernel=True, needs=_THREADS),
        Test("port_signal", "signal", "kernel port", _ONE, by_kernel=True, needs=_THREADS),
        Test("message_signal", "signal", "message handed over", _ONE, by_kernel=True, needs=_THREADS),
        Test("doorbell_trip_raw", "trip", "doorbell, plain stores and loads", _TRIP),
        Test("doorbell_trip_api", "trip", "doorbell", _TRIP),
        Test("mailbox_trip_raw", "trip", "mailbox, plain stores and loads", _TRIP),
        Test("mailbox_trip_api", "trip", "mailbox", _TRIP),
        Test("wire_trip_raw", "trip", "wires, blocking loads, plain stores and loads", _TRIP),
        Test("variable_trip", "trip", "variables in global memory", (2 * _MEMORY_BOUND - 1,)),
        Test("thread_move", "move", "the calling thread moves to another processor", _ONE, by_kernel=True),
        Test("stream_registers", "stream", "from registers to registers", (STREAM + 2,)),
        Test("stream_memory", "stream", "from memory to memory", (STREAM + 2,)),
        Test("stream_message", "stream", "from memory to memory, one message", (MESSAGE + 2,)),
        # Address stored, grant loaded; one store. A mutex is one load each.
        Test("lock_unit", "lock", "lock unit, plain store and loads", (2, 1)),
        Test(
            "memory_lock",
            "lock",
            "memory lock (lock unit, interrupts off)",
            (2, 1),
            needs=_FEW,
            handover="handover_lock_unit",
        ),
        Test("cpu_mutex_raw", "lock", "mutex of the communication port, plain loads", (1, 1)),
        Test(
            "cpu_mutex_api",
            "lock",
            "mutex of the communication port",
            (1, 1),
            needs=_PINNED,
            handover="handover_cpu_mutex_api",
        ),
        Test(
            "pthread_mutex",
            "lock",
            "mutex of the kernel",
            (1, 1),
            by_kernel=True,
            needs=_THREADS,
            handover="handover_pthread_mutex",
        ),
        Test("handover_lock_unit", "handover", "lock unit, plain store and loads", _ONE),
        Test("handover_cpu_mutex_raw", "handover", "mutex of the communication port, plain loads", _ONE),
        Test("handover_cpu_mutex_api", "handover", "mutex of the communication port", _ONE),
        Test("handover_pthread_mutex", "handover", "mutex of the kernel", _ONE, by_kernel=True),
        Test("barrier_raw", "barrier", "barrier, plain load", _ONE),
        Test("barrier_api", "barrier", "barrier", _ONE),
    )
}


class Found(NamedTuple):
    """What a test found of one of its operations."""

    operation: str
    cycles: list[int]  # of each round
    words: int = 0
    own: int = 0  # cycles of the core alone, of a stream


class _Log:
    """The watched events of a run, taken label by label in the order of the tests."""

    def __init__(self, events: Sequence[Event], labels: Sequence[str]) -> None:
        self._events = [event for event in events if event.kind >= Kind.WATCH]
        self._kinds = {label: Kind.WATCH + n for n, label in enumerate(labels)}
        self._taken: dict[tuple[str, int], int] = {}

    def take(self, label: str, cpu: int, times: int, last: bool = True) -> list[int]:
        """The next `times` cycles of that label on that CPU; `last`: there must be no more."""
        kind = self._kinds[label]
        start = self._taken.get((label, cpu), 0)
        self._taken[label, cpu] = start + times
        if last:
            return moments(self._events, kind, cpu, start + times, label)[start:]
        found = [event.cycle for event in self._events if (event.kind, event.cpu) == (kind, cpu)]
        if len(found) < start + times:
            moments(self._events, kind, cpu, start + times, label)
        return found[start : start + times]


def _differences(later: Sequence[int], earlier: Sequence[int]) -> list[int]:
    return [b - a for a, b in zip(earlier, later, strict=True)]


def _signal(test: Test, log: _Log, cpus: int) -> Iterator[Found]:
    end = 0 if test.part == "trip" else 1
    begins = log.take(f"{test.name}_begin", 0, ROUNDS)
    yield Found(test.part, _differences(log.take(f"{test.name}_end", end, ROUNDS), begins)[1:], words=1)


def _lock(test: Test, log: _Log, cpus: int) -> Iterator[Found]:
    begin, got, end = (log.take(label, 0, ROUNDS) for label in test.labels())
    yield Found("acquire", _differences(got, begin)[1:])
    yield Found("release", _differences(end, got)[1:])


def handovers(got: Mapping[int, Sequence[int]], free: Mapping[int, Sequence[int]]) -> list[int]:
    """Cycles from each release to the next owner's going on, of one round; by processor."""
    owners = sorted((cycle, cpu) for cpu, cycles in got.items() for cycle in cycles)
    found = []
    for cpu, cycles in free.items():
        for released in cycles:
            following = next(((cycle, owner) for cycle, owner in owners if cycle > released), None)
            if following is not None and following[1] != cpu:
                found.append(following[0] - released)
    return found


def _handover(test: Test, log: _Log, cpus: int) -> Iterator[Found]:
    got, free = (
        {cpu: log.take(f"{test.name}_{m}", cpu, TURNS * ROUNDS) for cpu in range(cpus)}
        for m in ("got", "free")
    )
    cycles: list[int] = []
    for first in range(TURNS, TURNS * ROUNDS, TURNS):
        turns = slice(first, first + TURNS)
        cycles += handovers({c: got[c][turns] for c in got}, {c: free[c][turns] for c in free})
    yield Found("hand-over", cycles)


def _barrier(test: Test, log: _Log, cpus: int) -> Iterator[Found]:
    begins = [log.take(f"{test.name}_begin", cpu, ROUNDS) for cpu in range(cpus)]
    ends = [log.take(f"{test.name}_end", cpu, ROUNDS) for cpu in range(cpus)]
    last = _differences(
        [max(e) for e in zip(*ends, strict=True)], [max(b) for b in zip(*begins, strict=True)]
    )
    yield Found("barrier", last[1:])


def _stream(test: Test, log: _Log, cpus: int) -> Iterator[Found]:
    out_begin, out_end, in_begin, in_end = test.labels()
    last = test.name != "stream_memory"  # it is before another test with the same labels
    own: list[int] = []
    lanes = []
    for cpu in range(0, cpus, 2):
        sends = [log.take(label, cpu, 2 * ROUNDS, last) for label in (out_begin, out_end)]
        takes = [log.take(label, cpu + 1, 2 * ROUNDS, last) for label in (in_begin, in_end)]
        alone, together = slice(2, None, 2), slice(3, None, 2)
        own += _differences(sends[1][alone], sends[0][alone]) + _differences(takes[1][alone], takes[0][alone])
        lanes.append(_differences(takes[1][together], sends[0][together]))
    slowest = [max(of_round) for of_round in zip(*lanes, strict=True)]
    yield Found("stream", slowest, test.bound[0] - 2, max(own))


_READ: dict[str, Callable[[Test, _Log, int], Iterator[Found]]] = {
    "signal": _signal,
    "trip": _signal,
    "move": _signal,
    "stream": _stream,
    "lock": _lock,
    "handover": _handover,
    "barrier": _barrier,
}


def chosen(kernel: str) -> list[Test]:
    """The tests of a kernel: with the software kernel only what is the kernel's."""
    return [test for test in TESTS.values() if kernel == "hw" or test.by_kernel]


def measure(kind: str, core: str, cpus: int, kernel: str, tests: Sequence[Test] | None = None) -> list[Row]:
    """The rows of all tests on one platform. kind: amp or smp."""
    tests = chosen(kernel) if tests is None else tests
    soc = platform.load(f"{kind}-{core}", cpus)
    experiment = Experiment(_SOURCE, soc, kernel, defines=DEFINES)
    data = struct.pack("<2I", len(tests), ROUNDS)
    data += b"".join(struct.pack("<32s", test.name.encode()) for test in tests)
    labels = list(dict.fromkeys(label for test in tests for label in test.labels()))
    rows = []
    try:
        log = _Log(run(experiment, data, labels).result.events, labels)
        for test in tests:
            for (operation, cycles, words, own), least in zip(
                _READ[test.part](test, log, cpus), test.bound, strict=True
            ):
                if kernel == "sw" and test.part in ("signal", "move", "handover"):
                    least = _MEMORY_BOUND  # it has no other way
                typical = median_high(cycles)
                rows.append(
                    Row(
                        part=test.part,
                        mechanism=test.name,
                        operation=operation,
                        kernel=kernel if test.by_kernel else None,
                        platform=kind,
                        core=core,
                        cpus=cpus,
                        words=words,
                        cycles=typical,
                        bound_cycles=least,
                        ratio=round(typical / least, 2),
                        least=min(cycles),
                        most=max(cycles),
                        rounds=len(cycles),
                        own_cycles=own,
                        words_per_cycle=round(words / typical, 3) if own else 0,
                        own_rate=round(words / own, 3) if own else 0,
                    )
                )
    except UserError as error:
        raise UserError(f"{soc.name} with {cpus} CPUs: {error}") from None
    return rows
