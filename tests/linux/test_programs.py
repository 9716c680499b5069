# SPDX-License-Identifier: Apache-2.0
"""The programs for the guest run here, too: what they print, and what they say to a wrong call."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from coreloom.paths import ROOT
from coreloom.toolchain import native

FOLDER = ROOT / "linux" / "vm" / "programs"
_CALLS = {
    "hog": "hog [-p] [-t SECONDS] COUNT",
    "probe": "probe [-s] [-n COUNT] [-i INTERVAL_US] [-w WORK_US]",
    "wake": "wake [-m MESSENGERS] [-p PAUSE_US] [-w WORK_US] [-t SECONDS] WORKERS",
    "readers": "readers COUNT",
    "spawn": "spawn [-w WORK_MS] [-t SECONDS] COUNT",
    "threads": "threads [-p PROCESSES] [-i INTERVAL_MS] COUNT",
    "burn": "burn [-j THREADS] SECONDS",
    "measure": "measure -o FILE [-l LABEL] [-g CGROUP] [-p COUNTER] [-t SECONDS] [-- COMMAND...]",
    "chaos": "chaos tool|plain FOLDER PREFIX... <SCENARIO",
    "start": "start [-c CPU]... [-n NICE] [-f PRIORITY] COMMAND...",
}


def _program(name: str) -> str:
    return str(native.static(name, [FOLDER / f"{name}.c"]))


def _line(name: str, *arguments: str) -> dict[str, Any]:
    done = subprocess.run([_program(name), *arguments], capture_output=True, text=True, check=True)
    assert done.stdout.count("\n") == 1
    found: dict[str, Any] = json.loads(done.stdout)
    assert found.pop("program") == name
    return found


@pytest.mark.parametrize("kind", [[], ["-p"]], ids=["threads", "processes"])
def test_hogs_tell_what_each_has_got(kind: list[str]) -> None:
    found = _line("hog", *kind, "-t", "0.05", "3")
    assert list(found) == ["cpu_s"]
    assert len(found["cpu_s"]) == 3
    assert min(found["cpu_s"]) >= 0


def test_burn_takes_the_time_that_it_is_told() -> None:
    for arguments in (["0.05"], ["-j", "2", "0.05"]):
        found = _line("burn", *arguments)
        assert list(found) == ["wall_s", "cpu_s", "voluntary", "involuntary"]
        assert found["cpu_s"] >= 0.05


def test_wake_counts_answers() -> None:
    found = _line("wake", "-m", "2", "-p", "100", "-w", "50", "-t", "0.05", "3")
    assert list(found) == ["requests", "p50_us", "p99_us", "max_us"]
    assert found["requests"] > 0
    assert found["requests"] % 3 == 0
    assert 0 < found["p50_us"] <= found["p99_us"] <= found["max_us"]


def test_probe_orders_its_delays() -> None:
    for arguments in ([], ["-w", "100"], ["-s", "-w", "100"]):
        found = _line("probe", "-n", "50", *arguments)
        assert list(found) == ["count", "p50_us", "p99_us", "max_us"]
        assert found["count"] == 50
        assert 0 < found["p50_us"] <= found["p99_us"] <= found["max_us"]


def test_spawn_ends_its_newcomers() -> None:
    found = _line("spawn", "-w", "1", "-t", "0.05", "2")
    assert list(found) == ["spawned", "refused"]
    assert found["spawned"] >= 2


def test_readers_end_with_the_first() -> None:
    for _ in range(10):  # it may end before its children have run for the first time
        with subprocess.Popen([_program("readers"), "2"], stdout=subprocess.PIPE, text=True) as run:
            children = Path(f"/proc/{run.pid}/task/{run.pid}/children")
            while len(left := children.read_text().split()) < 2:
                pass
            run.send_signal(signal.SIGTERM)
            assert run.communicate()[0] == '{"program": "readers", "readers": 2}\n'
            assert run.returncode == 0
        while any(Path(f"/proc/{pid}").exists() for pid in left):  # else the test does not end
            time.sleep(0.01)


@pytest.mark.parametrize("processes", [1, 3])
def test_threads_are_all_there_when_the_line_is(processes: int) -> None:
    command = [_program("threads"), "-p", str(processes), "20"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        assert json.loads(run.stdout.readline()) == {
            "program": "threads",
            "threads": 20,
            "processes": processes,
        }
        own = len(list(Path(f"/proc/{run.pid}/task").iterdir()))
        assert own == {1: 20, 3: 7}[processes]
        run.send_signal(signal.SIGTERM)
        assert run.wait() == 0


def test_measure_appends_a_line_for_each_command(tmp_path: Path) -> None:
    out = tmp_path / "out"
    group = tmp_path / "group"
    group.mkdir()
    (group / "cpu.stat").write_text("usage_usec 1500000\nuser_usec 1\n")
    measure = [_program("measure"), "-o", str(out)]
    player = tmp_path / "player"
    player.write_bytes(bytes(16))
    run = [*measure, "-l", "a", "-g", str(group), "-p", str(player), "--", _program("burn"), "0.05"]
    assert subprocess.run(run, capture_output=True, check=True).stdout.startswith(b'{"program": "burn"')
    assert subprocess.run(
        [*measure, "--", "/nothing"], capture_output=True, text=True, check=False
    ).stderr == ("measure: /nothing: No such file or directory\n")
    subprocess.run([*measure, "-t", "0.01"], check=True)
    first, missing, idle = map(json.loads, out.read_text().splitlines())
    assert (first["label"], first["status"], first["others_cpu_s"]) == ("a", 0, 0)
    assert (first["shown"], first["dropped"]) == (0, 0)
    assert first["cpu_s"] >= 0.05
    assert (missing["status"], missing["others_cpu_s"]) == (127, None)
    assert (idle["status"], idle["cpu_s"], idle["wall_s"] >= 0.01) == (0, 0, True)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        *((name, ["-x"]) for name in _CALLS),
        *((name, ["3", "4"]) for name in _CALLS if name != "start"),
        *(("hog", [text]) for text in ("0", "x", "", "1e10", "nan")),
        ("threads", ["-p", "3", "2"]),
        ("burn", ["-1"]),
        ("start", []),
        ("measure", ["-t", "1"]),
        ("measure", ["-o", "x"]),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value),
)
def test_a_wrong_call_says_how(name: str, arguments: list[str]) -> None:
    done = subprocess.run([_program(name), *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.splitlines()[-1] == f"usage: {_CALLS[name]}"


@pytest.mark.parametrize("step", ["dance", "held 4", "start 0", "cpu 1", "kill both x"])
def test_a_scenario_of_other_steps_is_refused(step: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [_program("chaos"), "plain", str(tmp_path)],
        input=f"{step}\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("chaos: no step: ")


def test_start_gives_what_it_is_told() -> None:
    show = ["sh", "-c", "echo $(cut -d' ' -f19 /proc/self/stat; grep Cpus_allowed_list /proc/self/status)"]
    run = subprocess.run(
        [_program("start"), "-c", "0", "-n", "3", *show], capture_output=True, text=True, check=True
    )
    assert run.stdout == "3 Cpus_allowed_list: 0\n"
    lost = subprocess.run([_program("start"), "/nothing"], capture_output=True, text=True, check=False)
    assert (lost.returncode, lost.stderr) == (127, "start: /nothing: No such file or directory\n")
