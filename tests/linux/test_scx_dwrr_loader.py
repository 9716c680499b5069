# SPDX-License-Identifier: Apache-2.0
"""What the loader of scx_dwrr asks of the kernel, and what it does when that says no; without BPF."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from pathlib import Path

import pytest

from linux import system

_ALL = "cgroup_init cgroup_exit cgroup_move cgroup_set_weight cgroup_set_bandwidth cgroup_set_idle"
_FUNCTIONS = _ALL.split()
_ENDED = "64 Scheduler unregistered from user space"
_READY = "scx_dwrr: round slice 12 ms, tick N ms, N CPUs"
_NO_LIMITS = "scx_dwrr: cpu.max has no effect: this kernel does not pass it to sched_ext schedulers"
_NO_GROUPS = "scx_dwrr: cpu.weight and cpu.max have no effect: this kernel has no CONFIG_EXT_GROUP_SCHED"


def _environment(path: Path, **said: str) -> dict[str, str]:
    usual = {"KNOWS": _ALL, "POSSIBLE": "4", "ENDS_AT": "1", "END": _ENDED, "SOCKET": str(path / "stats")}
    return os.environ | usual | said


def _run(path: Path, *words: str, **said: str) -> tuple[int, list[str], list[str]]:
    """Its status, its output, what it said and was told."""
    done = subprocess.run(
        [system.scx_dwrr(), *words],
        capture_output=True,
        text=True,
        timeout=60,
        env=_environment(path, **said),
    )
    plain = re.sub(r"tick \S+ ms, \d+ CPUs", "tick N ms, N CPUs", done.stderr)
    return done.returncode, done.stdout.splitlines(), plain.splitlines()


def _until_ready(process: subprocess.Popen[str]) -> None:
    assert process.stderr is not None
    assert any("round slice" in line for line in iter(process.stderr.readline, "")), "it has ended"


def _loading(lanes: int, sleepers: str = "first", slice_us: int = 12000, dump: int = 32768) -> list[str]:
    return [
        f".data.lanes of {lanes}: resize",
        f"dwrr.exit_dump_len = {dump}: set",
        f"slice {slice_us * 1000} ns, 4 CPUs, {lanes} lanes, sleepers {sleepers}",
        "load",
    ]


def test_it_is_loaded_and_ends_by_request(tmp_path: Path) -> None:
    assert _run(tmp_path, "--stats", "0.01") == (
        0,
        [],
        [
            "check",
            "scx_dwrr: open",
            *_loading(4096),
            "dwrr: attach",
            _READY,
            "detach",
            "EXIT: Scheduler unregistered from user space",
            "close",
        ],
    )
    assert not (tmp_path / "stats").exists()


def test_options_reach_the_kernel(tmp_path: Path) -> None:
    words = ["-s", "5000", "--sleepers-wait", "--no-cgroups", "--exit-dump-len", "0", "-v"]
    status, _, said = _run(tmp_path, *words, "--stats=0.01")
    assert (status, said[:2]) == (0, ["check", "scx_dwrr, verbose: open"])
    assert said[2:8] == [f"dwrr without {name}: drop" for name in _FUNCTIONS]
    cost = ["dwrr_init 100 instructions", "dwrr_enqueue 23 instructions", "123 instructions in total"]
    assert said[8:] == [
        *_loading(4, "wait", 5000, 0),
        *(f"scx_dwrr: verifier: {line}" for line in cost),
        "dwrr: attach",
        _READY.replace("12 ms", "5 ms"),
        "detach",
        "EXIT: Scheduler unregistered from user space",
        "close",
    ]
    said = _run(tmp_path, "-v", "--stats=0.01", FAILS="dwrr_init")[2]
    assert [line for line in said if "verifier" in line] == [
        f"scx_dwrr: verifier: {line.replace('123', '23')}" for line in cost[1:]
    ]


@pytest.mark.parametrize(
    ("knows", "dropped", "warning", "lanes"),
    [
        ("", _FUNCTIONS, [_NO_GROUPS], 4),
        ("cgroup_init cgroup_exit cgroup_move cgroup_set_weight", _FUNCTIONS[4:], [_NO_LIMITS], 4096),
        (_ALL.replace(" cgroup_set_idle", ""), _FUNCTIONS[5:], [], 4096),
    ],
)
def test_a_kernel_that_knows_less(
    tmp_path: Path, knows: str, dropped: list[str], warning: list[str], lanes: int
) -> None:
    status, _, said = _run(tmp_path, "--stats=0.01", KNOWS=knows)
    drops = [f"dwrr without {name}: drop" for name in dropped]
    assert (status, said[2 : 3 + len(warning) + len(drops)]) == (
        0,
        [*warning, *drops, f".data.lanes of {lanes}: resize"],
    )
    # With --no-cgroups it does not say that there are none.
    said = _run(tmp_path, "--stats=0.01", "--no-cgroups", KNOWS=knows)[2]
    assert said[2:9] == [*(f"dwrr without {name}: drop" for name in _FUNCTIONS), ".data.lanes of 4: resize"]


@pytest.mark.parametrize(
    ("step", "error", "last"),
    [
        ("check", "why it fails", "check fails"),
        ("open", "why it fails", "scx_dwrr: open fails"),
        ("tuning", "the BPF object does not match its loader", "scx_dwrr: open"),
        ("uei", "the BPF object does not match its loader", "scx_dwrr: open"),
        ("drop", "why it fails", "dwrr without cgroup_set_idle: drop fails"),
        ("resize", "why it fails", ".data.lanes of 4096: resize fails"),
        ("set", "why it fails", "dwrr.exit_dump_len = 32768: set fails"),
        ("load", "why it fails", "load fails"),
        ("attach", "why it fails", "dwrr: attach fails"),
    ],
)
def test_a_step_that_fails_is_the_last(tmp_path: Path, step: str, error: str, last: str) -> None:
    status, out, said = _run(tmp_path, FAILS=step, KNOWS=_ALL.replace(" cgroup_set_idle", ""))
    closed = "close nothing" if step == "check" else "close"
    assert (status, out, said[-3:]) == (1, [], [last, f"scx_dwrr: error: {error}", closed])
    assert "detach" not in said


def test_more_cpus_than_there_is_room_for(tmp_path: Path) -> None:
    error = "scx_dwrr: error: this machine can have 1025 CPUs, but at most 1024 are supported"
    assert _run(tmp_path, POSSIBLE="1025") == (1, [], [error, "close nothing"])
    assert _run(tmp_path, "--stats=0.01", POSSIBLE="1024", END=_ENDED)[0] == 0


@pytest.mark.parametrize(
    ("end", "status", "said"),
    [
        ("66 by the kernel", 0, ["EXIT: by the kernel"]),
        ("67 by SysRq", 1, ["scx_dwrr: error: EXIT: by SysRq"]),
        (
            "1026 stalled|t1[9] waits|dump of\nqueues",
            1,
            ["", "DEBUG DUMP", "dump of", "queues", "", "scx_dwrr: error: EXIT: stalled (t1[9] waits)"],
        ),
        ("65", 0, ["EXIT: unknown reason"]),
    ],
)
def test_how_it_has_ended(tmp_path: Path, end: str, status: int, said: list[str]) -> None:
    found = _run(tmp_path, "--stats=0.01", END=end)
    assert (found[0], found[2][found[2].index("detach") + 1 : -1]) == (status, said)


def test_rows_are_since_the_row_before_and_the_total_since_the_start(tmp_path: Path) -> None:
    status, out, _ = _run(tmp_path, "--stats", "0.01", ENDS_AT="3")
    assert status == 0
    rows = [line.split() for line in out]
    each = [str(10 * n) for n in (1, 2, 3, 4, 6, 7)]  # counter n of CPU c: n * (c + 1); 4 CPUs
    assert [len(row) for row in rows] == [14, 14, 14, 1, 14, 14]
    assert (rows[0], rows[3]) == (rows[4], ["total:"])
    assert rows[1][1:7] == rows[2][1:7] == each
    assert rows[5][1:7] == [str(3 * int(n)) for n in each]


@pytest.mark.parametrize("fails", ["stats", "totals"])
def test_counters_that_cannot_be_read_make_no_rows(tmp_path: Path, fails: str) -> None:
    with subprocess.Popen(
        [system.scx_dwrr(), "--stats", "0.01"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=_environment(tmp_path, FAILS=fails, ENDS_AT="0"),
    ) as process:
        _until_ready(process)
        process.terminate()
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (0, "", "detach\nEXIT: unknown reason\nclose\n")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_unloads_it_and_takes_the_socket_away(tmp_path: Path, number: int) -> None:
    with subprocess.Popen(
        [system.scx_dwrr()], stderr=subprocess.PIPE, text=True, env=_environment(tmp_path, ENDS_AT="0")
    ) as process:
        _until_ready(process)
        while not (tmp_path / "stats").exists():
            assert process.poll() is None
        process.send_signal(number)
        err = process.communicate(timeout=60)[1]
    assert (process.returncode, err) == (0, "detach\nEXIT: unknown reason\nclose\n")
    assert not (tmp_path / "stats").exists()


def test_without_a_socket_it_runs_on(tmp_path: Path) -> None:
    place = tmp_path / "file" / "stats"
    place.parent.write_text("")
    status, _, said = _run(tmp_path, "--stats=0.01", SOCKET=str(place))
    assert status == 0
    assert f"scx_dwrr: no statistics at {place}: Not a directory" in said


def test_nothing_to_monitor_is_one_line(tmp_path: Path) -> None:
    place = tmp_path / "stats"
    error = f"scx_dwrr: error: nothing to monitor: start scx_dwrr first, it answers at {place}"
    assert _run(tmp_path, "--monitor", "1") == (1, [], [error])
    error = f"scx_dwrr: error: {place}/x: Not a directory"
    place.write_text("")
    assert _run(tmp_path, "--monitor", "1", SOCKET=f"{place}/x") == (1, [], [error])
