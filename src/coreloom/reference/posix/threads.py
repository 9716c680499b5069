# SPDX-License-Identifier: Apache-2.0
"""A model of POSIX with fixed priorities: threads, waits, cancellation, mutexes. posix_objects has the rest.

Each thread is a generator that yields where another one may run: where it waits, and where it may have made
a better thread ready. `step` lets that thread run that one CPU would run; a caller of `go` chooses a thread
itself, as if each had a CPU of its own. Times are whole units; between them no time limit is reached.

What POSIX leaves open is as runtime/CAVEATS.md and the headers say it. Objects are in places that are used
again; an object is one of the kernel as long as the kernel has some left, else it is in memory.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, NamedTuple

Steps = Generator[None, None, int]
CANCELED = 0xFF  # of pthread_join
NEVER = 1 << 30
WRONG = -NEVER  # a limit that is no time
PLACES = 4
THREADS = 64  # numbers of threads
HIGHEST = 31
_LEVELS: tuple[int, ...] = (HIGHEST, *range(7, -1, -1))  # priorities that threads have
NOTIFIER = 7  # the slot of threads that call for timers


class Errno(IntEnum):
    EPERM = 1
    ENOENT = 2
    ESRCH = 3
    EBADF = 9
    EAGAIN = 11
    EBUSY = 16
    EINVAL = 22
    EDEADLK = 45
    ETIMEDOUT = 116
    EOVERFLOW = 139
    ECANCELED = 140
    ENOTRECOVERABLE = 141
    EOWNERDEAD = 142


E = Errno


class Call(NamedTuple):
    """A call that a thread makes; limit: a time of CLOCK_REALTIME unless the call says otherwise."""

    name: str
    object: int = 0
    other: int = 0
    argument: int = 0
    limit: int = 0


class Entry(NamedTuple):
    """What is logged when a call returns: of all threads the priorities by slots, and the unit of time."""

    slot: int
    call: str
    result: int
    priorities: tuple[int, ...]
    time: int


class Kind(IntEnum):
    """Where an object is."""

    NONE = 0  # never initialised, which for some kinds is the static initialiser
    KERNEL = 1
    MEMORY = 2
    DESTROYED = 3


class Cancelled(Exception):
    """The thread acts on a request to be cancelled."""


class Ended(Exception):
    """The thread calls pthread_exit."""

    def __init__(self, value: int) -> None:
        super().__init__()
        self.value = value


def with_(status: int, value: int) -> int:
    return status or (value & 0xFF) << 8


@dataclass(eq=False)
class Thread:
    slot: int
    number: int
    own: int  # its priority, without what mutexes add
    detached: bool = False
    priority: int = 0
    state: str = "ready"  # or blocked, ended, free
    steps: Steps | None = None
    queue: Queue | None = None  # where it waits
    rank: int = 0  # its priority when it came there
    waits_for: Mutex | None = None
    until: int = NEVER
    limit: int = 0  # number of its limit: of those at one time the first that was set ends first
    naps: bool = False  # from now on, so some cycles longer than until then
    woken: bool = False
    data: object = None  # from the one that has woken it
    outcome: int = 0
    about_to_wait: bool = False  # in memory
    point: bool = False  # a request of cancellation ends the wait
    requested: bool = False
    disabled: bool = False
    asynchronous: bool = False
    joined: bool = False  # somebody waits for its end
    ending: bool = False  # it has let joiners go on
    joiners: Queue = field(default_factory=lambda: Queue(Kind.MEMORY))
    joiner: Thread | None = None
    value: int = 0
    cleanups: list[Callable[[], Steps]] = field(default_factory=list)
    unlocks: list[Mutex] = field(default_factory=list)  # what each cleanup does
    held: list[Mutex] = field(default_factory=list)  # those with a protocol and the robust ones, newest first
    values: dict[int, tuple[int, int]] = field(default_factory=dict)
    reads: int = 0
    call: Call | None = None

    def __post_init__(self) -> None:
        self.priority = self.own

    @property
    def cancel_now(self) -> bool:
        return self.requested and not self.disabled


class Queue(list[Thread]):
    """Threads that wait: by priority, then in order.

    One whose priority changes keeps its place in the kernel. In memory it gets the place of the new priority
    if mutexes with protocols are in use; else it keeps its place and, for those that come later, its rank.
    """

    def __init__(self, kind: Kind) -> None:
        super().__init__()
        self.kind = kind

    def enter(self, thread: Thread) -> None:
        if self.kind != Kind.KERNEL:  # one that waits in memory is in the lot, too
            thread.rank = thread.priority
        lower = (i for i, other in enumerate(self) if self.rank(other) < thread.priority)
        self.insert(next(lower, len(self)), thread)

    def rank(self, thread: Thread) -> int:
        return thread.priority if self.kind == Kind.KERNEL else thread.rank


@dataclass(eq=False)
class Mutex:
    kind: Kind = Kind.NONE
    type: int = 0
    protocol: int = 0
    robust: int = 0
    ceiling: int = 0
    owner: int | None = None  # number of a thread, or GONE
    depth: int = 0
    waiters: Queue = field(default_factory=lambda: Queue(Kind.KERNEL))

    @property
    def listed(self) -> bool:
        return bool(self.protocol or self.robust)


class Threads:
    """left: of mutexes, semaphores, condition variables how many the kernel has; choose: the next call.

    any_time: threads may be cancelled at any time, for which the layer is built in another way.
    """

    def __init__(
        self, left: dict[str, int], choose: Callable[[Any, Thread], Call], any_time: bool = False
    ) -> None:
        self.left = dict(left)
        self.any_time = any_time
        self.choose = choose
        self.now = 1
        self.ahead = 0  # units that CLOCK_REALTIME is ahead of CLOCK_MONOTONIC
        self.log: list[Entry] = []
        self.told: list[Call | None] = []  # of each entry the whole call
        self.reached: dict[str, int] = {}
        self.free = list(range(THREADS - 1, 0, -1))
        self.threads: dict[int, Thread] = {}  # by number
        self.slots: dict[int, int] = {}  # the number of the last thread of each slot
        self.ready: dict[int, deque[Thread]] = {level: deque() for level in _LEVELS}
        self.mutexes = [Mutex() for _ in range(PLACES)]
        self.protocols = False  # mutexes have been given some
        self.lot = Queue(Kind.KERNEL)
        self.nobody = Queue(Kind.MEMORY)
        self.sleepers = Queue(Kind.MEMORY)
        self.limits = itertools.count()
        self.by_clock = Queue(Kind.MEMORY)  # sleep until a time of CLOCK_REALTIME
        self.current: Thread | None = None
        self.finished = False
        self.at_leisure = False  # a wait that is cancelled ends some time later
        self.asked: dict[int, Thread] = {}  # such waits, by slots
        main = Thread(0, 0, 0)
        self.threads[0] = main
        self.slots[0] = 0
        main.steps = self._life(main)
        self.current = main

    # --- who runs ----------------------------------------------------------------------------------

    def reach(self, what: str) -> None:
        self.reached[what] = self.reached.get(what, 0) + 1

    def best(self) -> Thread | None:
        best = self._best_ready()
        return self.ready[best][0] if best >= 0 else None

    def step(self) -> bool:
        """One step of the thread that runs. False: all wait for ever, or the stream has ended."""
        while not self.finished:
            best = self._best_ready()
            current = self.current
            if current is not None and current.state == "ready":
                if best <= current.priority:
                    self.go(current)
                    return True
                self.ready[current.priority].appendleft(current)  # it is preempted
            if best >= 0:
                self.current = self.ready[best].popleft()
                continue
            self.current = None
            if not self.pass_time():
                return False
        return False

    def _best_ready(self) -> int:
        for level in _LEVELS:
            if self.ready[level]:
                return level
        return -1

    def go(self, thread: Thread) -> None:
        assert thread.steps is not None
        next(thread.steps, None)

    def pass_time(self) -> bool:
        """To the next time limit; False: there is none."""
        waiting = [t for t in self.threads.values() if t.state == "blocked" and t.until < NEVER]
        times = [t.until for t in waiting]
        if not times:
            return False
        self.now = max(self.now, min(times))
        for thread in sorted(waiting, key=lambda t: (t.until, t.naps, t.limit)):
            if thread.until <= self.now:
                self.reach("limit")
                self.look(thread, E.ETIMEDOUT)
        return True

    def make_ready(self, thread: Thread) -> None:
        thread.state = "ready"
        if thread is not self.current:
            self.ready[thread.priority].append(thread)

    def _set_priority(self, thread: Thread, priority: int) -> None:
        queued = (
            thread.state == "ready" and thread is not self.current and thread in self.ready[thread.priority]
        )
        if queued:
            self.ready[thread.priority].remove(thread)
        thread.priority = priority
        if queued:
            self.ready[priority].append(thread)

    # --- waits -------------------------------------------------------------------------------------

    def _block(self, thread: Thread) -> None:
        thread.state = "blocked"

    def wake(self, thread: Thread, data: object = None) -> None:
        """It gets what it waits for."""
        assert thread.queue is not None
        thread.queue.remove(thread)
        kind, thread.queue = thread.queue.kind, None
        thread.woken, thread.data, thread.outcome, thread.until = True, data, 0, NEVER
        if kind == Kind.KERNEL:
            self.make_ready(thread)
        else:
            self._let_look(thread)

    def _let_look(self, thread: Thread) -> None:
        """A thread that waits in memory looks at what has come of it.

        All such threads wait in one queue of the kernel, the lot. If it is about to wait there, all who are
        do not; and the first that waits there looks, too.
        """
        if thread in self.lot:
            self.lot.remove(thread)
            self.make_ready(thread)
            return
        for each in self.threads.values():
            each.about_to_wait = False
        if self.lot:
            self.make_ready(self.lot.pop(0))

    def look(self, thread: Thread, why: int) -> None:
        """Its wait ends without that. In the kernel at once; in memory it looks itself when it runs."""
        queue = thread.queue
        if queue is None:
            return
        if queue.kind == Kind.KERNEL:
            queue.remove(thread)
            thread.queue, thread.outcome, thread.until = None, why, NEVER
            self.make_ready(thread)
            return
        if why == E.ETIMEDOUT or thread.asynchronous:
            self.gives_up(thread)
        self._let_look(thread)

    def gives_up(self, thread: Thread) -> None:
        """It waits no more, but has not run yet."""

    def wait_in_kernel(self, thread: Thread, queue: Queue, until: int = NEVER, point: bool = False) -> Steps:
        thread.woken, thread.queue, thread.until, thread.outcome = False, queue, until, 0
        thread.limit = next(self.limits)
        thread.point = point
        queue.enter(thread)
        self._block(thread)
        yield
        thread.point = False
        return thread.outcome

    def wait_in_memory(
        self, thread: Thread, queue: Queue, until: int = NEVER, *, point: bool = False, entered: bool = False
    ) -> Steps:
        if not entered:
            self.enter(thread, queue)
        at_any_time = thread.asynchronous
        status, slept = 0, False
        while not thread.woken:
            if until <= self.now:
                status = E.ETIMEDOUT
            if (point or at_any_time) and thread.cancel_now:
                status = E.ECANCELED
            if status:
                break
            thread.until, thread.point, thread.about_to_wait = until, point or at_any_time, True
            thread.limit = next(self.limits)
            yield  # what it has unlocked may have made a better thread ready
            if thread.about_to_wait:
                self.lot.enter(thread)
                self._block(thread)
                slept = True
                yield
        thread.point, thread.until = False, NEVER
        if status and thread.queue is not None:
            thread.queue.remove(thread)
        thread.queue = thread.waits_for = None
        if status and not slept:
            yield  # as above
        if at_any_time and status == E.ECANCELED and not point:
            raise Cancelled
        return status

    def enter(self, thread: Thread, queue: Queue, mutex: Mutex | None = None) -> None:
        thread.woken, thread.data, thread.queue, thread.waits_for = False, None, queue, mutex
        queue.enter(thread)

    def cancel_test(self, thread: Thread) -> None:
        if thread.cancel_now:
            raise Cancelled

    def point(self, thread: Thread) -> Steps:
        """A cancellation point: a request that comes later has missed it, if the thread need not wait."""
        self.cancel_test(thread)
        if self.at_leisure:
            yield
        return 0

    def deadline(self, limit: int) -> int:
        return WRONG if limit < 0 else limit - self.ahead

    # --- the life of a thread ----------------------------------------------------------------------

    def note(self, slot: int, call: str, result: int, of: Call | None = None) -> None:
        self.told.append(of)
        self.log.append(Entry(slot, call, int(result) & 0xFFFF, self.priorities(), self.now))

    def priorities(self) -> tuple[int, ...]:
        return tuple(self._shown(slot) for slot in range(1, NOTIFIER))

    def _shown(self, slot: int) -> int:
        thread = self.threads.get(self.slots.get(slot, THREADS))
        return 0 if thread is None or thread.state == "ended" else thread.priority & 7

    def _life(self, thread: Thread) -> Steps:
        if thread.slot:
            self.note(thread.slot, "begin", 0)
        try:
            while True:
                thread.call = call = self.choose(self, thread)
                if call.name == "end":
                    self.finished = True
                    yield
                yield
                result = yield from getattr(self, f"call_{call.name}")(thread, call)
                yield
                thread.call = None
                self.reach(call.name)
                self.note(thread.slot, call.name, result, call)
        except Cancelled:
            self.reach("cancelled")
            yield from self._end(thread, CANCELED)
        except Ended as ended:
            yield from self._end(thread, ended.value)
        return 0

    def _end(self, thread: Thread, value: int) -> Steps:
        thread.disabled, thread.asynchronous = True, thread.asynchronous
        while thread.cleanups:
            thread.unlocks.pop()
            yield from thread.cleanups.pop()()
        yield from self.end_values(thread)
        self.end_mutexes(thread)
        thread.own = thread.priority
        yield
        thread.ending = True
        while thread.joiners:
            self.wake(thread.joiners[0])
        yield
        thread.value, thread.state = value, "ended"
        if thread.joiner is not None or thread.detached:
            self._free(thread)
        if thread.joiner is not None:
            self.wake(thread.joiner)
        yield
        return 0

    def end_mutexes(self, thread: Thread) -> None:
        """What others get of a thread that ends."""

    def end_values(self, thread: Thread) -> Steps:
        yield
        return 0

    def _free(self, thread: Thread) -> None:
        thread.state = "ended"
        del self.threads[thread.number]
        self.free.append(thread.number)

    def of(self, slot: int) -> Thread | None:
        """The thread that has the number of this slot's last thread now."""
        return self.threads.get(self.slots.get(slot, THREADS))

    # --- calls on threads --------------------------------------------------------------------------

    def call_create(self, thread: Thread, call: Call) -> Steps:
        new = Thread(call.object, self.free.pop(), call.other, bool(call.argument & 1))
        self.threads[new.number] = new
        self.slots[new.slot] = new.number
        new.steps = self._life(new)
        self.make_ready(new)
        yield
        return 0

    def call_go(self, thread: Thread, call: Call) -> Steps:
        """From here on all orders are explored."""
        yield
        return 0

    def call_exit(self, thread: Thread, call: Call) -> Steps:
        if thread.slot:
            raise Ended(call.argument)
        yield
        return 0

    def call_join(self, thread: Thread, call: Call) -> Steps:
        number = self.slots.get(call.object, THREADS)
        yield from self.point(thread)
        other = self.threads.get(number)
        while other is not None and other is not thread:
            if other.detached:
                return E.EINVAL
            if other.joined:
                return E.EINVAL
            if other.ending:
                break
            other.joined = True
            status = yield from self.wait_in_memory(thread, other.joiners, point=True)
            other.joined = False
            if not status:
                break
            raise Cancelled
        # The kernel's wait, which nothing ends
        other = self.threads.get(number)
        if other is None:
            return E.ESRCH
        if other is thread:
            return E.EDEADLK
        if other.detached or other.joiner is not None:
            return E.EINVAL
        if other.state == "ended":
            self._free(other)
        else:
            other.joiner = thread
            yield from self.wait_in_kernel(thread, Queue(Kind.KERNEL))
        self.reach("joined")
        return with_(0, other.value)

    def call_tryjoin(self, thread: Thread, call: Call) -> Steps:
        other = self.of(call.object)
        if other is not None and other.state != "ended" and other is not thread:
            return E.EBUSY
        return (yield from self.call_join(thread, call))

    def call_detach(self, thread: Thread, call: Call) -> Steps:
        other = self.of(call.object)
        if self.leaver_joined(call.object):
            return E.EINVAL
        if other is None:
            return E.ESRCH
        if other.detached or other.joiner is not None:
            return E.EINVAL
        other.detached = True
        if other.state == "ended":
            self._free(other)
        yield
        return 0

    def leaver_joined(self, slot: int) -> bool:
        other = self.of(slot)
        return other is not None and other.joined

    def call_yield(self, thread: Thread, call: Call) -> Steps:
        if self._best_ready() >= thread.priority and thread is self.current:
            self.ready[thread.priority].append(thread)
            self.current = None
        yield
        return 0

    def call_getprio(self, thread: Thread, call: Call) -> Steps:
        other = self.of(call.object)
        yield
        return E.ESRCH if other is None else with_(0, other.own)

    # --- cancellation ------------------------------------------------------------------------------

    def call_cancel(self, thread: Thread, call: Call) -> Steps:
        other = self.of(call.object)
        if other is None:
            return E.ESRCH
        if other.state == "ended":
            return 0
        if other.requested:
            self.reach("cancelled twice")
        other.requested = True
        in_memory = other.queue is not None and other.queue.kind == Kind.MEMORY
        if other.cancel_now and (other.point or in_memory):
            if other.point:
                self.reach("wait cancelled")
            if self.at_leisure:
                self.asked[other.slot] = other
            else:
                self.look(other, E.ECANCELED)
        if other is thread and thread.asynchronous:
            self.cancel_test(thread)
        yield
        return 0

    def call_cancelstate(self, thread: Thread, call: Call) -> Steps:
        old, thread.disabled = thread.disabled, bool(call.argument)
        if thread.asynchronous:
            self.cancel_test(thread)
        yield
        return with_(0, old)

    def call_canceltype(self, thread: Thread, call: Call) -> Steps:
        old, thread.asynchronous = thread.asynchronous, bool(call.argument)
        if thread.asynchronous:
            self.cancel_test(thread)
        yield
        return with_(0, old)

    def call_testcancel(self, thread: Thread, call: Call) -> Steps:
        self.cancel_test(thread)
        yield
        return 0
