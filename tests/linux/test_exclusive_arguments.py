# SPDX-License-Identifier: Apache-2.0
"""The command line of `coreloom exclusive`: mistakes, help, and how its program is found."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from coreloom import __version__
from coreloom.programs import exclusive, registry
from linux.tree import Machine, Task

_SEE = f"; see {exclusive.NAME} --help"
_LETTERS = "use only letters, digits and : - _ . \\ @ in a unit name, at most 255"


def call(*words: str | Path) -> tuple[int, str, str]:
    done = subprocess.run(
        [exclusive.program(), *words], capture_output=True, text=True, timeout=60, check=False
    )
    return done.returncode, done.stdout, done.stderr.removeprefix("coreloom exclusive: error: ")


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ("", "give a command: run, attach, plan, status, restore or verify"),
        ("go", "unknown command 'go'"),
        ("run", "run needs a command"),
        ("run --", "run needs a command"),
        ("plan", "plan needs a command"),
        ("attach", "attach needs PIDs, a TID, --cgroup or --unit"),
        ("plan attach", "plan attach needs PIDs, a TID, --cgroup or --unit"),
        ("attach 1 2x", "'2x' is not a PID or TID: give a number from 1 to 4194304"),
        ("attach --unit a 1", "give only one of PIDs, --cgroup and --unit"),
        ("attach --unit a --cgroup b", "give only one of PIDs, --cgroup and --unit"),
        ("attach" + " 1" * 1025, "unexpected argument '1'"),
        ("attach --cgroup", "--cgroup needs a value"),
        ("run --cgroup a b", "--cgroup is not an option of run"),
        ("attach --unit a/b", f"--unit a/b: {_LETTERS}"),
        ("attach --unit @", f"--unit @: {_LETTERS}"),
        ("attach --unit .service", f"--unit .service: {_LETTERS}"),
        (f"attach --unit {'a' * 248}", f"--unit {'a' * 248}: {_LETTERS}"),
        (
            "run --unit a.service b",
            "--unit a.service: run creates a scope: give a name without suffix, or with .scope",
        ),
        ("attach 1x", "'1x' is not a PID or TID: give a number from 1 to 4194304"),
        ("attach 0", "'0' is not a PID or TID: give a number from 1 to 4194304"),
        ("run --foo a", "unknown option --foo"),
        ("run --foo=1 a", "unknown option --foo"),
        ("run -c a", "unknown option -c"),
        ("run --move a", "--move is not an option of run"),
        ("attach --as joe 1", "--as is not an option of attach"),
        ("status --cpu 3", "--cpu is not an option of status"),
        ("run --force=1 a", "--force takes no value"),
        ("run --cpu", "--cpu needs a value"),
        ("run --cpu= a", "--cpu needs a value"),
        ("run --cpu x a", "--cpu x: give a number up to 1023 or auto"),
        ("run --cpu 2-3 a", "--cpu 2-3: give a number up to 1023 or auto"),
        ("run --cpu 9999 a", "--cpu 9999: give a number up to 1023 or auto"),
        ("run --cpus 3-2 a", "--cpus 3-2: give a list such as 2-3 or 1,3, of CPUs up to 1023"),
        ("run --count 0 a", "--count 0: give a number from 1 to 1024"),
        ("run --cpu 1 --cpus 2 a", "give only one of --cpu, --cpus and --count"),
        ("run --smt off a", "--smt off: give idle or share"),
        ("run --max 10x a", "--max 10x: give a time such as 500ms, 90, 10m or 2h"),
        ("run --max 0 a", "--max 0: give a time from 1ms to 8784h"),
        ("run --max nan a", "--max nan: give a time such as 500ms, 90, 10m or 2h"),
        ("run --sample -1 a", "--sample -1: give a time such as 500ms, 90, 10m or 2h"),
        ("run --watch=0 a", "--watch 0: give a time from 10ms to 24h"),
        ("attach 4194305", "'4194305' is not a PID or TID: give a number from 1 to 4194304"),
        ("run --cpus 1024 a", "--cpus 1024: give a list such as 2-3 or 1,3, of CPUs up to 1023"),
        ("run --count 1025 a", "--count 1025: give a number from 1 to 1024"),
        ("run --sample 61 a", "--sample 61: give a time from 0 to 1m"),
        ("run --sample 1e9 a", "--sample 1e9: give a time such as 500ms, 90, 10m or 2h"),
        ("run --sample 0x1 a", "--sample 0x1: give a time such as 500ms, 90, 10m or 2h"),
        ("run --sample .inf a", "--sample .inf: give a time such as 500ms, 90, 10m or 2h"),
        ("run --max inf a", "--max inf: give a time such as 500ms, 90, 10m or 2h"),
        ("run --max 1.2.3 a", "--max 1.2.3: give a time such as 500ms, 90, 10m or 2h"),
        ("run --max . a", "--max .: give a time such as 500ms, 90, 10m or 2h"),
        ("run --max 8785h a", "--max 8785h: give a time from 1ms to 8784h"),
        (f"run --max {'9' * 400} a", f"--max {'9' * 400}: give a time such as 500ms, 90, 10m or 2h"),
        ("status --watch=25h", "--watch 25h: give a time from 10ms to 24h"),
        ("status --watch=9ms", "--watch 9ms: give a time from 10ms to 24h"),
        ("run --wait 25h a", "--wait 25h: give a time from 0 to 24h"),
        ("status --wait 1", "--wait is not an option of status"),
        ("run --fifo 0 a", "--fifo 0: give a priority from 1 to 99"),
        ("run --fifo 100 a", "--fifo 100: give a priority from 1 to 99"),
        ("run --fifo -1 a", "--fifo -1: give a priority from 1 to 99"),
        ("run --fifo high a", "--fifo high: give a priority from 1 to 99"),
        ("run --nice 20 a", "--nice 20: give a number from -20 to 19"),
        ("run --nice -21 a", "--nice -21: give a number from -20 to 19"),
        ("run --nice --1 a", "--nice --1: give a number from -20 to 19"),
        ("run --fifo 1 --nice 1 a", "give only one of --fifo and --nice"),
        ("attach --fifo 1 1", "--fifo is not an option of attach"),
        ("attach --nice 1 1", "--nice is not an option of attach"),
        ("status 3", "unexpected argument '3'"),
        ("status --json --prometheus", "give only one of --json and --prometheus"),
        ("restore x", "'x' is not a reservation ID"),
        ("restore 4194305", "'4194305' is not a reservation ID"),
        ("restore 1 2", "unexpected argument '2'"),
        ("restore 1 --all", "give an ID or --all, not both"),
        ("verify now", "unexpected argument 'now'"),
        ("--root . run a", "--root works only with plan, status, restore and verify"),
    ],
)
def test_wrong_usage(words: str, error: str) -> None:
    assert call(*words.split()) == (2, "", f"{error}{_SEE}\n")


@pytest.mark.parametrize(
    ("words", "status", "error"),
    [
        ("plan --mechanism magic a", 1, "there is no mechanism magic: choose one of "
         "isolated, root, affinity"),
        *((f"plan --mechanism {gone} a", 1, f"the mechanism {gone} no longer exists: "
           "isolated and root replace it, affinity where there is no cgroup v2")
          for gone in ("cpuset", "cpuset-v1")),
        ("plan no-such-command", 127, "there is no command no-such-command in PATH"),
        ("plan ./no-such-command", 127, "there is no command ./no-such-command"),
        ("plan /", 126, "/ is not executable"),
        ("plan --as no-such-user true", 1, "--as no-such-user: there is no such user in /etc/passwd, and "
         "LDAP and SSSD are not asked: check the name, or give UID:GID, as `id` prints them"),
        ("plan --log /no/log true", 1, "--log /no/log cannot be written: No such file or directory"),
        ("plan attach 4194304", 1, "there is no process or thread 4194304"),
    ],
)  # fmt: skip
def test_requests_that_cannot_be(words: str, status: int, error: str) -> None:
    assert call(*words.split()) == (status, "", f"{error}\n")


def test_the_help_is_for_a_terminal() -> None:
    for words in (["--help"], ["help"], ["-h"], ["run", "--help"]):
        status, out, err = call(*words)
        assert (status, err) == (0, "")
        assert out.startswith("usage: coreloom exclusive run ")
        assert max(len(line) for line in out.splitlines()) <= 110
    for word in ("--version", "-V"):
        assert call(word) == (0, f"coreloom exclusive {__version__}\n", "")


def test_coreloom_becomes_the_program() -> None:
    exclusive.program()
    for words in (["--version"], ["run", "--help"]):
        done = subprocess.run(
            [sys.executable, "-m", "coreloom.entry", "exclusive", *words],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert (done.returncode, done.stdout, done.stderr) == call(*words)


def test_changed_sources_make_another_program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = exclusive.program()
    assert registry.made("exclusive") == program
    monkeypatch.setattr(registry, "_MADE", tmp_path)
    assert registry.made("exclusive") is None
    (tmp_path / "exclusive").write_text(f"run.c:1:1\n{program}\n")
    assert registry.made("exclusive") is None
    assert exclusive.program() == program
    assert registry.made("exclusive") == program


_WEB = "/sys/fs/cgroup/system.slice/web.service"


def _with_web(tmp_path: Path) -> Machine:
    """Two processes of a unit, one of them in a group of its own, and a process of nobody's."""
    machine = Machine(
        tmp_path,
        cpus=2,
        tasks=(
            Task(1, "init", 0, "0-1", parent=0),
            Task(40, "web", 0, "0-1", group="/system.slice/web.service"),
            Task(41, "worker", 0, "0-1", parent=40, group="/system.slice/web.service/pool"),
            Task(50, "other", 0, "0-1"),
            Task(50, "other", 0, "0-1", tid=51),
        ),
    )
    machine.make()
    machine.write("/proc/self/mounts", "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n")
    for folder, processes in (("", "1\n50\n"), ("/user.slice", ""), ("/empty", "")):
        machine.write(f"/sys/fs/cgroup{folder}/cgroup.procs", processes)
    machine.write(f"{_WEB}/cgroup.procs", "40\n")
    machine.write(f"{_WEB}/pool/cgroup.procs", "41\n")
    machine.write("/sys/fs/cgroup/user.slice/user@1.service/app.slice/app.service/cgroup.procs", "50\n")
    machine.write("/run/systemd/system/present", "")
    return machine


