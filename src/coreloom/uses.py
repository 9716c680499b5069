# SPDX-License-Identifier: Apache-2.0
"""Records what a measurement runs: each model by the key of its content, each program by its image.

It is noted where it is made. In a plan it is noted and nothing is run: what would run something ends the job
instead. A plan of SOURCES makes nothing either, and notes of what a program would be made.
"""

from __future__ import annotations

import contextlib
import contextvars
import functools
from collections.abc import Callable, Iterator
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_noted: contextvars.ContextVar[set[str] | None] = contextvars.ContextVar("noted", default=None)
# Of a plan, its kind.
SOURCES, IMAGES = "sources", "images"
_plan: contextvars.ContextVar[str] = contextvars.ContextVar("plan", default="")


class Planned(Exception):
    """All that a job of a plan needs is made and noted; it does not run."""


@contextlib.contextmanager
def recorded(plan: str = "") -> Iterator[set[str]]:
    """Notes of this thread in the block; Planned ends the block of a plan."""
    names: set[str] = set()
    tokens = _noted.set(names), _plan.set(plan)
    try:
        with contextlib.suppress(Planned):
            yield names
    finally:
        _noted.reset(tokens[0])
        _plan.reset(tokens[1])


def noting() -> bool:
    """Whether somebody wants to know."""
    return _noted.get() is not None


def note(name: str) -> None:
    """Something that decides the figures is made."""
    if (names := _noted.get()) is not None:
        names.add(name)


def plan() -> str:
    """The kind of this plan, in which a model need not be there; empty: it is none."""
    return _plan.get()


def runs() -> None:
    """Something is about to run, with what was made; in a plan it does not."""
    if _plan.get():
        raise Planned


def reads() -> None:
    """Called before a made file is read; in a plan that makes nothing the job ends."""
    if _plan.get() == SOURCES:
        raise Planned


def kept(make: Callable[P, T]) -> Callable[P, T]:
    """`make`, whose answers are kept; where somebody notes, it is asked anew."""
    known = functools.cache(make)

    @functools.wraps(make)
    def asked(*args: P.args, **kwargs: P.kwargs) -> T:
        return make(*args, **kwargs) if noting() else known(*args, **kwargs)  # type: ignore[arg-type]

    return asked
