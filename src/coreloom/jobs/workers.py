# SPDX-License-Identifier: Apache-2.0
"""A Dask scheduler and workers on this machine, as processes of their own: for measurements and tests."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from coreloom import paths
from coreloom.errors import UserError
from coreloom.jobs.cluster import EXTRA

_DASK = (sys.executable, "-m", "dask")
_HERE = ("--host", "127.0.0.1", "--no-dashboard")
_START_S = 60.0  # that a scheduler may take to start


class Workers:
    """processes, caches: of each worker its process and the folder of its cache, below `folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.scheduler: subprocess.Popen[bytes]
        self.processes: list[subprocess.Popen[bytes]] = []
        self.caches: list[Path] = []

    @property
    def file(self) -> Path:
        """The file to which the scheduler writes its address."""
        return self.folder / "scheduler.json"

    @property
    def address(self) -> str:
        return str(json.loads(self.file.read_text())["address"])

    def add(self) -> None:
        """One more worker, of one thread."""
        number = len(self.processes)
        self.caches.append(self.folder / f"cache{number}")
        places = {"CORELOOM_CACHE": str(self.caches[-1]), "CORELOOM_BUILD_DIR": str(self.folder / "build")}
        command = [*_DASK, "worker", "--scheduler-file", str(self.file), "--nthreads", "1", "--no-nanny"]
        command += ["--local-directory", str(self.folder), *_HERE]
        self.processes.append(_start(command, self.folder / f"worker{number}.log", places))


def _start(command: list[str], log: Path, places: dict[str, str] | None = None) -> subprocess.Popen[bytes]:
    with log.open("wb") as file:
        return subprocess.Popen(command, stdout=file, stderr=file, env={**os.environ, **(places or {})})


@contextlib.contextmanager
def workers(folder: Path, count: int) -> Iterator[Workers]:
    """A scheduler with that many workers, each with a cache of its own; all end with the block.

    UserError if Dask is not installed or its scheduler does not start.
    """
    if find_spec("distributed") is None:
        raise UserError(f"a cluster needs the package distributed: run `{paths.setup(EXTRA)}`")
    made = Workers(folder)
    log = folder / "scheduler.log"
    command = [*_DASK, "scheduler", "--port", "0", "--scheduler-file", str(made.file), *_HERE]
    made.scheduler = _start(command, log)
    try:
        until = time.monotonic() + _START_S
        while not made.file.exists():
            if made.scheduler.poll() is not None or time.monotonic() > until:
                raise UserError(f"the Dask scheduler does not start: {log.read_text()[-200:].strip()}")
            time.sleep(0.1)
        for _ in range(count):
            made.add()
        yield made
    finally:
        for process in (*made.processes, made.scheduler):
            process.kill()
            process.wait()
