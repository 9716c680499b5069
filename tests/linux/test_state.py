# SPDX-License-Identifier: Apache-2.0
"""linux/vm/programs/state.c: what two prints are compared by."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

from coreloom.paths import ROOT
from coreloom.toolchain import native

_CPU = min(os.sched_getaffinity(0))


@contextmanager
def _sleeper(name: str) -> Iterator[int]:
    """A task of that name."""
    named = ["sh", "-c", f"printf '{name}' >/proc/$$/comm; read end"]
    with subprocess.Popen(named, stdin=subprocess.PIPE) as process:
        while not _line(process.pid, name):
            assert process.poll() is None
            time.sleep(0.01)
        yield process.pid
        process.communicate(b"\n")


def _print(*without: str) -> list[str]:
    program = native.static("state", [ROOT / "linux" / "vm" / "programs" / "state.c"])
    done = subprocess.run([str(program), *without], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def _line(pid: int, name: str) -> list[str]:
    return [
        line for line in _print() if line.startswith(f"task {pid:07} of {pid}, ") and f", {name}: " in line
    ]


def test_a_task_is_printed_with_what_it_may_use() -> None:
    with _sleeper("one (two") as pid:
        before = _line(pid, "one (two")
        assert before == _line(pid, "one (two")
        os.sched_setaffinity(pid, {_CPU})
        (after,) = _line(pid, "one (two")
        assert f" cpus {_CPU}, nice {os.nice(0)}, policy 0/0, groups " in after
        assert ", memory 0" in after


def test_tasks_that_come_and_go_are_left_out() -> None:
    with _sleeper("goes/1") as pid:
        shown = [line for line in _print("comes", "goes/") if line.startswith(f"task {pid:07} ")]
    assert shown == []


def test_settings_are_printed_sorted() -> None:
    printed = _print()
    assert printed == sorted(printed, key=lambda line: line.encode())
    for part in ("file /proc/irq/default_smp_affinity = ", "mount proc on /proc: ", "group /sys/fs/cgroup"):
        assert any(line.startswith(part) for line in printed), part
