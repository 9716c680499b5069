# SPDX-License-Identifier: Apache-2.0
"""What `coreloom bench exclusive` runs in its guest: it works, and the same seed gives the same rows."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from coreloom.benches.exclusive import guest as guests
from coreloom.benches.exclusive.bench import Row, rows_of
from coreloom.benches.exclusive.cases import FIFO, JOBS, LOADS, OURS, cells
from coreloom.vm import vm

pytestmark = [pytest.mark.linux, pytest.mark.nightly]


@contextlib.contextmanager
def _busy_host() -> Iterator[None]:
    """Somebody else who wants each of its CPUs."""
    others = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count() or 1)
    ]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


def test_two_runs_with_a_seed_are_the_same() -> None:
    load = next(load for load in LOADS if load.name == "medium")
    jobs = [job for job in JOBS if job.name in ("lame", "mpeg4", "probe")]
    wanted = [cell for cell in cells(jobs) if cell.method in (FIFO, OURS)]
    guest, script = guests.guest(), guests.script(load, wanted)

    def rows() -> list[Row]:
        outcome = vm.run(guest, script, deterministic=True, seed=3, timeout=600)
        return rows_of(load, wanted, 3, outcome.files)

    first = rows()
    with _busy_host():
        second = rows()
    assert first == second
    assert [(row.job, row.method, row.others_throughput) for row in first] == [
        (job, method, 1.0) for job in ("lame", "mpeg4", "probe") for method in (FIFO, OURS)
    ]
    assert all(row.wall_over_cpu is not None for row in first[:4])
    assert all((row.probe_max_us or 0) > 0 for row in first[4:])
