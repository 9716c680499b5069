# SPDX-License-Identifier: Apache-2.0
"""Reference model of cl_scheduler: [HT]'s scheduler as a unit of its own, one operation after the other."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from enum import IntEnum

from coreloom.design import address_map

START_ADDRESS = address_map.UNIT_BASE
START_STRIDE = 0x100
HARDWARE = 128  # the scheduling parameter of hardware thread 0


class Build(IntEnum):
    """build_e of cl_ready_queue_pkg."""

    LINEAR = 0
    BITMAP = 1
    HYBRID = 2


class Op(IntEnum):
    """sched_op_e of cl_scheduler_pkg."""

    ENQUEUE = 1
    DEQUEUE = 2
    GET_ENTRY = 3
    IS_QUEUED = 4
    IS_EMPTY = 5
    SET_IDLE_THREAD = 6
    GET_SCHED_PARAM = 7
    CHECK_SCHED_PARAM = 8
    SET_SCHED_PARAM = 9
    REMOVE = 10
    CREATE_ENTRY = 11
    FREE_ENTRY = 12


class Status(IntEnum):
    """sched_status_e of cl_scheduler_pkg."""

    OK = 0
    ENOENT = 2
    ESRCH = 3
    EAGAIN = 11
    EBUSY = 16
    EEXIST = 17
    ENODEV = 19
    EINVAL = 22
    EALREADY = 120


@dataclass
class Entry:
    param: int
    queued: bool = False

    def word(self) -> int:
        return 1 << 9 | self.queued << 8 | self.param


@dataclass(frozen=True)
class Answer:
    status: Status
    value: int = 0
    start: int | None = None  # hardware thread that got START

    @property
    def word(self) -> int:
        return self.status << 16 | self.value

    @property
    def address(self) -> int:
        """Where START was written, 0: nowhere."""
        return 0 if self.start is None else START_ADDRESS + START_STRIDE * self.start


@dataclass
class Scheduler:
    build: Build = Build.BITMAP
    threads: int = 256
    priorities: int = 128
    hw_threads: int = 4
    entries: dict[int, Entry] = field(default_factory=dict)
    idle: int | None = None
    running: int | None = None  # the thread dequeued last, unless that was the idle thread

    def __post_init__(self) -> None:
        self._levels: list[deque[int]] = [deque() for _ in range(self.priorities)]
        self._used = 0  # bit p: level p has a thread
        self._queued = 0

    @property
    def queued(self) -> int:
        """How many threads are queued."""
        return self._queued

    @property
    def best(self) -> int | None:
        """The thread that a dequeue would take."""
        return self._levels[self._used.bit_length() - 1][0] if self._used else None

    @property
    def preempt(self) -> bool:
        """A better thread than the running one is queued."""
        if self.best is None or self.running is None:
            return self.best is not None
        return self.entries[self.best].param > self.entries[self.running].param

    def check(self, param: int) -> Status:
        """Whether there is such a scheduling parameter."""
        if param < self.priorities:
            return Status.OK
        if self.build is Build.HYBRID and HARDWARE <= param < 2 * HARDWARE:
            return Status.OK if param - HARDWARE < self.hw_threads else Status.ENODEV
        return Status.EINVAL

    def do(self, code: int, tid: int = 0, argument: int = 0, hw_running: int = 0) -> Answer:
        """One operation; bit n of hw_running: hardware thread n runs."""
        try:
            op = Op(code)
        except ValueError:
            return Answer(Status.EINVAL)
        if op is Op.DEQUEUE:
            return self._dequeue()
        if op is Op.IS_EMPTY:
            return Answer(Status.OK, int(not self._used))
        entry = self.entries.get(tid)
        if op is Op.CREATE_ENTRY:
            return self._create(tid, argument)
        if entry is None:
            return Answer(Status.ESRCH)
        unit = entry.param - HARDWARE if self.build is Build.HYBRID and entry.param >= HARDWARE else None
        busy = unit is not None and bool(hw_running >> unit & 1)
        match op:
            case Op.GET_ENTRY:
                return Answer(Status.OK, entry.word())
            case Op.IS_QUEUED:
                return Answer(Status.OK, int(entry.queued))
            case Op.GET_SCHED_PARAM:
                return Answer(Status.OK, entry.param)
            case Op.CHECK_SCHED_PARAM | Op.SET_SCHED_PARAM:
                return self._set_param(op, tid, entry, argument, busy)
            case Op.REMOVE:
                if not entry.queued:
                    return Answer(Status.ENOENT)
                self._take(tid, entry)
                return Answer(Status.OK)
            case Op.ENQUEUE:
                return self._enqueue(tid, entry, unit, busy)
        if op is Op.SET_IDLE_THREAD and unit is not None:
            return Answer(Status.EINVAL)
        if entry.queued:
            return Answer(Status.EALREADY)
        return self._set_idle(tid) if op is Op.SET_IDLE_THREAD else self._free(tid, busy)

    def _enqueue(self, tid: int, entry: Entry, unit: int | None, busy: bool) -> Answer:
        if busy:
            return Answer(Status.EBUSY)
        if unit is not None:
            return Answer(Status.OK, start=unit)
        if entry.queued:
            return Answer(Status.EALREADY)
        self._push(tid, entry)
        return Answer(Status.OK)

    def _set_idle(self, tid: int) -> Answer:
        self.idle = tid
        return Answer(Status.OK)

    def _free(self, tid: int, busy: bool) -> Answer:
        if busy or self.idle == tid:
            return Answer(Status.EBUSY)
        del self.entries[tid]
        if self.running == tid:
            self.running = None
        return Answer(Status.OK)

    def _dequeue(self) -> Answer:
        best = self.best
        self.running = best
        if best is None:
            return Answer(Status.EAGAIN) if self.idle is None else Answer(Status.OK, self.idle)
        self._take(best, self.entries[best])
        return Answer(Status.OK, best)

    def _create(self, tid: int, param: int) -> Answer:
        if tid in self.entries:
            return Answer(Status.EEXIST)
        if tid >= self.threads:
            return Answer(Status.ESRCH)
        status = self.check(param)
        if status is Status.OK:
            self.entries[tid] = Entry(param)
        return Answer(status)

    def _set_param(self, op: Op, tid: int, entry: Entry, param: int, busy: bool) -> Answer:
        status = self.check(param)
        if status is Status.OK and busy:
            status = Status.EBUSY
        hard = self.build is Build.HYBRID and param >= HARDWARE
        if status is Status.OK and hard and entry.queued:
            status = Status.EALREADY
        if status is not Status.OK or op is Op.CHECK_SCHED_PARAM:
            return Answer(status)
        queued = entry.queued
        if queued:
            self._take(tid, entry)
        entry.param = param
        if queued:
            self._push(tid, entry)
        elif hard and self.running == tid:
            self.running = None
        return Answer(Status.OK)

    def _push(self, tid: int, entry: Entry) -> None:
        self._levels[entry.param].append(tid)
        self._used |= 1 << entry.param
        self._queued += 1
        entry.queued = True

    def _take(self, tid: int, entry: Entry) -> None:
        level = self._levels[entry.param]
        level.remove(tid)
        if not level:
            self._used &= ~(1 << entry.param)
        self._queued -= 1
        entry.queued = False