@pytest.mark.parametrize(
    "words",
    [
        *(["--unit", name] for name in ("web", "web.service")),
        *(
            ["--cgroup", path]
            for path in (_WEB, f"{_WEB}/", "system.slice/web.service", "/system.slice/web.service")
        ),
        ["40", "41"],
        ["41", "40", "41"],
    ],
)
def test_all_of_several_processes_are_held(tmp_path: Path, words: list[str]) -> None:
    _with_web(tmp_path)
    status, out, err = call("--root", tmp_path, "plan", "attach", "--sample", "0", *words)
    assert (status, out.splitlines()[1:]) == (
        0,
        [
            "set affinity of task 1 (init) to 0 (was 0-1)",
            "set affinity of task 50 (other) to 0 (was 0-1)",
            "set affinity of task 51 (other) to 0 (was 0-1)",
            "set affinity of task 40 (web) to 1 (was 0-1)",
            "set affinity of task 41 (worker) to 1 (was 0-1)",
            "5 changes with affinity (CPU affinity of every task); nothing was changed",
        ],
    ), err


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ("--unit none", "none.service is not running: see `systemctl status none.service`"),
        ("--unit app", "app.service is not running: see `systemctl status app.service`"),
        ("--unit user.slice", "user.slice has no process: see `systemctl status`"),
        ("--cgroup none", "--cgroup none: there is no such v2 cgroup: give a directory below /sys/fs/cgroup"),
        ("--cgroup empty", "--cgroup empty: no process is in it"),
        *(
            (f"--cgroup {path}", f"--cgroup {path}: this is the root cgroup: give one below it")
            for path in ("/", "/sys/fs/cgroup", "/sys/fs/cgroup/")
        ),
        *(
            (f"--cgroup {path}", f"--cgroup {path}: give a directory below /sys/fs/cgroup, without . and ..")
            for path in ("..", "empty/../empty", "./empty", "a//b", "/sys/fs/cgroup/../../proc")
        ),
        ("40 99", "there is no process or thread 99"),
        ("40 51", "51 is a thread of process 50: give only processes when giving several"),
    ],
)  # fmt: skip
def test_nobody_to_hold(tmp_path: Path, words: str, error: str) -> None:
    machine = _with_web(tmp_path)
    if words == "--unit user.slice":
        machine.remove("/sys/fs/cgroup/user.slice/user@1.service/app.slice/app.service/cgroup.procs")
    assert call("--root", tmp_path, "plan", "attach", *words.split()) == (1, "", f"{error}\n")


