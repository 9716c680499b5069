# SPDX-License-Identifier: Apache-2.0
"""Jobs on all cores of this machine: a thread for each, as what takes its time is a simulator's process."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any, TypeVar

from coreloom.jobs.job import Job, Stopped
from coreloom.toolchain import yowasp

T = TypeVar("T")


class Local:
    """The pool of this machine's cores, or of fewer of them."""

    def __init__(self, threads: int | None = None) -> None:
        self._threads = threads or os.cpu_count() or 1

    def threads(self) -> int:
        """Implements Pool.threads."""
        return self._threads

    def run(
        self,
        first: Sequence[Job[Any]],
        wanted: Sequence[Job[T]],
        on_start: Callable[[str], None] | None = None,
        on_done: Callable[[], None] | None = None,
        on_rows: Callable[[int, Sequence[T]], None] | None = None,
    ) -> list[T]:
        """Implements Pool.run."""
        stopped = threading.Event()

        def progress(cycles: int) -> None:
            if stopped.is_set():
                raise Stopped("stopped")  # ends the simulation

        def one(job: Job[T]) -> Sequence[T]:
            if on_start is not None:
                on_start(job.text)
            rows = job.measure(progress)
            if on_done is not None:
                on_done()
            return rows

        pool = ThreadPoolExecutor(self.threads())
        try:
            list(pool.map(one, first))
            order = sorted(range(len(wanted)), key=lambda n: -wanted[n].steps)
            running = {pool.submit(one, wanted[n]): n for n in order}
            found: dict[int, Sequence[T]] = {}
            for ended in as_completed(running):
                found[running[ended]] = ended.result()
                if on_rows is not None:
                    on_rows(running[ended], found[running[ended]])
            return [row for n in range(len(wanted)) for row in found[n]]
        finally:
            stopped.set()
            pool.shutdown(wait=False, cancel_futures=True)
            with yowasp.stopped():  # tools that know no progress
                pool.shutdown()
