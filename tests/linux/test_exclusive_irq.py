# SPDX-License-Identifier: Apache-2.0
"""Interrupts of held CPUs, and what irqbalance is told, on trees of files and a stand-in for irqbalance."""

from __future__ import annotations

import contextlib
import itertools
import os
import socket
import struct
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from coreloom.vm import qemu, systemd_image, vm
from linux import system
from linux.system import machine_of, stranger
from linux.tree import Machine, Task

_LISTS = {"0": "0-3", "1": "1-3", "9": "3", "24": "2-3", "25": "0-2", "30": "3"}
_ACTIONS = {"0": "timer", "1": "i8042", "9": "acpi", "24": "nvme0q3", "25": "eth0"}  # 30 has none


@pytest.fixture(scope="module")
def driver() -> Path:
    return system.driver("system")


@pytest.fixture
def root() -> Iterator[Path]:
    with machine_of([Task(pid, f"tool{pid}", 0, "0-3", born=0) for pid in (100, 101)]) as machine:
        machine.write("/proc/irq/default_smp_affinity", "f\n")
        machine.write("/proc/sys/kernel/watchdog_cpumask", "0-3\n")
        for irq, text in _LISTS.items():
            machine.write(f"/proc/irq/{irq}/smp_affinity_list", f"{text}\n")
        for irq, name in _ACTIONS.items():
            (machine.root / f"proc/irq/{irq}/{name}").mkdir()
        (machine.root / "run").mkdir()
        yield machine.root


def _call(driver: Path, root: Path, *words: str) -> tuple[int, str, list[str]]:
    done = subprocess.run([driver, root, *words], capture_output=True, text=True, timeout=60, check=False)
    said = [line.removeprefix("coreloom exclusive: ") for line in done.stderr.splitlines()]
    return done.returncode, done.stdout, said


@contextlib.contextmanager
def _alive(root: Path, number: int) -> Iterator[None]:
    """The reservation's tool, which the driver is no longer, lives."""
    machine = Machine(root)
    machine.mark(f"/run/coreloom-exclusive/{number}.layer", 0, 1)
    yield
    machine.end()


def _lists(root: Path) -> dict[str, str]:
    return {irq: (root / f"proc/irq/{irq}/smp_affinity_list").read_text().strip() for irq in _LISTS}


def _baseline(root: Path) -> list[str]:
    return (root / "run/coreloom-exclusive/baseline").read_text().splitlines()


def test_interrupts_leave_and_come_back(driver: Path, root: Path) -> None:
    before = _lists(root)
    assert _call(driver, root, "irqs", "3") == (0, "moved 4, managed 0\n", ["interrupts: 4 moved"])
    # One that may use no other CPU gets all the rest; one without a driver stays as it is.
    assert _lists(root) == {"0": "0-2", "1": "1-2", "9": "0-2", "24": "2", "25": "0-2", "30": "3"}
    assert (root / "proc/irq/default_smp_affinity").read_text() == "7"
    assert (root / "proc/sys/kernel/watchdog_cpumask").read_text() == "0-2"
    assert _call(driver, root, "restore") == (0, "done 6, already 0, foreign 0, failed 0\n", [])
    assert _lists(root) == before
    assert (root / "proc/irq/default_smp_affinity").read_text() == "f"
    assert (root / "proc/sys/kernel/watchdog_cpumask").read_text() == "0-3"


def test_a_plan_lists_the_writes_and_what_will_stay(driver: Path, root: Path) -> None:
    before = _lists(root)
    debugfs = root / "sys/kernel/debug/irq/irqs"
    debugfs.mkdir(parents=True)
    (debugfs / "24").write_text("handler:  handle_edge_irq\ndstate:   0x1\n    IRQD_AFFINITY_MANAGED\n")
    (debugfs / "9").write_text("handler:  handle_fasteoi_irq\n")
    assert _call(driver, root, "irqs", "3", "plan") == (
        0,
        'write /proc/irq/default_smp_affinity "7" (was "f")\n'
        'write /proc/sys/kernel/watchdog_cpumask "0-2" (was "0-3")\n'
        'write /proc/irq/0/smp_affinity_list "0-2" (was "0-3")\n'
        'write /proc/irq/1/smp_affinity_list "1-2" (was "1-3")\n'
        'write /proc/irq/9/smp_affinity_list "0-2" (was "3")\n'
        "moved 3, managed 1\n",
        ["interrupts: 3 to move, 1 managed by the kernel stay: 24 (nvme0q3)"],
    )
    assert _lists(root) == before
    assert not (root / "run/coreloom-exclusive").exists()


