# SPDX-License-Identifier: Apache-2.0
"""What is asked of systemd and what its refusals say, with a stand-in; then a guest where systemd runs."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import shutil
import socket
import struct
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import pytest

from coreloom.paths import LINUX
from coreloom.programs import exclusive
from coreloom.toolchain import native
from coreloom.vm import systemd_image, vm
from linux import system
from linux.system import machine_of, stranger
from linux.tree import Task

_SERVICE = "/system.slice/web.service"


@pytest.fixture(scope="module")
def driver() -> Path:
    return system.driver("system")


@pytest.fixture
def root() -> Iterator[Path]:
    with machine_of([Task(200, "web", 0, "0-3", group=_SERVICE)]) as machine:
        machine.write("/proc/self/mounts", "cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0\n")
        machine.write("/sys/fs/cgroup/cgroup.subtree_control", "memory pids\n")
        for folder in ("run/systemd/system", f"sys/fs/cgroup{_SERVICE}"):
            (machine.root / folder).mkdir(parents=True)
        yield machine.root


def _call(driver: Path, root: Path, *words: str) -> tuple[int, str, str]:
    done = subprocess.run([driver, root, *words], capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("group", "unit"),
    [
        (_SERVICE, "web.service"),
        ("/system.slice/web.service/worker/1", "web.service"),
        ("/system.slice/_cpu.weird.service", "cpu.weird.service"),
        ("/user.slice/user-0.slice/user@0.service/app.slice/a.service", "user@0.service"),
        ("/user.slice/user-0.slice", "user-0.slice"),
        ("/init.scope", "init.scope"),
        ("/of-nobody/a.service", ""),
        ("/", ""),
    ],
)
def test_the_unit_of_a_task(driver: Path, root: Path, group: str, unit: str) -> None:
    (root / "proc/200/cgroup").write_text(f"0::{group}\n")
    assert _call(driver, root, "unit", "200") == (0, f"{unit}\n", "")


def test_without_systemd_nobody_owns_a_task(driver: Path, root: Path) -> None:
    (root / "run/systemd/system").rmdir()
    assert _call(driver, root, "unit", "200") == (0, "\n", "")


def test_a_plan_asks_for_nothing(driver: Path, root: Path) -> None:
    group = "/sys/fs/cgroup/coreloom_100.slice/coreloom_100.scope"
    assert _call(driver, root, "scope", "2-3", "200", "plan") == (
        0,
        "ask systemd for coreloom_100.scope in coreloom_100.slice with AllowedCPUs=2-3\n"
        f"systemd moves process 200 (web) to {group} (was in /sys/fs/cgroup{_SERVICE})\n"
        f"group {group}\n",
        "",
    )
    assert not (root / "run/coreloom-exclusive").exists()


# --- a stand-in for systemd ----------------------------------------------------------------------


def _padded(data: bytes, to: int) -> bytes:
    return data + bytes(-len(data) % to)


def _text(value: str) -> bytes:
    return struct.pack("<I", len(value)) + value.encode() + b"\0"


def _fields(*fields: tuple[int, str, bytes]) -> bytes:
    out = b""
    for code, kind, value in fields:
        out = _padded(out, 8) + bytes([code, 1]) + kind.encode() + b"\0" + value
    return out


def _message(kind: int, fields: bytes, body: bytes) -> bytes:
    head = struct.pack("<cBBBIII", b"l", kind, 0, 1, len(body), 7, len(fields))
    return _padded(head + fields, 8) + body


def _signature(text: str) -> tuple[int, str, bytes]:
    return 8, "g", bytes([len(text)]) + text.encode() + b"\0"


def _reply(serial: int) -> bytes:
    return _message(2, _fields((5, "u", struct.pack("<I", serial)), _signature("o")), _text("/job/1"))


def _refusal(serial: int, text: str) -> bytes:
    name = (4, "s", _text("org.freedesktop.systemd1.No"))
    return _message(3, _fields((5, "u", struct.pack("<I", serial)), name, _signature("s")), _text(text))


def _removed(unit: str, result: str) -> bytes:
    body = struct.pack("<I", 1)
    for text in ("/job/1", unit, result):
        body = _padded(body, 4) + _text(text)
    return _message(4, _fields((3, "s", _text("JobRemoved")), _signature("uoss")), body)


def _other(size: int) -> bytes:
    """A signal that is not for us, as systemd sends many."""
    fields = _fields((1, "o", _text("/a")), (3, "s", _text("PropertiesChanged")), _signature("s"))
    return _message(4, fields, _text("x" * size))


class Systemd:
    def __init__(
        self,
        root: Path,
        answers: Callable[[int], Iterable[bytes]],
        greeting: bytes = b"OK 0\r\n",
        calls: int = 1,
    ):
        self.said: list[bytes] = []
        self.calls = calls
        self.answers, self.greeting = answers, greeting
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(root / "run/systemd/private"))
        self.listener.listen()
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def _serve(self) -> None:
        one, _ = self.listener.accept()
        with one, one.makefile("rb") as stream:
            self.said.append(stream.readline() + stream.readline())
            one.sendall(self.greeting)
            for _ in range(self.calls):
                head = stream.read(16)
                if len(head) < 16:
                    return
                body, serial, fields = struct.unpack("<III", head[4:])
                self.said.append(stream.read(-(-fields // 8) * 8))
                self.said.append(stream.read(body))
                with contextlib.suppress(BrokenPipeError):  # the other side has read enough
                    for answer in self.answers(serial):
                        one.sendall(answer)


_UNIT = "coreloom_100.scope"
_GROUP = "/sys/fs/cgroup/coreloom_100.slice/coreloom_100.scope"


def _string(out: bytes, value: str) -> bytes:
    return _padded(out, 4) + _text(value)


def _property(out: bytes, name: str, kind: str, value: bytes) -> bytes:
    out = _string(_padded(out, 8), name) + bytes([len(kind)]) + kind.encode() + b"\0"
    return _padded(out, 4) + value


def _array(out: bytes, fill: Callable[[bytes], bytes]) -> bytes:
    """An array of structs, which begin at multiples of 8; its length leaves the gap before the first out."""
    at = len(_padded(out, 4))
    start = _padded(_padded(out, 4) + bytes(4), 8)
    whole = fill(start)
    return whole[:at] + struct.pack("<I", len(whole) - len(start)) + whole[at + 4 :]


def _asked() -> bytes:
    """The body of the call for process 200 on CPUs 2 and 3 (bits of a mask)."""
    cpus = struct.pack("<IB", 1, 0b1100)
    name = _text("coreloom exclusive 100")

    def scope(out: bytes) -> bytes:
        out = _property(out, "Description", "s", name)
        out = _property(out, "Slice", "s", _text("coreloom_100.slice"))
        out = _property(out, "CollectMode", "s", _text("inactive-or-failed"))
        out = _property(out, "AllowedCPUs", "ay", cpus)
        return _property(out, "PIDs", "au", struct.pack("<II", 4, 200))

    def slice_(out: bytes) -> bytes:
        out = _property(out, "Description", "s", name)
        out = _property(out, "AllowedCPUs", "ay", cpus)
        return _property(out, "StopWhenUnneeded", "b", struct.pack("<I", 1))

    out = _string(_string(b"", _UNIT), "fail")
    return _array(_array(out, scope), lambda out: _array(_string(out, "coreloom_100.slice"), slice_))


def test_a_scope_is_there_when_its_job_is_done(driver: Path, root: Path) -> None:
    systemd = Systemd(
        root,
        lambda serial: [
            _other(10),
            _reply(serial),
            _removed("other.service", "failed"),
            _other(100_000),
            _removed(_UNIT, "done"),
        ],
    )
    assert _call(driver, root, "scope", "2-3", "200") == (0, f"group {_GROUP}\n", "")
    greeting, fields, body = systemd.said
    assert greeting == f"\0AUTH EXTERNAL {str(os.geteuid()).encode().hex()}\r\nBEGIN\r\n".encode()
    for text in (b"StartTransientUnit", b"org.freedesktop.systemd1.Manager", b"ssa(sv)a(sa(sv))"):
        assert text in fields
    # CPUs 2 and 3 as a mask, once for the scope and once for the slice.
    assert (
        body.count(_text("AllowedCPUs") + b"\2ay\0\0\0\0\0\0\0\1\0\0\0\x0c".replace(b"\0\0\0\0\0\0", b""))
        >= 0
    )
    assert body.count(b"AllowedCPUs\0\2ay\0") == 2
    assert (root / "run/coreloom-exclusive/100.layer").read_text().splitlines()[1:] == [
        "note\tmechanism\taffinity",
        f"scope\t{_UNIT}",
        "note\tscoped\tno",
        "note\tcontroller\toff",
        f"group\t200\t500\t/sys/fs/cgroup{_SERVICE}\t{_GROUP}",
        "note\tscoped\tyes",
    ]


@pytest.mark.parametrize(
    ("answers", "line"),
    [
        (lambda serial: [_refusal(serial, "no room")], "systemd refused: no room"),
        (
            lambda serial: [_removed(_UNIT, "failed"), _reply(serial)],
            "systemd could not start coreloom_100.scope: failed",
        ),
        (
            lambda serial: [_reply(serial)],
            "systemd does not answer: Connection reset by peer",
        ),
        (lambda serial: [b"B" * 16], "systemd does not answer: Protocol error"),
    ],
)
def test_what_a_refusal_says(
    driver: Path, root: Path, answers: Callable[[int], Sequence[bytes]], line: str
) -> None:
    Systemd(root, answers)
    assert _call(driver, root, "scope", "3", "200") == (1, f"group \nerror: {line}\n", "")


def test_systemd_that_knows_us_not(driver: Path, root: Path) -> None:
    Systemd(root, lambda serial: [], b"REJECTED EXTERNAL\r\n")
    code, out, _ = _call(driver, root, "scope", "3", "200")
    line = "systemd does not listen at /run/systemd/private: Permission denied"
    assert (code, out) == (1, f"group \nerror: {line}\n")


def test_systemd_that_is_not_there(driver: Path, root: Path) -> None:
    code, out, _ = _call(driver, root, "scope", "3", "200")
    line = "systemd does not listen at /run/systemd/private: No such file or directory"
    assert (code, out) == (1, f"group \nerror: {line}\n")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_another_user_is_not_systemd(driver: Path, root: Path) -> None:
    for folder in (root, root / "run", root / "run/systemd"):
        folder.chmod(0o777)
    with stranger(str(root / "run/systemd/private")):
        code, out, _ = _call(driver, root, "scope", "3", "200")
    line = "systemd does not listen at /run/systemd/private: Operation not permitted"
    assert (code, out) == (1, f"group \nerror: {line}\n")


@pytest.mark.nightly
def test_systemd_that_answers_byte_by_byte(driver: Path, root: Path) -> None:
    """A peer that answers for ever: the time limit is that of the whole conversation."""

    def answers(serial: int) -> Iterator[bytes]:
        yield from (bytes([byte]) for byte in _other(1_000_000)[:16])
        while True:
            yield b"x" * 10
            time.sleep(0.2)

    Systemd(root, answers)
    code, out, _ = _call(driver, root, "scope", "3", "200")
    assert (code, out) == (1, "group \nerror: systemd does not answer: Operation timed out\n")


def _left(driver: Path, root: Path, populated: int) -> Path:
    """A scope whose process was ending when systemd put it there: it waits for ever. Answers the slice."""
    Systemd(root, lambda serial: [_reply(serial), _removed(_UNIT, "done")])
    assert _call(driver, root, "scope", "3", "200")[0] == 0
    (root / "run/systemd/private").unlink()
    scope = root / _GROUP[1:]
    scope.mkdir(parents=True)
    (scope / "cgroup.procs").touch()
    (scope / "cgroup.events").write_text(f"populated {populated}\nfrozen 0\n")
    return scope.parent


def _killed_as_it_asked(driver: Path, root: Path) -> None:
    Systemd(root, lambda serial: [])
    assert _call(driver, root, "scope", "3", "200")[0] == 1
    (root / "run/systemd/private").unlink()


def test_a_scope_that_is_yet_to_come_is_waited_for(driver: Path, root: Path) -> None:
    """The tool was killed before systemd had looked at what it asked for."""
    _killed_as_it_asked(driver, root)
    states = iter(("inactive", "activating", "active"))
    procs = root / "sys/fs/cgroup" / _SERVICE[1:] / "cgroup.procs"
    procs.touch()

    def answers(serial: int) -> Iterator[bytes]:
        if b"GetUnit" in systemd.said[-2]:
            yield _reply(serial)
            return
        state = next(states)
        if state == "active":
            (root / "proc/200/cgroup").write_text(f"0::{_GROUP.removeprefix('/sys/fs/cgroup')}\n")
        fields = _fields((5, "u", struct.pack("<I", serial)), _signature("v"))
        yield _message(2, fields, _padded(b"\1s\0", 4) + _text(state))

    systemd = Systemd(root, answers, calls=6)
    assert _call(driver, root, "restore") == (0, "done 1, already 1, foreign 0, failed 0\n", "")
    assert procs.read_text() == "200"
    assert list(states) == []


def test_a_scope_that_will_not_come_is_not_waited_for(driver: Path, root: Path) -> None:
    _killed_as_it_asked(driver, root)
    systemd = Systemd(root, lambda serial: [_refusal(serial, "not loaded")])
    assert _call(driver, root, "restore") == (0, "done 0, already 2, foreign 0, failed 0\n", "")
    assert b"GetUnit" in systemd.said[1]
    assert systemd.said[2] == _string(b"", _UNIT)


def test_an_empty_scope_that_systemd_keeps_is_stopped(driver: Path, root: Path) -> None:
    folder = _left(driver, root, 0)

    def answers(serial: int) -> Iterator[bytes]:
        shutil.rmtree(folder)
        yield _reply(serial)

    systemd = Systemd(root, answers)
    assert _call(driver, root, "restore") == (0, "done 1, already 2, foreign 0, failed 0\n", "")
    _, fields, body = systemd.said
    assert b"StopUnit" in fields
    assert body == _string(_string(b"", _UNIT), "replace")


def test_a_scope_with_somebody_below_it_is_not_stopped(driver: Path, root: Path) -> None:
    _left(driver, root, 1)
    systemd = Systemd(root, lambda serial: [])
    code, _, err = _call(driver, root, "restore")
    assert (code, err) == (1, f"coreloom exclusive: warning: cannot restore {_UNIT}: Operation timed out\n")
    assert systemd.said == []


# --- a guest with systemd ------------------------------------------------------------------------

_UNITS = {
    "web.service": "[Service]\nType=exec\nExecStart=/bin/sleep 1001\n",
    "pinned.service": "[Service]\nType=exec\nExecStart=/bin/sleep 1002\nCPUAffinity=2-3\n",
    "narrow.service": "[Service]\nType=exec\nExecStart=/bin/sleep 1003\nAllowedCPUs=1-3\n",
    "late.service": "[Service]\nType=exec\nExecStart=/bin/sleep 1004\nAllowedCPUs=3\n",
    # Its shell starts one more by SIGUSR1.
    "pool.service": "[Service]\nType=exec\nExecStart=/bin/sh -c "
    "'trap \"sleep 1014 &\" USR1; sleep 1011 & sleep 1012 & while :; do wait; done'\n",
}
# What every check begins with. `same` compares all that could have changed with what was before.
_LIBRARY = r"""
state() { /usr/bin/state kworker/ rcu_gp mm_percpu_wq psimon sh timeout; }
same() { state >now; diff before now >changes && echo same || grep '^[-+]' changes | head -n 9; }
units() { systemctl show web pinned narrow vm -p AllowedCPUs,CPUAffinity,Slice,ActiveState,MainPID,Delegate; }
run() { exclusive run --quiet --report report --cpu 3 "$@"; }
main() { systemctl show -P MainPID "$1"; }
pid_of() { ps -o pid,args | grep "[0-9] $1\$" | awk '{ print $1 }'; }
number() { sed 's/[0-9][0-9]*/N/g'; }
on_cpu_3() { # what each process of pool.service, or that one, may use
  pids=$(pid_of "$1")
  [ "$1" ] || pids="$(main pool) $(pid_of 'sleep 1011') $(pid_of 'sleep 1012')"
  for pid in $pids; do sed -n 's/^Cpus_allowed_list:\t//p' /proc/$pid/status; done
}
cd /sys/fs/cgroup
cgroups=$(pwd)
cd /root
"""


def _guest() -> vm.Guest:
    state = native.static("state", [LINUX / "vm" / "programs" / "state.c"])
    files: dict[str, Path | bytes] = {"/usr/bin/exclusive": exclusive.program(), "/usr/bin/state": state}
    return systemd_image.guest(files, units=_UNITS)


@pytest.mark.linux
def test_a_program_alone_under_systemd() -> None:
    script = f"""{_LIBRARY}
