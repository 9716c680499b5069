# SPDX-License-Identifier: Apache-2.0
"""The bench of schedulers of Linux: its script, what it makes of a guest's files, its tables and mistakes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cli.command import run as command
from coreloom.benches.film import yuv4mpeg
from coreloom.benches.linux import bench as linux
from coreloom.benches.linux import page, reach, schedulers
from coreloom.benches.linux.bench import Result, Row
from coreloom.benches.linux.loads import GAP, GAPS, QUICK, TESTS, Case, chosen
from coreloom.benches.linux.schedulers import DWRR, EEVDF, Scheduler
from coreloom.errors import UserError
from coreloom.report import results
from coreloom.vm import kernel, qemu, vm

_KERNELS = Scheduler(EEVDF)
_OURS = Scheduler(DWRR, DWRR)
_PEER = Scheduler("scx_peer", "scx_peer")


_SYSBENCH = """General statistics:
    total time:                          9.5877s
    total number of events:              1200

Latency (ms):
         95th percentile:                      363.18
         sum:                               302870.20

Threads fairness:
    events (avg/stddev):           37.5000/7.61
    execution time (avg/stddev):   9.4647/0.02
"""
_OLTP = """SQL statistics:
    queries performed:
        read:                            8400
        write:                           0
        other:                           1200
        total:                           9600
    transactions:    600    (161.16 per sec.)

General statistics:
    total time:                          3.7s
         95th percentile:     155.80
