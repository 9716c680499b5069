# SPDX-License-Identifier: Apache-2.0
"""`run` and `attach` from begin to end on trees of files: real tools, watchers and programs, no machine."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import select
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from coreloom.programs import exclusive
from linux import system
from linux.tree import Machine, Task

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="run and attach are root's")

_RUN = "/run/coreloom-exclusive"
_V2 = "/sys/fs/cgroup"
_PATIENCE = 30.0
_TASKS = [
    Task(1, "init", 0, "0-3", parent=0),
    Task(2, "kthreadd", 0, "0-3", kernel=True, parent=0),
    Task(20, "server", 3, "0-3", used=5, voluntary=3),
    Task(30, "pinned", 3, "3"),
    Task(31, "ksoftirqd/3", 3, "3", kernel=True, fixed=True, parent=2),
]
_IRQ = "/proc/irq/9/smp_affinity_list"
_BEGUN = [
    "state 0: request checked",
    "state 1: reading tasks and load",
    "warning: CPU 3: 1 task of others is pinned to it: moved off while it is held",
    "state 2: CPU 3: run-queue wait 0 %, 1 movable task, 1 pinned (pinned 30), 1 IRQ, others go to CPU 0-2",
    "warning: with affinity, a task that sets its own affinity meanwhile may keep only a part of it",
    "interrupts: 1 moved",
    "state 3: CPU 3 cleared in N ms by affinity (CPU affinity of every task), 5 tasks moved, 1 kernel thread "
    "moved, 1 bound to the CPU stays, 1 interrupt moved, 0 managed by the kernel stay",
]
_RELEASED = "state 0: CPU 3 released in N ms: 9 changes undone, 1 already as before, 0 left to others"
_URGENT = ["tool: policy 40000002, priority 1", "tool: policy 0, priority 0"]  # SCHED_RR, not for children


@pytest.fixture(scope="module")
def driver() -> Path:
    """In a new PID namespace, numbers of real processes would be those of the tree."""
    if os.getpid() < 1000:
        Path("/proc/sys/kernel/ns_last_pid").write_text("1000")
    return system.driver("run")


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    machine = Machine(tmp_path, tasks=_TASKS, irqs={9: "3"})
    machine.make()
    machine.write("/sys/devices/system/cpu/possible", "0-3\n")
    machine.write("/proc/sys/kernel/random/boot_id", "c0de100d-c0de-100d-c0de-100dc0de100d\n")
    machine.write(_IRQ, "0-3\n")
    machine.write("/proc/irq/default_smp_affinity", "f\n")
    machine.write("/sys/devices/virtual/workqueue/cpumask", "f\n")
    machine.write("/proc/self/mounts", "")
    (machine.root / "proc/irq/9/nic").mkdir()
    (machine.root / "run").mkdir()
    yield machine
    machine.end()


def seen(machine: Machine, path: str) -> str:
    return (machine.root / path.lstrip("/")).read_text().rstrip("\n")


def allowed(machine: Machine, tid: int) -> str:
    """Empty while it is being written: these are files."""
    lines = (x for x in seen(machine, f"/proc/{tid}/status").splitlines() if "allowed_list" in x)
    return next(lines, "").partition("\t")[2]


def state(machine: Machine) -> dict[str, str]:
    """All that a tool may change, without the files of tools."""
    found = {}
    own = re.compile(r"policies$|go$|run/coreloom-exclusive/lock$|proc/\d{3,}/")
    for folder, _, names in os.walk(machine.root):
        for path in (Path(folder) / name for name in names):
            name = str(path.relative_to(machine.root))
            with contextlib.suppress(FileNotFoundError):
                if not own.match(name):
                    found[name] = path.read_text().rstrip("\n")
    return found


@contextlib.contextmanager
def locked(machine: Machine) -> Iterator[None]:
    """No tool is setting up, looks or releases."""
    with (machine.root / _RUN[1:] / "lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


class Tool:
    """The driver, with what it has said so far."""

    def __init__(self, driver: Path, machine: Machine, *words: str) -> None:
        self.machine = machine
        command = [str(driver), str(machine.root), *words]
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
        )
        self.said: list[str] = []
        self.program = 0

    def line(self) -> str:
        assert self.process.stderr is not None
        assert select.select([self.process.stderr], [], [], _PATIENCE)[0], self.said
        line = self.process.stderr.readline().decode()
        assert line, self.said
        text = line.rstrip("\n").removeprefix("coreloom exclusive: ")
        self.said.append(self.plain(text))
        return self.said[-1]

    def until(self, part: str) -> None:
        while part not in self.line():
            pass

    def end(self) -> tuple[int, str]:
        """The exit status, what the program printed."""
        out, err = self.process.communicate(timeout=_PATIENCE)
        lines = [line.removeprefix("coreloom exclusive: ") for line in err.decode().splitlines()]
        self.said += map(self.plain, lines)
        return self.process.returncode, out.decode()

    def plain(self, text: str) -> str:
        if found := re.search(r"starts alone on CPU .*, pid (\d+)$", text):
            self.program = int(found[1])
        text = re.sub(r"\d+\.\d+ ms", "N ms", text)
        for pid, name in ((self.program, "PROGRAM"), (self.process.pid, "TOOL")):
            text = re.sub(rf"\b{pid}\b", name, text) if pid else text
        return text

    @property
    def watcher(self) -> int:
        """It is started first of all that the tool starts."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        return min(
            map(int, children.split()),
            key=lambda pid: Path(f"/proc/{pid}/comm").read_text() != "coreloom-watch\n",
        )

    def layer(self) -> Path:
        return self.machine.root / _RUN[1:] / f"{self.process.pid}.layer"


