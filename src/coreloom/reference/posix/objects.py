# SPDX-License-Identifier: Apache-2.0
"""The model of POSIX: once, keys, clocks, timers, message queues, event flags; and all of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from coreloom.reference.posix.locks import Condition, Locks
from coreloom.reference.posix.threads import (
    HIGHEST,
    NEVER,
    NOTIFIER,
    PLACES,
    WRONG,
    Call,
    Cancelled,
    E,
    Kind,
    Mutex,
    Queue,
    Steps,
    Thread,
    with_,
)  # fmt: skip

FIRST_DESCRIPTOR = 3
NAMES = 4
TIMERS = 32
DESCRIPTORS = 64
UNKNOWN = 0xFFFF  # each count of the heap is as the first
KINDS = {5: "mutex", 6: "semaphore", 7: "condition", 8: "thread", 9: "heap", 10: "queue", 11: "timer"}
ALL, CLEAR = 1, 2
_CALLS_AT = 7  # priority of a timer's call


@dataclass(eq=False)
class Timer:
    exists: bool = False
    monotonic: bool = False
    semaphore: int | None = None  # which its call posts
    at: int = NEVER
    follows: int | None = None  # the time of CLOCK_REALTIME
    interval: int = 0
    overrun: int = 0


@dataclass(eq=False)
class Messages:
    """A message queue; a message is (priority, value)."""

    room: int
    free: int
    messages: list[tuple[int, int]] = field(default_factory=list)
    senders: Queue = field(default_factory=lambda: Queue(Kind.MEMORY))
    receivers: Queue = field(default_factory=lambda: Queue(Kind.MEMORY))
    notifies: tuple[int, int] | None = None  # by which descriptor, the semaphore that the call posts


@dataclass(eq=False)
class EventWaiter:
    wanted: int
    how: int
    released: bool = False
    got: int = 0


@dataclass(eq=False)
class Events:
    mutex: Mutex = field(default_factory=Mutex)
    released: Condition = field(default_factory=Condition)
    flags: int = 0
    waiters: list[EventWaiter] = field(default_factory=list)


def suffice(flags: int, wanted: int, how: int) -> bool:
    return flags & wanted == wanted if how & ALL else bool(flags & wanted)


class Posix(Locks):
    def __init__(
        self, left: dict[str, int], choose: Callable[[Any, Thread], Call], any_time: bool = False
    ) -> None:
        super().__init__(left, choose, any_time)
        self.onces = ["new"] * PLACES
        self.at_once = Queue(Kind.MEMORY)
        self.keys = [0] * PLACES  # number of the key of each place
        self.created: dict[int, tuple[int, bool]] = {}  # of each key: which one it is, has a destructor
        self.ages = 0
        self.timers = [0] * PLACES  # number of the timer of each place
        self.timer: dict[int, Timer] = {}
        self.serving = False
        self.clock_timers = Queue(Kind.MEMORY)
        self.names: list[Messages | None] = [None] * NAMES
        self.descriptors: dict[int, tuple[Messages, bool]] = {}
        self.queues = [0] * PLACES  # descriptor of each place
        self.events = [Events() for _ in range(PLACES)]
        self.taken = dict.fromkeys(left, 0)

    # --- once and keys -----------------------------------------------------------------------------

    def call_once_init(self, thread: Thread, call: Call) -> Steps:
        self.onces[call.object] = "new"
        yield
        return 0

    def call_once(self, thread: Thread, call: Call) -> Steps:
        while self.onces[call.object] == "runs":
            self.reach("wait for a routine")
            yield from self.wait_in_memory(thread, self.at_once)
        if self.onces[call.object] == "done":
            return 0
        self.onces[call.object] = "runs"
        yield
        self.note(thread.slot, "routine", 0)
        try:
            if call.argument:
                yield from self.sem_wait(thread, self.semaphores[call.argument - 1])
        except Cancelled:
            self.reach("routine cancelled")
            thread.disabled = True
            self._set_once(call.object, "new")
            yield
            raise
        yield
        self._set_once(call.object, "done")
        yield
        return 0

    def _set_once(self, once: int, state: str) -> None:
        self.onces[once] = state
        while self.at_once:
            self.wake(self.at_once[0])

    def call_key_create(self, thread: Thread, call: Call) -> Steps:
        number = next(n for n in range(len(self.created) + 1) if n not in self.created)
        self.ages += 1
        self.created[number] = (self.ages, bool(call.argument))
        self.keys[call.object] = number
        yield
        return 0

    def call_key_delete(self, thread: Thread, call: Call) -> Steps:
        yield
        return 0 if self.created.pop(self.keys[call.object], None) else E.EINVAL

    def call_key_set(self, thread: Thread, call: Call) -> Steps:
        key = self.keys[call.object]
        yield
        if key not in self.created:
            return E.EINVAL
        thread.values[key] = (self.created[key][0], call.argument)
        return 0

    def _value(self, thread: Thread, key: int) -> int:
        age, value = thread.values.get(key, (0, 0))
        return value if key in self.created and self.created[key][0] == age else 0

    def call_key_get(self, thread: Thread, call: Call) -> Steps:
        yield
        return with_(0, self._value(thread, self.keys[call.object]))

    def end_values(self, thread: Thread) -> Steps:
        for key in sorted(thread.values):
            value = self._value(thread, key)
            if value and self.created[key][1]:
                del thread.values[key]
                self.note(thread.slot, "destructor", value)
        yield
        return 0

    # --- clocks and timers -------------------------------------------------------------------------

    def call_settime(self, thread: Thread, call: Call) -> Steps:
        self.ahead = call.limit
        if len(self.by_clock) > 1:
            self.reach("several sleepers look again")
        for queue in (self.by_clock, self.clock_timers):
            while queue:
                self.wake(queue[0])
        yield
        return 0

    def call_sleep(self, thread: Thread, call: Call) -> Steps:
        """argument: by CLOCK_REALTIME, which may be set meanwhile."""
        yield from self.point(thread)
        if call.limit < 0:
            return E.EINVAL
        status: int = E.EAGAIN
        while status != E.ETIMEDOUT:
            until = self.deadline(call.limit) if call.argument else call.limit
            status = yield from self._sleep(thread, self.by_clock if call.argument else self.sleepers, until)
        return 0

    def call_nap(self, thread: Thread, call: Call) -> Steps:
        """limit: from now on."""
        yield from self.point(thread)
        if call.limit < 0:
            return E.EINVAL
        thread.naps = True
        yield from self._sleep(thread, self.sleepers, self.now + call.limit)
        thread.naps = False
        return 0

    def _sleep(self, thread: Thread, queue: Queue, until: int) -> Steps:
        status = yield from self.wait_in_memory(thread, queue, until, point=True)
        if status == E.ECANCELED:
            raise Cancelled
        return status

    def due(self, timer: Timer) -> int:
        if timer.follows is not None:
            timer.at = max(0, self.deadline(timer.follows))
        return timer.at

    def _expire(self, timer: Timer) -> int:
        at, times = self.due(timer), 1
        if at > self.now:
            return 0
        timer.follows = None
        if timer.interval:
            times += (self.now - at) // timer.interval
        timer.at = at + times * timer.interval if timer.interval else NEVER
        return times

    def _detached(self, slot: int, priority: int) -> Thread:
        thread = Thread(slot, self.free.pop(), priority, True)
        self.threads[thread.number] = thread
        return thread

    def _serve(self, thread: Thread) -> Steps:
        while True:
            timers = [t for _, t in sorted(self.timer.items()) if t.exists and t.semaphore is not None]
            if not timers:
                break
            for timer in timers:
                times = self._expire(timer)
                if times:
                    self.reach("timer expired")
                    timer.overrun = times - 1
                    self._notify(timer.semaphore or 0)
                    break
            else:
                first = min(timer.at for timer in timers)
                yield from self.wait_in_memory(thread, self.clock_timers, first)
        self.serving = False
        yield
        self._free(thread)
        yield
        return 0

    def _notify(self, semaphore: int) -> None:
        called = self._detached(NOTIFIER, _CALLS_AT)
        called.steps = self._called(called, semaphore)
        self.make_ready(called)

    def _called(self, thread: Thread, semaphore: int) -> Steps:
        self.note(NOTIFIER, "notified", semaphore)
        self.post(self.semaphores[semaphore])
        yield
        self._free(thread)
        yield
        return 0

    def call_timer_create(self, thread: Thread, call: Call) -> Steps:
        number = next(n for n in range(1, len(self.timer) + 2) if not self.timer.get(n, Timer()).exists)
        calls = bool(call.argument & 2)
        self.timer[number] = Timer(True, bool(call.argument & 1), call.other if calls else None)
        if calls and not self.serving:
            self.serving = True
            server = self._detached(NOTIFIER, HIGHEST)
            server.steps = self._serve(server)
            self.make_ready(server)
        yield
        self.timers[call.object] = number
        return 0

    def timer_at(self, place: int) -> Timer | None:
        timer = self.timer.get(self.timers[place])
        return timer if timer is not None and timer.exists else None

    def _tell_server(self) -> None:
        if self.clock_timers:
            self.wake(self.clock_timers[0])

    def call_timer_delete(self, thread: Thread, call: Call) -> Steps:
        timer = self.timer_at(call.object)
        if timer is None:
            return E.EINVAL
        timer.exists = False
        self._tell_server()
        yield
        return 0

    def call_timer_settime(self, thread: Thread, call: Call) -> Steps:
        """limit: a time of the timer's clock; 0: disarm. What was left is returned."""
        timer = self.timer_at(call.object)
        if timer is None or call.limit < 0:
            return E.EINVAL
        left = self._left(timer)
        timer.at, timer.follows = NEVER, None
        if call.limit:
            timer.interval, timer.overrun = call.argument >> 1, 0
            timer.at = call.limit if timer.monotonic else self.deadline(call.limit)
            timer.follows = None if timer.monotonic else call.limit
        self._tell_server()
        yield
        return with_(0, left)

    def _left(self, timer: Timer) -> int:
        if timer.semaphore is None:
            self._expire(timer)
        at = self.due(timer)
        return 0 if at == NEVER else max(1, at - self.now)

    def call_timer_gettime(self, thread: Thread, call: Call) -> Steps:
        timer = self.timer_at(call.object)
        yield
        return E.EINVAL if timer is None else with_(0, self._left(timer))

    def call_timer_getoverrun(self, thread: Thread, call: Call) -> Steps:
        timer = self.timer_at(call.object)
        yield
        return E.EINVAL if timer is None else with_(0, timer.overrun)

    # --- message queues ----------------------------------------------------------------------------

    def call_mq_open(self, thread: Thread, call: Call) -> Steps:
        queue = self.names[call.other]
        if queue is None:
            queue = self.names[call.other] = Messages(call.argument & 0xFF, call.argument & 0xFF)
        number = next(n for n in range(FIRST_DESCRIPTOR, 99) if n not in self.descriptors)
        self.descriptors[number] = (queue, bool(call.argument >> 8 & 1))
        self.queues[call.object] = number
        yield
        return 0

    def call_mq_close(self, thread: Thread, call: Call) -> Steps:
        yield
        number = self.queues[call.object]
        found = self.descriptors.pop(number, None)
        if found is None:
            return E.EBADF
        if found[0].notifies and found[0].notifies[0] == number:
            found[0].notifies = None
        return 0

    def call_mq_unlink(self, thread: Thread, call: Call) -> Steps:
        found, self.names[call.other] = self.names[call.other], None
        yield
        return E.ENOENT if found is None else 0

    def _wait_for_slot(self, thread: Thread, queue: Queue, nonblocking: bool, until: int) -> Steps:
        if nonblocking:
            return E.EAGAIN
        if until == WRONG:
            return E.EINVAL
        self.reach("wait for a queue")
        return (yield from self.wait_in_memory(thread, queue, until, point=True))

    def _send(self, thread: Thread, call: Call, until: int = NEVER) -> Steps:
        yield from self.point(thread)
        found = self.descriptors.get(self.queues[call.object])
        if found is None:
            return E.EBADF
        queue, nonblocking = found
        if queue.free:
            queue.free -= 1
        elif status := (yield from self._wait_for_slot(thread, queue.senders, nonblocking, until)):
            if status == E.ECANCELED:
                raise Cancelled
            return status
        message = (call.argument >> 8, call.argument & 0xFF)
        if queue.receivers:
            self.wake(queue.receivers[0], message)
        else:
            behind = sum(each[0] >= message[0] for each in queue.messages)
            queue.messages.insert(behind, message)
            if len(queue.messages) == 1 and queue.notifies:
                self.reach("told of a message")
                self._notify(queue.notifies[1])
                queue.notifies = None
        yield
        return 0

    def _receive(self, thread: Thread, call: Call, until: int = NEVER) -> Steps:
        yield from self.point(thread)
        found = self.descriptors.get(self.queues[call.object])
        if found is None:
            return E.EBADF
        queue, nonblocking = found
        message: Any
        if queue.messages:
            message = queue.messages.pop(0)
        else:
            status = yield from self._wait_for_slot(thread, queue.receivers, nonblocking, until)
            if status == E.ECANCELED:
                raise Cancelled
            if status:
                return status
            message = thread.data
        if queue.senders:
            self.wake(queue.senders[0])
        else:
            queue.free += 1
        yield
        return with_(0, message[1])

    def call_mq_send(self, thread: Thread, call: Call) -> Steps:
        return (yield from self._send(thread, call))

    def call_mq_timedsend(self, thread: Thread, call: Call) -> Steps:
        return (yield from self._send(thread, call, self.deadline(call.limit)))

    def call_mq_receive(self, thread: Thread, call: Call) -> Steps:
        return (yield from self._receive(thread, call))

    def call_mq_timedreceive(self, thread: Thread, call: Call) -> Steps:
        return (yield from self._receive(thread, call, self.deadline(call.limit)))

    def call_mq_count(self, thread: Thread, call: Call) -> Steps:
        found = self.descriptors.get(self.queues[call.object])
        yield
        return E.EBADF if found is None else with_(0, len(found[0].messages))

    def call_mq_notify(self, thread: Thread, call: Call) -> Steps:
        """argument: a message is told of, by a call that posts semaphore `other`; else none is any more."""
        number = self.queues[call.object]
        found = self.descriptors.get(number)
        yield
        if found is None:
            return E.EBADF
        if call.argument and found[0].notifies:
            return E.EBUSY
        found[0].notifies = (number, call.other) if call.argument else None
        return 0

    def call_mq_setflags(self, thread: Thread, call: Call) -> Steps:
        """argument: without waiting. What it was is returned, and the queue's numbers."""
        number = self.queues[call.object]
        found = self.descriptors.get(number)
        yield
        if found is None:
            return E.EBADF
        queue, nonblocking = found
        self.descriptors[number] = (queue, bool(call.argument))
        return with_(0, nonblocking | len(queue.messages) << 1 | queue.room << 4)

    # --- event flags: of a mutex and a condition variable -------------------------------------------

    def call_events_init(self, thread: Thread, call: Call) -> Steps:
        self.events[call.object] = events = Events(flags=call.argument)
        self._make(events.mutex)
        self._make_condition(events.released)
        yield
        return 0

    def call_events_destroy(self, thread: Thread, call: Call) -> Steps:
        events = self.events[call.object]
        status = yield from self.mutex_lock(thread, events.mutex)
        if status:
            return status
        busy = bool(events.waiters)
        yield from self.unlock(thread, events.mutex)
        if busy or events.mutex.owner is not None:  # a thread that was released has it now
            return E.EBUSY
        self._destroy(events.released)
        self.left["mutex"] += events.mutex.kind == Kind.KERNEL
        events.mutex.kind = Kind.DESTROYED
        return 0

    def call_events_set(self, thread: Thread, call: Call) -> Steps:
        events = self.events[call.object]
        status = yield from self.mutex_lock(thread, events.mutex)
        if status:
            return status
        events.flags |= call.argument
        cleared, released = 0, [w for w in events.waiters if suffice(events.flags, w.wanted, w.how)]
        for waiter in released:
            events.waiters.remove(waiter)
            waiter.got, waiter.released = events.flags, True
            cleared |= waiter.wanted if waiter.how & CLEAR else 0
        events.flags &= ~cleared
        if released:
            self.signal(events.released, True)
            yield
        return (yield from self.unlock(thread, events.mutex))

    def call_events_clear(self, thread: Thread, call: Call) -> Steps:
        events = self.events[call.object]
        status = yield from self.mutex_lock(thread, events.mutex)
        if status:
            return status
        events.flags &= ~call.argument
        return (yield from self.unlock(thread, events.mutex))

    def call_events_get(self, thread: Thread, call: Call) -> Steps:
        events = self.events[call.object]
        status = yield from self.mutex_lock(thread, events.mutex)
        if status:
            return status
        flags = events.flags
        return with_((yield from self.unlock(thread, events.mutex)), flags)

    def _wait_for_events(self, thread: Thread, call: Call, patient: bool, timed: bool = False) -> Steps:
        events, wanted, how = self.events[call.object], call.argument & 0xFF, call.argument >> 8
        if not wanted:
            return E.EINVAL
        status = yield from self.mutex_lock(thread, events.mutex)
        if status:
            return status
        got = events.flags
        if suffice(got, wanted, how):
            if how & CLEAR:
                events.flags &= ~wanted
        elif not patient:
            status = E.EAGAIN
        else:
            me = EventWaiter(wanted, how)
            events.waiters.append(me)
            try:
                while not me.released and not status:
                    until = self.deadline(call.limit) if timed else NEVER  # the clock may have been set
                    status = yield from self.cond_wait(thread, events.released, events.mutex, until)
            except Cancelled:
                thread.disabled = True
                if not me.released:
                    events.waiters.remove(me)
                yield from self.unlock(thread, events.mutex)
                raise
            if me.released:
                status = 0
            else:
                events.waiters.remove(me)
            got = me.got
        yield from self.unlock(thread, events.mutex)
        return with_(status, got)

    def call_events_wait(self, thread: Thread, call: Call) -> Steps:
        return (yield from self._wait_for_events(thread, call, True))

    def call_events_trywait(self, thread: Thread, call: Call) -> Steps:
        return (yield from self._wait_for_events(thread, call, False))

    def call_events_timedwait(self, thread: Thread, call: Call) -> Steps:
        return (yield from self._wait_for_events(thread, call, True, True))

    # --- how much is left --------------------------------------------------------------------------

    def call_fill(self, thread: Thread, call: Call) -> Steps:
        """Takes what the kernel has left of a kind, all but so many."""
        kind = KINDS[call.object]
        free = self.left[kind] + self.taken[kind]
        self.left[kind] = min(free, call.argument)
        self.taken[kind] = free - self.left[kind]
        yield
        return free

    def call_count(self, thread: Thread, call: Call) -> Steps:
        kind = KINDS[call.object]
        yield
        if kind == "thread":
            return len(self.free)
        if kind == "timer":
            return TIMERS - sum(timer.exists for timer in self.timer.values())
        if kind == "queue":
            return DESCRIPTORS - len(self.descriptors)
        return self.left.get(kind, UNKNOWN)
