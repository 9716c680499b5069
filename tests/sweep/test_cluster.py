# SPDX-License-Identifier: Apache-2.0
"""Jobs on a real Dask scheduler with two workers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest

from coreloom.benches import bench
from coreloom.benches.fairness import bench as fairness
from coreloom.benches.smp import bench as smp
from coreloom.errors import UserError
from coreloom.jobs import artefacts, cluster
from coreloom.jobs.cluster import Cluster
from coreloom.jobs.job import Job, Pool, prepare, whole
from coreloom.jobs.local import Local
from coreloom.jobs.workers import Workers, workers
from coreloom.scheduling import build
from coreloom.toolchain import cache


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workers]:
    with workers(tmp_path_factory.mktemp("dask"), 2) as made:
        yield made


def _entry(name: str, text: str) -> Path:
    """An entry of the cache with one file."""
    return cache.made(cache.place("test") / name, lambda work: (work / "text").write_text(text))


def _reader(name: str) -> Callable[[], list[str]]:
    """For a job: what that entry has; a mistake if the worker would have to make it."""

    def read() -> list[str]:  # travels by its content: a worker has no tests
        def never(work: Path) -> None:
            raise UserError(f"the worker lacks {name}")

        time.sleep(0.2)  # so long that the other worker gets some, too
        return [(cache.made(cache.place("test") / name, never) / "text").read_text()]

    return read


def test_rows_keep_their_order_and_come_once(two: Workers) -> None:
    came: list[tuple[int, list[int]]] = []
    done: list[int] = []
    jobs = [Job(f"{n}", whole(lambda n=n: [n, n * n]), steps=n) for n in range(9)]  # type: ignore[misc]
    with Cluster(two.address) as pool:
        rows = pool.run(
            [], jobs, None, lambda: done.append(1), lambda number, rows: came.append((number, [*rows]))
        )
    assert rows == [value for n in range(9) for value in (n, n * n)]
    assert sorted(came) == [(n, [n, n * n]) for n in range(9)]
    assert len(done) == 9


def test_a_mistake_of_a_job_is_its_line(two: Workers) -> None:
    def wrong() -> list[int]:
        raise UserError("it is wrong: mend it")

    with Cluster(two.address) as pool, pytest.raises(UserError, match=r"^it is wrong: mend it$"):
        pool.run([], [Job("wrong", whole(wrong))])


def test_short_jobs_become_batches() -> None:
    def sizes(length: float, waiting: int, threads: int) -> list[int]:
        made = []
        while waiting:
            made.append(cluster._together(length, waiting, threads))
            waiting -= made[-1]
        return made

    assert sizes(cluster.BATCH_S, 5, 2) == [1] * 5
    assert sizes(cluster.BATCH_S / 4, 30, 2) == [4, 4, 4, 4, 3, 2, 2, 1, 1, 1, 1, 1, 1, 1]  # a fair end
    assert cluster._together(0, 10_000, 1) == cluster.BATCH_S / 1e-3
    assert cluster._together(1, 0, 1) == 0


def test_of_a_batch_with_a_mistake_what_was_before_it_counts(
    two: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "_together", lambda length, waiting, threads: min(waiting, 5))

    def job(number: int) -> Job[int]:
        def rows() -> list[int]:
            if number == 8:
                time.sleep(1)  # the first batch has ended by then
                raise UserError("eight is wrong")
            return [number]

        return Job(f"{number}", whole(rows), steps=-number, key=f"batch-{time.time_ns():x}")

    came: list[tuple[int, list[int]]] = []
    with Cluster(two.address) as pool, pytest.raises(UserError, match=r"^eight is wrong$"):
        pool.run([], [job(n) for n in range(10)], on_rows=lambda n, rows: came.append((n, [*rows])))
    assert came == [(n, [n]) for n in range(8)]


def test_what_runs_is_stopped_by_a_mistake(two: Workers, tmp_path: Path) -> None:
    begun, ended = tmp_path / "begun", tmp_path / "ended"

    def forever(progress: Callable[[int], None]) -> list[int]:
        begun.touch()
        try:
            while True:
                time.sleep(0.05)
                progress(1)
        finally:
            ended.touch()

    def wrong() -> list[int]:
        while not begun.exists():
            time.sleep(0.05)
        raise UserError("enough")

    with Cluster(two.address) as pool, pytest.raises(UserError, match=r"^enough$"):
        pool.run([], [Job("forever", forever, 2), Job("wrong", whole(wrong), 1)])
    until = time.monotonic() + 60
    while not ended.exists() and time.monotonic() < until:
        time.sleep(0.05)
    assert ended.exists()


def test_what_was_built_travels_to_every_worker(two: Workers) -> None:
    name = f"made-{time.time_ns():x}"
    own = f"own-{time.time_ns():x}"
    _entry(own, "of one job")
    first = [prepare("make it", lambda: _entry(name, "of all jobs"))]
    jobs = [Job(f"{n}", whole(_reader(name)), key=f"{name}-{n}") for n in range(8)]
    jobs.append(Job("own", whole(_reader(own)), entries=(f"test/{own}",)))
    with Cluster(two.address) as pool:
        rows = pool.run(first, jobs)
    assert rows == ["of all jobs"] * 8 + ["of one job"]
    assert [(place / "test" / name / "text").read_text() for place in two.caches] == ["of all jobs"] * 2


def test_a_packed_entry_is_the_same_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = _entry(f"packed-{time.time_ns():x}", "content")
    (entry / "tool").write_text("#!/bin/sh\n")
    (entry / "tool").chmod(0o755)
    packed = artefacts.pack(cache.name(entry))
    monkeypatch.setenv("CORELOOM_CACHE", str(tmp_path / "other"))
    made = artefacts.unpack(cache.name(entry), packed)
    assert made == tmp_path / "other" / "test" / entry.name
    assert sorted((path.name, path.stat().st_mode & 0o777) for path in made.iterdir()) == [
        ("text", 0o644),
        ("tool", 0o755),
    ]


def test_a_worker_of_another_version_is_named(two: Workers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "identity", lambda: "another")
    with Cluster(two.address) as pool, pytest.raises(UserError) as error:
        pool.run([], [Job("any", whole(lambda: [1]))])
    said = str(error.value)
    assert said.startswith("the worker tcp://127.0.0.1:")
    assert said.endswith(" has another version of Coreloom or Python: install the same there")


def test_a_dead_address_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "CONNECT_S", 0.5)
    for address in ("tcp://127.0.0.1:1", "nonsense", "http://127.0.0.1:1"):
        with pytest.raises(UserError) as error:
            Cluster(address)
        assert str(error.value) == (
            f"no Dask scheduler answers at {address}: start one with `dask scheduler`, "
            "workers with `dask worker ADDRESS`"
        )


def test_a_scheduler_without_workers_is_one_line(tmp_path: Path) -> None:
    with workers(tmp_path, 0) as none, pytest.raises(UserError) as error:
        Cluster(none.address)
    assert str(error.value) == (
        f"the Dask scheduler at {none.address} has no workers: start some with `dask worker {none.address}`"
    )


def test_without_dask_the_command_that_installs_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UserError) as error:
        Cluster("tcp://127.0.0.1:1")
    assert str(error.value) == "--dask needs the package distributed: run `make setup-cluster`"


def test_a_scheduler_that_dies_is_one_line(tmp_path: Path) -> None:
    with workers(tmp_path, 1) as one, Cluster(one.address) as pool:

        def ended(number: int, rows: Any) -> None:
            one.scheduler.kill()

        def slow() -> list[int]:
            time.sleep(0.2)
            return []

        jobs = [Job(f"{n}", whole(slow), key=f"slow-{n}") for n in range(20)]
        with pytest.raises(UserError) as error:
            pool.run([], jobs, on_rows=ended)
        address = one.address
    assert str(error.value) == (
        f"the Dask scheduler at {address} was lost: start it and its workers again, then repeat the command"
    )


def test_random_runs_of_the_model_are_the_same_there(two: Workers) -> None:
    first = [prepare("compile the simulator", build.build)]
    jobs = fairness.jobs(quick=True, runs=3)[-3:]
    with Cluster(two.address) as pool:
        assert pool.run(first, jobs) == Local().run(first, jobs)
    programs = {path.parent.name for place in two.caches for path in place.glob("scheduling/*/simulate")}
    assert programs == {build.build().parent.name}


def test_a_bench_of_the_soc_is_the_same_there(two: Workers) -> None:
    """No worker has built anything: all that it uses came with its job."""
    cases = [smp.Case("image", "economy", kernel, 1, "dynamic") for kernel in ("hw", "sw")]

    class Work:
        """Work like the command line's."""

        def __init__(self, pool: Pool) -> None:
            self.jobs = pool.run

    with Cluster(two.address) as pool:
        there, here = (
            [msgspec.structs.replace(row, sim_cycles_per_second=0) for row in smp.run(cases, 20_000, work)]
            for work in (cast(bench.Work, Work(pool)), cast(bench.Work, Work(Local())))
        )
    assert there == here
    used = {path.name for kind in ("firmware", "verilator") for path in cache.place(kind).iterdir()}
    for place in two.caches:
        kinds = {path.name for path in place.iterdir() if path.is_dir()}
        assert "verilated" not in kinds and not any(place.glob("zig/*"))  # no compiler ran
        assert {path.name for path in place.glob("firmware/*")} <= used