Start = Callable[..., Tool]


@pytest.fixture
def start(driver: Path, machine: Machine) -> Iterator[Start]:
    tools: list[Tool] = []

    def begin(*words: str) -> Tool:
        tools.append(Tool(driver, machine, "mechanism=affinity", "cpus=3", *words))
        return tools[-1]

    yield begin
    for tool in tools:
        # A program that lives stands in the tree; another process may have the number of one that has ended.
        with contextlib.suppress(OSError):
            if Path(f"/proc/{tool.program}/cwd").readlink() == machine.root.resolve():
                os.kill(tool.program, signal.SIGKILL)
        tool.process.kill()
        if tool.process.stderr is not None and not tool.process.stderr.closed:
            tool.process.communicate()


def until(done: Callable[[], bool]) -> None:
    end = time.monotonic() + _PATIENCE
    while not done():
        assert time.monotonic() < end
        time.sleep(0.01)


def sh(machine: Machine, script: str) -> tuple[str, ...]:
    """A program: a shell that stands in the tree, in which `go` is awaited by `wait`."""
    return (
        "--",
        "sh",
        "-c",
        f"cd {machine.root}; await() {{ until [ -e go ]; do sleep 0.02; done; }}; {script}",
    )


# From begin to end


def test_a_program_is_alone_and_all_comes_back(start: Start, machine: Machine) -> None:
    before = state(machine)
    tool = start(
        *sh(machine, "grep -h allowed_list proc/?/status proc/??/status; cat proc/irq/9/smp*; exit 7")
    )
    status, out = tool.end()
    lists = [line.removeprefix("Cpus_allowed_list:\t") for line in out.splitlines()]
    assert (status, lists) == (7, ["0-2", "0-2", "0-2", "0-2", "3", "0-2"])
    assert tool.said[:9] == [*_BEGUN, "state 4: sh starts alone on CPU 3, pid PROGRAM", _RELEASED]
    assert tool.said[9].split() == ["CPU", "3", "before", "held"]
    assert (len(tool.said), tool.said[-1]) == (21, "strays: none (source: /proc)")
    assert state(machine) == before
    assert seen(machine, "/policies").splitlines() == _URGENT * 2


