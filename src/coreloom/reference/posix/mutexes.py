# SPDX-License-Identifier: Apache-2.0
"""The model of POSIX: mutexes of all types and protocols, and the priorities that they give."""

from __future__ import annotations

from coreloom.reference.posix.threads import (
    HIGHEST,
    NEVER,
    WRONG,
    Call,
    Cancelled,
    E,
    Kind,
    Mutex,
    Queue,
    Steps,
    Thread,
    Threads,
    with_,
)  # fmt: skip

DEFAULT, NORMAL, ERRORCHECK, RECURSIVE = range(4)
NO_PROTOCOL, INHERIT, PROTECT = range(3)
STALLED, ROBUST, INCONSISTENT, NOT_RECOVERABLE = range(4)
GONE = -1


class Mutexes(Threads):
    def take_from_kernel(self, what: str) -> Kind:
        if not self.left[what]:
            self.reach(f"{what} in memory")
            return Kind.MEMORY
        self.left[what] -= 1
        return Kind.KERNEL

    def _make(self, mutex: Mutex) -> None:
        mutex.kind = Kind.MEMORY
        if mutex.type != RECURSIVE and not mutex.listed:
            mutex.kind = self.take_from_kernel("mutex")
        mutex.waiters = Queue(mutex.kind)

    def call_mutex_init(self, thread: Thread, call: Call) -> Steps:
        what, old = call.argument, self.mutexes[call.object]
        if not what >> 5 & 1 and any(old in thread.held for thread in self.threads.values()):
            return E.EBUSY
        if what >> 5 & 1:
            self.mutexes[call.object] = Mutex(type=what & 3)
        else:
            self.protocols = True
            new = Mutex(Kind.NONE, what & 3, what >> 2 & 3, what >> 4 & 1, what >> 8 & 0xFF)
            self._make(new)
            self.mutexes[call.object] = new
        yield
        return 0

    def call_mutex_destroy(self, thread: Thread, call: Call) -> Steps:
        mutex = self.mutexes[call.object]
        if mutex.kind == Kind.DESTROYED:
            return E.EINVAL
        if mutex.robust and mutex.owner == thread.number and not mutex.waiters:
            mutex.depth = 1
            self.release(thread, mutex)
        if mutex.owner is not None:
            return E.EBUSY
        if mutex.kind == Kind.KERNEL:
            self.left["mutex"] += 1
        mutex.kind = Kind.DESTROYED
        yield
        return 0

    def _refusal(self, mutex: Mutex, thread: Thread, again: int) -> int:
        if mutex.kind == Kind.DESTROYED:
            return E.EINVAL
        if mutex.owner == thread.number:
            return 0 if mutex.type == RECURSIVE else again
        if mutex.robust == NOT_RECOVERABLE:
            return E.ENOTRECOVERABLE
        return E.EINVAL if mutex.protocol == PROTECT and thread.own > mutex.ceiling else 0

    def lock(
        self, thread: Thread, mutex: Mutex, until: int = NEVER, *, trying: bool = False, point: bool = False
    ) -> Steps:
        if mutex.kind == Kind.NONE:
            self._make(mutex)
        status = self._refusal(mutex, thread, E.EBUSY if trying else E.EDEADLK)
        if status == E.EDEADLK and mutex.type == NORMAL:
            return (yield from self.wait_in_memory(thread, self.nobody, until))
        if status:
            return status
        if trying and mutex.owner not in (None, thread.number):
            return E.EBUSY
        return (yield from self._obtain(thread, mutex, until, point))

    def _obtain(self, thread: Thread, mutex: Mutex, until: int = NEVER, point: bool = False) -> Steps:
        if mutex.owner is None:
            return self._take(mutex, thread)
        if mutex.owner == thread.number:
            mutex.depth += 1
            return 0
        self.reach("wait for a mutex")
        if mutex.kind == Kind.KERNEL:
            status = yield from self.wait_in_kernel(thread, mutex.waiters, until, point)
            if status == E.ECANCELED:
                raise Cancelled
            return status
        self.enter(thread, mutex.waiters, mutex)
        if mutex.protocol == INHERIT:
            self._settle_again(mutex.owner)
        status = yield from self.wait_in_memory(thread, mutex.waiters, until, entered=True)
        if not status:
            return thread.data if isinstance(thread.data, int) else 0
        if mutex.protocol == INHERIT:
            self._settle_again(mutex.owner)
        return status

    def mutex_lock(self, thread: Thread, mutex: Mutex) -> Steps:
        if thread.asynchronous:
            self.cancel_test(thread)
        return (yield from self.lock(thread, mutex, point=thread.asynchronous))

    def _take(self, mutex: Mutex, thread: Thread) -> int:
        mutex.owner, mutex.depth = thread.number, 1
        if not mutex.listed:
            return 0
        thread.held.insert(0, mutex)
        if mutex.protocol:
            self.settle(thread, thread.own)
        return E.EOWNERDEAD if mutex.robust == INCONSISTENT else 0

    def _pass_on(self, mutex: Mutex) -> None:
        mutex.owner = None
        if mutex.waiters:
            following = mutex.waiters[0]
            self.wake(following)
            following.data = self._take(mutex, following)

    def release(self, thread: Thread, mutex: Mutex) -> int:
        if mutex.kind == Kind.DESTROYED:
            return E.EINVAL
        if mutex.owner != thread.number:
            return E.EPERM
        mutex.depth -= 1
        if mutex.depth:
            return 0
        if mutex.listed:
            thread.held.remove(mutex)
            if mutex.robust == INCONSISTENT:
                mutex.robust = NOT_RECOVERABLE
        if mutex.robust == NOT_RECOVERABLE:
            mutex.owner = None
            while mutex.waiters:
                self.wake(mutex.waiters[0], int(E.ENOTRECOVERABLE))
        else:
            self._pass_on(mutex)
        if mutex.protocol:
            self.settle(thread, thread.own)
        return 0

    def unlock(self, thread: Thread, mutex: Mutex) -> Steps:
        status = self.release(thread, mutex)
        yield
        return status

    def settle(self, thread: Thread, own: int) -> None:
        """Gives a thread the priority that it has by its own and by the mutexes it holds; and so on."""
        while True:
            thread.own = best = own
            for mutex in thread.held:
                if mutex.protocol == PROTECT:
                    best = max(best, mutex.ceiling)
                elif mutex.protocol == INHERIT and mutex.waiters:
                    best = max(best, mutex.waiters[0].rank)
            if best == thread.priority:
                return
            if best > own:
                self.reach("raised")
            self._set_priority(thread, best)
            if thread.queue is None or thread.queue.kind == Kind.KERNEL:
                return
            thread.queue.remove(thread)
            thread.queue.enter(thread)
            mutex_ = thread.waits_for
            owner = None if mutex_ is None or mutex_.protocol != INHERIT else self.owner(mutex_)
            if owner is None:
                return
            self.reach("raised along a chain")
            thread, own = owner, owner.own

    def owner(self, mutex: Mutex) -> Thread | None:
        return None if mutex.owner is None or mutex.owner == GONE else self.threads.get(mutex.owner)

    def _settle_again(self, owner: int | None) -> None:
        thread = None if owner is None or owner == GONE else self.threads.get(owner)
        if thread is not None:
            self.settle(thread, thread.own)

    def call_mutex_lock(self, thread: Thread, call: Call) -> Steps:
        return (yield from self.mutex_lock(thread, self.mutexes[call.object]))

    def call_mutex_trylock(self, thread: Thread, call: Call) -> Steps:
        return (yield from self.lock(thread, self.mutexes[call.object], trying=True))

    def call_mutex_timedlock(self, thread: Thread, call: Call) -> Steps:
        mutex = self.mutexes[call.object]
        status = yield from self.lock(thread, mutex, trying=True)
        if status != E.EBUSY:
            return status
        until = self.deadline(call.limit)
        if until == WRONG:
            return E.EINVAL
        if self.now >= until:
            return E.ETIMEDOUT
        return (yield from self.lock(thread, mutex, until, point=thread.asynchronous))

    def call_mutex_unlock(self, thread: Thread, call: Call) -> Steps:
        return (yield from self.unlock(thread, self.mutexes[call.object]))

    def call_mutex_consistent(self, thread: Thread, call: Call) -> Steps:
        mutex = self.mutexes[call.object]
        mine = mutex.kind == Kind.MEMORY and mutex.owner == thread.number
        yield
        if not mine or mutex.robust != INCONSISTENT:
            return E.EINVAL
        mutex.robust = ROBUST
        return 0

    def _has_ceiling(self, mutex: Mutex) -> bool:
        return mutex.kind == Kind.MEMORY and mutex.protocol == PROTECT

    def call_mutex_getceiling(self, thread: Thread, call: Call) -> Steps:
        mutex = self.mutexes[call.object]
        yield
        return with_(0, mutex.ceiling) if self._has_ceiling(mutex) else E.EINVAL

    def call_mutex_setceiling(self, thread: Thread, call: Call) -> Steps:
        mutex = self.mutexes[call.object]
        if not self._has_ceiling(mutex) or call.argument > HIGHEST:
            return E.EINVAL
        status = self._refusal(mutex, thread, E.EDEADLK)
        if status not in (0, E.EINVAL):
            return status
        status = yield from self._obtain(thread, mutex)
        if status:
            return status
        old, mutex.ceiling = mutex.ceiling, call.argument
        self.release(thread, mutex)
        yield
        return with_(0, old)

    def gives_up(self, thread: Thread) -> None:
        mutex = thread.waits_for
        if thread.queue is None or mutex is None or mutex.protocol != INHERIT:
            return
        thread.queue.remove(thread)
        thread.queue = None
        self._settle_again(mutex.owner)

    def end_mutexes(self, thread: Thread) -> None:
        while thread.held:
            self.reach("owner ended")
            mutex = thread.held.pop(0)
            if mutex.robust:
                mutex.robust = INCONSISTENT
                self._pass_on(mutex)
            else:
                mutex.owner = GONE

    def call_setprio(self, thread: Thread, call: Call) -> Steps:
        other = self.of(call.object)
        if other is None or other.state == "ended":
            return E.ESRCH
        if call.argument > HIGHEST:
            return E.EINVAL
        if other.own != call.argument:
            if other.queue is not None:
                self.reach("priority of a waiter")
            if self.protocols:
                self.settle(other, call.argument)
            else:
                other.own = call.argument
                self._set_priority(other, call.argument)
        yield
        return 0

    def call_push(self, thread: Thread, call: Call) -> Steps:
        def cleanup() -> Steps:
            status = yield from self.unlock(thread, self.mutexes[call.object])
            yield
            self.reach("cleanup")
            self.note(thread.slot, "cleanup", status | call.object << 8)
            return 0

        thread.cleanups.append(cleanup)
        thread.unlocks.append(self.mutexes[call.object])
        yield
        return 0

    def call_pop(self, thread: Thread, call: Call) -> Steps:
        cleanup = thread.cleanups.pop()
        thread.unlocks.pop()
        if call.argument:
            yield from cleanup()
        yield
        return 0
