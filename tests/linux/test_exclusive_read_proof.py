# SPDX-License-Identifier: Apache-2.0
"""Counters of CPUs and programs, and the proof printed of them, on trees of files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from linux.reading import read
from linux.tree import Machine, Task

_INTERRUPTS = """\
            CPU0       CPU2       CPU3
   0:         22          0          0   IO-APIC   2-edge      timer
  24:          1          {a}          {b}   PCI-MSI 65536-edge      nvme0q1
 NMI:          9          1          1   Non-maskable interrupts
 LOC:       1000       {c}       {d}   Local timer interrupts
 CAL:         10          {e}          0   Function call interrupts
 ERR:          5
 MIS:          5
"""
_SOFTIRQS = """\
                    CPU0       CPU1       CPU2       CPU3
          HI:          1          1          {a}          0
       TIMER:          5          6          0          {b}
"""
_TABLE = """\
CPU 2-3                                 before        held
run-queue wait, % of a CPU                75.0         0.5
busy, % of a CPU                         120.0       100.0
context switches per second                0.0         0.0
device interrupts per second              15.0         0.0
IPIs per second                           50.0         0.3
timer interrupts per second              250.0       250.0
softirqs per second                       12.5         0.2
observed, s                                2.0        10.0
program: wall 10.250 s, CPU 10.000 s (wall/CPU 1.025), 1 involuntary switch, 12 voluntary
cleared in 4.2 ms
strays: 2 tasks (source: sched_switch)
  kworker/3:1 81, kernel, cannot be moved: 3 times
  a"\\\\x09b\\xffé 900: 1 time
  7 switches were lost: the trace buffer was full
the timer tick remains: only the boot parameter nohz_full=2-3 stops it
"""
_NOTHING = """\
CPU 3                                   before        held
run-queue wait, % of a CPU                   -           -
busy, % of a CPU                             -           -
context switches per second                  -           -
device interrupts per second                 -           -
IPIs per second                              -           -
timer interrupts per second                  -           -
softirqs per second                          -           -
observed, s                                  -           -
program: wall 0.000 s, CPU 0.000 s, 0 involuntary switches, 0 voluntary
cleared in 0.0 ms
strays: none (source: /proc)
"""


def _run(root: Path, *options: str) -> tuple[int, str]:
    status, out, err = read(root, *options)
    assert err == ""
    return status, out


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The machine before its CPUs 2 and 3 are held, 2 s later, then held, and 10 s later."""
    counts = [
        # wait, busy of CPU 2 and 3; interrupts; softirqs
        ((10, 10), (20, 20), {"a": 0, "b": 0, "c": 100, "d": 100, "e": 0}, {"a": 0, "b": 0}),
        ((11, 10.5), (21.4, 21), {"a": 10, "b": 20, "c": 400, "d": 300, "e": 100}, {"a": 20, "b": 5}),
        ((11, 10.5), (21.4, 21), {"a": 10, "b": 20, "c": 400, "d": 300, "e": 100}, {"a": 20, "b": 5}),
        ((11.05, 10.5), (21.4, 31), {"a": 10, "b": 20, "c": 400, "d": 2800, "e": 103}, {"a": 20, "b": 7}),
    ]
    for at, (wait, busy, interrupts, softirqs) in enumerate(counts):
        machine = Machine(
            tmp_path / str(at),
            uptime_s=(100, 102, 103, 113)[at],
            wait_s=dict(zip((2, 3), wait, strict=True)),
            busy_s=dict(zip((2, 3), busy, strict=True)),
        )
        machine.make()
        machine.write("/proc/interrupts", _INTERRUPTS.format(**interrupts))
        machine.write("/proc/softirqs", _SOFTIRQS.format(**softirqs))
    return tmp_path


def test_the_table(folder: Path) -> None:
    assert _run(folder, "proof") == (0, _TABLE)


def test_a_cpu_without_a_tick_needs_no_remark(folder: Path) -> None:
    """nohz_full as it is in the tree that was read last."""
    Machine(folder / "3").write("/sys/devices/system/cpu/nohz_full", "3\n")
    last = "the timer tick remains: only the boot parameter nohz_full=2 stops it\n"
    assert _run(folder, "proof")[1].endswith(last)
    Machine(folder / "3").write("/sys/devices/system/cpu/nohz_full", "2-3\n")
    assert "tick" not in _run(folder, "proof")[1]
    Machine(folder / "3").write("/sys/devices/system/cpu/nohz_full", "  (null)\n")
    assert _run(folder, "proof") == (0, _TABLE)