def test_what_is_written_down_while_it_is_held(start: Start, machine: Machine) -> None:
    machine.write("/proc/irq/9/smp_affinity_list", "3\n")
    tool = start(*sh(machine, "cat run/coreloom-exclusive/*.layer run/coreloom-exclusive/baseline; exit 0"))
    status, out = tool.end()
    lines = [tool.plain(line) for line in out.splitlines()]
    first = lines[0].split("\t")
    assert (status, first[0], first[2:5]) == (0, "coreloom-exclusive 3", ["TOOL", "600", "3"])
    assert lines[1:9] == [
        "note\tprogram\tPROGRAM 600",
        "note\tuse\t3",
        "note\twish\t0-3",
        "note\tbefore\t100.000 0.000 0.000 0.400 nan nan nan nan",
        "note\ttrying\taffinity",
        "note\tvia\t0-2",
        "note\tmechanism\taffinity",
        "coreloom-baseline 2\tc0de100d-c0de-100d-c0de-100dc0de100d\t10000\t-",
    ]
    for line in (
        "held\t3",
        f"cpus\t{_IRQ}\t3\t0-2\tours",
        "task\t30 500\t3\t0-2\tours",
        "task\t20 500\t0-3\t0-2\tours",
        "task\tPROGRAM 600\t0-3\t3\tTOOL",
    ):
        assert line in lines
    assert seen(machine, _IRQ) == "3"
    assert allowed(machine, 30) == "3"


@pytest.mark.parametrize(
    ("policy", "raised"), [(0, True), (3, True), (5, True), (1, False), (2, False), (6, False)]
)
def test_a_tool_that_is_urgent_already_stays_so(
    start: Start, machine: Machine, policy: int, raised: bool
) -> None:
    """SCHED_OTHER, _BATCH and _IDLE give way to what runs; and are what they were, afterwards."""
    assert start(f"policy={policy}", "quiet", "--", "true").end() == (0, "")
    expected = [_URGENT[0], f"tool: policy {policy:x}, priority 0"] * 2 if raised else []
    path = machine.root / "policies"
    assert (path.read_text().splitlines() if path.exists() else []) == expected


def test_quiet_says_only_what_is_wrong(start: Start) -> None:
    tool = start("quiet", "--", "true")
    assert (tool.end(), tool.said) == ((0, ""), [_BEGUN[2], _BEGUN[4]])


def test_programs_that_cannot_be(start: Start, machine: Machine, tmp_path: Path) -> None:
    before = state(machine)
    plain = tmp_path / "plain"
    plain.write_text("")
    for command, status, error in (
        ("no-such-command", 127, "there is no command no-such-command in PATH"),
        ("/no/such", 127, "there is no command /no/such"),
        (str(plain), 126, f"{plain} is not executable"),
        (str(tmp_path), 126, f"{tmp_path} is not executable"),
    ):
        tool = start("--", command)
        assert (tool.end()[0], tool.said) == (status, [f"error: {error}"])
    plain.unlink()
    assert state(machine) == before
    assert not (machine.root / "run/coreloom-exclusive").exists()


@pytest.mark.parametrize(
    ("text", "status", "why"),
    [("#!/no/such\n", 127, "No such file or directory"), ("\x7fELF", 126, "Exec format error")],
)
def test_an_exec_that_fails_gives_all_back(
    start: Start, machine: Machine, text: str, status: int, why: str
) -> None:
    script = machine.root / "script"
    script.write_text(text)
    script.chmod(0o755)
    before = state(machine)
    tool = start("--", str(script), "word")
    assert tool.end() == (status, "")
    said = [
        f"state 4: {script} starts alone on CPU 3, pid PROGRAM",
        f"error: {script} cannot be executed: {why}",
    ]
    assert tool.said == [*_BEGUN, *said, _RELEASED]
    assert state(machine) == before


@pytest.mark.parametrize(("script", "status"), [("kill -9 $$", 137), ("kill -15 $$", 143), ("exit 255", 255)])
def test_the_status_is_the_programs(start: Start, script: str, status: int) -> None:
    assert start("quiet", "--", "sh", "-c", script).end() == (status, "")


def test_a_program_with_a_priority(start: Start, machine: Machine) -> None:
    assert start("fifo=42", "quiet", "--", "true").end() == (0, "")
    expected = [_URGENT[0], "other: policy 1, priority 2a", _URGENT[1], *_URGENT]
    lines = seen(machine, "/policies").splitlines()
    assert sorted(lines) == sorted(line.replace("2a", "42") for line in expected)
    nice = os.nice(0)
    assert start("nice=7", "quiet", "--", "nice").end() == (0, "7\n")
    assert start("nice=0", "quiet", "--", "nice").end() == (0, "0\n")
    assert start("quiet", "--", "nice").end() == (0, f"{nice}\n")