def test_one_that_stays_but_comes_to_another_cpu_is_not_counted(driver: Path, root: Path) -> None:
    debugfs = root / "sys/kernel/debug/irq/irqs"
    debugfs.mkdir(parents=True)
    (debugfs / "24").write_text("IRQD_AFFINITY_MANAGED\n")
    (root / "proc/irq/24/effective_affinity_list").write_text("2\n")
    code, out, said = _call(driver, root, "irqs", "3", "plan")
    assert (code, out.splitlines()[-1], said) == (0, "moved 3, managed 0", ["interrupts: 3 to move"])


def test_a_long_list_of_those_that_stay_is_cut(driver: Path, root: Path) -> None:
    debugfs = root / "sys/kernel/debug/irq/irqs"
    debugfs.mkdir(parents=True)
    for irq in range(100, 120):
        (root / f"proc/irq/{irq}/queue{irq}").mkdir(parents=True)
        (root / f"proc/irq/{irq}/smp_affinity_list").write_text("3\n")
        (debugfs / str(irq)).write_text("IRQD_AFFINITY_MANAGED\n")
    names = ", ".join(f"{irq} (queue{irq})" for irq in range(100, 106))
    assert _call(driver, root, "irqs", "3", "plan")[2] == [
        f"interrupts: 4 to move, 20 managed by the kernel stay: {names} and 14 more"
    ]


def test_reservations_end_in_any_order(driver: Path, root: Path) -> None:
    (root / "proc/irq/24/smp_affinity_list").write_text("0,3\n")
    before = _lists(root)
    _call(driver, root, "irqs", "3", "100")
    _call(driver, root, "irqs", "2", "101")
    assert _lists(root) == {"0": "0-1", "1": "1", "9": "0-1", "24": "0", "25": "0-1", "30": "3"}
    assert (root / "proc/irq/default_smp_affinity").read_text() == "3"
    with _alive(root, 101):
        _call(driver, root, "restore", "100")
    assert (root / "proc/irq/default_smp_affinity").read_text() == "b"
    assert _call(driver, root, "restore", "101")[2] == []
    assert _lists(root) == before
    assert (root / "proc/irq/default_smp_affinity").read_text() == "f"


def test_a_machine_without_interrupts_to_see(driver: Path, root: Path) -> None:
    for path in sorted((root / "proc/irq").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    (root / "proc/irq").rmdir()
    (root / "proc/sys/kernel/watchdog_cpumask").unlink()
    assert _call(driver, root, "irqs", "3") == (0, "moved 0, managed 0\n", [])


# --- irqbalance --------------------------------------------------------------------------------


@dataclass
class Irqbalance:
    """Answers as irqbalance does, from its documentation; `banned` is applied by apply(), as it sleeps."""

    path: Path | str  # "@name": an abstract one
    banned: str = "00000000"
    sleep: int = 10
    answers: bool = True
    _heard: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        if isinstance(self.path, Path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.path).replace("@", "\0"))
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        self.listener.listen()
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                one, _ = self.listener.accept()
            except OSError:
                return
            with one:
                data, control, _, _ = one.recvmsg(4096, socket.CMSG_SPACE(12))
                (level, kind, credentials), *_ = control
                assert (level, kind) == (socket.SOL_SOCKET, socket.SCM_CREDENTIALS)
                assert struct.unpack("3i", credentials)[0] > 0
                line = data.decode()
                if line == "setup" and self.answers:
                    one.sendall(
                        f"SLEEP {self.sleep} IRQ 5 LOAD 0 DIFF 0 CLASS 0 BANNED {self.banned}".encode()
                    )
                elif line != "setup":
                    self._heard.append(line)

    @property
    def told(self) -> list[str]:
        """All that it was told by now: a conversation of our own is served behind those before it."""
        with socket.socket(socket.AF_UNIX) as last:
            last.connect(str(self.path).replace("@", "\0"))
            last.sendall(b"setup")
            last.recv(4096)
        return self._heard


