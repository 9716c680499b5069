# SPDX-License-Identifier: Apache-2.0
"""`coreloom sweep`: what it prints and keeps, where it goes on, and what a killed worker does to it."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from cli.command import run
from coreloom import paths
from coreloom.errors import UserError
from coreloom.jobs import cluster
from coreloom.jobs.cluster import Cluster
from coreloom.jobs.local import Local
from coreloom.jobs.workers import workers
from coreloom.sweep import file, parquet, point
from coreloom.sweep import run as sweep_run
from coreloom.sweep.store import Store

arrow = pytest.importorskip("pyarrow.parquet")

_PROGRAM = """#include <coreloom.h>
#include <stdio.h>
int main(void) {
  cl_ready();
  for (volatile int i = 0; i < N; i++) {
  }
  cl_done(N);
  if (STATUS) printf("the last line\\n");
  return STATUS;
}
"""
_FILE = """apps = ["spin.c"]
platforms = ["smp-economy"]
kernels = ["hw", "sw"]

[parameters]
cpus = [1]

[defines]
N = {n}
STATUS = {status}
"""


@pytest.fixture
def sweeps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the program; what is made goes below it."""
    monkeypatch.setattr(paths, "BUILD", tmp_path / "build")
    monkeypatch.setattr(paths, "RESULTS", tmp_path / "build" / "results")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "spin.c").write_text(_PROGRAM)
    return tmp_path


def _write(folder: Path, n: list[int], status: list[int]) -> Path:
    path = folder / "spins.toml"
    path.write_text(_FILE.format(n=n, status=status))
    return path


def _lines(folder: Path) -> list[dict[str, Any]]:
    path = folder / "build" / "sweeps" / "spins" / "points.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def _figures(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows without what differs from run to run."""
    return sorted(({**row, "seconds": 0} for row in rows), key=lambda row: str(row["key"]))