def test_a_program_of_another_user(start: Start) -> None:
    assert start("as=nobody", "quiet", "--", "sh", "-c", "id -u; id -G").end()[1].splitlines()[0] == "65534"
    tool = start("as=1:no", "--", "true")
    assert (tool.end(), len(tool.said), tool.said[0][:14]) == ((1, ""), 1, "error: --as 1:")


def test_a_report_goes_into_its_file(start: Start, machine: Machine) -> None:
    report = machine.root / "report"
    tool = start(f"report={report}", "json", "--", "true")
    assert tool.end() == (0, "")
    assert tool.said[-1] == _RELEASED
    made = json.loads(report.read_text())
    assert (made["cpus"], made["mechanism"], made["strays"]) == ("3", "affinity", [])
    report.unlink()
    before = state(machine)
    tool = start("report=/no/such/report", "--", "touch", str(machine.root / "ran"))
    error = "error: --report /no/such/report cannot be written: No such file or directory"
    assert (tool.end(), tool.said) == ((1, ""), [error])
    tool = start("mechanism=cpuset", "--", "touch", str(machine.root / "ran"))
    assert (tool.end()[0], tool.said) == (
        1,
        [
            "error: the mechanism cpuset no longer exists: isolated and root replace it, "
            "affinity where there is no cgroup v2"
        ],
    )
    tool = start("mechanism=none", "--", "touch", str(machine.root / "ran"))
    error = "error: there is no mechanism none: choose one of isolated, root, affinity"
    assert (tool.end()[0], tool.said) == (1, [error])
    assert state(machine) == before


def test_the_best_mechanism_that_works_is_taken(driver: Path, machine: Machine, start: Start) -> None:
    before = state(machine)
    tool = Tool(driver, machine, "cpus=3", "--", "true")
    assert tool.end() == (0, "")
    assert tool.said[4:6] == [
        f"state 3: not {name}: cgroup v2 is not mounted" for name in ("isolated", "root")
    ]
    assert tool.said[8].startswith("state 3: CPU 3 cleared in N ms by affinity")
    tool = start("mechanism=root", "--", "touch", str(machine.root / "ran"))
    assert tool.end() == (1, "")
    assert tool.said[-3:] == [
        "state 3: not root: cgroup v2 is not mounted",
        "error: the mechanism root cannot be used: cgroup v2 is not mounted",
        "state 0: CPU 3 released in N ms: 0 changes undone, 1 already as before, 0 left to others",
    ]
    assert state(machine) == before


@pytest.fixture
def groups(machine: Machine) -> Machine:
    """With cgroup v2, and a group and a thread of the kernel that are in the way of a partition."""
    machine.write("/proc/self/mounts", f"cgroup2 {_V2} cgroup2 rw 0 0\n")
    machine.write(f"{_V2}/cgroup.controllers", "cpuset cpu\n")
    machine.write(f"{_V2}/cgroup.subtree_control", "cpu\n")
    machine.write(f"{_V2}/cgroup.procs", "")
    for name, text in (("cgroup.procs", ""), ("cpuset.cpus", "2-3\n"), ("cpuset.cpus.partition", "member\n")):
        machine.write(f"{_V2}/other/{name}", text)
    machine.write("/proc/sys/kernel/osrelease", "6.1.0\n")
    machine.task(Task(32, "pinned/1", 1, "1", kernel=True, parent=2))
    return machine


@pytest.mark.parametrize("kind", ["isolated", "root"])
def test_a_partition_is_made_and_removed(start: Start, groups: Machine, kind: str) -> None:
    before = state(groups)
    files = "other/cpuset.cpus", "coreloom-*/cpuset.cpus", "coreloom-*/*.partition"
    shown = f"cd {_V2[1:]}; {''.join(f'cat {name}; echo; ' for name in files)}"
    shown += "cat coreloom-*/cgroup.procs cgroup.subtree_control; echo"
    tool = start(
        f"mechanism={kind}", "forgets=32", *sh(groups, f"grep -h allowed_list proc/32/status; {shown}")
    )
    status, out = tool.end()
    assert (status, list(map(tool.plain, out.splitlines()))) == (
        0,
        ["Cpus_allowed_list:\t1", "2", "3", kind, "PROGRAM+cpuset"],
    )
    assert not list(groups.root.glob(f"{_V2[1:]}/coreloom-*"))
    after = state(groups)
    assert after.pop(f"{_V2[1:]}/cgroup.procs") == str(tool.program)  # where it is moved back to
    assert before.pop(f"{_V2[1:]}/cgroup.procs") == ""
    control = f"{_V2[1:]}/cgroup.subtree_control"
    assert (before.pop(control), after.pop(control)) == ("cpu", "+cpuset")
    assert after == before