def test_a_group_of_cgroup_v1_is_none(tmp_path: Path) -> None:
    """A kernel may have both: each process is in a group of each."""
    machine = _with_web(tmp_path)
    mounts = (
        "cgroup /sys/fs/cgroup/cpuset cgroup rw,cpuset 0 0\ncgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n"
    )
    machine.write("/proc/self/mounts", mounts)
    for folder, process in (("cpuset/a", "40\n"), ("unified/a", "50\n"), ("unified", "1\n")):
        machine.write(f"/sys/fs/cgroup/{folder}/cgroup.procs", process)
    call_of = ("--root", tmp_path, "plan", "attach", "--sample", "0", "--cgroup")
    for folder in ("cpuset/a", "/sys/fs/cgroup/cpuset/a"):
        said = f"--cgroup {folder}: there is no such v2 cgroup: give a directory below /sys/fs/cgroup\n"
        assert call(*call_of, folder) == (1, "", said)
    said = "--cgroup unified: this is the root cgroup: give one below it\n"
    assert call(*call_of, "unified") == (1, "", said)
    status, out, _ = call(*call_of, "unified/a")
    assert (status, "set affinity of task 50 (other) to 1 (was 0-1)" in out.splitlines()) == (0, True)


def test_units_are_systemds(tmp_path: Path) -> None:
    machine = _with_web(tmp_path)
    said = "--unit web.scope: this unit already exists: give another name\n"
    machine.write("/sys/fs/cgroup/system.slice/web.scope/cgroup.procs", "")
    assert call("--root", tmp_path, "plan", "--unit", "web", "true") == (1, "", said)
    machine.remove("/run/systemd/system/present")
    (tmp_path / "run/systemd/system").rmdir()
    said = "--unit web.service: systemd does not run here: give PIDs or --cgroup\n"
    assert call("--root", tmp_path, "plan", "attach", "--unit", "web") == (1, "", said)
    said = "--unit web.scope: systemd does not run here: leave it out\n"
    assert call("--root", tmp_path, "plan", "--unit", "web", "true") == (1, "", said)


