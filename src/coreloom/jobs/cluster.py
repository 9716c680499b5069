# SPDX-License-Identifier: Apache-2.0
"""Jobs on a Dask cluster, whose workers have the same Coreloom.

A task is one job, or a batch of short ones, under a key of its content, so it can be run again: that of a
worker that dies is, and its rows count once. Files built for jobs become tasks, too, that give their bytes;
Dask brings these to each worker that runs such a job, and the worker keeps them in its cache.
"""

from __future__ import annotations

import collections
import contextlib
import functools
import hashlib
import logging
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from coreloom import __version__, paths
from coreloom.errors import UserError
from coreloom.jobs import artefacts
from coreloom.jobs.job import Job, Stopped
from coreloom.jobs.local import Local
from coreloom.report import fresh
from coreloom.toolchain import cache

T = TypeVar("T")
CONNECT_S = 5.0  # how long a scheduler may take to answer, and then to have a worker
LOOK_S = 2.0  # how often one looks whether there still is a worker
AHEAD = 2  # tasks on their way for each thread of a worker: one runs, the next is there when it ends
BATCH_S = 0.2  # what a batch of short jobs should take: a task costs Dask some 10 ms of its own
EXTRA = "cluster"
_DATA = ("rtl", "runtime", "policies", "apps", "platforms", "src/coreloom")


@functools.cache
def identity() -> str:
    """A digest of this Coreloom and its Python: the same jobs give the same rows where it is the same."""
    python = f"{sys.version_info[0]}.{sys.version_info[1]}"
    return f"{python}-{__version__}-{fresh.digest(_DATA, ())}"


@dataclass(frozen=True)
class _Done:
    """The rows of each job of a task and the seconds that they took.

    wrong: what is wrong with the first job that has none, as a value, since Dask would report an exception as
    a defect of its own.
    """

    rows: Sequence[Sequence[Any]]
    seconds: float
    wrong: str | None = None


def _bytes(packed: bytes) -> bytes:
    """The task that gives an entry of the cache."""
    return packed


def _work(packed: bytes, key: str, client: str, names: Sequence[str], entries: Sequence[bytes]) -> _Done:
    """On a worker: what the jobs of a task give. client: its identity."""
    import cloudpickle
    from distributed import get_worker

    worker = get_worker()
    if identity() != client:
        other = "has another version of Coreloom or Python: install the same there"
        return _Done((), 0, f"the worker {worker.address} {other}")

    def progress(cycles: int) -> None:
        task = worker.state.tasks.get(key)
        if task is None or task.state == "cancelled":
            raise Stopped("stopped")

    begin = time.monotonic()
    rows: list[Sequence[Any]] = []
    wrong = None
    try:
        for name, content in zip(names, entries, strict=True):
            artefacts.unpack(name, content)
        for measure in cloudpickle.loads(packed):
            progress(0)
            rows.append(measure(progress))
    except UserError as error:
        wrong = str(error)
    return _Done(rows, time.monotonic() - begin, wrong)