def test_a_mechanism_that_fails_half_way_is_undone(driver: Path, groups: Machine) -> None:
    before = state(groups)
    script = f"ls {_V2[1:]}; cat {_V2[1:]}/other/cpuset.cpus; echo; grep -h allowed_list proc/20/status"
    tool = Tool(driver, groups, "cpus=3", "refuses", *sh(groups, script))
    status, out = tool.end()
    names = ["cgroup.controllers", "cgroup.procs", "cgroup.subtree_control", "other"]
    assert (status, out.splitlines()) == (0, [*names, "2-3", "Cpus_allowed_list:\t0-2"])
    path = f"{_V2}/coreloom-TOOL/cpuset.cpus.partition"
    refused = [line for line in tool.said if line.startswith("state 3: not")]
    assert refused == [f"state 3: not {kind}: {path} says: " for kind in ("isolated", "root")]
    assert state(groups) == before | {f"{_V2[1:]}/cgroup.subtree_control": "+cpuset"}


def test_dead_reservations_are_undone_first(start: Start, machine: Machine) -> None:
    machine.layer(100, "2", "dead", alive=False)
    machine.write("/proc/sys/kernel/watchdog_cpumask", "0-1\n")
    machine.baseline("2", "cpus\t/proc/sys/kernel/watchdog_cpumask\t0-3\t0-1\tours")
    tool = start("--", "true")
    assert tool.end() == (0, "")
    assert tool.said[1] == "state 0: 1 reservation of dead tools undone first"
    assert seen(machine, "/proc/sys/kernel/watchdog_cpumask") == "0-3"


# Time


def test_max_releases_the_cpus_and_the_program_goes_on(start: Start, machine: Machine) -> None:
    before = state(machine)
    tool = start(
        "max=0.05", *sh(machine, "until grep -q 0-3 proc/20/status; do sleep 0.02; done; echo; exit 5")
    )
    assert tool.end() == (5, "\n")
    running = "--max has expired: the program (pid PROGRAM) keeps running"
    assert tool.said[8:10] == [running, _RELEASED.replace("9 changes", "10 changes").replace("1 al", "0 al")]
    assert (len(tool.said), tool.said[-1]) == (22, "strays: none (source: /proc)")
    assert state(machine) == before


def test_a_table_now_and_then(start: Start, machine: Machine) -> None:
    tool = start("watch=0.05", *sh(machine, "await"))
    for _ in range(3):
        tool.until("before        held")
    (machine.root / "go").touch()
    assert tool.end() == (0, "")
    assert tool.said.count(_RELEASED) == 1


def test_a_tool_that_is_stopped_is_watched(start: Start, machine: Machine) -> None:
    """Half a second after the deadline its watcher takes all back."""
    tool = start("max=0.1", *sh(machine, "await; exit 3"))
    tool.until("starts alone")
    with locked(machine):  # stopped while it has the lock, it would keep its watcher waiting
        os.kill(tool.process.pid, signal.SIGSTOP)
        stat = Path(f"/proc/{tool.process.pid}/stat")
        until(lambda: stat.read_text().rpartition(")")[2].split()[0] == "T")
    until(lambda: allowed(machine, 20) == "0-3" and not tool.layer().exists())
    assert seen(machine, _IRQ) == "0-3"
    os.kill(tool.process.pid, signal.SIGCONT)
    (machine.root / "go").touch()
    assert tool.end()[0] == 3


