"""What `coreloom bench exclusive` runs in its guest: it works, and the same seed gives the same rows."""

from __future__ import annotations

import pytest

from coreloom.bench import exclusive
from coreloom.bench.exclusive import FIFO, JOBS, LOADS, OURS
from coreloom.linux import vm

pytestmark = [pytest.mark.linux, pytest.mark.slow]


def test_two_runs_with_a_seed_are_the_same() -> None:
    load = next(load for load in LOADS if load.name == "medium")
    jobs = [job for job in JOBS if job.name in ("lame", "mpeg4", "probe")]
    cells = [cell for cell in exclusive.cells(jobs) if cell.method in (FIFO, OURS)]
    guest, script = exclusive.guest(), exclusive.script(load, cells)
    first, second = (
        exclusive.rows_of(
            load, cells, 3, vm.run(guest, script, deterministic=True, seed=3, timeout=600).files
        )
        for _ in range(2)
    )
    assert first == second
    assert [(row["job"], row["method"], row["others_throughput"]) for row in first] == [
        (job, method, 1.0) for job in ("lame", "mpeg4", "probe") for method in (FIFO, OURS)
    ]
    assert all(row["wall_over_cpu"] is not None for row in first[:4])
    assert all(row["probe_max_us"] > 0 for row in first[4:])
