# SPDX-License-Identifier: Apache-2.0
"""Which CPUs `exclusive` takes, the reason it gives, and every refusal, on trees of files."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from linux.reading import read
from linux.tree import Machine, Task

_ALL = "0-3"
_AWAY = "moved off while it is held"
_WARNING = "coreloom exclusive: warning: "


def _choose(root: Path, *options: str) -> tuple[int, str, str]:
    return read(root, "choose", *options)


def _taken(why: str, cpus: str, use: str, rest: str) -> str:
    return f"{why}\ncpus {cpus}\nuse {use}\nrest {rest}\n"


def test_the_least_loaded_cpu_is_taken_and_the_reason_is_told(tmp_path: Path) -> None:
    machine = Machine(
        tmp_path,
        wait_s={1: 30, 3: 2},
        busy_s={1: 50, 2: 60, 3: 5},
        tasks=[
            Task(200, "a (b) c", 3, _ALL),
            Task(201, "one", 3, _ALL),
            Task(201, "two", 3, "2-3", tid=202),
            Task(203, "elsewhere", 1, _ALL),
            Task(300, "rcu_preempt", 3, _ALL, kernel=True),
            Task(301, "ksoftirqd/3", 3, "3", kernel=True, fixed=True),
        ],
        irqs={10: "3", 11: "0-1", 12: "3"},
    )
    why = "CPU 3: run-queue wait 2 %, 4 movable tasks, 0 pinned, 2 IRQs, lightest of the rest: CPU 0"
    root = machine.make()
    assert _choose(root, "share") == (0, _taken(why, "3", "3", "0-2"), "")
    # With a partition the kernel moves them, so only affinity knows where to.
    sent = why.replace("lightest of the rest: CPU", "others go to CPU")
    assert _choose(root, "share", "affinity") == (0, _taken(sent, "3", "3", "0-2"), "")


def test_managed_interrupts_are_counted_where_the_kernel_tells(tmp_path: Path) -> None:
    machine = Machine(tmp_path, irqs={10: "3", 11: "3", 12: "2"})
    root = machine.make()
    machine.write(
        "/sys/kernel/debug/irq/irqs/10", "handler:  handle_edge_irq\n            IRQD_AFFINITY_MANAGED\n"
    )
    machine.write("/sys/kernel/debug/irq/irqs/11", "handler:  handle_edge_irq\n")
    machine.write("/sys/kernel/debug/irq/irqs/12", "handler:  handle_edge_irq\n")
    why = (
        "CPU 2: run-queue wait 0 %, 0 movable tasks, 0 pinned, 0 managed IRQs, "
        "lightest of the rest: CPU 0-1, 3"
    )
    assert _choose(root) == (0, _taken(why, "2", "2", "0-1,3"), "")
    why = "CPU 3: run-queue wait 0 %, 0 movable tasks, 0 pinned, 1 managed IRQ, lightest of the rest: CPU 0-2"
    assert _choose(root, "cpus=3") == (0, _taken(why, "3", "3", "0-2"), "")


def test_a_pinned_task_weighs_more_than_load(tmp_path: Path) -> None:
    machine = Machine(
        tmp_path,
        cpus=3,
        wait_s={1: 80},
        busy_s={1: 90},
        tasks=[Task(200, "pinned", 2, "2"), Task(201, "moves", 1, "0-2")],
    )
    root = machine.make()
    why = "CPU 1: run-queue wait 80 %, 1 movable task, 0 pinned, 0 IRQs, lightest of the rest: CPU 0, 2"
    assert _choose(root) == (0, _taken(why, "1", "1", "0,2"), "")
    why = (
        "CPU 2: run-queue wait 0 %, 0 movable tasks, 1 pinned (pinned 200), 0 IRQs, "
        "lightest of the rest: CPU 0"
    )
    warning = _WARNING + f"CPU 2: 1 task of others is pinned to it: {_AWAY}\n"
    assert _choose(root, "cpus=2") == (0, _taken(why, "2", "2", "0-1"), warning)


def test_many_pinned_tasks_are_named_in_part(tmp_path: Path) -> None:
    tasks = [Task(200 + i, f"p{i}", 3, "2-3" if i else "3") for i in range(6)]
    why = (
        "CPU 2: run-queue wait 0 %, 0 movable tasks, 0 pinned, 0 IRQs; "
        "CPU 3: run-queue wait 0 %, 0 movable tasks, 6 pinned (p0 200, p1 201, p2 202, p3 203, and 2 more), "
        "0 IRQs, lightest of the rest: CPU 0-1"
    )
    warning = _WARNING + f"CPU 3: 6 tasks of others are pinned to it: {_AWAY}\n"
    answer = _choose(Machine(tmp_path, tasks=tasks).make(), "cpus=2-3")
    assert answer == (0, _taken(why, "2-3", "2-3", "0-1"), warning)


def test_of_many_cpus_the_reason_is_told_together(tmp_path: Path) -> None:
    tasks = [Task(200, "one", 3, "0-11"), Task(201, "pinned", 4, "4")]
    machine = Machine(tmp_path, cpus=12, tasks=tasks, wait_s={3: 5, 4: 6})
    why = (
        "CPU 2-10 together: run-queue wait 11 %, 1 movable task, 1 pinned (pinned 201), 0 IRQs, "
        "lightest of the rest: CPU 0-1, 11"
    )
    warning = _WARNING + f"CPU 2-10: 1 task of others is pinned to it: {_AWAY}\n"
    answer = _choose(machine.make(), "cpus=2-10")
    assert answer == (0, _taken(why, "2-10", "2-10", "0-1,11"), warning)


def test_the_program_and_the_tool_are_not_others(tmp_path: Path) -> None:
    tasks = [
        Task(100, "coreloom-exclus", 3, _ALL),
        Task(200, "target", 3, "3"),
        Task(200, "thread", 3, _ALL, tid=201),
    ]
    root = Machine(tmp_path, tasks=tasks).make()
    why = "CPU 3: run-queue wait 0 %, 0 movable tasks, 0 pinned, 0 IRQs, lightest of the rest: CPU 0-2"
    assert _choose(root, "pid=200") == (0, _taken(why, "3", "3", "0-2"), "")
    why = (
        "CPU 3: run-queue wait 0 %, 0 movable tasks, 1 pinned (target 200), 0 IRQs, "
        "lightest of the rest: CPU 0-2"
    )
    status, out, _ = _choose(root, "pid=200", "tid=201", "cpus=3")
    assert (status, out) == (0, _taken(why, "3", "3", "0-2"))


def test_siblings_are_held_and_stay_idle_unless_shared(tmp_path: Path) -> None:
    siblings = {0: "0,2", 1: "1,3", 2: "0,2", 3: "1,3"}
    root = Machine(tmp_path, siblings=siblings, busy_s={1: 40}).make()
    why = (
        "CPU 1: run-queue wait 0 %, 0 movable tasks, 0 pinned, 0 IRQs; "
        "CPU 3 (stays idle): run-queue wait 0 %, 0 movable tasks, 0 pinned, 0 IRQs, "
        "lightest of the rest: CPU 0, 2"
    )
    assert _choose(root) == (0, _taken(why, "1,3", "1", "0,2"), "")
    why = "CPU 3: run-queue wait 0 %, 0 movable tasks, 0 pinned, 0 IRQs, lightest of the rest: CPU 0, 2"
    assert _choose(root, "share") == (0, _taken(why, "3", "3", "0-2"), "")
    status, out, _ = _choose(root, "cpus=3")
    assert (status, out.split("\n", 1)[1]) == (0, "cpus 1,3\nuse 3\nrest 0,2\n")
    assert _choose(root, "cpus=2") == (
        1,
        "CPU 0 would have to stay idle as a sibling, but runs system work that cannot be moved: "
        "choose another, allow sharing with --smt share, or add --force\n",
        "",
    )


def test_several_are_taken_below_one_cache(tmp_path: Path) -> None:
    caches = {cpu: "0-2" if cpu < 3 else "3-5" for cpu in range(6)}
    root = Machine(tmp_path, cpus=6, caches=caches, busy_s={4: 30, 5: 30}).make()
    assert _choose(root)[1].endswith("cpus 3\nuse 3\nrest 0-2,4-5\n")
    assert _choose(root, "count=2")[1].endswith("cpus 1-2\nuse 1-2\nrest 0,3-5\n")
    assert _choose(root, "count=3")[1].endswith("cpus 3-5\nuse 3-5\nrest 0-2\n")
    assert _choose(root, "count=4")[1].endswith("cpus 1-3,5\nuse 1-3,5\nrest 0,4\n")


def test_cpu_0_is_taken_only_by_force_and_last(tmp_path: Path) -> None:
    root = Machine(tmp_path, cpus=3, busy_s={1: 90, 2: 90}).make()
    assert _choose(root, "force")[1].endswith("cpus 2\nuse 2\nrest 0-1\n")
    assert _choose(root, "force", "cpus=0")[1].endswith("cpus 0\nuse 0\nrest 1-2\n")


def test_a_boot_time_isolated_cpu_is_nobodys_destination(tmp_path: Path) -> None:
    machine = Machine(tmp_path, cpus=3)
    root = machine.make()
    machine.write("/sys/devices/system/cpu/isolated", "1\n")
    assert "lightest of the rest: CPU 0\n" in _choose(root, "cpus=2")[1]
    machine.write("/sys/devices/system/cpu/isolated", "0-1\n")
    said = "holding CPU 2 leaves none for others: leave at least one\n"
    assert _choose(root, "cpus=2") == (1, said, "")


@pytest.mark.parametrize(
    "cpus, options, text",
    [
        (4, ["cpus=9"], "CPU 9 does not exist or is offline: online CPUs are 0-3"),
        (4, ["cpus=0"], "CPU 0 runs system work that cannot be moved: choose another, or add --force"),
        (4, ["cpus=0-3", "force"], "holding CPU 0-3 leaves none for others: leave at least one"),
        (4, ["count=4", "force"], "holding CPU 0-3 leaves none for others: leave at least one"),
        (4, ["count=4"], "4 CPUs with their siblings requested, only 3 available; CPU 0 needs --force"),
        (4, ["count=9", "share", "force"], "9 CPUs requested, only 4 available"),
        (1, [], "only one CPU is online: at least two are needed"),
        (1, ["cpus=0", "force"], "only one CPU is online: at least two are needed"),
    ],
)
def test_refusals(tmp_path: Path, cpus: int, options: list[str], text: str) -> None:
    assert _choose(Machine(tmp_path, cpus=cpus).make(), *options) == (1, f"{text}\n", "")


def test_cpus_of_other_reservations_are_not_taken(tmp_path: Path) -> None:
    machine = Machine(tmp_path, tasks=[Task(300, "coreloom", 0, "0-1"), Task(400, "other", 0, "0-1")])
    root = machine.make()
    machine.layer(300, "3", "lame a.wav")
    why = "CPU 2: run-queue wait 0 %, 0 movable tasks, 0 pinned, 0 IRQs, lightest of the rest: CPU 0-1"
    assert _choose(root) == (0, _taken(why, "2", "2", "0-1"), "")
    said = "CPU 3 is held by pid 300 (lame a.wav): choose another\n"
    assert _choose(root, "cpus=2-3") == (1, said, "")
    said = (
        "3 CPUs with their siblings requested, only 2 available; CPU 0 needs --force; "
        "CPU 3 is held by pid 300 (lame a.wav)\n"
    )
    assert _choose(root, "count=3") == (1, said, "")
    said = "holding CPU 0-2 leaves none for others: leave at least one\n"
    assert _choose(root, "count=3", "force") == (1, said, "")
    machine.layer(400, "1-2", "ffmpeg")
    said = (
        "2 CPUs with their siblings requested, only 0 available; CPU 0 needs --force; "
        "CPU 3 is held by pid 300 (lame a.wav); CPU 1-2 is held by pid 400 (ffmpeg)\n"
    )
    assert _choose(root, "count=2") == (1, said, "")
    machine.layer(400, "3", "ffmpeg", alive=False)
    machine.remove("/run/coreloom-exclusive/300.layer")
    said = "CPU 3 was held by pid 400, which is gone (run coreloom exclusive restore): choose another\n"
    assert _choose(root, "cpus=3") == (1, said, "")


def test_a_sibling_held_by_another_reservation_is_told(tmp_path: Path) -> None:
    siblings = {0: "0-1", 1: "0-1", 2: "2-3", 3: "2-3"}
    machine = Machine(tmp_path, siblings=siblings, tasks=[Task(300, "coreloom", 0, "0-1")])
    root = machine.make()
    machine.layer(300, "3", "lame")
    said = "CPU 3 is held by pid 300 (lame): choose another, or allow sharing a core with --smt share\n"
    assert _choose(root, "cpus=2") == (1, said, "")
    assert _choose(root, "cpus=2", "share")[1].endswith("cpus 2\nuse 2\nrest 0-1\n")


def test_a_reservation_inside_another_is_refused(tmp_path: Path) -> None:
    tasks = [Task(100, "coreloom", 3, "3"), Task(200, "held", 3, "3"), Task(300, "coreloom", 0, "0-2")]
    machine = Machine(tmp_path, tasks=tasks)
    root = machine.make()
    machine.layer(300, "3", "bash")
    said = "started on CPU 3, which pid 300 holds: reservations cannot be nested\n"
    assert _choose(root) == (1, said, "")
    assert _choose(root, "pid=200") == (1, "task 200 is already held on CPU 3 by pid 300\n", "")


def test_without_run_queue_waits_the_busy_time_decides(tmp_path: Path) -> None:
    machine = Machine(tmp_path, cpus=3, busy_s={1: 20, 2: 30})
    root = machine.make()
    why = (
        "CPU 1: busy 20 % (this kernel does not record run-queue wait), 0 movable tasks, 0 pinned, 0 IRQs, "
        "lightest of the rest: CPU 0"
    )
    for text in (
        "version 17\ntimestamp 1\ncpu1 0 0 0 0 0 0 0 0 0\ncpu2 0 0 0 0 0 0 0 0 0\n",
        "version 12\ncpu1 1 2 3 4 5 6 7 8 9\n",
        "version 99\ncpu1 0 0 0 0 0 0 5 5 5 5\n",
        "rubbish",
        "",
    ):
        machine.write("/proc/schedstat", text)
        assert _choose(root) == (0, _taken(why, "1", "1", "0,2"), "")
    machine.remove("/proc/schedstat")
    assert _choose(root) == (0, _taken(why, "1", "1", "0,2"), "")


@pytest.mark.parametrize(
    "path, text, said",
    [
        ("/proc/stat", "rubbish", "the load cannot be read from /proc: Invalid argument"),
        ("/proc/stat", "cpu0 1 2\n", "the load cannot be read from /proc: Invalid argument"),
        ("/proc/200/task/200/stat", "200 (x", "the load cannot be read from /proc: Invalid argument"),
        (
            "/sys/devices/system/cpu/online",
            "0-x",
            "/sys/devices/system/cpu/online cannot be read: Invalid argument",
        ),
    ],
)
def test_damaged_files(tmp_path: Path, path: str, text: str, said: str) -> None:
    machine = Machine(tmp_path, tasks=[Task(200, "x", 1, _ALL)])
    root = machine.make()
    machine.write(path, text)
    assert _choose(root) == (1, f"{said}\n", "")


def test_the_load_is_that_of_the_sample(tmp_path: Path) -> None:
    """CPU 2 was busy before; in the sample it is CPU 1."""
    machine = Machine(tmp_path, cpus=3, busy_s={2: 90})
    root = machine.make()
    before = machine.stat()
    (root / "after").write_text(Machine(tmp_path, cpus=3, busy_s={1: 900, 2: 90}, uptime_s=1000).stat())
    machine.remove("/proc/stat")
    pipe = root / "proc" / "stat"
    os.mkfifo(pipe)

    def feed() -> None:
        with pipe.open("w") as file:  # the first read has begun: the second will find the other file
            (root / "after").replace(pipe)
            file.write(before)

    feeder = threading.Thread(target=feed)
    feeder.start()
    assert _choose(root, "sample=0.05")[1].endswith("cpus 2\nuse 2\nrest 0-1\n")
    feeder.join()