def test_a_sweep_is_a_table_a_result_and_a_parquet_file(
    sweeps: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _write(sweeps, [10, 20], [0])
    code, out, err = run(capsys, "sweep", "spins.toml")
    assert (code, err) == (0, "")
    content = json.loads((sweeps / "build" / "results" / "sweep.json").read_text())
    cycles = [row["cycles"] for row in content["rows"]]
    title, *_ = out.strip().splitlines()
    assert title == "Sweep spins: 4 points, each to its end"
    found = [line.split() for line in out.splitlines() if line.startswith(("hw", "sw"))]
    assert [line[:4] for line in found] == [
        [kernel, str(n), str(n), str(c)]
        for (kernel, n), c in zip([("hw", 10), ("hw", 20), ("sw", 10), ("sw", 20)], cycles, strict=True)
    ]
    assert out.splitlines()[-2:] == [
        "results: build/results/sweep.json",
        "Parquet: build/sweeps/spins/spins.parquet",
    ]
    table = arrow.read_table(sweeps / "build" / "sweeps" / "spins" / "spins.parquet")
    assert table.column("N").to_pylist() == [10, 20, 10, 20]
    assert table.column("cycles").to_pylist() == cycles
    assert table.column("cpus").to_pylist() == [1, 1, 1, 1]
    assert table.schema.metadata[b"sweep"] == b"spins.toml"


def test_a_second_run_goes_on_where_the_first_was_killed(
    sweeps: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _write(sweeps, [10, 20], [0])
    assert run(capsys, "sweep", "spins.toml")[0] == 0
    whole = _lines(sweeps)
    store = sweeps / "build" / "sweeps" / "spins" / "points.jsonl"
    text = store.read_bytes().splitlines(keepends=True)
    store.write_bytes(text[0] + text[1] + text[2][:40])  # killed while it wrote the third
    ran: list[str] = []
    really = point.run

    def counted(one: point.Point, progress: Any) -> Any:
        ran.append(one.key)
        return really(one, progress)

    monkeypatch.setattr(point, "run", counted)
    code, out, _ = run(capsys, "sweep", "spins.toml")
    assert code == 0
    assert out.splitlines()[0] == "2 of 4 points were done before (--restart runs them again)"
    assert sorted(ran) == sorted(row["key"] for row in whole[2:])
    content = json.loads((sweeps / "build" / "results" / "sweep.json").read_text())
    assert _figures(content["rows"]) == _figures(whole)
    ran.clear()
    assert run(capsys, "sweep", "spins.toml", "--restart")[0] == 0
    assert len(ran) == len(_lines(sweeps)) == 4


def test_a_changed_program_is_run_again(sweeps: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _write(sweeps, [10], [0])
    assert run(capsys, "sweep", "spins.toml")[0] == 0
    (sweeps / "spin.c").write_text(_PROGRAM.replace("i++", "i += 2"))
    code, out, _ = run(capsys, "sweep", "spins.toml")
    assert (code, "done before" in out) == (0, False)


def test_a_point_that_fails_is_a_row_and_the_status(sweeps: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _write(sweeps, [10], [0, 3])
    code, out, err = run(capsys, "sweep", "spins.toml")
    assert code == 1
    assert (
        err
        == "coreloom: error: 2 of 4 points have no figures: see the table, fix the cause and run it again\n"
    )
    assert "Points without figures: 2 of 4" in out
    table = arrow.read_table(sweeps / "build" / "sweeps" / "spins" / "spins.parquet")
    assert table.column("error").to_pylist() == [None, "spin ended with status 3: the last line"] * 2
    assert [value is None for value in table.column("cycles").to_pylist()] == [False, True] * 2


def test_bad_points_are_named_and_none_is_run(sweeps: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = _write(sweeps, [10], [0])
    text = path.read_text().replace("kernels", 'policies = ["cfs"]\nkernels')
    path.write_text(text.replace("STATUS = [0]", 'STATUS = ["0", "oops"]'))
    code, out, err = run(capsys, "sweep", "spins.toml")
    policy = "the policy of the hardware kernel is 'cfs': choose one of priority, dwrr, edf"
    assert (code, out) == (1, "")
    lines = err.splitlines()
    where = "coreloom: bad point: spin.c on smp-economy"
    assert lines[:2] == [
        f"{where}, hw kernel, dynamic, policy cfs, cpus = 1, N = 10, STATUS = {status}: {policy}"
        for status in ("0", "oops")
    ]
    begin = (
        f"{where}, sw kernel, dynamic, policy cfs, cpus = 1, N = 10, STATUS = oops: spin.c does not compile: "
    )
    assert lines[2].startswith(begin) and "use of undeclared identifier 'oops'" in lines[2]
    assert lines[3:] == [
        "coreloom: error: 3 of 4 points are bad, none was run: correct spins.toml, "
        "or leave them out by [[exclude]]"
    ]
    assert _lines(sweeps) == []


def test_a_macro_of_the_platform_is_no_define(sweeps: Path) -> None:
    path = _write(sweeps, [10], [0])
    path.write_text(path.read_text().replace("STATUS", "CL_CPUS"))
    sweep = file.load(path)
    with pytest.raises(UserError, match=r"^CL_CPUS follows from the platform: set it in \[parameters\]$"):
        point.experiment(sweep, sweep.settings[0])


def test_two_at_a_time_are_refused(sweeps: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _write(sweeps, [10], [0])
    with Store("spins").alone():
        assert run(capsys, "sweep", "spins.toml") == (
            1,
            "",
            "coreloom: error: another process is running the sweep spins: wait for its end, or rename the "
            "file\n",
        )


def test_without_pyarrow_the_command_that_installs_it_is_named(
    sweeps: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet, "find_spec", lambda name: None)
    assert run(capsys, "sweep", "none.toml") == (
        1,
        "",
        "coreloom: error: a sweep needs the package pyarrow: run `make setup-cluster`\n",
    )


def test_a_killed_worker_loses_and_doubles_nothing(
    sweeps: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    sweep = file.load(_write(sweeps, [2_000], [0]))
    built, bad = sweep_run.build(sweep)
    assert bad == []
    # Every point of a key of its own, of two programs.
    points = [replace(one, max_cycles=one.max_cycles - n) for n in range(12) for one in built]
    alone = sweep_run.run(sweep, points, Local(), Store("alone"))
    kept = Store("spins")
    done: list[int] = []
    with workers(tmp_path_factory.mktemp("dask"), 2) as two, Cluster(two.address) as pool:
        while pool.threads() < 2:
            time.sleep(0.05)

        def advance() -> None:
            done.append(1)
            if len(done) == 5:
                two.processes[0].kill()

        found = sweep_run.run(sweep, points, pool, kept, None, advance)
    assert (len(done), found.threads, found.before) == (24, 1, 0)
    keys = [row["key"] for row in _lines(sweeps)]
    assert sorted(keys) == sorted(one.key for one in points)
    assert [row.key for row in found.rows] == [one.key for one in points]
    assert [msgspec.structs.replace(row, seconds=0) for row in found.rows] == [
        msgspec.structs.replace(row, seconds=0) for row in alone.rows
    ]


def test_a_dead_address_ends_in_one_line(
    sweeps: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _write(sweeps, [10], [0])
    monkeypatch.setattr(cluster, "CONNECT_S", 0.5)
    assert run(capsys, "sweep", "spins.toml", "--dask", "tcp://127.0.0.1:1") == (
        1,
        "",
        "coreloom: error: no Dask scheduler answers at tcp://127.0.0.1:1: start one with `dask scheduler`, "
        "workers with `dask worker ADDRESS`\n",
    )
