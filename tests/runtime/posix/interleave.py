# SPDX-License-Identifier: Apache-2.0
"""The POSIX layer on several CPUs, all interleavings of small programs (tests/runtime/explore).

What each thread was answered, and which threads wait for ever, must be among what the model allows.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

from coreloom.design import platform
from coreloom.reference.posix.orders import Orders, Outcome
from coreloom.reference.posix.stream import Program
from coreloom.reference.posix.threads import Call
from coreloom.toolchain import elf, firmware

from ..explore.machine import SIZES, Found, Image, explore
from .stream import NAMES, PROGRAM, pack

_RAM_BYTES, _STREAM_WORDS = 1 << 18, 512
_SIZES = {**SIZES, "memory.heap_kib": 8, "memory.thread_stack_kib": 2, "memory.stack_kib": 4}
_RETURN = 3  # judge.py
LEFT = {"mutex": 1, "semaphore": 2, "condition": 1}


@functools.cache
def image(cpus: int) -> Image:
    soc = platform.load("smp-standard", cpus, changes=_SIZES)
    macros = {"EXPLORE": 1, "SETTLE": 0, "ANY_TIME": 0, "STREAM_WORDS": _STREAM_WORDS}
    made = firmware.build(str(PROGRAM), soc, "sw", {**macros, "CL_RAM_BYTES": _RAM_BYTES})
    return Image(elf.flat(made), made, _RAM_BYTES, False)


def _call(text: str) -> Call:
    """NAME [OBJECT [OTHER]] [=ARGUMENT] [@LIMIT]"""
    name, *words = text.split()
    numbers = [int(word) for word in words if word[0] not in "=@"]
    named = {word[0]: int(word[1:], 0) for word in words if word[0] in "=@"}
    place, other = [*numbers, 0, 0][:2]
    return Call(name, place, other, named.get("=", 0), named.get("@", 0))


def _calls(text: str) -> list[Call]:
    return [_call(each) for each in text.split(";") if each.strip()]


@dataclass(frozen=True)
class Scenario:
    """What main does before, and what each thread does then, main first: "[PRIORITY:] call; ...".

    The threads begin together and keep their CPUs when they have ended. `free`: main makes them while it is
    explored, for any CPU, and they end.
    """

    setup: str
    threads: tuple[str, ...]
    free: bool = False
    time_steps: int = 0
    limit: int = 20_000  # of executions
    walks: int = 0
    seed: int = 1
    cpus: int = 2

    def calls(self) -> list[list[Call]]:
        creates, all_ = [], []
        go = [Call("go")]
        for number, text in enumerate(self.threads):
            priority, colon, rest = text.rpartition(":")
            where = 0 if self.free else 2 | number << 8
            if number:
                creates.append(Call("create", number, int(priority) if colon else 4, where))
                all_.append(
                    [*_calls(rest), Call("exit", argument=number)]
                    if self.free
                    else [*go, *_calls(rest), Call("end")]
                )
            else:
                all_.append([*_calls(rest), Call("end")])
        all_[0] = [*_calls(self.setup), *(go + creates if self.free else creates + go), *all_[0]]
        return all_

    def words(self) -> bytes:
        program = Program(calls=[(slot, call) for slot, calls in enumerate(self.calls()) for call in calls])
        made, room = image(self.cpus), pack(program)
        assert len(room) <= 4 * _STREAM_WORDS, "a scenario is too long: _STREAM_WORDS"
        start = elf.offset(made.elf, elf.address(made.elf, "stream_room"))
        return made.words[:start] + room + made.words[start + len(room) :]

    def explore(self) -> Found:
        parties = 1 if self.free else len(self.threads)
        return explore(
            image(self.cpus), self.words(), self.cpus, parties, self.limit,
            time_steps=self.time_steps, walks=self.walks, seed=self.seed,
        )  # fmt: skip

    def allowed(self) -> set[Outcome]:
        return Orders(self.calls(), LEFT).outcomes()

    def seen(self, found: Found) -> set[Outcome]:
        slots = len(self.threads)
        outcomes = set()
        for history in found.histories:
            said: list[list[tuple[str, int]]] = [[] for _ in range(slots)]
            for kind, _, _, word, _ in history:
                if kind == _RETURN:
                    said[word >> 28].append((NAMES[word >> 16 & 0xFF], word & 0xFFFF))
            outcomes.add(tuple(tuple(each) for each in said))
        return outcomes

    def wrong(self, found: Found) -> str:
        if found.failure:
            return found.failure
        bad = self.seen(found) - self.allowed()
        return f"the model does not allow: {sorted(bad)[0]}" if bad else ""


_LOCK, _UNLOCK = "mutex_lock 0", "mutex_unlock 0"
_BOTH = f"{_LOCK}; {_UNLOCK}"
_KERNEL, _MEMORY, _RECURSIVE, _INHERIT, _PROTECT, _ROBUST = (
    "mutex_init 0 =0", "mutex_init 1; mutex_init 0", "mutex_init 0 =3", "mutex_init 0 =0x04",
    "mutex_init 0 =0x608", "mutex_init 0 =0x10",
)  # fmt: skip
_SEMAPHORE, _SEMAPHORE_IN_MEMORY = "sem_init 0", "sem_init 1; sem_init 2; sem_init 0"
_CONDITION, _CONDITION_IN_MEMORY = "cond_init 0", "cond_init 1; cond_init 0"

# Two threads and one object, in the kernel or in memory; or two objects that are used together.
TWO = {
    "mutex": Scenario(_KERNEL, (_BOTH, _BOTH)),
    "mutex, static": Scenario("", (_BOTH, _BOTH)),
    "mutex in memory": Scenario(_MEMORY, (_BOTH, _BOTH)),
    "mutex in memory, trylock": Scenario(
        _MEMORY, (f"{_LOCK}; {_UNLOCK}; {_UNLOCK}", f"mutex_trylock 0; {_UNLOCK}; mutex_destroy 0")
    ),
    "mutex in memory, limit": Scenario(_MEMORY, (_BOTH, f"mutex_timedlock 0 @1; {_UNLOCK}"), time_steps=1),
    "mutex, limit": Scenario(_KERNEL, (_BOTH, f"mutex_timedlock 0 @1; {_UNLOCK}"), time_steps=1),
    "recursive mutex": Scenario(_RECURSIVE, (f"{_LOCK}; {_BOTH}; {_UNLOCK}", _BOTH)),
    "mutex with inheritance": Scenario(_INHERIT, (f"{_BOTH}; getprio 1", f"6: {_BOTH}")),
    "mutex with inheritance, limit": Scenario(
        _INHERIT, (f"{_LOCK}; {_UNLOCK}; getprio 1", "6: mutex_timedlock 0 @1; mutex_unlock 0"), time_steps=1
    ),
    "mutex with a ceiling": Scenario(_PROTECT, (_BOTH, f"6: {_BOTH}; getprio 1")),
    "mutex made again": Scenario(_MEMORY, (f"{_BOTH}; mutex_destroy 0; {_LOCK}", f"{_LOCK}; {_UNLOCK}")),
    "semaphore": Scenario(_SEMAPHORE, ("sem_wait 0; sem_trywait 0", "sem_post 0; sem_getvalue 0")),
    "semaphore in memory": Scenario(
        _SEMAPHORE_IN_MEMORY, ("sem_wait 0; sem_post 0; sem_wait 0", "sem_post 0; sem_wait 0; sem_post 0")
    ),
    "semaphore in memory, limit": Scenario(
        _SEMAPHORE_IN_MEMORY, ("sem_timedwait 0 @1; sem_trywait 0", "sem_post 0"), time_steps=1
    ),
    "semaphore, limit": Scenario(
        _SEMAPHORE, ("sem_timedwait 0 @1; sem_trywait 0", "sem_post 0"), time_steps=1
    ),
    "semaphore, late": Scenario(
        _SEMAPHORE, ("sem_timedwait 0 @1; sem_post 0", "sem_trywait 0"), time_steps=1
    ),
    "semaphore, cancelled": Scenario(
        _SEMAPHORE, ("sem_post 0; cancel 1; sem_trywait 0", "sem_wait 0; testcancel"), time_steps=2
    ),
    "semaphore in memory, cancelled": Scenario(
        _SEMAPHORE_IN_MEMORY, ("cancel 1; sem_post 0; sem_trywait 0", "sem_wait 0; testcancel"), time_steps=2
    ),
    "semaphore, cancelled twice": Scenario(_SEMAPHORE, ("cancel 1; cancel 1", "sem_wait 0"), time_steps=1),
    "condition": Scenario(
        f"{_KERNEL}; {_CONDITION}",
        (f"{_LOCK}; cond_wait 0; {_UNLOCK}", f"{_LOCK}; cond_signal 0; {_UNLOCK}"),
    ),
    "condition in memory": Scenario(
        f"{_MEMORY}; {_CONDITION_IN_MEMORY}",
        (f"{_LOCK}; cond_wait 0; {_UNLOCK}", f"{_LOCK}; cond_broadcast 0; {_UNLOCK}; cond_destroy 0"),
    ),
    "condition in memory, limit": Scenario(
        f"{_MEMORY}; {_CONDITION_IN_MEMORY}",
        (f"{_LOCK}; cond_timedwait 0 0 @1; {_UNLOCK}", f"{_LOCK}; cond_signal 0; {_UNLOCK}"),
        time_steps=1,
    ),
    "condition, cancelled": Scenario(
        f"{_KERNEL}; {_CONDITION}",
        (f"cancel 1; {_LOCK}; cond_signal 0; {_UNLOCK}", f"{_LOCK}; push 0; cond_wait 0; pop =1"),
        time_steps=2,
    ),
    "lock, two readers": Scenario("rwlock_init 0", ("rwlock_rdlock 0; rwlock_unlock 0",) * 2),
    "lock, reader and writer": Scenario(
        "rwlock_init 0",
        ("rwlock_rdlock 0; rwlock_unlock 0", "rwlock_wrlock 0; rwlock_unlock 0; rwlock_destroy 0"),
    ),
    "lock, limit": Scenario(
        "rwlock_init 0",
        ("rwlock_rdlock 0; rwlock_unlock 0", "rwlock_timedwrlock 0 @1; rwlock_unlock 0"),
        time_steps=1,
    ),
    "barrier": Scenario("barrier_init 0 =2", ("barrier_wait 0; barrier_wait 0",) * 2),
    "barrier in memory": Scenario("barrier_init 1 =2; barrier_init 0 =2", ("barrier_wait 0",) * 2),
    "once": Scenario("", ("once 0; once 0", "once 0")),
    "once, cancelled": Scenario(_SEMAPHORE, ("cancel 1; once 0 =1", "once 0 =1"), time_steps=2),
    "key": Scenario(
        "key_create 0 =1", ("key_set 0 =5; key_get 0; key_delete 0", "key_set 0 =6; key_get 0; exit =1")
    ),
    "queue": Scenario("mq_open 0 0 =1", ("mq_send 0 =5; mq_send 0 =6", "mq_receive 0; mq_receive 0")),
    "queue, limits": Scenario(
        "mq_open 0 0 =1", ("mq_timedsend 0 =5 @1; mq_count 0", "mq_timedreceive 0 @1"), time_steps=2
    ),
    "queue, closed": Scenario(
        "mq_open 0 0 =1; mq_open 1 0 =1; mq_unlink 0 0",
        ("mq_send 0 =5; mq_close 0", "mq_receive 1; mq_close 1"),
    ),
    "queue, cancelled": Scenario(
        "mq_open 0 0 =1", ("cancel 1; mq_send 0 =5; mq_count 0", "mq_receive 0; testcancel"), time_steps=2
    ),
    "events": Scenario("events_init 0", ("events_set 0 =3", "events_wait 0 =0x102; events_get 0")),
    "events, all and cleared": Scenario(
        "events_init 0", ("events_set 0 =1; events_set 0 =2", "events_wait 0 =0x303; events_get 0")
    ),
    "thread": Scenario("", ("join 1; join 1", "exit =7"), time_steps=1),
    "thread, detached": Scenario("", ("detach 1; join 1", "exit =7")),
    "thread, priority": Scenario(_MEMORY, ("setprio 1 =2; getprio 1", f"{_BOTH}; getprio 1")),
    "owner that ends": Scenario(_ROBUST, (f"{_LOCK}; mutex_consistent 0; {_UNLOCK}", f"{_LOCK}; exit =1")),
    "owner that ends, not made consistent": Scenario(
        _ROBUST, (f"{_LOCK}; {_UNLOCK}; {_LOCK}; mutex_destroy 0", f"{_LOCK}; exit =1")
    ),
    "sleep": Scenario("", ("settime @2; sleep =0 @1", "sleep =1 @4"), time_steps=3),
}

# Three threads on three CPUs.
THREE = {
    "mutex in memory": Scenario(_MEMORY, (_BOTH,) * 3, cpus=3),
    "mutex with inheritance": Scenario(_INHERIT, (_BOTH, f"5: {_BOTH}", f"6: {_BOTH}"), cpus=3),
    "condition in memory, broadcast": Scenario(
        f"{_MEMORY}; {_CONDITION_IN_MEMORY}",
        (f"{_LOCK}; cond_broadcast 0; {_UNLOCK}", *(f"{_LOCK}; cond_wait 0; {_UNLOCK}",) * 2),
        cpus=3,
    ),
    "semaphore in memory": Scenario(
        _SEMAPHORE_IN_MEMORY, ("sem_post 0; sem_post 0", "sem_wait 0", "sem_wait 0; sem_getvalue 0"), cpus=3
    ),
    "lock": Scenario(
        "rwlock_init 0",
        (
            "rwlock_rdlock 0; rwlock_unlock 0",
            "rwlock_rdlock 0; rwlock_unlock 0",
            "rwlock_wrlock 0; rwlock_unlock 0",
        ),
        cpus=3,
    ),
    "sleepers": Scenario("", ("settime @4", "sleep =1 @3", "sleep =1 @3"), cpus=3, time_steps=1),
    "queue": Scenario(
        "mq_open 0 0 =1", ("mq_send 0 =5", "mq_send 0 =6", "mq_receive 0; mq_receive 0"), cpus=3
    ),
}

ALL = {**TWO, **{f"three threads: {name}": scenario for name, scenario in THREE.items()}}