@pytest.fixture
def irqbalance(root: Path) -> Iterator[Irqbalance]:
    (root / "run/coreloom-exclusive").mkdir()
    one = Irqbalance(root / "run/irqbalance/irqbalance77.sock")
    yield one
    one.listener.close()


_SOCKET = "/run/irqbalance/irqbalance77.sock"


def test_irqbalance_is_told_first_and_told_the_old_again(
    driver: Path, root: Path, irqbalance: Irqbalance
) -> None:
    said = ["irqbalance keeps interrupts off CPU 3", "interrupts: 4 moved"]
    assert _call(driver, root, "irqs", "3")[::2] == (0, said)
    assert f"irqbalance\t{_SOCKET}\t\t3\tours" in _baseline(root)
    assert _call(driver, root, "restore") == (0, "done 7, already 0, foreign 0, failed 0\n", [])
    # An empty list would end irqbalance up to 1.9.4.
    assert irqbalance.told == ["settings cpus 3", "settings cpus NULL"]


def test_an_interrupt_that_irqbalance_moves_meanwhile_is_left(
    driver: Path, root: Path, irqbalance: Irqbalance
) -> None:
    _call(driver, root, "irqs", "3")
    (root / "proc/irq/24/smp_affinity_list").write_text("1\n")
    assert _call(driver, root, "restore") == (0, "done 6, already 1, foreign 0, failed 0\n", [])
    assert _lists(root)["24"] == "1"


def test_what_irqbalance_kept_free_before_stays(driver: Path, root: Path, irqbalance: Irqbalance) -> None:
    irqbalance.banned = "00000000,00000004"
    _call(driver, root, "irqs", "3")
    _call(driver, root, "restore")
    assert irqbalance.told == ["settings cpus 2-3", "settings cpus 2"]


def test_a_plan_only_asks_irqbalance(driver: Path, root: Path, irqbalance: Irqbalance) -> None:
    _, out, said = _call(driver, root, "irqs", "3", "plan")
    assert out.splitlines()[0] == "tell irqbalance to keep interrupts off CPU 3"
    assert (irqbalance.told, said) == ([], ["interrupts: 4 to move, except those managed by the kernel"])


def _wake_up(root: Path) -> None:
    """What the tool notes of irqbalance's sleep is over: what irqbalance answers counts again."""
    note = root / "run/coreloom-exclusive/irqbalance"
    who, _, cpus = note.read_text().split("\t")
    note.write_text(f"{who}\t0\t{cpus}")


def test_what_it_was_told_counts_while_it_sleeps(driver: Path, root: Path, irqbalance: Irqbalance) -> None:
    for number in range(3):  # one after the other, faster than irqbalance wakes up
        irqbalance.banned = "8" if number == 1 else "0"  # what it answers is from before
        _call(driver, root, "irqs", "3")
        _call(driver, root, "restore")
    assert irqbalance.told == ["settings cpus 3", "settings cpus NULL"] * 3
    _wake_up(root)
    irqbalance.banned = "0"
    assert _call(driver, root, "irqs", "3")[2][0] == "irqbalance keeps interrupts off CPU 3"
    _wake_up(root)
    irqbalance.banned = "9"  # somebody else has told it something meanwhile
    assert _call(driver, root, "restore") == (0, "done 7, already 0, foreign 0, failed 0\n", [])
    assert irqbalance.told[-2:] == ["settings cpus 3", "settings cpus 0"]


def test_irqbalance_of_two_reservations(driver: Path, root: Path, irqbalance: Irqbalance) -> None:
    _call(driver, root, "irqs", "3", "100")
    _call(driver, root, "irqs", "1-2", "101")
    with _alive(root, 101):
        _call(driver, root, "restore", "100")
    _call(driver, root, "restore", "101")
    assert irqbalance.told == [f"settings cpus {cpus}" for cpus in ("3", "1-3", "1-2", "NULL")]


def test_irqbalance_that_has_gone(driver: Path, root: Path, irqbalance: Irqbalance) -> None:
    _call(driver, root, "irqs", "3")
    irqbalance.listener.shutdown(socket.SHUT_RDWR)
    irqbalance.listener.close()
    assert _call(driver, root, "restore") == (0, "done 6, already 1, foreign 0, failed 0\n", [])
    assert _call(driver, root, "irqs", "3")[2] == ["interrupts: 4 moved"]  # a socket that nobody listens to


