"""The project's behaviour, as its user sees it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
RUN = ("run", ".")


def coreloom(*words: str) -> list[str]:
    """The lines that a command prints: the program's, if it runs one, first."""
    command = [sys.executable, "-m", "coreloom.cli", *words]
    done = subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return (done.stdout + done.stderr).splitlines()


def test_the_hardware_thread_adds_up_its_half() -> None:
    printed = coreloom(*RUN)
    assert printed[0] == "4096 words, total 8386560, half of it by a hardware thread"
    assert any(line.startswith("hardware thread 0 (total): ran ") for line in printed)


def test_the_software_kernel_runs_it_under_the_policy() -> None:
    printed = coreloom(*RUN, "--on", "sw", "--policy", "fifo")
    assert printed[0] == "4096 words, total 8386560, half of it by a software thread"


def test_the_policy_never_takes_a_cpu_away() -> None:
    """Five threads that never wait, on four CPUs: four are switched to, the fifth never runs."""
    printed = coreloom("model", "five-on-four", "--policy", "./policies/fifo.c")
    (row,) = [line.split() for line in printed if line.startswith("fifo ") and "%" in line]
    assert row[-3:-1] == ["4", "0"]  # switches and migrations; then events
