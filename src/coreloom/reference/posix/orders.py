# SPDX-License-Identifier: Apache-2.0
"""All that the model of POSIX allows a small program to do, when its threads run at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import GeneratorType
from typing import Any

from coreloom.reference.posix.objects import Posix
from coreloom.reference.posix.threads import Call, E, Kind, Thread

# They say the same as others, or change nothing.
_APART = ("reached", "told", "choose", "log", "ready", "free", "taken", "call", "last")
Outcome = tuple[tuple[tuple[str, int], ...], ...]  # of each slot what it has logged
_LOOK, _TIME = 100, 200  # choices: the slot of a thread; + _LOOK: it leaves its wait; time passes


class Orders:
    """calls: of each slot, main's first. Main's end with `end`."""

    def __init__(self, calls: Sequence[Sequence[Call]], left: dict[str, int]) -> None:
        self.calls = calls
        self.left = left

    def outcomes(self) -> set[Outcome]:
        found: set[Outcome] = set()
        seen: set[object] = set()
        stack: list[tuple[int, ...]] = [()]
        while stack:
            made = stack.pop()
            posix = self._replay(made)
            state = (self._outcome(posix), _digest(posix))
            if state in seen:
                continue
            seen.add(state)
            choices = list(_choices(posix))
            if not any(choice < _TIME for choice in choices):
                found.add(self._outcome(posix))
            stack += [(*made, choice) for choice in choices]
        return found

    def _outcome(self, posix: Posix) -> Outcome:
        return tuple(
            tuple((e.call, e.result) for e in posix.log if e.slot == slot) for slot in range(len(self.calls))
        )

    def _replay(self, made: Sequence[int]) -> Posix:
        taken = [0] * len(self.calls)

        def choose(posix: Posix, thread: Thread) -> Call:
            call = self.calls[thread.slot][taken[thread.slot]]
            taken[thread.slot] += 1
            if call.name == "end":
                thread.state = "blocked"
            return call

        posix = Posix(self.left, choose)
        posix.now = 0
        posix.at_leisure = True
        posix.current = None
        for choice in made:
            if choice == _TIME:
                posix.pass_time()
            elif choice >= _LOOK:
                thread = posix.asked.pop(choice - _LOOK)
                if thread.point or (thread.queue is not None and thread.queue.kind == Kind.MEMORY):
                    posix.look(thread, E.ECANCELED)
            else:
                posix.go(_of_slot(posix)[choice])
        return posix


def _of_slot(posix: Posix) -> dict[int, Thread]:
    return {thread.slot: thread for thread in posix.threads.values()}


def _choices(posix: Posix) -> Iterator[int]:
    for slot, thread in sorted(_of_slot(posix).items()):
        if thread.state == "ready":
            yield slot
    for slot in sorted(posix.asked):
        yield _LOOK + slot
    if any(thread.state == "blocked" and thread.until < 1 << 30 for thread in posix.threads.values()):
        yield _TIME


def _digest(value: Any, depth: int = 0, known: dict[int, int] | None = None) -> object:
    """The same for what goes on in the same way."""
    known = {} if known is None else known
    if value is None or isinstance(value, (int, str, Kind)):
        return value
    if callable(value) and not isinstance(value, type):
        return getattr(value, "__qualname__", "")
    if id(value) in known:
        return ("again", known[id(value)])
    known[id(value)] = len(known)
    if isinstance(value, GeneratorType):
        frame = value.gi_frame
        if frame is None:
            return "ended"
        names = sorted(frame.f_locals)
        inside = tuple((name, _digest(frame.f_locals[name], depth + 1, known)) for name in names)
        return (value.gi_code.co_name, frame.f_lasti, inside, _digest(value.gi_yieldfrom, depth + 1, known))
    if isinstance(value, (list, tuple)):
        own = tuple(_digest(each, depth + 1, known) for each in value)
        return (type(value).__name__, own, getattr(value, "kind", 0))
    if isinstance(value, dict):
        return tuple((key, _digest(each, depth + 1, known)) for key, each in sorted(value.items()))
    if hasattr(value, "__dict__"):
        items = ((k, v) for k, v in sorted(vars(value).items()) if k not in _APART)
        return (type(value).__name__, tuple((k, _digest(v, depth + 1, known)) for k, v in items))
    return repr(type(value))
