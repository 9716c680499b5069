# SPDX-License-Identifier: Apache-2.0
"""A job, and the Pool that runs many of them: all work of many runs goes through one Pool."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from coreloom.design.platform import Platform
from coreloom.errors import UserError
from coreloom.toolchain import verilate

Progress = Callable[[int], None]  # of simulate.run
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Stopped(UserError):
    """Raised by a job's progress when its pool has ended: the job ends, and its rows are not wanted."""


@dataclass(frozen=True)
class Job(Generic[T_co]):
    """One measurement, what a person is told while it runs, and how long that is in no unit.

    It gives the same rows wherever and however often it runs. entries: what it uses of the cache
    (cache.name), which is there where it runs. key: of all that decides its rows, if that is known.
    """

    text: str
    measure: Callable[[Progress], Sequence[T_co]]  # calls it now and then, to be stopped there
    steps: float = 0
    entries: tuple[str, ...] = ()
    key: str = ""


class Pool(Protocol):
    """Runs jobs, several at a time."""

    def threads(self) -> int:
        """How many at a time, now."""

    def run(
        self,
        first: Sequence[Job[Any]],
        wanted: Sequence[Job[T]],
        on_start: Callable[[str], None] | None = None,
        on_done: Callable[[], None] | None = None,
        on_rows: Callable[[int, Sequence[T]], None] | None = None,
    ) -> list[T]:
        """All rows in the order of `wanted`, of which the longest begin first; all of `first` is done before.

        `first` makes what is made once, on this machine. on_start is told what begins, on_done is called
        after each job; on_rows, in the thread that calls run, with the number of a job of `wanted` and its
        rows, once for each. The first mistake or interrupt ends all.
        """


def whole(measure: Callable[[], Sequence[T]]) -> Callable[[Progress], Sequence[T]]:
    """For a job: a measurement that is short, so nothing stops it half-way."""
    return lambda progress: measure()


def build(soc: Platform, text: str | None = None) -> Job[Any]:
    """The job that builds the model of a platform; it has no rows. text: the model's name in the progress."""
    text = text or f"{soc.name} with {soc.cpus} CPU{'s' * (soc.cpus > 1)}"
    return prepare(f"build the model of {text}", lambda: verilate.build_model(soc))


def prepare(text: str, make: Callable[[], object]) -> Job[Any]:
    """A job that makes something for others; it has no rows."""

    def measure() -> list[Any]:
        make()
        return []

    return Job(text, whole(measure))