def test_the_json(folder: Path) -> None:
    status, text = _run(folder, "proof", "json")
    assert status == 0
    assert json.loads(text) == {
        "cpus": "2-3",
        "used": "3",
        "mechanism": "isolated",
        "cleared_ms": 4.2,
        "moved": {
            "tasks": 5,
            "kernel_threads": 2,
            "kernel_threads_stay": 8,
            "irqs": 3,
            "managed_irqs_stay": 1,
        },
        "before": {
            "seconds": 2.0,
            "run_queue_wait_percent": 75.0,
            "busy_percent": 120.0,
            "switches_per_s": 0.0,
            "device_interrupts_per_s": 15.0,
            "cpu_interrupts_per_s": 50.0,
            "timer_interrupts_per_s": 250.0,
            "softirqs_per_s": 12.5,
        },
        "held": {
            "seconds": 10.0,
            "run_queue_wait_percent": 0.5,
            "busy_percent": 100.0,
            "switches_per_s": 0.0,
            "device_interrupts_per_s": 0.0,
            "cpu_interrupts_per_s": 0.3,
            "timer_interrupts_per_s": 250.0,
            "softirqs_per_s": 0.2,
        },
        "program": {
            "wall_s": 10.25,
            "cpu_s": 10.0,
            "wall_over_cpu": 1.025,
            "involuntary_switches": 1,
            "voluntary_switches": 12,
        },
        "stray_source": "sched_switch",
        "switches_lost": 7,
        "strays": [
            {"name": "kworker/3:1", "tid": 81, "kernel": True, "fixed": True, "times": 3},
            {
                "name": 'a"\\\tb\N{REPLACEMENT CHARACTER}é',
                "tid": 900,
                "kernel": False,
                "fixed": False,
                "times": 1,
            },
        ],
    }


def test_what_is_not_known_is_not_printed_as_a_number(tmp_path: Path) -> None:
    assert _run(tmp_path, "nothing") == (0, _NOTHING)
    status, text = _run(tmp_path, "nothing", "json")
    made = json.loads(text)
    assert (status, made["mechanism"], made["strays"]) == (0, None, [])
    assert set(made["before"].values()) == set(made["held"].values()) == {None}
    assert made["program"]["wall_over_cpu"] is None


def test_a_kernel_without_run_queue_waits(folder: Path) -> None:
    for at in range(4):
        Machine(folder / str(at)).remove("/proc/schedstat")
    lines = _run(folder, "proof")[1].splitlines()
    assert lines[1:4] == [
        "run-queue wait, % of a CPU                   -           -",
        "busy, % of a CPU                         120.0       100.0",
        "context switches per second                  -           -",
    ]


@pytest.mark.parametrize("path", ["/proc/interrupts", "/proc/softirqs"])
@pytest.mark.parametrize("text", ["", "rubbish\n", "CPU0 CPUs x\n"])
def test_interrupts_that_cannot_be_read(folder: Path, path: str, text: str) -> None:
    Machine(folder / "0").write(path, text)
    status, out = _run(folder, "proof")
    assert (status, out.splitlines()[3:9]) == (
        0,
        [
            "context switches per second                0.0         0.0",
            "device interrupts per second                 -         0.0",
            "IPIs per second                              -         0.3",
            "timer interrupts per second                  -       250.0",
            "softirqs per second                          -         0.2",
            "observed, s                                2.0        10.0",
        ],
    )


@pytest.mark.parametrize("text", ["", "rubbish\n", "cpu0 1 2 3\n"])
def test_a_damaged_stat(folder: Path, text: str) -> None:
    Machine(folder / "0").write("/proc/stat", text)
    assert _run(folder, "proof") == (1, "Invalid argument\n")


def test_a_cpu_cannot_be_more_than_idle(folder: Path) -> None:
    """Clock ticks are coarse."""
    machine = Machine(folder / "1", busy_s={2: 20, 3: 20}, uptime_s=103)
    machine.write("/proc/stat", machine.stat())
    assert (
        _run(folder, "proof")[1].splitlines()[2]
        == "busy, % of a CPU                           0.0       100.0"
    )


def test_a_running_program_is_the_sum_of_its_threads(tmp_path: Path) -> None:
    first = Task(200, "a) (b", 3, "3", used=250, voluntary=5, involuntary=2, schedstat="1500000000 7 9")
    second = Task(200, "c", 3, "3", tid=201, voluntary=10, involuntary=20, schedstat="750000000 7 9")
    root = Machine(tmp_path, tasks=[first, second]).make()
    assert _run(root, "program", "200", "0") == (0, "2.500 15 22\n")
    assert _run(root, "program", "200", "201") == (0, "0.750 10 20\n")
    assert _run(root, "program", "900", "0") == (1, "No such process\n")
    assert _run(root, "program", "200", "900") == (1, "No such process\n")


def test_a_thread_without_nanoseconds_has_ticks(tmp_path: Path) -> None:
    """As in a kernel without CONFIG_SCHED_INFO, or one that keeps no such statistics."""
    tasks = [Task(200, "a", 3, "3", tid=tid, used=250, schedstat="0 0 0") for tid in (0, 201)]
    root = Machine(tmp_path, tasks=tasks).make()
    assert _run(root, "program", "200", "201") == (0, "2.500 0 0\n")
    Machine(root).remove("/proc/200/task/201/schedstat")
    assert _run(root, "program", "200", "201") == (0, "2.500 0 0\n")
    for text in ("", "201 (a\n", "201 (a) S 1\n"):
        Machine(root).write("/proc/200/task/201/stat", text)
        assert _run(root, "program", "200", "201") == (1, "Invalid argument\n")