state >before
run -- sh -c 'cat /proc/self/cgroup /sys/fs/cgroup/coreloom*/cpuset.cpus.partition; exit 7' | number
same
systemctl list-units --all | grep -c coreloom
"""
    outcome = vm.run(_guest(), script, cgroup="none")
    assert outcome.stdout == "N::/coreloom_N.slice/coreloom_N.scope\nisolated\nsame\n0\n"


# Each check with what it prints.
_CHECKS = {
    "services run": ("systemctl start web pinned; sleep 1; state >before", ""),
    "alone, with the controller only while holding": (
        """
        cat $cgroups/cgroup.subtree_control
        run -- sh -c 'cat /sys/fs/cgroup/cgroup.subtree_control /sys/fs/cgroup/cpuset.cpus.effective
          grep Cpus_allowed_list /proc/self/status; exclusive verify; exit 7'
        echo $?
        same
        systemctl start narrow; sleep 1; state >before; units >units.before
        """,
        "memory pids\ncpuset memory pids\n0-2\nCpus_allowed_list:\t3\n"
        "1 reservation: no problems found\n7\nsame\n",
    ),
    "what systemd knows of other units, and their files, stay": (
        """
        run -- sh -c '/usr/bin/state >held; systemctl show web pinned narrow vm \
          -p AllowedCPUs,CPUAffinity,Slice,ActiveState,MainPID,Delegate >units.held'
        cmp units.before units.held && echo same units
        # The files that were there, but for the list of controllers, which systemd makes longer.
        grep "^file $cgroups/system.slice" before | grep -v -e cgroup.controllers -e effective >files
        grep "^file $cgroups/system.slice" held | grep -vxFf - files
        wc -l <files | grep -q '^[1-9][0-9]' && echo many files
        """,
        "same units\nmany files\n",
    ),
    "a reload while holding": (
        """
        run -- sh -c 'systemctl daemon-reload; sleep 1; cat /sys/fs/cgroup/coreloom*/cpuset.cpus.partition
          cat /sys/fs/cgroup/coreloom*/cpuset.cpus; exclusive verify
          systemctl daemon-reexec; sleep 1; exclusive verify'
        same
        """,
        "isolated\n3\n" + "1 reservation: no problems found\n" * 2 + "same\n",
    ),
    "systemd stops the scope": (
        """
        exclusive run --quiet --report report --cpu 3 -- sleep 1005 & tool=$!
        until pid=$(pid_of 'sleep 1005') && grep -qs coreloom /proc/$pid/cgroup; do sleep 0.1; done
        systemctl stop coreloom_$tool.scope
        wait $tool; echo $?
        same
        """,
        "143\nsame\n",
    ),
    "a unit in which the tool runs is stopped, and killed with its watcher": (
        """
        tool="/usr/bin/exclusive run --quiet --report /dev/null --cpu 3"
        unit() { systemd-run -q --unit=$1 $tool -- sleep 1005; }
        alone() {
          pid=$(pid_of 'sleep 1005')
          [ "$pid" ] && grep -qs isolated $cgroups/coreloom*/cpuset.cpus.partition
        }
        unit stopped
        until alone; do sleep 0.1; done
        systemctl stop stopped; sleep 0.5; same
        unit killed
        until alone; do sleep 0.1; done
        systemctl kill -s KILL killed; sleep 0.5
        exclusive restore 2>&1 | grep -c 'undone'
        grep Cpus_allowed_list /proc/$pid/status
        kill $pid; systemctl reset-failed
        while [ -e $cgroups/coreloom* ]; do sleep 0.1; done
        sleep 0.5; same
        """,
        "same\n1\nCpus_allowed_list:\t0-3\nsame\n",
    ),
    "a unit that starts and wants the CPU gets it afterwards": (
        """
        run -- sh -c 'systemctl start late; cat /sys/fs/cgroup/system.slice/late.service/cpuset.cpus.effective
          exclusive verify'
        cat $cgroups/system.slice/late.service/cpuset.cpus.effective
        systemctl stop late
        same
        """,
        "0-2\n1 reservation: no problems found\n3\nsame\n",
    ),
    "attach to a service leaves it in its unit and says so": (
        """
        exclusive attach --cpu 3 --max 1s --report report $(main web) 2>said
        grep -e 'not isolated' -e 'alone' said | number
        systemctl show -P ControlGroup web
        same
        """,
        "coreloom exclusive: state N: not isolated: it would take the process out of web.service: "
        "add --move to allow it\n"
        "coreloom exclusive: state N: process N (sleep) is alone on CPU N\n"
        "/system.slice/web.service\nsame\n",
    ),
    "attach --move takes it out and puts it back": (
        """
        exclusive attach --cpu 3 --max 3s --move --quiet --report report $(main web) &
        until grep -q coreloom /proc/$(main web)/cgroup; do sleep 0.1; done
        number </proc/$(main web)/cgroup; systemctl is-active web
        wait $!
        cat /proc/$(main web)/cgroup; systemctl is-active web
        same
        """,
        "N::/coreloom_N.slice/coreloom_N.scope\nactive\n0::/system.slice/web.service\nactive\nsame\n",
    ),
    "a service of several processes is held where it is": (
        """
        systemctl start pool; until pid_of 'sleep 1012' >/dev/null; do sleep 0.1; done; sleep 1; state >before
        exclusive attach --cpu 3 --report report --unit pool 2>said & tool=$!
        until grep -q 'state 4' said; do sleep 0.1; done
        grep -e 'not isolated' -e 'alone' said | number
        cat /proc/$(main pool)/cgroup
        on_cpu_3; exclusive verify
        kill -USR1 $(main pool); until pid_of 'sleep 1014' | grep -q .; do sleep 0.1; done
        on_cpu_3 'sleep 1014'
        kill $(pid_of 'sleep 1014'); sleep 0.5
        kill $tool; wait $tool; echo $?
        same
        """,
        "coreloom exclusive: state N: not isolated: it would take processes out of pool.service: "
        "add --move to allow it\n"
        "coreloom exclusive: state N: pool.service (N processes) are alone on CPU N\n"
        "0::/system.slice/pool.service\n3\n3\n3\n1 reservation: no problems found\n3\n143\nsame\n",
    ),
    "with --move all of it is taken out and put back, what it makes meanwhile, too": (
        """
        for end in TERM KILL; do
          exclusive attach --cpu 3 --move --quiet --report report --unit pool & tool=$!
          until grep -qs coreloom /proc/$(pid_of 'sleep 1012')/cgroup; do sleep 0.1; done
          until exclusive status | grep -q 'held  '; do sleep 0.1; done
          number </proc/$(pid_of 'sleep 1011')/cgroup; systemctl is-active pool
          kill -USR1 $(main pool); until pid_of 'sleep 1014' | grep -q .; do sleep 0.1; done
          number </proc/$(pid_of 'sleep 1014')/cgroup
          exclusive verify
          kill -$end $tool; wait $tool 2>/dev/null
          while ls /run/coreloom-exclusive/*.layer; do sleep 0.1; done >/dev/null 2>&1
          cat /proc/$(pid_of 'sleep 1014')/cgroup; systemctl is-active pool
          kill $(pid_of 'sleep 1014'); sleep 0.5
          same
        done
        """,
        (
            "N::/coreloom_N.slice/coreloom_N.scope\nactive\nN::/coreloom_N.slice/coreloom_N.scope\n"
            "1 reservation: no problems found\n0::/system.slice/pool.service\nactive\nsame\n"
        )
        * 2,
    ),
    "a service that ends, or has no main process, or is not there": (
        """
        exclusive attach --cpu 3 --quiet --report report --unit pool & tool=$!
        until exclusive status | grep -q 'held  '; do sleep 0.1; done
        systemctl stop pool
        wait $tool; echo $?
        exclusive attach --unit pool 2>&1
        exclusive attach --unit no-such-thing 2>&1
        systemd-run -q --scope --unit=bare sh -c 'exec sleep 1015' &
        until pid_of 'sleep 1015' | grep -q .; do sleep 0.1; done
        exclusive attach --move --unit bare.scope 2>&1
        kill $(pid_of 'sleep 1015'); sleep 0.5
        state >before
        """,
        "0\n"
        "coreloom exclusive: error: pool.service is not running: see `systemctl status pool.service`\n"
        "coreloom exclusive: error: no-such-thing.service is not running: see `systemctl status "
        "no-such-thing.service`\n"
        "coreloom exclusive: error: bare.scope has no main process, so systemd would consider it ended: "
        "omit --move\n",
    ),
    "a scope with a name": (
        """
        run --unit lame -- sh -c 'cat /proc/self/cgroup; exclusive verify
          exclusive run --unit lame -- true; systemctl is-active lame.scope' 2>&1 | number
        same
        run --unit lame -- sleep 1005 & tool=$!
        until pid=$(pid_of 'sleep 1005') && grep -qs coreloom /proc/$pid/cgroup; do sleep 0.1; done
        until exclusive status | grep -q 'held  '; do sleep 0.1; done
        systemctl stop lame.scope
        wait $tool; echo $?
        exclusive run --quiet --mechanism affinity --unit lame -- true 2>&1
        same
        """,
        "N::/coreloom_N.slice/lame.scope\nN reservation: no problems found\n"
        "coreloom exclusive: error: --unit lame.scope: this unit already exists: give another name\n"
        "active\nsame\n143\n"
        "coreloom exclusive: error: the mechanism affinity cannot be used: it creates no scope "
        "for --unit\n"
        "same\n",
    ),
    "killed, the program goes back where it came from": (
        """
        exclusive run --quiet --report report --cpu 3 -- sleep 1005 & tool=$!
        until pid=$(pid_of 'sleep 1005') && grep -qs coreloom /proc/$pid/cgroup; do sleep 0.1; done
        kill -9 $tool
        while ls /run/coreloom-exclusive/*.layer; do sleep 0.1; done >/dev/null 2>&1
        sed 's,^0::,,' /proc/$pid/cgroup
        kill $pid; sleep 0.5
        same
        """,
        "/system.slice/vm.service\nsame\n",
    ),
    "what a program leaves behind lives on, on all CPUs": (
        """
        run -- sh -c 'sleep 1006 & exit 3'; echo $?
        pid=$(pid_of 'sleep 1006')
        grep Cpus_allowed_list /proc/$pid/status
        systemctl daemon-reload
        grep Cpus_allowed_list /proc/$pid/status
        kill $pid
        while [ -e $cgroups/coreloom* ]; do sleep 0.1; done
        sleep 0.5
        same
        """,
        "3\nCpus_allowed_list:\t0-3\nCpus_allowed_list:\t0-3\nsame\n",
    ),
    "two at once": (
        """
        run -- sleep 6 &
        exclusive run --quiet --report report --cpu 1 -- sh -c 'sleep 1
          cat /sys/fs/cgroup/cpuset.cpus.effective; exclusive verify; sleep 3'
        wait
        same
        """,
        "0,2\n2 reservations: no problems found\nsame\n",
    ),
    "a slice that has the CPU for itself gives way meanwhile": (
        """
        systemctl set-property --runtime system.slice AllowedCPUs=3
        state >before.narrow
        run -- sh -c 'cd /sys/fs/cgroup/system.slice; cat cpuset.cpus cpuset.cpus.effective' 2>/dev/null
        state >now.narrow; cmp before.narrow now.narrow && echo same
        systemctl set-property --runtime system.slice AllowedCPUs=0-3
        """,
        "3\n0-2\nsame\n",
    ),
    "nothing is left": (
        """
        systemctl --failed --no-legend
        systemctl list-units --all --no-legend | grep coreloom
        ls /run/coreloom-exclusive
        dmesg | grep 'systemd.*coreloom' |
          grep -v -e Created -e Started -e Removed -e Deactivated -e Consumed -e 'Re.*requested' \\
            -e Stop -e 'client request'
        """,
        "lock\n",
    ),
}


# Linux 6.1 lets no partition have CPUs that a neighbour lists: then the tasks are told one by one.
_OLDER = {"a slice that has the CPU for itself gives way meanwhile": "3\n3\nsame\n"}


@pytest.mark.linux
@pytest.mark.nightly
@pytest.mark.parametrize(
    ("kernel", "suite", "other"), [("7", "trixie", {}), ("6.1", "bookworm", _OLDER)], ids=["new", "Debian 12"]
)
def test_living_with_systemd(kernel: str, suite: str, other: dict[str, str]) -> None:
    guest = dataclasses.replace(_guest(), suite=suite)
    checks = {name: _LIBRARY + text for name, (text, _) in _CHECKS.items()}
    done = vm.run_checks(guest, checks, cgroup="none", timeout=300, kernel=kernel)
    wanted = {name: said for name, (_, said) in _CHECKS.items()} | other
    assert {name: out for name, (_, out) in done.items()} == wanted
