# SPDX-License-Identifier: Apache-2.0
"""Jobs on a Dask cluster, whose workers have the same Coreloom.

A job becomes a task under a key of its content, so it can be run again: that of a worker that dies is, and
its rows count once. What was built for jobs becomes tasks, too, that give its bytes; Dask brings these to
each worker that runs such a job, and the worker keeps them in its cache.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import itertools
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
EXTRA = "cluster"
_DATA = ("rtl", "runtime", "policies", "apps", "platforms", "src/coreloom")


@functools.cache
def identity() -> str:
    """A digest of this Coreloom and its Python: the same jobs give the same rows where it is the same."""
    python = f"{sys.version_info[0]}.{sys.version_info[1]}"
    return f"{python}-{__version__}-{fresh.digest(_DATA, ())}"


@dataclass(frozen=True)
class _Right:
    """The rows of a job, and the seconds that it took."""

    rows: Sequence[Any]
    seconds: float


@dataclass(frozen=True)
class _Wrong:
    """A mistake of a job, as a value, since Dask would report an exception as a defect of its own."""

    text: str


def _bytes(packed: bytes) -> bytes:
    """The task that gives an entry of the cache."""
    return packed


def _work(
    packed: bytes, key: str, client: str, names: Sequence[str], entries: Sequence[bytes]
) -> _Right | _Wrong:
    """On a worker: the rows of a job, or what is wrong with it. client: its identity."""
    import cloudpickle
    from distributed import get_worker

    worker = get_worker()
    if identity() != client:
        return _Wrong(
            f"the worker {worker.address} has another version of Coreloom or Python: install the same there"
        )

    def progress(cycles: int) -> None:
        task = worker.state.tasks.get(key)
        if task is None or task.state == "cancelled":
            raise Stopped("stopped")

    begin = time.monotonic()
    try:
        for name, content in zip(names, entries, strict=True):
            artefacts.unpack(name, content)
        rows = cloudpickle.loads(packed).measure(progress)
        return _Right(rows, time.monotonic() - begin)
    except UserError as error:
        return _Wrong(str(error))


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
        """As Pool.run: `first` here, and what it asks the cache for travels with all of `wanted`."""
        say = on_start or (lambda text: None)
        common: set[str] = set()
        Local().run([], [_recorded(job, common) for job in first], on_start, on_done)
        tasks = self._tasks(wanted, sorted(common))
        found: dict[int, Sequence[T]] = {}
        running: dict[Any, int] = {}
        try:
            while True:
                room = AHEAD * max(1, self.threads()) - len(running)
                for number, future in itertools.islice(tasks, max(0, room)):
                    running[future] = number
                    say(wanted[number].text)
                if not running:
                    return [row for n in range(len(wanted)) for row in found[n]]
                for future in self._ended(list(running), say):
                    number = running.pop(future)
                    found[number] = self._rows(future, wanted[number])
                    if on_rows is not None:
                        on_rows(number, found[number])
                    if on_done is not None:
                        on_done()
        finally:
            with contextlib.suppress(Exception):  # of a scheduler that is gone
                self._client.cancel(list(running), force=True)

    def _tasks(self, wanted: Sequence[Job[Any]], common: Sequence[str]) -> Iterator[tuple[int, Any]]:
        """The number of each job and the future of its rows, the longest first, submitted one by one."""
        held: dict[str, Any] = {}  # futures of entries; as long as they are held, workers keep the bytes

        def entry(name: str) -> Any:
            if name not in held:
                key = f"entry-{name}"
                held[name] = self._client.submit(_bytes, artefacts.pack(name), key=key, pure=True)
            return held[name]

        order = sorted(range(len(wanted)), key=lambda n: -wanted[n].steps)
        for rank, number in enumerate(order):
            job = wanted[number]
            names = list(dict.fromkeys((*common, *job.entries)))
            packed = self._dump(replace(job, entries=()))
            key = f"job-{job.key or hashlib.sha256(packed).hexdigest()}-{identity()}"
            yield (
                number,
                self._client.submit(
                    _work, packed, key, identity(), names, [entry(name) for name in names],
                    key=key, pure=True, priority=-rank,
                ),
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

    def _rows(self, future: Any, job: Job[T]) -> Sequence[T]:
        try:
            with self._reached():
                done: _Right | _Wrong = future.result()
        except self._dask.scheduler.KilledWorker:
            raise UserError(f"{job.text}: several workers died while they ran it: see their logs") from None
        except ModuleNotFoundError as error:
            raise UserError(
                f"a worker lacks the module {error.name}: install the same Coreloom there"
            ) from None
        if isinstance(done, _Wrong):
            raise UserError(done.text)
        self.busy += done.seconds
        return done.rows


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