def test_irqbalance_that_answers_nonsense(driver: Path, root: Path, irqbalance: Irqbalance) -> None:
    irqbalance.answers = False
    assert _call(driver, root, "irqs", "3")[2] == [
        "warning: irqbalance does not listen (Protocol error) and may move interrupts back to CPU 3: "
        "set IRQBALANCE_BANNED_CPULIST=3",
        "interrupts: 4 moved",
    ]


def test_irqbalance_without_a_socket(driver: Path, root: Path) -> None:
    Machine(root).task(Task(55, "irqbalance", 0, "0-3"))
    assert _call(driver, root, "irqs", "3")[2] == [
        "warning: irqbalance (process 55) does not listen (no socket) and may move interrupts back to CPU 3: "
        "set IRQBALANCE_BANNED_CPULIST=3",
        "interrupts: 4 moved",
    ]


# --- what is not irqbalance, or is not well ----------------------------------------------------------


def _name() -> str:
    """An abstract one that no other test has."""
    return f"@irqbalance{os.getpid()}-{next(_NUMBERS)}.sock"


_NUMBERS = itertools.count()
_AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")


@_AS_ROOT
def test_a_socket_of_another_user_is_not_asked(driver: Path, root: Path) -> None:
    first, second = _name(), _name()
    unix = f"0000: 00000002 0 10000 1 1 7 {first}\n0000: 00000002 0 10000 1 1 8 {second}\n"
    Machine(root).write("/proc/net/unix", f"Num RefCount\n{unix}")
    not_asked = f"warning: socket {first} belongs to user 65534, not to irqbalance: ignored"
    with stranger(first, second):
        assert _call(driver, root, "irqs", "3") == (
            0, "moved 4, managed 0\n", [not_asked, "interrupts: 4 moved"]
        )  # fmt: skip
        assert not any("irqbalance" in line for line in _baseline(root))


@_AS_ROOT
def test_irqbalance_is_found_behind_others(driver: Path, root: Path, irqbalance: Irqbalance) -> None:
    """Interrupts of other devices come first, one of them as busy as can be."""
    (root / "run/irqbalance/irqbalance77.sock").rename(root / "real.sock")
    irqbalance.listener.close()
    name, real = _name(), _name()
    own = Irqbalance(real)
    lines = "".join(f"0000: 00000002 0 10000 1 1 7 {one}\n" for one in (name, real))
    Machine(root).write("/proc/net/unix", f"Num RefCount\n{lines}")
    with stranger(name), contextlib.ExitStack() as waiting:
        for _ in range(5):  # until its queue is full
            one = waiting.enter_context(socket.socket(socket.AF_UNIX))
            one.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                one.connect(name.replace("@", "\0"))
        said = _call(driver, root, "irqs", "3")[2]
        assert said == ["irqbalance keeps interrupts off CPU 3", "interrupts: 4 moved"]
        assert _call(driver, root, "restore")[0] == 0
    assert own.told == ["settings cpus 3", "settings cpus NULL"]


@_AS_ROOT
def test_another_user_who_takes_the_name_over(driver: Path, root: Path) -> None:
    name = _name()
    Machine(root).write("/proc/net/unix", f"Num RefCount\n0000: 00000002 0 10000 1 1 7 {name}\n")
    own = Irqbalance(name)
    _call(driver, root, "irqs", "3")
    assert own.told == ["settings cpus 3"]
    own.listener.shutdown(socket.SHUT_RDWR)
    own.listener.close()
    with stranger(name):
        assert _call(driver, root, "restore") == (
            0,
            "done 6, already 1, foreign 0, failed 0\n",
            [f"warning: socket {name} belongs to user 65534, not to irqbalance: ignored"],
        )


@_AS_ROOT
def test_a_file_of_another_user_is_no_socket_of_irqbalance(
    driver: Path, root: Path, irqbalance: Irqbalance
) -> None:
    path = root / "run/irqbalance/irqbalance77.sock"
    path.rename(root / "run/irqbalance/elsewhere")
    path.symlink_to("elsewhere")
    assert _call(driver, root, "irqs", "3")[2] == ["interrupts: 4 moved"]
    path.unlink()
    (root / "run/irqbalance/elsewhere").rename(path)
    os.chown(path, 65534, 65534)
    _call(driver, root, "restore")
    assert _call(driver, root, "irqs", "3")[2] == ["interrupts: 4 moved"]
    assert irqbalance.told == []


