# SPDX-License-Identifier: Apache-2.0
"""How a run that gdb holds ends: exit, fault, deadlock, Ctrl-C, detach, kill."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from pathlib import Path

import pytest

from coreloom.design.platform import load
from coreloom.simulation import simulate
from coreloom.simulation.surroundings import Surroundings
from coreloom.toolchain import verilate

from .conftest import COMMAND, PROGRAMS, Debug, start
from .test_gdb import plain

ENDS = PROGRAMS / "ends.c"
CORES = pytest.mark.parametrize("platform", ["smp-economy", "smp-standard", "smp-fast"])


def _chosen(choice: int, *commands: str) -> list[str]:
    """Commands with which the program makes its choice; what they print is the same for all."""
    return ["tbreak main", "continue", f"set var choice = {choice}", "set print address off", *commands]


def _last(transcript: str) -> str:
    return plain(transcript).partition("(gdb) set print address off\n")[2]


# The fast core has gone on when the bus refuses its store.
@pytest.mark.parametrize(("platform", "at"), [("smp-economy", 164), ("smp-standard", 164), ("smp-fast", 168)])
def test_a_fault_is_where_it_was(platform: str, at: int, debug: Debug) -> None:
    commands = _chosen(1, "continue", "backtrace", "print $pc", "continue")
    session = debug(ENDS, commands, on=platform)
    assert _last(session.transcript).startswith(
        "(gdb) continue\n[New Thread 2]\n\n"
        'Thread 1 "main" received signal SIGSEGV, Segmentation fault.\n'
        "main () at ends.c:25\n25\t  if (choice == 1) *nowhere = 1;\n"
        "(gdb) backtrace\n# main () at ends.c:25\n"
        f"(gdb) print $pc\n$1 = (void (*)()) <main+{at}>\n"
    )
    assert session.status == 139


@CORES
def test_an_illegal_instruction(platform: str, debug: Debug) -> None:
    session = debug(ENDS, _chosen(2, "continue", "continue"), on=platform)
    assert _last(session.transcript) == (
        "(gdb) continue\n[New Thread 2]\n\n"
        'Thread 1 "main" received signal SIGILL, Illegal instruction.\n'
        'main () at ends.c:26\n26\t  if (choice == 2) __asm__(".word 0xffffffff");\n'
        "(gdb) continue\n[Inferior 1 (Remote target) exited with code 0204]\n"
    )
    assert session.status == 132


@pytest.mark.parametrize("kernel", ["hw", "sw"])
def test_a_deadlock_is_told(kernel: str, debug: Debug) -> None:
    session = debug(ENDS, _chosen(3, "continue", "thread apply all -q backtrace", "continue"), "--on", kernel)
    said = _last(session.transcript)
    assert said.startswith(
        "(gdb) continue\ndeadlock: every thread is blocked and no event is pending\n"
        '[New Thread 2]\n\nThread 1 "main" received signal SIGABRT, Aborted.\n'
    )
    assert said.endswith(
        "(gdb) thread apply all -q backtrace\n# waiter (argument=) at ends.c:14\n# main () at ends.c:30\n"
        "(gdb) continue\n\nProgram terminated with signal SIGABRT, Aborted.\nThe program no longer exists.\n"
    )
    assert session.status == 124
    assert (
        "thread 1 (waiter) waits for mutex 0 of thread 0 (main), in pthread_mutex_lock < waiter"
        in session.err
    )


@pytest.mark.parametrize("kernel", ["hw", "sw"])
@CORES
def test_the_time_is_the_same_without_a_debugger(platform: str, kernel: str, debug: Debug) -> None:
    """Stops, steps and looking cost no cycle."""
    commands = ["break sem_init", "continue", "next", "info threads", "finish", "stepi 20", "continue"]
    session = debug(ENDS, commands, "--on", kernel, on=platform)
    found = re.search(r"(?m)^program: (.*)$", session.err)
    assert found
    model = verilate.build_model(load(platform, None))
    ran = simulate.run(
        model, Path(found[1]), simulate.Options(around=Surroundings(("ends",)), max_cycles=None)
    )
    assert session.status == ran.exit_status == 0
    assert re.findall(r"(?m)^(\d+) cycles ", session.err) == [str(ran.cycles)]


FAR = PROGRAMS / "far.c"


@pytest.mark.parametrize(
    ("command", "says", "status"),
    [
        ("detach", "[Inferior 1 (process 1) detached]", 60),
        ("kill", "[Inferior 1 (process 1) killed]", 137),
        ("detach inferiors 2", "[Inferior 2 (process 2) detached]", 60),
        ("kill inferiors 2", "", 137),
    ],
)
def test_two_programs_end_as_one_machine(command: str, says: str, status: int, debug: Debug) -> None:
    commands = ["tbreak far_main", "continue", "thread 1.1", command, "continue"]
    session = debug(FAR, commands, on="backdoor-economy")
    assert says in session.transcript
    assert session.status == status


def test_its_status_is_told(debug: Debug) -> None:
    session = debug(ENDS, _chosen(7, "continue"))
    assert _last(session.transcript) == "(gdb) continue\n[Inferior 1 (Remote target) exited with code 07]\n"
    assert (session.status, session.out) == (7, "choice 7\n")


def test_detach_lets_it_go_on(debug: Debug) -> None:
    session = debug(ENDS, _chosen(7, "break 25", "detach"))
    assert _last(session.transcript).endswith("(gdb) detach\n[Inferior 1 (Remote target) detached]\n")
    assert (session.status, session.out) == (7, "choice 7\n")


def test_kill_ends_it(debug: Debug) -> None:
    session = debug(ENDS, _chosen(4, "kill"))
    assert _last(session.transcript).endswith("[Inferior 1 (Remote target) killed]\n")
    assert (session.status, session.out) == (137, "")
    assert session.err.endswith("coreloom: error: ends was ended by gdb\n")


def test_ctrl_c_stops_it(gdb: Path, tmp_path: Path) -> None:
    held, _, script = start(ENDS, tmp_path)
    commands = (
        "tbreak main",
        "continue",
        "set var choice = 4",
        "continue",
        "print spins > 0",
        "info threads",
    )
    words = [word for each in commands for word in ("-ex", each)]
    there = subprocess.Popen(
        [gdb, "-nx", "-q", "-batch", "-x", script, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert held.stdout is not None
    assert [held.stdout.readline() for _ in range(2)] == ["choice 4\n", "spins\n"]
    os.kill(there.pid, signal.SIGINT)
    transcript, _ = there.communicate()
    held.communicate()
    assert 'Thread 1 "main" received signal SIGINT, Interrupt.\n' in transcript
    assert "$1 = 1\n" in transcript
    assert '"waiter" (tid 1, ' in transcript
    assert held.returncode == 137


def debugged(gdb: Path, place: Path, typed: str) -> subprocess.CompletedProcess[str]:
    """`coreloom debug` of ENDS, with what is typed into its gdb."""
    (place / "ends.c").write_text(ENDS.read_text())
    return subprocess.run(
        [*COMMAND, "--build-dir", str(place), "debug", "ends.c"],
        input=typed,
        capture_output=True,
        text=True,
        cwd=place,
        env={**os.environ, "CORELOOM_GDB": str(gdb), "LC_ALL": "C"},
    )


def test_debug_starts_both(gdb: Path, tmp_path: Path) -> None:
    done = debugged(gdb, tmp_path, "next\nnext\nnext\nnext\nnext\nprint choice\nquit\n")
    assert done.returncode == 0
    assert "An example session:\n  break NAME " in done.stderr
    assert "main () at ends.c:20\n" in done.stdout
    assert "choice 0\n" in done.stdout
    assert "$1 = 0\n" in done.stdout


def test_a_program_that_ends_under_debug_has_its_status(gdb: Path, tmp_path: Path) -> None:
    done = debugged(gdb, tmp_path, "set var choice = 9\ncontinue\nquit\n")
    assert done.returncode == 9
    assert "exited with code 011" in done.stdout


def test_a_gdb_that_fails_ends_it(tmp_path: Path) -> None:
    """This gdb knows RISC-V, but never connects."""
    broken = tmp_path / "gdb"
    broken.write_text('#!/bin/sh\ncase "$*" in *-batch*) echo riscv:rv32;; esac\n')
    broken.chmod(0o755)
    (tmp_path / "ends.c").write_text(ENDS.read_text())
    done = subprocess.run(
        [*COMMAND, "--build-dir", str(tmp_path), "debug", "ends.c"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "CORELOOM_GDB": str(broken)},
    )
    assert done.returncode == 0