def test_a_plan_says_why_and_each_change(tmp_path: Path) -> None:
    machine = Machine(
        tmp_path,
        cpus=2,
        tasks=(
            Task(1, "init", 0, "0-1", parent=0),
            Task(20, "server", 1, "0-1"),
            Task(30, "far", 0, "0"),
            Task(40, "work", 0, "0-1"),
        ),
    )
    machine.make()
    machine.write("/proc/self/mounts", "proc /proc proc rw 0 0\n")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    status, out, err = call("--root", tmp_path, "plan", "attach", "--sample", "0", "40")
    assert (status, out.splitlines()) == (
        0,
        [
            "CPU 1: run-queue wait 0 %, 1 movable task, 0 pinned, 0 IRQs, lightest of the rest: CPU 0",
            "set affinity of task 1 (init) to 0 (was 0-1)",
            "set affinity of task 20 (server) to 0 (was 0-1)",
            "set affinity of task 40 (work) to 1 (was 0-1)",
            "3 changes with affinity (CPU affinity of every task); nothing was changed",
        ],
    )
    assert "not isolated: cgroup v2 is not mounted\n" in err
    status, as_json, _ = call("--root", tmp_path, "plan", "attach", "--json", "--sample", "0", "40")
    assert (status, json.loads(as_json)) == (0, {"plan": out.splitlines(), "changes": 3})
    assert before == {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