# Signals


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_a_signal_while_it_is_set_up_ends_it(start: Start, machine: Machine, number: int) -> None:
    before = state(machine)
    tool = start(f"signal={int(number)}", "--", "touch", str(machine.root / "ran"))
    assert tool.end() == (128 + number, "")
    assert f"ended by signal {int(number)}: all changes undone" in tool.said
    assert not any("starts alone" in line for line in tool.said)
    assert state(machine) == before


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_is_passed_on_and_a_second_releases(start: Start, machine: Machine, number: int) -> None:
    """Not only those that no terminal sends."""
    name = signal.Signals(number).name.removeprefix("SIG")
    tool = start(*sh(machine, f"trap 'touch told' {name}; touch ready; await; exit 4"))
    tool.until("starts alone")
    until((machine.root / "ready").exists)
    os.kill(tool.process.pid, number)
    until((machine.root / "told").exists)
    assert allowed(machine, 20) == "0-2"
    os.kill(tool.process.pid, number)
    assert tool.process.wait(_PATIENCE) == 128 + number
    os.kill(tool.program, 0)  # it lives
    assert allowed(machine, 20) == "0-3"
    assert not tool.layer().exists()
    (machine.root / "go").touch()
    tool.end()
    assert tool.said[-1] == "the program (pid PROGRAM) keeps running"


def test_a_program_that_obeys_a_signal_says_the_status(start: Start, machine: Machine) -> None:
    tool = start("quiet", *sh(machine, "trap 'exit 9' TERM; touch ready; await; exit 4"))
    until((machine.root / "ready").exists)
    os.kill(tool.process.pid, signal.SIGTERM)
    assert tool.end()[0] == 9


# What others do meanwhile


def test_cpus_come_back_though_nobody_reads_on(start: Start, machine: Machine) -> None:
    before = state(machine)
    tool = start(*sh(machine, "await; exit 8"))
    tool.until("starts alone")
    assert tool.process.stderr is not None
    tool.process.stderr.close()
    (machine.root / "go").touch()
    assert tool.process.wait(_PATIENCE) == 8
    assert state(machine) == before


def test_a_killed_tool_leaves_nothing(start: Start, machine: Machine) -> None:
    before = state(machine)
    tool = start(*sh(machine, "await"))
    tool.until("starts alone")
    os.kill(tool.process.pid, signal.SIGKILL)
    until(lambda: state(machine) == before)
    (machine.root / "go").touch()


def test_a_killed_watcher_changes_nothing(start: Start, machine: Machine) -> None:
    before = state(machine)
    tool = start(*sh(machine, "await"))
    tool.until("starts alone")
    os.kill(tool.watcher, signal.SIGKILL)
    (machine.root / "go").touch()
    assert tool.end() == (0, "")
    assert state(machine) == before


def test_a_record_that_is_removed_is_written_again(start: Start, machine: Machine) -> None:
    before = state(machine)
    tool = start(*sh(machine, "await"))
    tool.until("starts alone")
    text = tool.layer().read_text()
    tool.layer().unlink()
    tool.until("was removed while CPUs are held: writing it again")
    assert tool.layer().read_text() == text
    os.kill(tool.process.pid, signal.SIGKILL)  # the watcher has the new one
    until(lambda: state(machine) == before)
    (machine.root / "go").touch()


def test_what_another_releases_is_not_held(start: Start, machine: Machine) -> None:
    tool = start("max=3600", *sh(machine, "await; exit 6"))
    tool.until("starts alone")
    restore = map(str, (exclusive.program(), "--root", machine.root, "restore", tool.process.pid))
    done = subprocess.run([*restore], capture_output=True, text=True, timeout=60, check=True)
    assert done.stderr == "coreloom exclusive: 1 reservation undone: 10 changes, 0 already as before\n"
    tool.until("the CPUs were released by somebody else: the program keeps running without CPUs of its own")
    (machine.root / "go").touch()
    assert tool.end()[0] == 6
    assert "released in" not in "".join(tool.said)


def test_a_task_that_comes_is_moved_off(start: Start, machine: Machine) -> None:
    tool = start(*sh(machine, "await"))
    tool.until("starts alone")
    machine.task(Task(40, "guest", 3, "0-3", born=900, parent=20))
    tool.until("1 task that came to the CPUs moved off")
    assert allowed(machine, 40) == "0-2"
    assert allowed(machine, tool.program) == "3"
    (machine.root / "go").touch()
    assert tool.end() == (0, "")
    assert allowed(machine, 40) == "0-3"


