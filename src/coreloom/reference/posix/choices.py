# SPDX-License-Identifier: Apache-2.0
"""For each call plausible arguments, in the state that the model is in."""

from __future__ import annotations

import random

from coreloom.reference.posix.locks import Lock
from coreloom.reference.posix.mutexes import GONE, INCONSISTENT, INHERIT, NORMAL, PROTECT, RECURSIVE
from coreloom.reference.posix.objects import KINDS, Posix
from coreloom.reference.posix.threads import NEVER, PLACES, Call, Kind, Mutex, Thread

NUMBERS = {name: number for number, name in KINDS.items()}
MOST = 12  # units that a wait lasts
CREATED = 6  # slots of threads that are created


class Choices:
    """A method for each call, which returns None where it makes no sense."""

    def __init__(self, seed: int | str) -> None:
        self.random = random.Random(seed)
        self.places = self.random.choice((1, 2, 2, 3, PLACES))
        self.careless = self.random.choice((0.05, 0.05, 0.5))  # how often it ends while it holds something
        # Of threads that are created: with few, more of them wait as equals.
        self.priorities = self.random.choice((range(1, 8), range(1, 8), range(3, 5), range(3, 4)))

    def _locks(self, posix: Posix, thread: Thread) -> list[Lock]:
        return [lock for lock in posix.rwlocks if lock.writer == thread.number or thread.number in lock.by]

    def _chance(self, of_one: float) -> bool:
        return self.random.random() < of_one

    # --- times: each is one wait's alone; odd ones, as even ones are those of periodic timers ---------

    def _used(self, posix: Posix) -> set[int]:
        used = {t.until for t in posix.threads.values()}  # of those, too, that only look again
        used |= {posix.deadline(t.call.limit) for t in posix.threads.values() if t.call is not None}
        used |= {posix.due(timer) for timer in posix.timer.values() if timer.exists}
        return used

    def _time(self, posix: Posix) -> int:
        """Of CLOCK_MONOTONIC."""
        used = self._used(posix)
        free = [t for t in range(posix.now + 1, posix.now + MOST + 20) if t % 2 and t not in used]
        return self.random.choice(free[: MOST // 2])

    def _limit(self, posix: Posix) -> int:
        """Of CLOCK_REALTIME; now and then it is over, or no time."""
        if self._chance(0.03):
            return -1
        if self._chance(0.1) and posix.now + posix.ahead > 1:
            return self.random.randrange(max(0, posix.now + posix.ahead - 3), posix.now + posix.ahead)
        return self._time(posix) + posix.ahead

    # --- threads -------------------------------------------------------------------------------------

    def _is_there(self, posix: Posix, slot: int) -> bool:
        thread = posix.of(slot)
        return thread is not None and thread.slot == slot

    def _slot(self, posix: Posix) -> int | None:
        """A thread, mostly one that there is; never main, nor one whose number another kind of thread has."""
        there = [slot for slot in range(1, CREATED + 1) if self._is_there(posix, slot)]
        if there and self._chance(0.95):
            return self.random.choice(there)
        gone = [s for s in posix.slots if s and posix.of(s) is None]
        return self.random.choice(gone) if gone else None

    def _create(self, posix: Posix, thread: Thread, name: str) -> Call | None:
        free = [slot for slot in range(1, CREATED + 1) if not self._is_there(posix, slot)]
        if not free:
            return None
        return Call(
            name, self.random.choice(free), self.random.choice(self.priorities), 2 | self.random.randrange(2)
        )

    def _of_slot(self, posix: Posix, thread: Thread, name: str) -> Call | None:
        slot = self._slot(posix)
        return None if slot is None else Call(name, slot)

    _tryjoin = _getprio = _of_slot

    def _join(self, posix: Posix, thread: Thread, name: str) -> Call | None:
        call = self._of_slot(posix, thread, name)
        other = None if call is None else posix.of(call.object)
        if other is not None and other.state != "ended" and (not thread.slot or thread.disabled):
            return None
        return call

    def _detach(self, posix: Posix, thread: Thread, name: str) -> Call | None:
        return self._of_slot(posix, thread, name)

    def _exit(self, posix: Posix, thread: Thread, name: str) -> Call | None:
        return Call(name, argument=self.random.randrange(1, 255)) if self._may_end(posix, thread) else None

    def _may_end(self, posix: Posix, thread: Thread) -> bool:
        """No thread waits for ever then, for a mutex or lock that nobody unlocks."""
        holds = [m for m in self._holds(posix, thread) if not m.robust]
        if not holds and not self._locks(posix, thread):
            return True
        return not any(m.waiters for m in holds) and self._chance(self.careless)

    def _yield(self, posix: Posix, thread: Thread, name: str) -> Call | None:
        return Call(name)

    _testcancel = _yield

    def _sleep(self, posix: Posix, thread: Thread, name: str) -> Call | None:
        if self._chance(0.3):
            return Call(name, limit=self._time(posix))
        return Call(name, argument=1, limit=self._limit(posix))

    def _nap(self, posix: Posix, thread: Thread, name: str) -> Call | None:
        return Call(name, limit=-1 if self._chance(0.05) else self._time(posix) - posix.now)

    def _setprio(self, posix: Posix, thread: Thread, name: str) -> Call | None:
        slot = self._slot(posix)
        if slot is None:
            return None
        return Call(name, slot, argument=self.random.choice((1, 2, 3, 4, 5, 6, 7, 7, 40)))

    def _cancel(self, posix: Posix, thread: Thread, name: str) -> Call | None:
        among = [
            t.slot
            for t in posix.threads.values()
            if t.slot in range(1, CREATED + 1) and t.queue is not None and len(t.queue) > 1
        ]
        slot = self.random.choice(among) if among and self._chance(0.4) else self._slot(posix)
        other = None if slot is None else posix.of(slot)
        if slot is None or (other is not None and not self._may_end(posix, other)):
            return None
        # One that computes ends at some time. So does one that gets what it waits for before it runs.
        if other is not None and other is not thread and other.asynchronous:
            runs_at_once = other.priority > thread.priority
            gives_up = other.waits_for is not None and other.waits_for.protocol == INHERIT
            if other.state != "blocked" or not (runs_at_once or gives_up):
                return None
        return Call(name, slot)

    def _cancelstate(self, posix: Posix, thread: Thread, name: str) -> Call | None:
        return Call(name, argument=int(not thread.disabled and self._chance(0.3)))

    def _canceltype(self, posix: Posix, thread: Thread, name: str) -> Call | None:
        return Call(name, argument=int(not thread.asynchronous)) if posix.any_time else None

    def _push(self, posix: Posix, thread: Thread, name: str) -> Call | None:
        holds = self._holds(posix, thread)
        if not holds or len(thread.cleanups) == PLACES:
            return None
        return Call(name, posix.mutexes.index(self.random.choice(holds)))

    def _pop(self, posix: Posix, thread: Thread, name: str) -> Call | None:
        return Call(name, argument=self.random.randrange(2)) if thread.cleanups else None

    # --- mutexes -------------------------------------------------------------------------------------

    def _holds(self, posix: Posix, thread: Thread) -> list[Mutex]:
        return [m for m in posix.mutexes if m.owner == thread.number]

    def _place(self, posix: Posix, thread: Thread, name: str) -> Call | None:
        return Call(name, self.random.randrange(self.places))

    def _stands(self, kind: Kind) -> bool:
        """An object that is there, mostly."""
        return kind in (Kind.KERNEL, Kind.MEMORY) or self._chance(0.05)

    def _mutex_init(self, posix: Posix, thread: Thread, name: str) -> Call | None:
        place = self.random.randrange(self.places)
        mutex = posix.mutexes[place]
        owner = posix.owner(mutex)
        unused = not mutex.waiters and (mutex.owner is None or mutex.owner == GONE or owner is None)
        if mutex.listed and owner is not None and mutex in owner.held and self._chance(0.5):
            return Call(name, place)  # EBUSY
        if not unused or mutex.kind == Kind.KERNEL:
            return None
        if self._is_used(posix, "mutex", place):
            return None
        what = self.random.choice((0, 0, 1, 2, 3, 3)) | self.random.choice((0, 0, 1, 1, 2)) << 2
        what |= self._chance(0.35) << 4 | self._chance(0.1) << 5 | self.random.randrange(2, 8) << 8
        return Call(name, place, argument=what)

    def _is_used(self, posix: Posix, kind: str, place: int) -> bool:
        """A call that has begun goes on with what is there."""
        calls = [t.call for t in posix.threads.values() if t.call is not None]
        if kind == "mutex" and any(
            c.name in ("cond_wait", "cond_timedwait") and c.other == place for c in calls
        ):
            return True
        return any(c.name.split("_")[0] == kind and c.object == place for c in calls)

    def _mutex_destroy(self, posix: Posix, thread: Thread, name: str) -> Call | None:
        place = self.random.randrange(self.places)
        calls = [t.call for t in posix.threads.values() if t.call is not None]
        if any(call.name in ("cond_wait", "cond_timedwait") and call.other == place for call in calls):
            return None
        return Call(name, place)

    def _deadlocks(self, posix: Posix, thread: Thread, mutex: Mutex) -> bool:
        """The thread would wait for one that waits for it, or for one that has ended."""
        seen = 0
        while mutex.owner is not None:
            owner = posix.owner(mutex)
            if owner is None or owner is thread or seen > 8:
                return True
            following = [m for m in posix.mutexes if owner in m.waiters]
            if not following:
                return owner.state == "ended"
            mutex, seen = following[0], seen + 1
        return False

    def _mutex_lock(self, posix: Posix, thread: Thread, name: str) -> Call | None:
        place = self.random.randrange(self.places)
        mutex = posix.mutexes[place]
        if not self._stands(mutex.kind):
            return None
        own = mutex.owner == thread.number
        for_ever = own and mutex.type == NORMAL
        if for_ever or (not own and self._deadlocks(posix, thread, mutex)):
            name = "mutex_timedlock"
        if own and not self._chance(0.1) and mutex.type != RECURSIVE:
            return None
        return Call(name, place, limit=self._limit(posix) if name == "mutex_timedlock" else 0)

    def _mutex_timedlock(self, posix: Posix, thread: Thread, name: str) -> Call | None:
        place = self.random.randrange(self.places)
        if not self._stands(posix.mutexes[place].kind):
            return None
        return Call(name, place, limit=self._limit(posix))

    def _mutex_trylock(self, posix: Posix, thread: Thread, name: str) -> Call | None:
        return self._place(posix, thread, name)

    _mutex_unlock = _mutex_trylock

    def _mutex_consistent(self, posix: Posix, thread: Thread, name: str) -> Call | None:
        broken = [i for i, m in enumerate(posix.mutexes) if m.robust == INCONSISTENT and m in thread.held]
        return Call(name, self.random.choice(broken)) if broken else None

    def _mutex_getceiling(self, posix: Posix, thread: Thread, name: str) -> Call | None:
        return self._place(posix, thread, name)

    def _mutex_setceiling(self, posix: Posix, thread: Thread, name: str) -> Call | None:
        place = self.random.randrange(self.places)
        mutex = posix.mutexes[place]
        if mutex.protocol != PROTECT or mutex.owner == thread.number or self._deadlocks(posix, thread, mutex):
            return None
        return Call(name, place, argument=self.random.randrange(1, 8))

    # --- condition variables -------------------------------------------------------------------------

    def _unless_used(self, posix: Posix, thread: Thread, name: str) -> Call | None:
        """Makes an object at a place without one."""
        place = self.random.randrange(self.places)
        objects: dict[str, list[object]] = {
            "cond_init": [c.kind in (Kind.NONE, Kind.DESTROYED) for c in posix.conditions],
            "sem_init": [s.kind in (Kind.NONE, Kind.DESTROYED) for s in posix.semaphores],
            "barrier_init": [b.kind in (Kind.NONE, Kind.DESTROYED) for b in posix.barriers],
            "rwlock_init": [not lock.exists for lock in posix.rwlocks],
            "events_init": [e.mutex.kind in (Kind.NONE, Kind.DESTROYED) for e in posix.events],
            "once_init": [once == "done" for once in posix.onces],
        }
        if not objects[name][place] or self._is_used(posix, name.split("_")[0], place):
            return None
        if name == "barrier_init":
            return Call(name, place, argument=self.random.randrange(4))
        if name == "sem_init":
            return Call(name, place, argument=self.random.choice((0, 0, 0, 1, 2, 32767, 40000)))
        most = {"events_init": 16, "cond_init": 2}.get(name, 1)
        return Call(name, place, argument=self.random.randrange(most))

    _cond_init = _sem_init = _barrier_init = _rwlock_init = _events_init = _once_init = _unless_used
    _cond_destroy = _sem_destroy = _barrier_destroy = _rwlock_destroy = _events_destroy = _place
    _cond_signal = _cond_broadcast = _sem_post = _sem_trywait = _sem_getvalue = _place

    def _cond_wait(self, posix: Posix, thread: Thread, name: str) -> Call | None:
        place = self.random.randrange(self.places)
        mutex, condition = posix.mutexes[place], posix.conditions[place]
        if mutex.owner != thread.number:
            return Call(name, place, place, limit=self._limit(posix)) if self._chance(0.02) else None
        if mutex.depth > 1 or not self._stands(condition.kind):
            return None
        unlocks = any(each is mutex for each in thread.unlocks) or len(thread.cleanups) == PLACES
        if not unlocks and not self._chance(0.1):
            return Call("push", place)
        # With the hardware kernel a better thread comes some cycles after the unlocking only.
        ready = posix.best()
        better = [t.priority for t in (ready, *mutex.waiters) if t is not None]
        if mutex.protocol == PROTECT and mutex.waiters:
            better.append(mutex.ceiling)
        limit = self._limit(posix) if name == "cond_timedwait" else NEVER
        if condition.monotonic and 0 <= limit < NEVER:
            limit = max(0, limit - posix.ahead)
        now = posix.now if condition.monotonic else posix.now + posix.ahead
        sleeps = condition.kind == Kind.MEMORY and limit > now
        if not sleeps and better and max(better) > thread.own:
            return None
        return Call(name, place, place, limit=limit if limit < NEVER else 0)

    _cond_timedwait = _cond_wait

    # --- read-write locks, semaphores, barriers, once ------------------------------------------------

    def _rwlock(self, posix: Posix, thread: Thread, name: str) -> Call | None:
        place = self.random.randrange(self.places)
        lock = posix.rwlocks[place]
        if not lock.exists and not self._chance(0.05):
            return None
        if name in ("rwlock_rdlock", "rwlock_wrlock"):
            # What it waits for may never come.
            writer = posix.threads.get(-1 if lock.writer is None else lock.writer)
            if (lock.writer is not None and writer is None) or len(lock.by) < lock.readers or thread.reads:
                name = name.replace("_", "_timed")
        return Call(name, place, limit=self._limit(posix) if "timed" in name else 0)

    _rwlock_rdlock = _rwlock_wrlock = _rwlock_tryrdlock = _rwlock_trywrlock = _rwlock
    _rwlock_timedrdlock = _rwlock_timedwrlock = _rwlock

    def _rwlock_unlock(self, posix: Posix, thread: Thread, name: str) -> Call | None:
        held = [i for i, lock in enumerate(posix.rwlocks) if lock.writer == thread.number or lock.readers]
        if held and self._chance(0.95):
            return Call(name, self.random.choice(held))
        return self._place(posix, thread, name) if self._chance(0.1) else None

    def _sem_wait(self, posix: Posix, thread: Thread, name: str) -> Call | None:
        place = self.random.randrange(self.places)
        if not self._stands(posix.semaphores[place].kind):
            return None
        return Call(name, place, limit=self._limit(posix) if name == "sem_timedwait" else 0)

    _sem_timedwait = _sem_wait

    def _barrier_wait(self, posix: Posix, thread: Thread, name: str) -> Call | None:
        place = self.random.randrange(self.places)
        barrier = posix.barriers[place]
        is_last = len(barrier.waiters) + 1 >= barrier.count
        if not self._stands(barrier.kind) or (not thread.slot and not is_last):
            return None
        return Call(name, place)

    def _once(self, posix: Posix, thread: Thread, name: str) -> Call | None:
        place = self.random.randrange(self.places)
        waits = [i for i, s in enumerate(posix.semaphores) if s.kind in (Kind.KERNEL, Kind.MEMORY)]
        if thread.disabled and posix.onces[place] == "runs":
            return None
        return Call(name, place, argument=self.random.choice([0, *(i + 1 for i in waits)]))

    # --- keys, clocks, timers ------------------------------------------------------------------------

    def _key_create(self, posix: Posix, thread: Thread, name: str) -> Call | None:
        place = self.random.randrange(self.places)
        return None if posix.keys[place] in posix.created else Call(name, place, argument=self._chance(0.7))

    _key_delete = _key_get = _place

    def _key_set(self, posix: Posix, thread: Thread, name: str) -> Call | None:
        return Call(name, self.random.randrange(self.places), argument=self.random.randrange(200))

    def _settime(self, posix: Posix, thread: Thread, name: str) -> Call | None:
        """An even number ahead, for which no time comes twice."""
        ahead = 2 * self.random.randrange(20)
        posix_ahead, posix.ahead = posix.ahead, ahead
        sleepers = [
            t for t in posix.threads.values() if t.call and t.call.name == "sleep" and t.call.argument
        ]
        follow = [t.call.limit - ahead for t in sleepers if t.call]
        follow += [posix.due(t) for t in posix.timer.values() if t.exists and t.follows is not None]
        posix.ahead = posix_ahead
        others = {t.until for t in posix.threads.values() if t not in sleepers}
        times = [*follow, *(others - {NEVER})]
        fine = len(set(times)) == len(times) and all(time > posix.now for time in follow)
        fine = fine or (len(follow) > 1 and all(time < posix.now for time in follow) and not posix.serving)
        return Call(name, limit=ahead) if fine else None

    def _timer_create(self, posix: Posix, thread: Thread, name: str) -> Call | None:
        place = self.random.randrange(self.places)
        if posix.timer_at(place) is not None:
            return None
        waits = [i for i, s in enumerate(posix.semaphores) if s.kind in (Kind.KERNEL, Kind.MEMORY)]
        return Call(name, place, self.random.choice(waits or [0]), self.random.randrange(4))

    _timer_delete = _timer_gettime = _timer_getoverrun = _place

    def _timer_settime(self, posix: Posix, thread: Thread, name: str) -> Call | None:
        place = self.random.randrange(self.places)
        timer = posix.timer_at(place)
        if timer is None or self._chance(0.3):
            return Call(name, place, argument=1, limit=-int(self._chance(0.1)))
        if timer.monotonic and self._chance(0.5):
            interval = 2 * self.random.randrange(1, 5)
            start = posix.now + 1 + self.random.randrange(6)
            return Call(name, place, argument=1 | interval << 1, limit=start + start % 2)
        time = self._time(posix) + (0 if timer.monotonic else posix.ahead)
        return Call(name, place, argument=1, limit=time)

    # --- message queues and events -------------------------------------------------------------------

    def _mq_open(self, posix: Posix, thread: Thread, name: str) -> Call | None:
        place = self.random.randrange(self.places)
        if posix.queues[place] in posix.descriptors:
            return None
        room = self.random.randrange(1, 4) | self._chance(0.2) << 8
        return Call(name, place, self.random.randrange(2), room)

    def _mq_close(self, posix: Posix, thread: Thread, name: str) -> Call | None:
        return self._place(posix, thread, name)

    def _mq_unlink(self, posix: Posix, thread: Thread, name: str) -> Call | None:
        return Call(name, 0, self.random.randrange(2))

    def _mq(self, posix: Posix, thread: Thread, name: str) -> Call | None:
        place = self.random.randrange(self.places)
        if posix.queues[place] not in posix.descriptors and not self._chance(0.05):
            return None
        argument = self.random.randrange(256) | self.random.randrange(3) << 8 if "send" in name else 0
        return Call(name, place, 0, argument, self._limit(posix) if "timed" in name else 0)

    _mq_send = _mq_timedsend = _mq_receive = _mq_timedreceive = _mq_count = _mq

    def _mq_notify(self, posix: Posix, thread: Thread, name: str) -> Call | None:
        place = self.random.randrange(self.places)
        if posix.queues[place] not in posix.descriptors and not self._chance(0.05):
            return None
        waits = [i for i, s in enumerate(posix.semaphores) if s.kind in (Kind.KERNEL, Kind.MEMORY)]
        return Call(name, place, self.random.choice(waits or [0]), int(self._chance(0.8)))

    def _mq_setflags(self, posix: Posix, thread: Thread, name: str) -> Call | None:
        return Call(name, self.random.randrange(self.places), argument=int(self._chance(0.2)))

    def _events(self, posix: Posix, thread: Thread, name: str) -> Call | None:
        place = self.random.randrange(self.places)
        events = posix.events[place]
        if not self._stands(events.mutex.kind):
            return None
        flags = self.random.randrange(16)
        if "wait" in name:
            flags |= self.random.randrange(4) << 8
        return Call(name, place, 0, flags, self._limit(posix) if "timed" in name else 0)

    _events_set = _events_clear = _events_get = _events_wait = _events_trywait = _events_timedwait = _events

    def _fill(self, posix: Posix, thread: Thread, name: str) -> Call | None:
        kind = self.random.choice(("mutex", "semaphore", "condition"))
        return Call(name, NUMBERS[kind], argument=self.random.randrange(4))

    def _count(self, posix: Posix, thread: Thread, name: str) -> Call | None:
        kinds = ["mutex", "semaphore", "condition", "thread", "timer"]
        return Call(name, NUMBERS[self.random.choice(kinds)])