class Cluster:
    """The pool of the workers of one scheduler, until it is closed.

    busy: seconds that its jobs took, all together.
    """

    def __init__(self, address: str) -> None:
        """UserError unless a scheduler answers at `address` (tcp://HOST:PORT) and has a worker."""
        try:
            import cloudpickle
            import distributed
        except ImportError:
            raise UserError(f"--dask needs the package distributed: run `{paths.setup(EXTRA)}`") from None
        self.address = address
        self.busy = 0.0
        self._dump: Callable[[object], bytes] = cloudpickle.dumps
        self._dask: Any = distributed
        _quiet()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of versions that differ: identity() says it better
                self._client = self._dask.Client(address, timeout=CONNECT_S)
        except (OSError, ValueError, TypeError, self._dask.TimeoutError):
            raise UserError(
                f"no Dask scheduler answers at {address}: start one with `dask scheduler`, "
                "workers with `dask worker ADDRESS`"
            ) from None
        try:
            self.wait(1)
        except UserError:
            self.close()
            raise

    def wait(self, count: int, seconds: float | None = None) -> None:
        """Until there are that many workers. UserError if they do not come in time (CONNECT_S)."""
        try:
            self._client.wait_for_workers(count, timeout=CONNECT_S if seconds is None else seconds)
        except self._dask.TimeoutError:
            raise UserError(
                f"the Dask scheduler at {self.address} has {len(self._client.nthreads()) or 'no'} workers"
                f"{f', not {count}' if count > 1 else ''}: start some with `dask worker {self.address}`"
            ) from None

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        with contextlib.suppress(Exception):  # of a scheduler that is gone
            self._client.close(timeout=CONNECT_S)

    def threads(self) -> int:
        """How many tasks the workers run at a time, now. UserError if the scheduler is gone."""
        with self._reached(OSError):
            return int(sum(self._client.nthreads().values()))

    @contextlib.contextmanager
    def _reached(self, *further: type[Exception]) -> Iterator[None]:
        """Says in one line that the scheduler went away; further: errors that mean it in this block."""
        try:
            yield
        except (self._dask.CancelledError, self._dask.comm.CommClosedError, *further):
            raise UserError(
                f"the Dask scheduler at {self.address} was lost: start it and its workers again, "
                "then repeat the command"
            ) from None

    def run(
        self,
        first: Sequence[Job[Any]],
        wanted: Sequence[Job[T]],
        on_start: Callable[[str], None] | None = None,
        on_done: Callable[[], None] | None = None,
        on_rows: Callable[[int, Sequence[T]], None] | None = None,
    ) -> list[T]:
        """Implements Pool.run: `first` here, and what it asks the cache for travels with all of `wanted`."""
        say = on_start or (lambda text: None)
        common: set[str] = set()
        Local().run([], [_recorded(job, common) for job in first], on_start, on_done)
        held: dict[str, Any] = {}  # futures of entries; as long as they are held, workers keep the bytes
        waiting = collections.deque(sorted(range(len(wanted)), key=lambda n: -wanted[n].steps))
        found: dict[int, Sequence[T]] = {}
        running: dict[Any, list[int]] = {}
        length = BATCH_S  # of the last job that ended, in seconds
        try:
            while waiting or running:
                threads = max(1, self.threads())
                for _ in range(AHEAD * threads - len(running)):
                    batch = [waiting.popleft() for _ in range(_together(length, len(waiting), threads))]
                    if batch:
                        jobs = [wanted[number] for number in batch]
                        running[self._task(jobs, sorted(common), held, -len(found))] = batch
                        for job in jobs:
                            say(job.text)
                for future in self._ended(list(running), say):
                    batch = running.pop(future)
                    done = self._result(future, [wanted[number] for number in batch])
                    for number, rows in zip(batch, done.rows, strict=False):  # of a wrong job there are none
                        found[number] = rows
                        if on_rows is not None:
                            on_rows(number, rows)
                        if on_done is not None:
                            on_done()
                    if done.wrong is not None:
                        raise UserError(done.wrong)
                    length = done.seconds / len(batch)
            return [row for n in range(len(wanted)) for row in found[n]]
        finally:
            with contextlib.suppress(Exception):  # of a scheduler that is gone
                self._client.cancel(list(running), force=True)

    def _task(
        self, jobs: Sequence[Job[Any]], common: Sequence[str], held: dict[str, Any], priority: int
    ) -> Any:
        """The future of what these jobs give, after the entries that they and `common` name."""
        names = list(dict.fromkeys((*common, *(name for job in jobs for name in job.entries))))
        for name in names:
            if name not in held:
                key = f"entry-{name}"
                held[name] = self._client.submit(_bytes, artefacts.pack(name), key=key, pure=True)
        packed = self._dump([job.measure for job in jobs])
        known = all(job.key for job in jobs)
        content = "\n".join(job.key for job in jobs).encode() if known else packed
        key = f"jobs-{hashlib.sha256(content).hexdigest()}-{identity()}"
        return self._client.submit(
            _work, packed, key, identity(), names, [held[name] for name in names],
            key=key, pure=True, priority=priority,
        )  # fmt: skip

    def _ended(self, running: Sequence[Any], say: Callable[[str], None]) -> Sequence[Any]:
        """Those that have ended, once some have; none now and then, to look for new workers."""
        try:
            with self._reached():
                ended = self._dask.wait(running, timeout=LOOK_S, return_when="FIRST_COMPLETED")
            return [future for future in running if future in ended.done]
        except self._dask.TimeoutError:
            if not self.threads():
                say("waiting for a worker")
            return ()

    def _result(self, future: Any, jobs: Sequence[Job[Any]]) -> _Done:
        try:
            with self._reached():
                done: _Done = future.result()
        except self._dask.scheduler.KilledWorker:
            others = f" or one of the {len(jobs) - 1} after it" if len(jobs) > 1 else ""
            raise UserError(
                f"{jobs[0].text}: several workers died while they ran it{others}: see their logs"
            ) from None
        except ModuleNotFoundError as error:
            raise UserError(
                f"a worker lacks the module {error.name}: install the same Coreloom there"
            ) from None
        self.busy += done.seconds
        return done


def _together(length: float, waiting: int, threads: int) -> int:
    """How many of the waiting jobs, of `length` seconds each, become the next task.

    A share of what waits at most, so that at the end all workers are done at about the same time.
    """
    most = max(1, waiting // (AHEAD * threads))
    return min(waiting, most, max(1, int(BATCH_S / max(length, 1e-3))))


def _recorded(job: Job[T], names: set[str]) -> Job[T]:
    """The same job, which adds the entries of the cache that it asks for."""

    def measure(progress: Callable[[int], None]) -> Sequence[T]:
        with cache.recorded() as asked:
            rows = job.measure(progress)
        names.update(asked)
        return rows

    return replace(job, measure=measure)


def _quiet() -> None:
    """Dask's own messages are kept from the terminal: what matters is a UserError."""
    for name in ("distributed", "tornado"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