def test_a_cpu_that_goes_away_is_said_once(start: Start, machine: Machine) -> None:
    tool = start(*sh(machine, "await"))
    tool.until("starts alone")
    machine.write("/sys/devices/system/cpu/online", "0-2\n")
    tool.until("CPU 3 went offline while held")
    assert tool.line() == (
        "warning: CPU 3 was offline: a task that sets its own affinity meanwhile may keep only a part of it"
    )
    machine.write("/sys/devices/system/cpu/online", "0-3\n")
    (machine.root / "go").touch()
    assert tool.end()[0] == 0
    assert sum("offline" in line for line in tool.said) == 2


def test_others_hold_the_lock_for_a_while(start: Start, machine: Machine) -> None:
    folder = machine.root / "run/coreloom-exclusive"
    folder.mkdir(0o755)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.write("20\n")
        lock.flush()
        tool, other = start("--", "true"), start("--", "true")
        waiting = "waiting for pid 20 (server), which is setting up or releasing a reservation"
        tool.until(waiting)
        other.until(waiting)
        os.kill(other.process.pid, signal.SIGINT)
        assert (other.end(), other.said[1:]) == (
            (130, ""),
            [waiting, "ended by signal 2: all changes undone"],
        )
    assert tool.end() == (0, "")
    assert tool.said.count(waiting) == 1


def test_cpus_of_another_are_waited_for(start: Start, machine: Machine) -> None:
    machine.task(Task(100, "coreloom-exclus", 0, "0-3"))
    machine.layer(100, "3", "other", mechanism="affinity")
    machine.write("/proc/sys/kernel/random/boot_id", "c0de100d-c0de-100d-c0de-100dc0de100d\n")
    path = machine.root / _RUN[1:] / "100.layer"
    machine.mark(f"{_RUN}/100.layer")
    path.write_text(
        path.read_text().replace(
            "01234567-89ab-cdef-0123-456789abcdef", seen(machine, "/proc/sys/kernel/random/boot_id")
        )
    )
    machine.mark(f"{_RUN}/100.layer", 0, 1)
    refused = start("--", "true")
    assert refused.end()[0] == 1
    why = refused.said[-1].removeprefix("error: ")
    assert why.startswith("CPU 3 is")
    late = start("wait=0.3", "--", "true")
    assert late.end()[0] == 1
    assert late.said[-1] == f"error: {why}"
    tool = start("wait=60", "--", "true")
    tool.until("waiting for up to 60 s: ")
    assert tool.said[-1] == f"waiting for up to 60 s: {why}"
    machine.end()
    path.unlink()
    assert tool.end() == (0, "")


# Processes that run already


def test_a_process_that_runs_is_held_until_it_ends(start: Start, machine: Machine) -> None:
    before = state(machine)
    tool = start("pid=20")
    tool.until("process 20 (server) is alone on CPU 3")
    assert (allowed(machine, 20), allowed(machine, 30)) == ("3", "0-2")
    again = start("pid=20")
    assert again.end()[0] == 1
    assert again.said == [f"error: process 20 is already held by reservation {tool.process.pid}"]
    files = {path: path.read_text() for path in machine.root.glob("proc/20/**/*") if path.is_file()}
    for path in files:
        path.unlink()
    for folder in ("proc/20/task/20", "proc/20/task", "proc/20"):
        (machine.root / folder).rmdir()
    assert tool.end() == (0, "")
    assert state(machine) == {name: text for name, text in before.items() if not name.startswith("proc/20/")}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_one_signal_releases_a_process(start: Start, machine: Machine, number: int) -> None:
    before = state(machine)
    tool = start("pid=20")
    tool.until("process 20 (server) is alone on CPU 3")
    os.kill(tool.process.pid, number)
    assert tool.end() == (128 + number, "")
    assert tool.said[-1] == "the program (pid 20) keeps running"
    assert state(machine) == before


def test_max_ends_the_hold_of_a_process(start: Start, machine: Machine) -> None:
    before = state(machine)
    tool = start("pid=20", "max=0.05")
    assert tool.end() == (0, "")
    assert "--max has expired: the program (pid 20) keeps running" in tool.said
    assert state(machine) == before
