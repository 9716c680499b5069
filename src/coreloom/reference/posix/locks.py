# SPDX-License-Identifier: Apache-2.0
"""The model of POSIX: condition variables, read-write locks, semaphores, barriers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from coreloom.reference.posix.mutexes import Mutexes
from coreloom.reference.posix.threads import (
    NEVER,
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

SEMAPHORE_MAX = 32767


@dataclass(eq=False)
class Condition:
    kind: Kind = Kind.NONE
    monotonic: bool = False
    signals: int = 0
    waiters: Queue = field(default_factory=lambda: Queue(Kind.KERNEL))


@dataclass(eq=False)
class Lock:
    """A read-write lock."""

    exists: bool = False
    readers: int = 0
    by: list[int] = field(default_factory=list)  # the numbers of the readers; the lock does not know them
    writer: int | None = None
    waiting_readers: Queue = field(default_factory=lambda: Queue(Kind.MEMORY))
    waiting_writers: Queue = field(default_factory=lambda: Queue(Kind.MEMORY))


@dataclass(eq=False)
class Semaphore:
    kind: Kind = Kind.NONE
    value: int = 0
    waiters: Queue = field(default_factory=lambda: Queue(Kind.KERNEL))


@dataclass(eq=False)
class Barrier:
    kind: Kind = Kind.NONE
    count: int = 0
    waiters: Queue = field(default_factory=lambda: Queue(Kind.KERNEL))


class Locks(Mutexes):
    def __init__(
        self, left: dict[str, int], choose: Callable[[Any, Thread], Call], any_time: bool = False
    ) -> None:
        super().__init__(left, choose, any_time)
        self.conditions = [Condition() for _ in range(PLACES)]
        self.rwlocks = [Lock() for _ in range(PLACES)]
        self.semaphores = [Semaphore() for _ in range(PLACES)]
        self.barriers = [Barrier() for _ in range(PLACES)]

    # --- condition variables -----------------------------------------------------------------------

    def _make_condition(self, condition: Condition) -> None:
        condition.kind = self.take_from_kernel("condition")
        condition.waiters = Queue(condition.kind)

    def call_cond_init(self, thread: Thread, call: Call) -> Steps:
        self.conditions[call.object] = condition = Condition(monotonic=bool(call.argument))
        self._make_condition(condition)
        yield
        return 0

    def _destroy(self, object: Condition | Barrier) -> int:
        if object.kind == Kind.DESTROYED:
            return E.EINVAL
        if object.waiters:
            self.reach("destroyed while in use")
            return E.EBUSY
        if object.kind == Kind.KERNEL:
            self.left["condition"] += 1
        object.kind = Kind.DESTROYED
        return 0

    def call_cond_destroy(self, thread: Thread, call: Call) -> Steps:
        yield
        return self._destroy(self.conditions[call.object])

    def cond_wait(self, thread: Thread, condition: Condition, mutex: Mutex, until: int = NEVER) -> Steps:
        if until == WRONG:
            return E.EINVAL
        yield from self.point(thread)
        if condition.kind == Kind.NONE:
            self._make_condition(condition)
        if condition.kind == Kind.DESTROYED:
            return E.EINVAL
        ticket = condition.signals
        status = self.release(thread, mutex)
        if status:
            return status
        self.reach("wait for a condition")
        if condition.kind == Kind.MEMORY:
            status = yield from self.wait_in_memory(thread, condition.waiters, until, point=True)
        else:
            yield
            if until <= self.now:
                status = E.ETIMEDOUT
            elif thread.cancel_now:
                status = E.ECANCELED
            elif condition.signals == ticket:
                status = yield from self.wait_in_kernel(thread, condition.waiters, until, True)
        locked = yield from self.lock(thread, mutex)
        if status == E.ECANCELED:
            raise Cancelled
        return locked or status

    def call_cond_wait(self, thread: Thread, call: Call) -> Steps:
        return (yield from self.cond_wait(thread, self.conditions[call.object], self.mutexes[call.other]))

    def call_cond_timedwait(self, thread: Thread, call: Call) -> Steps:
        condition = self.conditions[call.object]
        until = call.limit if condition.monotonic and call.limit >= 0 else self.deadline(call.limit)
        return (yield from self.cond_wait(thread, condition, self.mutexes[call.other], until))

    def signal(self, condition: Condition, everybody: bool) -> int:
        if condition.kind == Kind.DESTROYED:
            return E.EINVAL
        condition.signals += 1
        if len(condition.waiters) > 1 and everybody:
            self.reach("several woken")
        while condition.waiters:
            self.wake(condition.waiters[0])
            if not everybody:
                break
        return 0

    def call_cond_signal(self, thread: Thread, call: Call) -> Steps:
        yield
        return self.signal(self.conditions[call.object], False)

    def call_cond_broadcast(self, thread: Thread, call: Call) -> Steps:
        yield
        return self.signal(self.conditions[call.object], True)

    # --- read-write locks --------------------------------------------------------------------------

    def call_rwlock_init(self, thread: Thread, call: Call) -> Steps:
        self.rwlocks[call.object] = Lock(True)
        yield
        return 0

    def call_rwlock_destroy(self, thread: Thread, call: Call) -> Steps:
        lock = self.rwlocks[call.object]
        yield
        if not lock.exists:
            return E.EINVAL
        if lock.readers or lock.writer is not None:
            return E.EBUSY
        lock.exists = False
        return 0

    @staticmethod
    def _goes_first(lock: Lock, priority: int) -> bool:
        return bool(lock.waiting_writers) and lock.waiting_writers[0].rank >= priority

    def _begin_reading(self, lock: Lock, thread: Thread) -> None:
        lock.readers += 1
        lock.by.append(thread.number)
        thread.reads += 1

    def _hand_over(self, lock: Lock) -> None:
        if lock.writer is not None:
            return
        while lock.waiting_readers and not self._goes_first(lock, lock.waiting_readers[0].rank):
            self._begin_reading(lock, lock.waiting_readers[0])
            self.wake(lock.waiting_readers[0])
        if lock.waiting_writers and not lock.readers:
            lock.writer = lock.waiting_writers[0].number
            self.wake(lock.waiting_writers[0])

    def _read(self, thread: Thread, lock: Lock, until: int) -> Steps:
        if not lock.exists:
            return E.EINVAL
        if lock.writer is None and (thread.reads or not self._goes_first(lock, thread.priority)):
            self._begin_reading(lock, thread)
            return 0
        if not until:
            return E.EBUSY
        if lock.writer == thread.number:
            return E.EDEADLK
        self.reach("wait to read")
        return (yield from self.wait_in_memory(thread, lock.waiting_readers, until))

    def _write(self, thread: Thread, lock: Lock, until: int) -> Steps:
        if not lock.exists:
            return E.EINVAL
        if lock.writer is None and not lock.readers:
            lock.writer = thread.number
            return 0
        if not until:
            return E.EBUSY
        if lock.writer == thread.number:
            return E.EDEADLK
        self.reach("wait to write")
        try:
            status = yield from self.wait_in_memory(thread, lock.waiting_writers, until)
        except Cancelled:
            self._hand_over(lock)
            yield
            raise
        if status:
            self._hand_over(lock)
        return status

    def _timed_lock(self, take: Callable[[Thread, Lock, int], Steps], thread: Thread, call: Call) -> Steps:
        lock = self.rwlocks[call.object]
        status = yield from take(thread, lock, 0)
        if status != E.EBUSY:
            return status
        until = self.deadline(call.limit)
        return E.EINVAL if until == WRONG else (yield from take(thread, lock, max(1, until)))

    def call_rwlock_rdlock(self, thread: Thread, call: Call) -> Steps:
        return (yield from self._read(thread, self.rwlocks[call.object], NEVER))

    def call_rwlock_tryrdlock(self, thread: Thread, call: Call) -> Steps:
        return (yield from self._read(thread, self.rwlocks[call.object], 0))

    def call_rwlock_timedrdlock(self, thread: Thread, call: Call) -> Steps:
        return (yield from self._timed_lock(self._read, thread, call))

    def call_rwlock_wrlock(self, thread: Thread, call: Call) -> Steps:
        return (yield from self._write(thread, self.rwlocks[call.object], NEVER))

    def call_rwlock_trywrlock(self, thread: Thread, call: Call) -> Steps:
        return (yield from self._write(thread, self.rwlocks[call.object], 0))

    def call_rwlock_timedwrlock(self, thread: Thread, call: Call) -> Steps:
        return (yield from self._timed_lock(self._write, thread, call))

    def call_rwlock_unlock(self, thread: Thread, call: Call) -> Steps:
        lock = self.rwlocks[call.object]
        yield
        if not lock.exists:
            return E.EINVAL
        if lock.writer == thread.number:
            lock.writer = None
        elif lock.writer is not None or not lock.readers:
            return E.EPERM
        else:
            lock.readers -= 1
            lock.by.remove(thread.number if thread.number in lock.by else lock.by[0])
            thread.reads -= bool(thread.reads)
        self._hand_over(lock)
        return 0

    # --- semaphores --------------------------------------------------------------------------------

    def call_sem_init(self, thread: Thread, call: Call) -> Steps:
        yield
        if call.argument > SEMAPHORE_MAX:
            return E.EINVAL
        kind = self.take_from_kernel("semaphore")
        self.semaphores[call.object] = Semaphore(kind, call.argument, Queue(kind))
        return 0

    def _is_semaphore(self, semaphore: Semaphore) -> bool:
        return semaphore.kind in (Kind.KERNEL, Kind.MEMORY)

    def call_sem_destroy(self, thread: Thread, call: Call) -> Steps:
        semaphore = self.semaphores[call.object]
        yield
        if not self._is_semaphore(semaphore):
            return E.EINVAL
        if semaphore.waiters:
            self.reach("destroyed while in use")
            return E.EBUSY
        if semaphore.kind == Kind.KERNEL:
            self.left["semaphore"] += 1
        semaphore.kind = Kind.DESTROYED
        return 0

    def sem_wait(self, thread: Thread, semaphore: Semaphore, until: int = NEVER) -> Steps:
        yield from self.point(thread)
        if not self._is_semaphore(semaphore):
            return E.EINVAL
        if semaphore.value:
            semaphore.value -= 1
            return 0
        if until <= self.now:
            return E.EINVAL if until == WRONG else E.ETIMEDOUT
        self.reach("wait for a semaphore")
        if semaphore.kind == Kind.KERNEL:
            status = yield from self.wait_in_kernel(thread, semaphore.waiters, until, True)
        else:
            status = yield from self.wait_in_memory(thread, semaphore.waiters, until, point=True)
        if status == E.ECANCELED:
            raise Cancelled
        return status

    def call_sem_wait(self, thread: Thread, call: Call) -> Steps:
        return (yield from self.sem_wait(thread, self.semaphores[call.object]))

    def call_sem_timedwait(self, thread: Thread, call: Call) -> Steps:
        until = self.deadline(call.limit)
        return (yield from self.sem_wait(thread, self.semaphores[call.object], until))

    def call_sem_trywait(self, thread: Thread, call: Call) -> Steps:
        semaphore = self.semaphores[call.object]
        yield
        if not self._is_semaphore(semaphore):
            return E.EINVAL
        if not semaphore.value:
            return E.EAGAIN
        semaphore.value -= 1
        return 0

    def post(self, semaphore: Semaphore) -> int:
        if not self._is_semaphore(semaphore):
            return E.EINVAL
        if semaphore.waiters:
            self.wake(semaphore.waiters[0])
        elif semaphore.value == SEMAPHORE_MAX:
            return E.EOVERFLOW
        else:
            semaphore.value += 1
        return 0

    def call_sem_post(self, thread: Thread, call: Call) -> Steps:
        yield
        return self.post(self.semaphores[call.object])

    def call_sem_getvalue(self, thread: Thread, call: Call) -> Steps:
        semaphore = self.semaphores[call.object]
        yield
        return with_(0, semaphore.value) if self._is_semaphore(semaphore) else E.EINVAL

    # --- barriers ----------------------------------------------------------------------------------

    def call_barrier_init(self, thread: Thread, call: Call) -> Steps:
        yield
        if not call.argument:
            return E.EINVAL
        kind = Kind.MEMORY if self.any_time else self.take_from_kernel("condition")
        self.barriers[call.object] = Barrier(kind, call.argument, Queue(kind))
        return 0

    def call_barrier_destroy(self, thread: Thread, call: Call) -> Steps:
        barrier = self.barriers[call.object]
        yield
        return E.EINVAL if barrier.kind == Kind.NONE else self._destroy(barrier)

    def call_barrier_wait(self, thread: Thread, call: Call) -> Steps:
        barrier = self.barriers[call.object]
        if thread.asynchronous:
            self.cancel_test(thread)
        if barrier.kind not in (Kind.KERNEL, Kind.MEMORY):
            return E.EINVAL
        if len(barrier.waiters) + 1 >= barrier.count:
            while barrier.waiters:
                self.wake(barrier.waiters[0])
            return 0x100
        self.reach("wait at a barrier")
        if barrier.kind == Kind.KERNEL:
            return (yield from self.wait_in_kernel(thread, barrier.waiters))
        return (yield from self.wait_in_memory(thread, barrier.waiters))
