# SPDX-License-Identifier: Apache-2.0
"""lagmeter from its command's start to its report, with samples of /proc."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from linux import system

_NO_BPF = "lagmeter: sampling /proc every 10 ms, as BPF cannot be used: none in this test{}\n"
_BUSY = "import time\nend = time.process_time() + 0.05\nwhile time.process_time() < end: pass\n"


def _call(*words: str | Path, cwd: Path | None = None) -> tuple[int, str, str]:
    done = subprocess.run(
        [system.lagmeter(), *words], capture_output=True, text=True, timeout=60, check=False, cwd=cwd
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(("script", "status"), [("exit 0", 0), ("exit 7", 7), ("kill -9 $$", 137)])
def test_the_status_is_the_commands(script: str, status: int) -> None:
    found, out, err = _call("--sample", "5", "--", "sh", "-c", f"echo said; {script}")
    assert (found, out) == (status, "said\n")
    assert "BPF" not in err and "error" not in err


@pytest.mark.parametrize(
    ("command", "status", "why"),
    [("/no/such", 127, "No such file or directory"), ("/", 126, "Permission denied")],
)
def test_a_command_that_cannot_run(command: str, status: int, why: str) -> None:
    found, out, err = _call("--sample", "5", "--", command)
    assert (found, out) == (status, "")
    assert f"lagmeter: error: cannot run {command}: {why}\n" in err


def test_without_bpf_it_samples_and_says_so() -> None:
    assert _call("--", "true")[2].startswith(_NO_BPF.format(""))
    assert _call("-v", "--", "true")[2].startswith(_NO_BPF.format(", verbose"))


def test_a_busy_command_is_measured(tmp_path: Path) -> None:
    made, timeline = tmp_path / "made", tmp_path / "timeline"
    words: list[str | Path] = [
        "--sample",
        "2",
        "-c",
        "1",
        "--json",
        made,
        "--perfetto",
        timeline,
        "--",
        sys.executable,
        "-c",
        _BUSY,
    ]
    status, out, _ = _call(*words)
    assert (status, out) == (0, "")
    found = json.loads(made.read_text())
    assert found["source"] == "proc"
    assert found["cpus"] == 1
    assert max(thread["cpu_ms"] for thread in found["threads"]) >= 40
    assert json.loads(timeline.read_text())


def test_time_ends_the_watching_and_not_the_command(tmp_path: Path) -> None:
    done = tmp_path / "done"
    status, _, err = _call(
        "--sample", "5", "-t", "0.01", "--", "sh", "-c", f"sleep 0.2; touch {done}; exit 3"
    )
    assert (status, done.exists()) == (3, True)
    assert "error" not in err


def test_a_stopped_command_has_not_ended(tmp_path: Path) -> None:
    """Without SA_NOCLDSTOP, or with another question to waitid(), its stop would be taken for its end."""
    with subprocess.Popen(
        [
            system.lagmeter(),
            "--sample",
            "5",
            "--json",
            tmp_path / "made",
            "--",
            "sh",
            "-c",
            "echo $$; kill -STOP $$; sleep 0.1; exit 5",
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        child = int(process.stdout.readline())
        while Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[0] != "T":
            time.sleep(0.01)
        os.kill(child, signal.SIGCONT)
        assert process.wait(60) == 5
    assert (tmp_path / "made").stat().st_size > 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_watching_with_a_report(number: int) -> None:
    with subprocess.Popen(
        [system.lagmeter(), "--sample", "5", "-p", str(os.getpid())],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        end = time.monotonic() + 0.3
        while time.monotonic() < end:  # somebody runs
            pass
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    assert str(os.getpid()) in out


def test_an_interval_prints_tables() -> None:
    words = ["--sample", "5", "--interval", "0.1", "--", "sh", "-c", "sleep 0.5"]
    status, out, err = _call(*words)
    assert (status, out) == (0, "")
    assert err.count("\n\n") >= 2


def test_nobody_to_watch() -> None:
    error = "lagmeter: error: no watched thread was ever runnable: check what is watched\n"
    assert _call("--sample", "1", "-t", "0.01", "-n", "no-such-thread") == (1, "", error)
    with subprocess.Popen(["true"]) as gone:
        gone.wait()
    assert _call("-p", str(gone.pid)) == (1, "", f"lagmeter: error: there is no process {gone.pid}\n")


def test_files_that_cannot_be_written(tmp_path: Path) -> None:
    for option in ("--json", "--perfetto"):
        ran = tmp_path / "ran"
        error = "lagmeter: error: cannot write /no/such/file: No such file or directory\n"
        assert _call(option, "/no/such/file", "--", "touch", ran) == (1, "", error)
        assert not ran.exists()
    status, _, err = _call("--sample", "5", "--json", "/dev/full", "--", "true")
    assert (status, err.splitlines()[-1]) == (
        1,
        "lagmeter: error: cannot write /dev/full: No space left on device",
    )
    assert _call("--sample", "5", "--json", "/dev/full", "--", "sh", "-c", "exit 4")[0] == 4


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_a_command_of_another_user() -> None:
    script = "id -u; id -g; id -G; echo $USER $HOME"
    status, out, _ = _call("--sample", "5", "--as", "4321:4322", "--", "sh", "-c", script)
    assert (status, out.split()) == (0, ["4321", "4322", "4322", "4321", "/"])
