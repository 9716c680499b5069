# SPDX-License-Identifier: Apache-2.0
"""Random programs of POSIX calls, with what the model says of each: the test of the POSIX layer.

The thread that runs in the model chooses its next call. So a program is made for one order of the threads,
that of one CPU; main has the lowest priority, and so sees to it that something happens when all others wait.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

from coreloom.reference.posix.choices import CREATED, MOST, NUMBERS, Choices
from coreloom.reference.posix.objects import Posix
from coreloom.reference.posix.threads import NEVER, Call, Entry, Thread

BURST = 40  # calls between two units of time
LONG = ("count", "fill")  # each takes up to half a unit


@dataclass
class Program:
    """For each slot its calls, what must be logged, and what was reached how often."""

    any_time: bool = False  # threads are cancelled at any time
    calls: list[tuple[int, Call]] = field(default_factory=list)
    log: list[Entry] = field(default_factory=list)
    told: list[Call | None] = field(default_factory=list)  # of each entry of the log the whole call
    reached: dict[str, int] = field(default_factory=dict)


class _Menu:
    """Names of calls, with how often each is chosen."""

    def __init__(self, calls: dict[str, int]) -> None:
        self.names = list(calls)
        self.weights = list(itertools.accumulate(calls.values()))


class Generator(Choices):
    def __init__(self, seed: int | str, count: int, left: dict[str, int], any_time: bool) -> None:
        super().__init__(seed)
        self.count = count
        self.program = Program(any_time)
        self.burst = 0
        self.last = 0
        self.first = [
            Call("fill", number, argument=self.random.choice((0, 0, 1, 2, 4, 30)))
            for number in (NUMBERS["mutex"], NUMBERS["semaphore"], NUMBERS["condition"])
        ]
        self.first = [Call("sleep", limit=3), *self.first, Call("count", NUMBERS["heap"])]
        self.last_calls: list[Call] | None = None
        self.counts = list(NUMBERS)
        self.posix = Posix(left, self.choose, any_time)

    def make(self) -> Program:
        posix = self.posix
        while posix.step():
            pass
        self.program.log, self.program.told, self.program.reached = posix.log, posix.told, posix.reached
        return self.program

    # --- the next call of a thread -------------------------------------------------------------------

    def choose(self, posix: Posix, thread: Thread) -> Call:
        if posix.now != self.last:
            self.last, self.burst = posix.now, 0
        self.burst += 1
        if self.last_calls is not None and thread.slot:
            return self._last(posix, thread)
        call = self._main(posix) if not thread.slot else self._other(posix, thread)
        self.program.calls.append((thread.slot, call))
        return call

    def _last(self, posix: Posix, thread: Thread) -> Call:
        """Lets go what it holds, and ends."""
        holds, locks = self._holds(posix, thread), self._locks(posix, thread)
        if locks:
            call = Call("rwlock_unlock", posix.rwlocks.index(locks[0]))
        elif holds:
            call = Call("mutex_unlock", posix.mutexes.index(holds[0]))
        else:
            call = Call("exit", argument=9)
        self.program.calls.append((thread.slot, call))
        return call

    def _main(self, posix: Posix) -> Call:
        if self.first:
            return self.first.pop()
        blocked = [
            t for t in posix.threads.values() if t.slot in range(1, CREATED + 1) and t.state == "blocked"
        ]
        lost = sum(self._is_lost(posix, thread) for thread in blocked)
        if self.last_calls is None and (len(self.program.calls) >= self.count or lost > CREATED // 2):
            self.last_calls = self._wind_down(posix)
        if self.last_calls:
            return self.last_calls.pop(0)
        if self.last_calls is not None:
            return self._end(posix)
        if self.burst > BURST or self._chance(0.1):
            return Call("sleep", limit=self._time(posix))
        if blocked and self._chance(0.4):
            thread = self.random.choice(blocked)
            if thread.call is not None and (help_ := self._help(posix, thread.call)):
                return help_
        call = self._pick(posix, posix.threads[0], _FOR_MAIN)
        if call.name in LONG:
            if self.burst > BURST // 2:
                return Call("sleep", limit=self._time(posix))
            self.burst = BURST  # then it sleeps
        return call

    def _wind_down(self, posix: Posix) -> list[Call]:
        """All threads are cancelled and get some time to end."""
        slots = [slot for slot in range(1, CREATED + 1) if self._is_there(posix, slot)]
        later = [Call("sleep", limit=posix.now + MOST * 2 + 1 - posix.now % 2 + 2 * i) for i in (10, 20)]
        return [*(Call("cancel", slot) for slot in slots), *later]

    def _end(self, posix: Posix) -> Call:
        """Counts what is left: of the heap if nobody uses it."""
        for place, number in enumerate(posix.queues):
            if number in posix.descriptors:
                return Call("mq_close", place)
        for name, queue in enumerate(posix.names):
            if queue is not None:
                return Call("mq_unlink", 0, name)
        if not self.counts:
            return Call("end")
        if self.burst > 1:
            return Call("sleep", limit=self._time(posix))
        kind = self.counts.pop()
        others = [t for t in posix.threads.values() if t.slot]
        if kind == "heap" and any(t.values or (t.call and t.call.name.startswith("mq")) for t in others):
            return self._end(posix)
        self.posix.reach(f"count of {kind}")
        return Call("count", NUMBERS[kind])

    def _help(self, posix: Posix, call: Call) -> Call | None:
        """What lets a thread go on that waits in this call."""
        if call.name == "join":
            other = posix.of(call.object)
            return Call("cancel", call.object) if other and self._may_end(posix, other) else None
        if call.name.startswith("mq"):
            receives = "receive" in call.name
            found = posix.descriptors.get(posix.queues[call.object])
            if found is None or not (found[0].free if receives else found[0].messages):
                return None
            return Call("mq_send" if receives else "mq_receive", call.object, argument=7 * receives)
        if call.name == "once" and call.argument:
            return Call("sem_post", call.argument - 1)
        names = {"sem": "sem_post", "cond": "cond_broadcast", "events": "events_set"}
        name = names.get(call.name.split("_")[0])
        return Call(name, call.object, argument=15) if name else None

    def _is_lost(self, posix: Posix, thread: Thread) -> bool:
        """It waits for ever, and cannot be cancelled."""
        if thread.until < NEVER or (thread.point and not thread.disabled):
            return False
        waits = next((m for m in posix.mutexes if thread in m.waiters), None)
        return waits is not None and self._deadlocks(posix, thread, waits)

    def _other(self, posix: Posix, thread: Thread) -> Call:
        holds, locks = self._holds(posix, thread), self._locks(posix, thread)
        if locks and (thread.cancel_now or self._chance(0.1)):
            return Call("rwlock_unlock", posix.rwlocks.index(self.random.choice(locks)))
        plain = [mutex for mutex in holds if not mutex.robust]
        if plain and thread.cancel_now:
            return Call("mutex_unlock", posix.mutexes.index(plain[0]))
        if holds and not plain and not locks and self._chance(0.08):
            return Call("exit", argument=self.random.randrange(1, 255))
        if holds and self._chance(0.15):
            return Call("mutex_unlock", posix.mutexes.index(self.random.choice(holds)))
        if self.burst > BURST:
            return Call("sleep", limit=self._time(posix))
        menu = _FOR_ASYNCHRONOUS if thread.asynchronous else _FOR_HOLDERS if holds or locks else _FOR_OTHERS
        return self._pick(posix, thread, menu)

    def _pick(self, posix: Posix, thread: Thread, menu: _Menu) -> Call:
        while True:
            (name,) = self.random.choices(menu.names, cum_weights=menu.weights)
            call: Call | None = getattr(self, f"_{name}")(posix, thread, name)
            if call is not None:
                return call


_ANYBODY = {
    "create": 12, "detach": 2, "getprio": 3, "setprio": 8, "cancel": 6, "tryjoin": 2,
    "mutex_init": 8, "mutex_destroy": 4, "mutex_getceiling": 1,
    "cond_init": 4, "cond_destroy": 3, "cond_signal": 8, "cond_broadcast": 6,
    "rwlock_init": 4, "rwlock_destroy": 2, "rwlock_unlock": 6,
    "sem_init": 5, "sem_destroy": 3, "sem_post": 12, "sem_trywait": 2, "sem_getvalue": 2,
    "barrier_init": 3, "barrier_destroy": 2, "barrier_wait": 4, "once_init": 3,
    "key_create": 3, "key_delete": 2, "key_set": 5, "key_get": 4,
    "settime": 3, "timer_create": 3, "timer_delete": 2, "timer_settime": 4, "timer_gettime": 4,
    "timer_getoverrun": 2, "mq_open": 4, "mq_close": 3, "mq_unlink": 2, "mq_count": 2,
    "mq_notify": 3, "mq_setflags": 3,
    "events_init": 3, "events_destroy": 2, "events_set": 8, "events_clear": 2, "events_get": 2,
    "events_trywait": 3,
}  # fmt: skip
_MAIN = {**_ANYBODY, "key_set": 0, "settime": 5, "create": 40, "cancel": 16, "join": 4, "fill": 2, "count": 3}
_ASYNCHRONOUS = {
    "mutex_lock": 4, "mutex_timedlock": 4, "mutex_unlock": 1, "rwlock_rdlock": 3, "rwlock_wrlock": 4,
    "rwlock_unlock": 1, "barrier_wait": 2, "sem_wait": 3, "sleep": 1, "canceltype": 3, "cancelstate": 1,
}  # fmt: skip
_OTHER = {
    **_ANYBODY,
    "join": 3, "exit": 3, "yield": 4, "sleep": 14, "nap": 4, "cancelstate": 4, "canceltype": 3,
    "testcancel": 2, "push": 5, "pop": 5, "mutex_lock": 40, "mutex_trylock": 4, "mutex_timedlock": 10,
    "mutex_unlock": 2, "mutex_consistent": 20, "mutex_setceiling": 4, "cond_wait": 30, "cond_timedwait": 30,
    "rwlock_rdlock": 4, "rwlock_wrlock": 4, "rwlock_tryrdlock": 2, "rwlock_trywrlock": 2,
    "rwlock_timedrdlock": 4, "rwlock_timedwrlock": 4, "sem_wait": 10, "sem_timedwait": 8, "once": 6,
    "mq_send": 6, "mq_timedsend": 4, "mq_receive": 6, "mq_timedreceive": 4,
    "events_wait": 6, "events_timedwait": 4,
}  # fmt: skip
# A thread that holds something does not wait for what may take long.
_LONG = (
    "join",
    "mq_send",
    "mq_receive",
    "barrier_wait",
    "once",
    "rwlock_rdlock",
    "rwlock_wrlock",
    "events_wait",
)
_HOLDS = {name: weight for name, weight in _OTHER.items() if name not in _LONG}
_HOLDS |= {"cond_wait": 60, "cond_timedwait": 60, "exit": 1}
_FOR_MAIN, _FOR_ASYNCHRONOUS = _Menu(_MAIN), _Menu(_ASYNCHRONOUS)
_FOR_HOLDERS, _FOR_OTHERS = _Menu(_HOLDS), _Menu(_OTHER)
