# SPDX-License-Identifier: Apache-2.0
"""linux/user: what another user's program has of root's terminal, and what passes through to it."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pwd
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from coreloom.paths import LINUX
from coreloom.toolchain import native

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")

_FOLDER = LINUX / "user"
_PATIENCE = 60.0  # for what is going to come
_SHELL = Path(__file__).with_name("job_shell.py")
_RAW = termios.ICANON | termios.ECHO | termios.ISIG


@pytest.fixture(scope="module")
def driver() -> Path:
    return native.static(
        "user_driver", [*sorted(_FOLDER.glob("*.c")), Path(__file__).with_name("user_driver.c")]
    )


class Terminal:
    """A terminal with a job of a small shell on it (job_shell.py)."""

    def __init__(self, command: Sequence[str | Path], where: str = "front", redirect: str = "") -> None:
        self.master, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 33, 77, 0, 0))
        self.slave = slave
        self.before = termios.tcgetattr(slave)
        self.said = b""
        self._heard = b""
        self.events, events = socket.socketpair()
        read, self._orders = os.pipe()
        whole = ["sh", "-c", f'exec "$@" {redirect}', "sh", *map(str, command)] if redirect else command
        self.process = subprocess.Popen(
            [sys.executable, _SHELL, str(events.fileno()), str(read), where, *map(str, whole)],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            pass_fds=(events.fileno(), read),
            start_new_session=True,
        )
        events.close()
        os.close(read)
        self.job = int(self.event("job"))

    def close(self) -> None:
        for fd in (self.master, self.slave):
            with contextlib.suppress(OSError):
                os.close(fd)
        self.events.close()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.job, signal.SIGKILL)
        self.process.kill()
        self.process.wait()

    def event(self, kind: str) -> str:
        """The next thing that happened to the job, which must be of this kind."""
        self._until(self.events.fileno(), lambda: b"\n" in self._heard)
        line, self._heard = self._heard.split(b"\n", 1)
        word, _, value = line.decode().partition(" ")
        assert word == kind, f"{line!r} after {self.said!r}"
        return value

    def order(self, what: str) -> None:
        os.write(self._orders, f"{what}\n".encode())

    def type(self, text: bytes) -> None:
        os.write(self.master, text)

    def until(self, text: bytes) -> bytes:
        """What the terminal shows up to this text, since the last time."""
        self._until(self.master, lambda: text in self.said)
        shown, self.said = self.said.split(text, 1)
        return shown

    def becomes(self, condition: Callable[[], bool]) -> None:
        self._until(-1, condition)

    def raw(self) -> bool:
        return not termios.tcgetattr(self.slave)[3] & _RAW

    def _until(self, fd: int, done: Callable[[], bool]) -> None:
        """Reads terminal and events meanwhile."""
        end = time.monotonic() + _PATIENCE
        events = self.events.fileno()
        while not done():
            assert time.monotonic() < end, f"it does not come; the terminal shows {self.said[-500:]!r}"
            ready, _, _ = select.select([self.master, events], [], [], 0.02)
            if self.master in ready:
                self.said += os.read(self.master, 65536)
            if events in ready:
                self._heard += self.events.recv(4096)


@contextlib.contextmanager
def job(*command: str | Path, where: str = "front", redirect: str = "") -> Iterator[Terminal]:
    terminal = Terminal(command, where, redirect)
    try:
        yield terminal
    finally:
        terminal.close()


def call(*words: str | Path) -> subprocess.CompletedProcess[str]:
    """Without a terminal."""
    return subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)


def ends(terminal: Terminal, status: int) -> None:
    """The job has ended so, and the terminal is as before."""
    assert terminal.event("ended") == str(status)
    terminal.until(b"ended %d\r\n" % status)
    assert termios.tcgetattr(terminal.slave) == terminal.before


def test_as_user_has_a_terminal_of_its_own(driver: Path) -> None:
    with job(
        driver, "nobody", "sh", "-c", "tty; stty size; id -un; ps -o sid=,pgid=,tpgid= -p $$; echo $$"
    ) as t:
        t.until(b"begun\r\n")
        tty = t.until(b"\r\n").decode()
        assert tty.startswith("/dev/") and tty != os.ttyname(t.slave)
        assert t.until(b"\r\n") == b"33 77"
        assert t.until(b"\r\n") == b"nobody"
        session, group, front = map(int, t.until(b"\r\n").split())
        program = int(t.until(b"\r\n"))
        assert group == front == program
        assert session not in (t.process.pid, t.job, program)
        t.until(b"over\r\n")
        ends(t, 0)


def test_as_user_input_end_of_file_and_a_new_size(driver: Path) -> None:
    with job(
        driver,
        "nobody",
        "sh",
        "-c",
        "trap 'stty size' WINCH; while :; do read x && echo got $x || break; done",
    ) as t:
        t.until(b"begun\r\n")
        t.becomes(t.raw)
        t.type(b"one\r")
        t.until(b"one\r\ngot one\r\n")
        fcntl.ioctl(t.slave, termios.TIOCSWINSZ, struct.pack("HHHH", 20, 50, 0, 0))
        t.type(b"two\n")
        t.until(b"20 50\r\n")
        t.type(b"\x04")
        ends(t, 0)


@pytest.mark.parametrize(("key", "status"), [(b"\x03", 130), (b"\x1c", 131)])
def test_as_user_ctrl_c_and_ctrl_backslash(driver: Path, key: bytes, status: int) -> None:
    with job(driver, "nobody", "sh", "-c", "ulimit -c 0; echo ready; exec sleep 1000") as t:
        t.until(b"ready\r\n")
        t.becomes(t.raw)
        t.type(key)
        ends(t, status)


@pytest.mark.parametrize(
    ("script", "status"),
    [("exit 7", 7), ("kill -9 $$", 137), ("kill -TERM $$", 143), ("exit 255", 255), ("exec /none", 127)],
)
def test_as_user_exit_statuses(driver: Path, script: str, status: int) -> None:
    with job(driver, "nobody", "sh", "-c", script) as t:
        ends(t, status)


def test_as_user_ctrl_z_stops_tool_and_program(driver: Path) -> None:
    with job(driver, "nobody", "sh", "-c", "echo ready; read x; echo got $x; exit 3") as t:
        program = int(t.until(b"ready\r\n").split(b"started ")[1].split()[0])
        for _ in range(3):
            t.becomes(t.raw)
            t.type(b"\x1a")
            assert t.event("stopped") == "SIGTSTP"
            assert termios.tcgetattr(t.slave) == t.before
            assert _state(program) == _state(t.job) == "T"
            t.order("fg")
        t.becomes(t.raw)
        t.type(b"x\r")
        t.until(b"got x\r\n")
        ends(t, 3)


def test_as_user_what_it_printed_before_a_stop_is_shown(driver: Path) -> None:
    with job(driver, "nobody", "sh", "-c", "seq 15000; kill -TSTP $$; echo after") as t:
        time.sleep(1)  # nobody reads: much of it is still in the pseudo-terminal when the program stops
        assert t.event("stopped") == "SIGTSTP"
        t.until(b"15000\r\n")
        t.order("fg")
        t.until(b"after\r\n")
        ends(t, 0)


def test_as_user_bg_goes_on_behind_until_it_reads(driver: Path) -> None:
    with job(
        driver, "nobody", "sh", "-c", "echo ready; read x; echo got $x; sleep 0.2; read x; echo got $x"
    ) as t:
        t.until(b"ready\r\n")
        t.becomes(t.raw)
        t.type(b"\x1a")
        assert t.event("stopped") == "SIGTSTP"
        t.order("bg")
        assert t.event("stopped") == "SIGTTIN"
        assert termios.tcgetattr(t.slave) == t.before
        t.order("fg")
        t.becomes(t.raw)
        t.type(b"1\r2\r")
        t.until(b"got 2\r\n")
        ends(t, 0)


def test_as_user_started_behind_reads_when_in_front(driver: Path) -> None:
    with job(driver, "nobody", "sh", "-c", "sleep 0.3; echo ready; read x; echo got $x", where="behind") as t:
        t.until(b"begun\r\n")
        assert termios.tcgetattr(t.slave) == t.before
        t.order("front")  # bash's fg sends a running job no SIGCONT
        t.until(b"ready\r\n")
        t.becomes(t.raw)
        t.type(b"x\r")
        t.until(b"got x\r\n")
        ends(t, 0)


def test_as_user_pipes_and_files_stay(driver: Path, tmp_path: Path) -> None:
    (tmp_path / "in").write_text("in\n")
    script = "cat; echo out; echo err >&2; ls /proc/self/fd | wc -l; tty </dev/tty"
    with job(
        driver, "nobody", "sh", "-c", script, redirect=f"<{tmp_path}/in >{tmp_path}/out 5</etc/passwd"
    ) as t:
        t.until(b"err\r\n")
        ends(t, 0)
    text = (tmp_path / "out").read_text().splitlines()
    assert text == ["in", "out", "4", "/dev/tty"]  # ls has 0 to 2, and 3 for the folder


def test_as_user_a_closed_descriptor_is_no_file_of_roots(driver: Path) -> None:
    with job(driver, "nobody", "sh", "-c", "readlink /proc/self/fd/0; ls /proc/self/fd", redirect="<&-") as t:
        t.until(b"begun\r\n")
        assert t.until(b"over\r\n").split() == [b"/dev/null", b"0", b"1", b"2", b"3"]  # 3: the folder
        ends(t, 0)


def test_as_user_beside_a_pipe_reads_the_terminal_when_it_asks(driver: Path) -> None:
    with job(
        driver, "nobody", "sh", "-c", "echo ready; read x </dev/tty; echo got $x", redirect="</dev/null"
    ) as t:
        t.until(b"ready\r\n")
        t.becomes(t.raw)
        t.type(b"x\r")
        t.until(b"got x\r\n")
        ends(t, 0)


def test_as_user_beside_a_pipe_ctrl_c_and_ctrl_z_arrive(driver: Path) -> None:
    with job(driver, "nobody", "sh", "-c", "echo ready; exec sleep 1000", redirect="</dev/null") as t:
        program = int(t.until(b"ready\r\n").split(b"started ")[1].split()[0])
        assert not t.raw()
        t.type(b"\x1a")
        assert t.event("stopped") == "SIGTSTP"
        t.becomes(lambda: _state(program) == "T")
        t.order("fg")
        t.becomes(lambda: _state(program) == "S")
        t.type(b"\x03")
        assert t.event("ended") == "-2"  # the driver does not catch it
        t.becomes(lambda: _state(program) == "")


def test_as_user_without_a_terminal_is_in_a_session_alone(driver: Path) -> None:
    script = "ps -o sid=,tty= -p $$; echo $$; (: </dev/tty) || echo none"
    done = call(driver, "nobody", "sh", "-c", script)
    session, tty, program = done.stdout.split()[:3]
    assert (session, tty, done.stdout.split()[3:]) == (program, "?", ["none"])
    assert done.returncode == 0


def test_as_user_much_output_is_complete(driver: Path) -> None:
    with job(driver, "nobody", "sh", "-c", "seq 200000; echo end", redirect="") as t:
        text = t.until(b"begun\r\n") and t.until(b"over\r\n")
        assert text == b"".join(b"%d\r\n" % n for n in range(1, 200001)) + b"end\r\n"
        ends(t, 0)


def test_as_user_a_slow_terminal_loses_nothing(driver: Path) -> None:
    with job(driver, "nobody", "sh", "-c", "seq 20000; echo end >&2", redirect="2>/dev/null") as t:
        time.sleep(1)  # nobody reads: all buffers are full
        assert _ticks(t.job) < 20
        text = t.until(b"20000\r\n")
        assert text.endswith(b"19999\r\n") and text.count(b"\n") == 19999
        assert t.event("ended") == "0"


def test_as_user_the_relay_sleeps(driver: Path) -> None:
    with job(driver, "nobody", "sh", "-c", "echo ready; exec sleep 1000") as t:
        t.until(b"ready\r\n")
        t.becomes(t.raw)
        relay = _relay(t.job)

        def sleeps() -> bool:
            before = _switches(relay)
            time.sleep(1)
            return _switches(relay) == before

        t.becomes(sleeps)


def test_as_user_what_the_tool_prints_has_whole_lines(driver: Path) -> None:
    with job(driver, "nobody", "sh", "-c", "stty raw; echo ready; sleep 0.1") as t:
        t.until(b"ready\n")
        ends(t, 0)


@pytest.mark.parametrize("victim", ["program", "tool", "relay", "leader"])
def test_as_user_a_kill_gives_the_terminal_back(driver: Path, victim: str) -> None:
    with job(driver, "nobody", "sh", "-c", "echo ready; exec sleep 1000") as t:
        program = int(t.until(b"ready\r\n").split(b"started ")[1].split()[0])
        t.becomes(t.raw)
        pids = {"program": program, "tool": t.job, "relay": _relay(t.job), "leader": _parent(program)}
        os.kill(pids[victim], signal.SIGKILL)
        assert t.event("ended") == {"program": "137", "tool": "-9", "relay": "129", "leader": "137"}[victim]
        t.becomes(lambda: not t.raw())
        assert termios.tcgetattr(t.slave) == t.before
        if victim == "tool":
            t.becomes(lambda: _state(program) == "S")
            os.kill(program, signal.SIGTERM)
        t.becomes(lambda: not any(_state(pid) for pid in pids.values()))


def test_as_user_the_tool_leaves_and_the_program_goes_on(driver: Path) -> None:
    with job(
        driver, "nobody", "leave", "sh", "-c", "echo ready; sleep 0.5; echo more; read x; echo got"
    ) as t:
        program = int(t.until(b"ready\r\n").split(b"started ")[1].split()[0])
        t.becomes(t.raw)
        os.kill(t.job, signal.SIGUSR1)
        assert t.event("ended") == "99"
        assert termios.tcgetattr(t.slave) == t.before
        t.until(b"left\r\n")
        t.until(b"more\r\n")
        t.becomes(lambda: _state(program) == "S")
        os.kill(program, signal.SIGTERM)
        t.becomes(lambda: not _state(program))


def test_as_user_a_hang_up_reaches_the_program(driver: Path) -> None:
    left = Path(tempfile.mkdtemp())
    left.chmod(0o777)
    with job(
        driver,
        "nobody",
        "sh",
        "-c",
        f"trap 'echo hup >{left}/hup; exit' HUP; echo ready; while :; do sleep 0.1; done",
    ) as t:
        program = int(t.until(b"ready\r\n").split(b"started ")[1].split()[0])
        t.becomes(t.raw)
        os.close(t.master)
        os.close(t.slave)
        end = time.monotonic() + _PATIENCE
        while _state(program) and time.monotonic() < end:
            time.sleep(0.02)
        assert (left / "hup").read_text() == "hup\n"
    shutil.rmtree(left)


def test_as_user_what_it_leaves_running_is_not_hung_up(driver: Path) -> None:
    script = "(trap 'echo hup' HUP; sleep 1000) & echo left $!; exit 0"
    with job(driver, "nobody", "sh", "-c", script) as t:
        t.until(b"left ")
        child = int(t.until(b"\r\n"))
        ends(t, 0)
        t.becomes(lambda: _state(child) == "S")
        os.kill(child, signal.SIGKILL)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("nobody", "{0} {1} {1} /nonexistent nobody"),
        ("12345:54321", "12345 54321 54321 / 12345"),
        ("{0}", "{0} {1} {1} /nonexistent nobody"),
        ("{0}:5", "{0} 5 5 /nonexistent nobody"),
    ],
)
def test_as_user_by_name_and_by_number(driver: Path, given: str, said: str) -> None:
    nobody = pwd.getpwnam("nobody")
    ids = (nobody.pw_uid, nobody.pw_gid)
    script = "echo $(id -u) $(id -g) $(id -G) $HOME $USER"
    done = call(driver, given.format(*ids), "sh", "-c", script)
    assert done.stdout.strip() == said.format(*ids).replace("/nonexistent", nobody.pw_dir)


_NUMBER = "give a user's name, a UID or UID:GID, with numbers up to 4294967294"


@pytest.mark.parametrize(
    ("given", "error"),
    [
        (
            "no-such-user",
            "there is no such user in /etc/passwd, and LDAP and SSSD are not asked: check the name, or give "
            "UID:GID, as `id` prints them",
        ),
        (
            "987654",
            "no user in /etc/passwd has this UID, and LDAP and SSSD are not asked: give UID:GID, as `id` "
            "prints them",
        ),
        ("4294967295", _NUMBER),
        ("1:4294967295", _NUMBER),
        ("1:", _NUMBER),
        (":1", _NUMBER),
        ("1:2:3", _NUMBER),
        ("", _NUMBER),
        ("99999999999999999999:1", _NUMBER),
    ],
)
def test_as_user_that_there_is_not(driver: Path, given: str, error: str) -> None:
    done = call(driver, given, "true")
    assert (done.returncode, done.stderr) == (2, f"error: {given}: {error}\n")


def test_as_user_has_nothing_of_roots(driver: Path) -> None:
    script = "cat /proc/self/status"
    done = call(driver, "nobody", "sh", "-c", script)
    status = dict(line.split(":\t", 1) for line in done.stdout.splitlines() if ":\t" in line)
    nobody = pwd.getpwnam("nobody")
    assert status["Uid"].split() == [str(nobody.pw_uid)] * 4
    assert status["Gid"].split() == [str(nobody.pw_gid)] * 4
    assert status["Groups"].split() == [str(nobody.pw_gid)]
    assert {status[f"Cap{kind}"] for kind in ("Inh", "Prm", "Eff", "Amb")} == {"0" * 16}


def _state(pid: int) -> str:
    """T: stopped; S: sleeps; empty: there is none, or it has ended."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return ""
    return "" if state in "ZX" else state


def _parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])


def _relay(tool: int) -> int:
    children = Path(f"/proc/{tool}/task/{tool}/children").read_text().split()
    (relay,) = (pid for pid in children if Path(f"/proc/{pid}/comm").read_text() == "coreloom-relay\n")
    return int(relay)


def _switches(pid: int) -> list[str]:
    return [line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if "ctxt" in line]


def _ticks(tool: int) -> int:
    used = Path(f"/proc/{_relay(tool)}/stat").read_text().rsplit(")", 1)[1].split()
    return int(used[11]) + int(used[12])
