# SPDX-License-Identifier: Apache-2.0
"""A program on a terminal: its text as it comes, time that does not cost, and the end by a signal."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from coreloom.toolchain import firmware

COMMAND = [sys.executable, "-c", "import sys; from coreloom.entry import main; sys.exit(main())"]
SPINS = """\
#include <stdio.h>
#include <unistd.h>

int main(void) {
  puts("sleeps");
  sleep(20);
  printf("spins> ");
  fflush(stdout);
  for (volatile int n = 0;; n++) continue;
}
"""


def on_terminal(arguments: list[str], until: bytes, then: Callable[[int, int], None]) -> tuple[int, str]:
    """Exit status and screen of a command; `then` gets its pid and terminal once it has said `until`."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(COMMAND[0], [*COMMAND, *arguments])
    screen = b""
    called = False
    while True:
        try:
            data = os.read(terminal, 4096)
        except OSError:  # the last one has closed it
            break
        if not data:
            break
        screen += data
        if not called and until in screen:
            called = True
            then(pid, terminal)
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), screen.decode().replace("\r\n", "\n")


def press_control_c(pid: int, terminal: int) -> None:
    os.write(terminal, b"\x03")


STOPS: dict[str, tuple[Callable[[int, int], None], int]] = {
    "interrupted": (press_control_c, 130),
    "terminated": (lambda pid, terminal: os.kill(pid, signal.SIGTERM), 143),
}


@pytest.mark.parametrize("kernel", firmware.KERNELS)
@pytest.mark.parametrize("how", STOPS)
def test_a_signal_ends_a_run_and_tells_where_it_was(tmp_path: Path, how: str, kernel: str) -> None:
    """The program has slept for 200 million cycles."""
    program = tmp_path / "spins.c"
    program.write_text(SPINS)
    then, status = STOPS[how]
    got, screen = on_terminal(["run", str(program), "--on", kernel], b"spins> ", then)
    assert got == status
    assert re.search(
        rf"coreloom: {how}: spins was stopped in cycle 2\d{{8}}:\n"
        r"  thread 0 \(main\) runs on CPU \d, in main \(spins\.c:[89]\)\n$",
        screen,
    ), screen


def test_nothing_is_written_over_what_the_program_has_printed(tmp_path: Path) -> None:
    program = tmp_path / "spins.c"
    program.write_text(SPINS)
    _, screen = on_terminal(["run", str(program)], b"spins> ", press_control_c)
    assert "\x1b[2Ksleeps\nspins> ^C" in screen.replace("\r", ""), repr(screen)


def test_a_pipe_gets_the_text_before_the_end(tmp_path: Path) -> None:
    program = tmp_path / "spins.c"
    program.write_text(SPINS)
    command = subprocess.Popen(
        [*COMMAND, "run", str(program)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert command.stdout is not None
    assert os.read(command.stdout.fileno(), 100) == b"sleeps\n"
    assert os.read(command.stdout.fileno(), 100) == b"spins> "
    command.send_signal(signal.SIGINT)
    left, said = command.communicate()
    assert (command.returncode, left) == (130, b"")
    assert b"runs on CPU" in said


def test_a_second_of_another_clock(tmp_path: Path) -> None:
    program = tmp_path / "naps.c"
    program.write_text("#include <unistd.h>\nint main(void) { return (int)sleep(2); }\n")
    cycles = []
    for hertz in (1_000_000, 50_000_000):
        ran = subprocess.run(
            [*COMMAND, "run", str(program), "--clock-hz", str(hertz)], capture_output=True, text=True
        )
        assert ran.returncode == 0, ran.stderr
        found = re.search(r"^(\d+) cycles", ran.stderr, re.MULTILINE)
        assert found, ran.stderr
        cycles.append(int(found[1]))
    assert cycles[1] - cycles[0] == 2 * 49_000_000
