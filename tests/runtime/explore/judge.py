# SPDX-License-Identifier: Apache-2.0
"""Is a history one that the reference model allows?

In the model each thread has a CPU of its own, so that only what the operations answer and whom they wake
counts, not where threads run. A call takes effect in its critical section, whose place in the history is
known; a call without one, and the end of a wait by a time limit, somewhere between call and return.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from coreloom.reference.kernel import GIVE_WAY, RESUMED, SPEC, Config, Kernel

from .machine import SIZES, History

CALL, LOCK, OTHER, RETURN, TIME, PARK, UNLOCK, POST = range(8)
TIMED = 256
_CODES = {name: op.code for name, op in SPEC.ops.items()}
NAMES = {op.code: name for name, op in SPEC.ops.items()}
_STATUS = SPEC.layouts["word"]["status"].lsb
_LATE = 116 << _STATUS  # ETIMEDOUT
_ATTRIBUTES = SPEC.layouts["attributes"]
# They change where and when threads run, and the model has a CPU for each.
SCHEDULING = ("yield", "slice", "set_weight", "reserve", "release", "remove", "move")
_REPEATED = ("port_send", "port_receive")  # when their wait has ended
_FREE = (*_REPEATED, "port_tryreceive")  # may take effect in any of several critical sections, or in none
# In the kernel `fine`: without a lock, or with a second one. Besides, what is refused at once.
_FREE_IN_FINE = ("mutex_unlock", "mutex_trylock", "mutex_destroy", "semaphore_destroy")
# There their objects have locks of their own; the kernel's in such a call may be that of a slice's end.
_OF_OBJECTS = ("mutex_", "semaphore_", "port_")


@dataclass(eq=False)
class Call:
    thread: int
    op: int
    id: int
    word: int
    at: int  # in the history
    locks: list[int] = field(default_factory=list)
    end: int | None = None  # None: it has not returned
    answer: int = 0
    value: int = 0
    fine: bool = False

    @property
    def free(self) -> bool:
        return self.name in _FREE or (self.fine and (self.name in _FREE_IN_FINE or not self.locks))

    @property
    def spins(self) -> bool:
        """Whether it waits is not told: it may have polled."""
        return self.fine and self.name == "mutex_lock"

    @property
    def of_object(self) -> bool:
        """It takes effect with the lock of its object."""
        return self.fine and self.name.startswith(_OF_OBJECTS) and not self.name.endswith("_create")

    @property
    def timed(self) -> bool:
        return self.op >= TIMED

    @property
    def name(self) -> str:
        return NAMES[self.op % TIMED]

    @property
    def late(self) -> bool:
        return self.timed and self.end is not None and self.answer == _LATE

    @property
    def unknown(self) -> int:
        """The bits of its answer that the model does not know."""
        if self.spins:
            return RESUMED
        return {"thread_start": RESUMED}.get(self.name, (1 << _STATUS) - 1 if self.name in _FREE else 0)

    def place(self) -> int | None:
        """Where it takes effect; None: anywhere between call and return, or nowhere."""
        if self.free:
            return None
        which = int(self.timed and not self.of_object)  # the first sets the timer
        return self.locks[which] if which < len(self.locks) else None

    def __str__(self) -> str:
        answer = "waits" if self.end is None else f"{self.answer:#x}"
        value = f" with {self.value:#x}" if self.value else ""
        late = "timed " if self.timed else ""
        return f"thread {self.thread}: {late}{self.name} {self.id} {self.word:#x} -> {answer}{value}"


def calls(history: History, fine: bool = False) -> list[Call]:
    """The calls of a history, in order."""
    found: list[Call] = []
    now: dict[int, Call] = {}
    # Each history begins with a call that takes the kernel's lock.
    kernel = next((a for kind, _, _, a, _ in history if kind == LOCK), 0)
    for at, (kind, _, thread, a, b) in enumerate(history):
        if kind == CALL:
            now[thread] = Call(thread, a >> 16, a & 0xFFFF, b, at, fine=fine)
            found.append(now[thread])
        elif kind == LOCK and thread in now:
            if a != kernel or not now[thread].of_object:
                now[thread].locks.append(at)
        elif kind == RETURN:
            call = now.pop(thread)
            call.end, call.answer, call.value = at, a, b
    return found


class Wrong(Exception):
    pass


class _Replay:
    """The model, and which calls have taken effect."""

    def __init__(self, threads: int) -> None:
        sizes: dict[str, Any] = {name.removeprefix("kernel."): size for name, size in SIZES.items()}
        # The last CPU has no thread and never waits: it ends waits by time limits.
        self.kernel = Kernel(Config(cpus=threads + 1, lines=8, **sizes))
        self.timer = threads
        self.blocked: dict[int, int] = {}  # thread: number of its call
        self.inside: dict[int, int] = {}  # CPU: call that takes effect at the end of its critical section
        self.tickets: dict[int, int] = {}
        self.done: set[int] = set()  # numbers of calls
        self.ended: set[int] = set()  # threads
        for cpu in range(1, threads):
            self.kernel.load(cpu, _CODES["next"], 0)

    def _settle(self, calls: Sequence[Call]) -> None:
        for cpu, word in self.kernel.completions():
            if word & GIVE_WAY:
                self.kernel.store(cpu, _CODES["saved"], 0, 0)
                continue
            number = self.blocked.pop(cpu)
            call = calls[number]
            if call.name in _REPEATED and not call.timed:
                self.done.remove(number)
            elif call.end is not None and not call.late and not call.spins and not call.answer & RESUMED:
                raise Wrong(f"{call}: the model wakes it")

    def carry_out(self, number: int, calls: Sequence[Call]) -> None:
        """The call takes effect now. Wrong if the model answers otherwise."""
        call, kernel = calls[number], self.kernel
        self.done.add(number)
        if call.name in SCHEDULING:
            return
        word = call.word
        if call.name == "thread_create" and not call.answer >> 16:
            # In the model it has the CPU of its number.
            word &= ~(_mask("cpu") | _mask("static"))
            word |= call.answer << _ATTRIBUTES["cpu"].lsb | _mask("static")
        if call.name == "cond_wait":
            word = self.tickets.get(call.thread, 0)
        kernel.store(call.thread, _CODES["word0"], 0, word)
        answer = kernel.load(call.thread, _CODES[call.name], call.id)
        status = (answer or 0) >> _STATUS
        if answer is None:
            if call.name == "thread_exit":
                self.ended.add(call.thread)
            else:
                self.blocked[call.thread] = number
        elif call.end is None or answer & ~call.unknown != call.answer & ~call.unknown:
            raise Wrong(f"{call}: the model answers {answer:#x}")
        elif call.name == "cond_ticket":
            self.tickets[call.thread] = answer
        elif call.name in _FREE[1:] and not status:
            value = kernel.load(call.thread, _CODES["word0"], 0)
            if value != call.value:
                raise Wrong(f"{call}: the model's message is {value:#x}")
        self._settle(calls)

    def post(self, semaphore: int, calls: Sequence[Call]) -> None:
        """A handler of the communication port posts it."""
        self.kernel.load(self.timer, _CODES["semaphore_post"], semaphore)
        self._settle(calls)

    def leave(self, number: int, calls: Sequence[Call]) -> None:
        """A time limit ends the wait of this call."""
        call = calls[number]
        kind = call.name.split("_")[0]
        self.kernel.store(self.timer, _CODES["word0"], 0, call.thread)
        if self.kernel.load(self.timer, _CODES[f"{kind}_leave"], call.id):
            raise Wrong(f"{call}: the model does not wait")
        self._settle(calls)


def _mask(name: str) -> int:
    field_ = _ATTRIBUTES[name]
    return ((1 << field_.width) - 1) << field_.lsb


def judge(history: History, threads: int, fine: bool = False) -> str:
    """Empty if the model allows the history, else why not."""
    said = []
    for eager in (True, False):
        try:
            _Search(history, calls(history, fine), threads, eager).go_on(_Replay(threads), 0)
        except Wrong as wrong:
            said.append(str(wrong))
        else:
            return ""
    return said[0]


@dataclass
class _Search:
    """eager: without a choice, calls without a place take effect as late as they can."""

    history: History
    calls: Sequence[Call]
    threads: int
    eager: bool
    tries: int = 20_000  # left; a history that takes more is as one that is not allowed

    def go_on(self, replay: _Replay, at: int) -> None:
        """From a place in the history to its end. Wrong if there is no way."""
        for place in range(at, len(self.history)):
            open_ = [
                n
                for n, call in enumerate(self.calls)
                if call.at < place and (call.end is None or call.end >= place)
            ]
            if self._without_lock(replay, place, open_) or self._at(replay, place, open_):
                return
        self._end(replay)

    def _without_lock(self, replay: _Replay, place: int, open_: Sequence[int]) -> bool:
        """Calls without a place take effect here, if they must; whether one of them leads to the end."""
        free = [n for n in open_ if n not in replay.done and self.calls[n].free]
        late = [n for n in open_ if self.calls[n].late and replay.blocked.get(self.calls[n].thread) == n]
        if self.eager:
            for n in free:
                if place in self.calls[n].locks or self.calls[n].end == place:
                    replay.carry_out(n, self.calls)
            for n in late:
                if self.calls[n].end == place:
                    replay.leave(n, self.calls)
        elif self.history[place][0] in (LOCK, OTHER, RETURN, UNLOCK, POST):
            return any(self._leads_on(replay, n, place, n in late) for n in [*free, *late])
        return False

    def _at(self, replay: _Replay, place: int, open_: Sequence[int]) -> bool:
        """What happens here; whether a call that takes effect before others leads to the end."""
        kind, cpu, _, object_, _ = self.history[place]
        if kind == POST:
            replay.post(object_, self.calls)
        if kind == UNLOCK and cpu in replay.inside:
            replay.carry_out(replay.inside.pop(cpu), self.calls)
        for n in open_:
            call = self.calls[n]
            if kind == LOCK and call.place() == place:
                if self.eager or not self._overlaps(place):
                    replay.carry_out(n, self.calls)
                elif self._leads_on(replay, n, place + 1):
                    return True
                else:
                    replay.inside[cpu] = n
            if kind == RETURN and call.end == place:
                if n not in replay.done:
                    raise Wrong(f"{call}: it has returned without an effect")
                if n in replay.blocked.values():
                    raise Wrong(f"{call}: the model still waits")
        return False

    def _leads_on(self, replay: _Replay, number: int, at: int, late: bool = False) -> bool:
        """The call takes effect here, or its wait ends: is there a way from there?"""
        self.tries -= 1
        if self.tries < 0:
            raise Wrong("not decided: too many orders of calls that need no lock")
        other = copy.deepcopy(replay)
        try:
            (other.leave if late else other.carry_out)(number, self.calls)
            self.go_on(other, at)
        except Wrong:
            return False
        return True

    def _overlaps(self, lock: int) -> bool:
        """A call that needs no lock begins in the critical section that begins there: it may come before."""
        leaves = (UNLOCK, self.history[lock][1])
        end = next(at for at in range(lock, len(self.history)) if self.history[at][:2] == leaves)
        begins = any(call.free and lock < call.at < end for call in self.calls)
        return begins or any(call.fine and call.free and self._is_open(call, lock) for call in self.calls)

    def _is_open(self, call: Call, place: int) -> bool:
        return call.at < place and (call.end is None or call.end > place)

    def _end(self, replay: _Replay) -> None:
        for n, call in enumerate(self.calls):
            if call.end is None and call.thread not in replay.ended and replay.blocked.get(call.thread) != n:
                raise Wrong(f"{call}: for ever, but in the model it goes on")
        parked = {thread for kind, _, thread, _, _ in self.history if kind == PARK}
        started = {call.thread for call in self.calls}
        for lost in sorted(started - parked - set(replay.blocked) - replay.ended):
            raise Wrong(f"thread {lost} is ready for ever and no CPU runs it")
