# SPDX-License-Identifier: Apache-2.0
"""Measurements, several at a time: the one way in which a bench runs them."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import Any, NamedTuple

from coreloom.design import platform
from coreloom.errors import UserError
from coreloom.toolchain import verilate

Row = dict[str, Any]
Progress = Callable[[int], None]  # of simulate.run


class Job(NamedTuple):
    """One measurement, what a person is told while it runs, and how long that is in no unit."""

    text: str
    measure: Callable[[Progress], list[Row]]  # calls it now and then, to be stopped there
    steps: float = 0


def whole(measure: Callable[[], list[Row]]) -> Callable[[Progress], list[Row]]:
    """For a job: a measurement that is short, so nothing stops it half-way."""
    return lambda progress: measure()


def build(soc: platform.Platform, text: str) -> Job:
    """The job that builds the model of a platform; it has no rows."""

    def measure() -> list[Row]:
        verilate.build_model(soc)
        return []

    return Job(f"build the model of {text}", whole(measure))


def run(
    first: Sequence[Job],
    wanted: Sequence[Job],
    on_start: Callable[[str], None] | None = None,
    on_done: Callable[[], None] | None = None,
) -> list[Row]:
    """All rows in the order of `wanted`, of which the longest begin first; all of `first` is done before.

    on_start is told what begins, on_done is called after each job. The first mistake or interrupt ends all.
    """
    stopped = threading.Event()

    def progress(cycles: int) -> None:
        if stopped.is_set():
            raise UserError("stopped")  # ends the simulation

    def one(job: Job) -> list[Row]:
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
