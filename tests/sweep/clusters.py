# SPDX-License-Identifier: Apache-2.0
"""A Dask scheduler and workers as processes of their own, each worker with a cache of its own."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

_DASK = (sys.executable, "-m", "dask")
_HERE = ("--host", "127.0.0.1", "--no-dashboard")


class Workers:
    """address: of the scheduler; processes: of the workers; caches: their folders."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "scheduler.json"
        self.processes: list[subprocess.Popen[bytes]] = []
        self.caches: list[Path] = []
        self.scheduler: subprocess.Popen[bytes]

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
    """A scheduler with that many workers, which end with the block."""
    made = Workers(folder)
    command = [*_DASK, "scheduler", "--port", "0", "--scheduler-file", str(made.file), *_HERE]
    made.scheduler = _start(command, folder / "scheduler.log")
    try:
        until = time.monotonic() + 60
        while not made.file.exists():
            assert time.monotonic() < until, (folder / "scheduler.log").read_text()
            time.sleep(0.1)
        for _ in range(count):
            made.add()
        yield made
    finally:
        for process in (*made.processes, made.scheduler):
            process.kill()
            process.wait()
