# SPDX-License-Identifier: Apache-2.0
"""Response times: from the edge of an interrupt line to where the thread that serves it waits again."""

from __future__ import annotations

import collections
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from coreloom.simulation.simulate import Event, Kind

_IN_A_SECOND = {"ns": 1e9, "us": 1e6, "ms": 1e3, "s": 1.0}
_DEADLINE = re.compile(r"(.+?)\s*<=\s*(\d+(?:\.\d+)?)\s*(ns|us|ms|s)")


@dataclass(frozen=True)
class Deadline:
    """A thread's name, and the seconds that its longest response may take."""

    thread: str
    seconds: float
    text: str


def deadline(text: str) -> Deadline:
    """Of THREAD<=TIME; ValueError says what is wrong."""
    found = _DEADLINE.fullmatch(text.strip())
    if found is None or float(found[2]) == 0:
        raise ValueError(f"must be THREAD<=TIME with ns, us, ms or s, as service<=200us, not '{text}'")
    return Deadline(found[1], float(found[2]) / _IN_A_SECOND[found[3]], f"{found[2]} {found[3]}")


def responses(events: Iterable[Event], names: Mapping[int, str], thread: str, cpus: int) -> list[int]:
    """Cycles from each edge of a line to the first call after it in which the thread may wait again.

    Edges are served in their order; those not served at the end have no response.
    """
    running: list[int | None] = [0] + [None] * (cpus - 1)
    waiting: collections.deque[int] = collections.deque()
    found = []
    for event in sorted(events, key=lambda event: event.cycle):
        if event.kind == Kind.INTERRUPT:
            waiting.append(event.cycle)
        elif event.kind == Kind.RUN:
            running[event.cpu] = event.value
        elif event.kind == Kind.CALL and waiting:
            who = running[event.cpu]
            if who is not None and names.get(who) == thread:
                found.append(event.cycle - waiting.popleft())
    return found


def longest(events: Iterable[Event], names: Mapping[int, str], thread: str, cpus: int) -> int | None:
    """The longest response; None if there was none."""
    return max(responses(events, names, thread, cpus), default=None)