_TIMED_OUT = (
    "warning: irqbalance does not listen ({}) and may move interrupts back to CPU 3: "
    "set IRQBALANCE_BANNED_CPULIST=3"
)


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ("never", "Operation timed out"),
        ("slowly", "Operation timed out"),
        ("endlessly", "Message too large"),
    ],
)
def test_an_answer_without_an_end(driver: Path, root: Path, how: str, why: str) -> None:
    """Were there a limit for each byte alone, any of these would keep the tool, and its lock, for ever."""
    listener = socket.socket(socket.AF_UNIX)
    path = root / "run/irqbalance/irqbalance77.sock"
    path.parent.mkdir()
    listener.bind(str(path))
    listener.listen()
    ended = threading.Event()

    def serve() -> None:
        one, _ = listener.accept()
        with one, contextlib.suppress(OSError):
            while not ended.is_set():
                if how != "never":
                    one.send(b"S" * (1 if how == "slowly" else 4096))
                if how != "endlessly":
                    ended.wait(0.2)

    thread = threading.Thread(target=serve)
    thread.start()
    said = _call(driver, root, "irqs", "3")[2]
    ended.set()
    thread.join()
    listener.close()
    assert said == [_TIMED_OUT.format(why), "interrupts: 4 moved"]


# --- a guest, with a disk whose queues have interrupts that the kernel manages ----------------------

_SCRIPT = """
lists() { for i in /proc/irq/[0-9]*; do echo "${i##*/} $(cat $i/smp_affinity_list)"; done; }
until [ -e /sys/block/nvme0n1 ]; do sleep 0.1; done
lists >/out/before
driver "" irqs 3
lists >/out/held
driver "" restore
lists >/out/after
mkdir /run/irqbalance
irqbalance --foreground --interval=1 >/dev/null 2>&1 &
until [ -e /run/irqbalance/*.sock ]; do sleep 0.1; done
echo == irqbalance
driver "" irqs 3 2>&1 | grep -v ^moved
sleep 6
echo == it keeps to it
driver "" irqs 3 plan 2>&1 | grep irqbalance
driver "" restore | sed "s/[0-9][0-9]*/N/g"
sleep 6
echo == and is as before
driver "" irqs 3 plan 2>&1 | grep irqbalance
kill $!
"""


def _guest_lists(text: bytes) -> dict[str, str]:
    return dict(line.split() for line in text.decode().splitlines() if len(line.split()) == 2)


@pytest.mark.linux
@pytest.mark.nightly
def test_interrupts_of_a_guest(driver: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = qemu.arguments
    disk = ["-blockdev", "driver=null-co,node-name=disk,size=1048576,read-zeroes=on"]
    disk += ["-device", "nvme,serial=disk,drive=disk"]
    monkeypatch.setattr(qemu, "arguments", lambda machine: [*plain(machine), *disk])
    guest = systemd_image.guest({"/usr/bin/driver": driver}, ["irqbalance"])
    outcome = vm.run(guest, _SCRIPT, cgroup="none")
    before, held, after = (_guest_lists(outcome.files[name]) for name in ("before", "held", "after"))
    assert after == before
    managed = [irq for irq in before if before[irq] == held[irq] == "3"]
    assert len(managed) == 1  # the queue of CPU 3
    moved = [irq for irq in before if before[irq] != held[irq]]
    assert moved and all(held[irq] == "0-2" for irq in moved)
    lines = outcome.stdout.splitlines()
    queue = lines[0].rpartition("(")[2]
    assert lines == [
        f"coreloom exclusive: interrupts: {len(moved)} moved, 1 managed by the kernel stay: "
        f"{managed[0]} ({queue}",
        f"moved {len(moved)}, managed 1",
        f"done {len(moved) + 2}, already 0, foreign 0, failed 0",
        "== irqbalance",
        "coreloom exclusive: irqbalance keeps interrupts off CPU 3",
        lines[0],
        "== it keeps to it",
        "done N, already N, foreign N, failed N",
        "== and is as before",
        "tell irqbalance to keep interrupts off CPU 3",
    ]
    assert queue.startswith("nvme0q")
