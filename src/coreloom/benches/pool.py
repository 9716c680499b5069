# SPDX-License-Identifier: Apache-2.0
"""Measurements, several at a time: the one way in which a bench runs them."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from coreloom.design.platform import Platform
from coreloom.errors import UserError
from coreloom.toolchain import verilate

Progress = Callable[[int], None]  # of simulate.run
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True)
class Job(Generic[T_co]):
    """One measurement, what a person is told while it runs, and how long that is in no unit."""

    text: str
    measure: Callable[[Progress], Sequence[T_co]]  # calls it now and then, to be stopped there
    steps: float = 0


def whole(measure: Callable[[], Sequence[T]]) -> Callable[[Progress], Sequence[T]]:
    """For a job: a measurement that is short, so nothing stops it half-way."""
    return lambda progress: measure()


def build(soc: Platform, text: str) -> Job[Any]:
    """The job that builds the model of a platform; it has no rows."""

    def measure() -> list[Any]:
        verilate.build_model(soc)
        return []

    return Job(f"build the model of {text}", whole(measure))


def run(
    first: Sequence[Job[Any]],
    wanted: Sequence[Job[T]],
    on_start: Callable[[str], None] | None = None,
    on_done: Callable[[], None] | None = None,
) -> list[T]:
    """All rows in the order of `wanted`, of which the longest begin first; all of `first` is done before.

    on_start is told what begins, on_done is called after each job. The first mistake or interrupt ends all.
    """
    stopped = threading.Event()

    def progress(cycles: int) -> None:
        if stopped.is_set():
            raise UserError("stopped")  # ends the simulation

    def one(job: Job[T]) -> Sequence[T]:
        if on_start is not None:
            on_start(job.text)
        rows = job.measure(progress)
        if on_done is not None:
            on_done()
        return rows

    pool = ThreadPoolExecutor(os.cpu_count() or 1)
    try:
        list(pool.map(one, first))
        order = sorted(range(len(wanted)), key=lambda n: -wanted[n].steps)
        running = {n: pool.submit(one, wanted[n]) for n in order}
        done, _ = wait(running.values(), return_when=FIRST_EXCEPTION)
        for ended in done:
            ended.result()
        return [row for n in range(len(wanted)) for row in running[n].result()]
    finally:
        stopped.set()
        pool.shutdown(cancel_futures=True)