"""


def _test(name: str) -> Case:
    return next(test for test in TESTS if test.name == name)


def _files(test: str, status: int = 0, **more: str) -> dict[str, bytes]:
    """What a guest leaves."""
    said = {
        "five": {
            "hogs": '{"cpu_s": [9, 10, 10, 10, 11]}',
            "before": "".join(f"cpu{n} 10 0 0 100 0 0\n" for n in range(4)) + "intr 1\n",
            "after": "".join(f"cpu{n} 90 0 0 {100 + 20 * n} 0 0\n" for n in range(4)),
        },
        "weights": {"heavy": '{"cpu_s": [9]}', "light": '{"cpu_s": [2, 3, 3, 4]}'},
        "threads": {"said": _SYSBENCH},
        "decode": {"times": "real 2.60\nuser 7.25\nsys 0.50\n"},
        "oltp": {"said": _OLTP},
        "read": {"said": _OLTP},
        "latency": {
            "probe": '{"p50_us": 1, "p99_us": 2, "max_us": 3}',
            "wake": '{"requests": 6, "p50_us": 4, "p99_us": 5, "max_us": 9}',
        },
    }
    measure = json.dumps({"status": status, "wall_s": 2.5})
    run = {f"run/{name}": text for name, text in {"measure": measure, **said.get(test, {})}.items()}
    whole = {
        "gap": '{"gap": {"max_ms": 20.5, "p99_ms": 12.25}, "migrations": 30, "wall_ms": 10000}',
        "scheduler": "scx_dwrr: round slice 12 ms, tick 4 ms, 4 CPUs\n",
        **run,
        **more,
    }
    return {name: text.encode() for name, text in whole.items()}


def test_the_script_of_the_kernel_s_own_scheduler() -> None:
    lines = linux.script(_test("five"), _KERNELS).splitlines()
    assert lines[2:] == [
        "while grep -qs cryptomgr /proc/[0-9]*/comm; do sleep 0.2; done",
        "mkdir /out/run /out/watched; export out=/out/run",
        "measure -o $out/measure -- sh /job/command 2>/out/errors",
        "export out=/out/watched",
        "lagmeter --interval 86400 --json /out/gap -- sh /job/command >/dev/null 2>/out/meter || "
        'fail "$(last /out/meter)"',
        "dmesg | grep 'sched_ext:.*disabled (' | grep -v 'unregistered from user space' >/out/thrown",
        "true",
    ]


def test_the_script_of_a_scheduler_that_is_loaded() -> None:
    lines = linux.script(_test("oltp"), _OURS).splitlines()
    assert lines[3] == "scx_dwrr >/out/scheduler 2>&1 &"
    assert lines[9].startswith("tar -x -f /job/db.tar -C /job")
    after = next(n for n, line in enumerate(lines) if line.startswith("measure "))
    assert lines[after + 1 : -2] == [
        "export out=/out/watched",
        "lagmeter --interval 86400 --json /out/gap -p $server >/dev/null 2>/out/meter &",
        "meter=$!",
        "sleep 1",
        "sh /job/command",
        'kill -INT $meter; wait $meter || fail "$(last /out/meter)"',
        '[ "$(cat /sys/kernel/sched_ext/state)" = enabled ] || '
        'fail "it exited during the test: $(last /out/scheduler)"',
        "kill -INT $scheduler",
        'for i in $(seq 9); do [ "$(cat /sys/kernel/sched_ext/state)" = disabled ] && break; sleep 1; done',
        '[ "$(cat /sys/kernel/sched_ext/state)" = disabled ] || fail "it did not exit on SIGINT"',
    ]


@pytest.mark.parametrize(
    ("test", "values"),
    [
        ("five", [6.3246, 1.2222, 100, 80, 66.6667, 57.1429, 16.0833]),
        ("weights", [3.0, 1.8555, 4.5]),
        ("threads", [2.5, 302.8702, 37.5, 7.61, 9.4647, 0.02]),
        ("decode", [2.5, 7.25, 0.5]),
        ("oltp", [161.16, 155.8]),
        ("read", [161.16, 155.8, 8400, 0, 1200, 9600]),
        ("latency", [1, 2, 3, 4, 5, 6]),
    ],
)
def test_rows(test: str, values: list[float]) -> None:
    metrics = [metric.name for metric in (*_test(test).metrics, *GAPS)]
    values = [*values, 20.5, 12.25, 3]
    assert linux.rows_of(_test(test), _KERNELS, 3, _files(test)) == [
        Row(test=test, scheduler="eevdf", seed=3, metric=metric, value=value)
        for metric, value in zip(metrics, values, strict=True)
    ]


def test_the_papers_settings() -> None:
    slices = schedulers.scheduler("eevdf-0.75ms")
    lines = linux.script(_test("five"), slices).splitlines()
    assert lines[3] == "echo 750000 >/sys/kernel/debug/sched/base_slice_ns"
    assert not any("lagmeter" in line for line in lines)
    assert [row.metric for row in linux.rows_of(_test("threads"), slices, 1, _files("threads"))] == [
        metric.name for metric in _test("threads").metrics
    ]
    _, wanted = linux.jobs(chosen(["five", "weights"], quick=False), [EEVDF, "eevdf-0.5ms"], 1)
    assert [job.text for job in wanted] == [
        "five under eevdf, seed 1",
        "five under eevdf-0.5ms, seed 1",
        "weights under eevdf, seed 1",
    ]


def test_the_bound_is_what_the_scheduler_says() -> None:
    assert linux.rows_of(_test("threads"), _OURS, 1, _files("threads"))[-1] == Row(
        test="threads", scheduler="scx_dwrr", seed=1, metric="bound of the gap", value=32.0
    )


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (_files("five", gap="{}"), "lagmeter wrote no figures"),
        (_files("five", failed="it exited during the test: stall\n"), "it exited during the test: stall"),
        (_files("five", thrown='a\nsched_ext: "x" disabled (stall)\n'), 'sched_ext: "x" disabled (stall)'),
        (_files("five", 1, errors="hog: not found\n"), "failed in the guest: hog: not found"),
        ({}, "failed in the guest: no output"),
        (_files("decode"), "failed in the guest: no output"),  # no word of the hogs
    ],
)
def test_a_run_that_failed(files: dict[str, bytes], said: str) -> None:
    with pytest.raises(UserError) as caught:
        linux.rows_of(_test("five"), _OURS, 2, files)
    assert str(caught.value) == f"five under scx_dwrr, seed 2: {said}"
    assert linux.rows_of(_test("five"), _PEER, 2, files) == [
        Row(test="five", scheduler="scx_peer", seed=2, metric="failed", value=None, why=said)
    ]


def _row(test: str, scheduler: str, number: int | str, value: float, seed: int = 1) -> Row:
    metric = number if isinstance(number, str) else _test(test).metrics[number].name
    return Row(test=test, scheduler=scheduler, seed=seed, metric=metric, value=value)


_ROWS = [
    _row("five", EEVDF, 0, 3.5),
    _row("five", DWRR, 0, 0.125),
    _row("five", EEVDF, GAP.name, 600.0),
    _row("five", DWRR, GAP.name, 15.0),
    _row("five", DWRR, GAP.name, 16.0, seed=2),
    _row("five", DWRR, linux.BOUND, 32.0),
    _row("threads", EEVDF, 0, 6.0),
    _row("threads", DWRR, 0, 5.0),
    _row("threads", DWRR, 0, 7.0, seed=2),
    _row("oltp", EEVDF, 0, 100.0),
    _row("oltp", DWRR, 0, 90.0),
    _row("latency", EEVDF, 1, 8000.0),
    _row("latency", DWRR, 1, 4000.0),
]


def test_what_is_to_be_reached() -> None:
    assert [(figure.what, figure.measured, figure.reached) for figure in reach.figures(_ROWS)] == [
        ("largest gap of weighted service in all tests, ms: in five (EEVDF: 600)", 16.0, True),
        ("5 threads on 4 CPUs: standard deviation over mean of CPU time, % (EEVDF: 3.50)", 0.125, True),
        ("throughput relative to EEVDF, threads", 1.0, True),
        ("throughput relative to EEVDF, oltp", 0.9, False),
        ("latency of an interactive thread, 99th percentile, relative to EEVDF (8000 us)", 0.5, True),
    ]
    assert reach.figures(_ROWS[:1]) == []


def test_what_is_said_plainly() -> None:
    assert reach.verdict(_ROWS) == (
        "scx_dwrr is worse than EEVDF in: oltp, transactions per second (by a factor of 1.11).\n"
        "scx_dwrr is better than EEVDF in: "
        "five, CPU time, standard deviation over mean (by a factor of 28.00); "
        "latency, interactive thread: 99th percentile of latency (by a factor of 2.00).\n"
    )
    assert reach.verdict(_ROWS[:1]) == ""


def _content(rows: list[Row]) -> Result:
    return Result(
        name="linux",
        commit="0123456789ab",
        tools={"linux": "7.3.4"},
        rows=rows,
        reach=reach.figures(_ROWS),
    )


def test_tables() -> None:
    failed = Row(test="oltp", scheduler="scx_peer", seed=1, metric="failed", value=None, why="stall")
    finer = _row("threads", "eevdf-0.25ms", 3, 4.19)
    tests, settings, gaps, failures, about = page.tables(_content([*_ROWS, failed, finer]))
    assert tests.columns == (
        *("test", "figure", "[DWRR]", "eevdf", "scx_dwrr", "scx_peer"),
        "scx_dwrr relative to EEVDF (above 1: better)",
    )
    found = {row[:2]: row[2:] for row in tests.rows}
    assert found["threads", "time, s (lower is better)"] == (
        "CFS 12.83 / 13.10 / 21.36, DWRR 7.45",
        "6.000",
        "6.000",
        "-",
        "1.00",
    )
    assert found["oltp", "transactions per second (higher is better)"] == (
        "-",
        *("100.0", "90.000", "failed", "0.90"),
    )
    assert settings.columns[3:] == ("eevdf-0.25ms",)
    assert [row for row in settings.rows if row[3] != "-"] == [
        (
            *("threads", "events a thread, standard deviation (lower is better)"),
            *("CFS 9.67 / 10.60 / 6.98, DWRR 41.63", "4.190"),
        )
    ]
    assert page.settings(_ROWS).rows == ()
    assert gaps.rows[0] == ("five", "600.0", "16.0", "-", "32.0", *("-",) * 6)
    assert failures.rows == (("oltp", "scx_peer", "1", "stall"),)
    assert [row[0] for row in about.rows] == ["five", "threads", "oltp", "latency"]
    alone = page.tests([row for row in _ROWS if row.scheduler == EEVDF])
    assert alone.columns == ("test", "figure", "[DWRR]", "eevdf")


def test_quick_is_a_part() -> None:
    assert [test.name for test in chosen(None, quick=True)] == list(QUICK)
    assert chosen(None, quick=False) == list(TESTS)
    tests = chosen(["oltp", "five"], quick=True)
    first, wanted = linux.jobs(tests, [EEVDF, DWRR], 2)
    assert len(first) == 1
    assert [job.text for job in wanted] == [
        f"{test} under {name}, seed {seed}"
        for seed in (1, 2)
        for test in ("five", "oltp")
        for name in (EEVDF, DWRR)
    ]


def test_what_was_measured_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    seen: list[int] = []

    def run(guest: vm.Guest, text: str, **options: Any) -> vm.Outcome:
        seen.append(options["seed"])
        if options["seed"] == 2:
            raise vm.GuestError("the guest was stopped\nand so on")
        return vm.Outcome(0, "", _files("five"))

    made = vm.Guest({"/job": tmp_path / "job", "/y": b"y"})
    (tmp_path / "job").mkdir()
    (tmp_path / "job" / "x").write_text("1")
    monkeypatch.setattr(results, "BUILD", tmp_path / "build")
    monkeypatch.setattr(vm, "run", run)
    monkeypatch.setattr(vm, "prepare", lambda kernels: None)
    monkeypatch.setattr(linux, "guest", lambda test, loaded: made)
    monkeypatch.setattr(linux, "scheduler", lambda name: _PEER)
    monkeypatch.setattr(kernel, "get", lambda choice: kernel.Kernel("7", tmp_path, tmp_path, ()))
    monkeypatch.setattr(qemu, "get", lambda: qemu.Qemu((), "10"))
    first, wanted = linux.jobs([_test("five")], ["scx_peer"], 2)
    assert first[0].measure(lambda cycles: None) == []
    rows = [job.measure(lambda cycles: None) for job in wanted + wanted]
    assert seen == [1, 2]
    assert rows[:2] == rows[2:]
    assert [row.value for row in rows[0]][:2] == [6.3246, 1.2222]
    assert [(row.metric, row.why) for row in rows[1]] == [("failed", "the guest was stopped")]
    (tmp_path / "job" / "x").write_text("2")  # another program: another run
    wanted[0].measure(lambda cycles: None)
    assert seen == [1, 2, 1]


def test_peers_that_are_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    peer = tmp_path / "scx_rusty"
    peer.write_text("#!/bin/sh\necho scx_rusty 1.2\n")
    peer.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert schedulers.known(None) == (
        [EEVDF, DWRR, "scx_rusty", *schedulers.SETTINGS],
        ["scx_flash", "scx_bpfland", "scx_rlfifo"],
    )
    assert schedulers.known(["scx_rusty", EEVDF, EEVDF]) == (["scx_rusty", EEVDF], [])
    found = schedulers.scheduler("scx_rusty")
    assert (found.command, found.files) == (
        "/peer/scx_rusty/scx_rusty",
        {"/peer/scx_rusty/scx_rusty": peer},
    )


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (
            ["--only", "six"],
            "unknown test 'six': use five, weights, threads, decode, oltp, read, script, hackbench, latency",
        ),
        (
            ["--schedulers", "eevdf,scx_none"],
            "unknown scheduler 'scx_none': choose eevdf, scx_dwrr, eevdf-0.75ms, eevdf-0.5ms, eevdf-0.25ms, "
            "scx_dwrr-25ms or one in PATH or ~/.cargo/bin "
            "(such as by `cargo install scx_flash`)",
        ),
    ],
)
def test_wrong_use(capsys: pytest.CaptureFixture[str], arguments: list[str], line: str) -> None:
    code, out, said = command(capsys, "bench", "linux", *arguments)
    assert (code, out, said.splitlines()[-1]) == (1, "", f"coreloom: error: {line}")


def test_the_film_is_the_same_again() -> None:
    film = yuv4mpeg(480, 272, 20, 12)
    header, first = film.split(b"FRAME\n")[:2]
    assert header == b"YUV4MPEG2 W480 H272 F25:1 Ip C420jpeg\n"
    assert film.count(b"FRAME\n" + first) == 12
    assert len(first) == 480 * 272 * 3 // 2
