# SPDX-License-Identifier: Apache-2.0
"""`exclusive status` and `exclusive verify`, on trees of files."""

from __future__ import annotations

import fcntl
import json
import re
import signal
from pathlib import Path

import pytest

from linux.reading import read, start
from linux.tree import Machine, Task

_CGROUP = "/sys/fs/cgroup"
_GROUP = f"{_CGROUP}/coreloom-300"
_TASKS = [
    Task(100, "init", 0, "0-2"),
    Task(300, "coreloom-exclus", 0, "0-2"),
    Task(301, "coreloom-watch", 0, "0-2", parent=300),
    Task(302, "lame", 3, "3", parent=300, group="/coreloom-300", used=150, voluntary=4, involuntary=2),
    Task(303, "lame-child", 3, "3", parent=302, group="/coreloom-300"),
    Task(31, "ksoftirqd/3", 3, "3", kernel=True, fixed=True),
]
_QUEUES = "/sys/devices/virtual/workqueue/cpumask"
_INTERRUPTS = """\
            CPU0       CPU1       CPU2       CPU3
  24:          1          0          0          5   PCI-MSI 65536-edge      nvme0q1
 LOC:       1000          0          0       2000   Local timer interrupts
 CAL:         10          0          0         30   Function call interrupts
"""
_SOFTIRQS = "                    CPU0       CPU1       CPU2       CPU3\n          HI:   1   1   1   7\n"
_ENTRIES = [
    "note\tprogram\t302 500",
    "note\tuse\t3",
    "note\tbefore\t0.050 34.000 98.500 412.000 12.000 nan 250.000 40.125",
    f"group\t302\t500\t{_CGROUP}\t{_GROUP}",
    f"group\t900\t500\t{_CGROUP}\t{_GROUP}",
]


def _held(root: Path, *more: Task) -> Machine:
    machine = Machine(root, tasks=[*_TASKS, *more], busy_s={3: 50}, wait_s={3: 1.5})
    machine.make()
    machine.write("/proc/self/mounts", f"cgroup2 {_CGROUP} cgroup2 rw 0 0\n")
    machine.write("/proc/interrupts", _INTERRUPTS)
    machine.write("/proc/softirqs", _SOFTIRQS)
    machine.write("/proc/irq/24/smp_affinity_list", "0-2\n")
    machine.write("/proc/irq/25/smp_affinity_list", "2-3\n")
    machine.write(f"{_CGROUP}/cgroup.subtree_control", "cpu cpuset memory\n")
    machine.write(f"{_GROUP}/cpuset.cpus", "3\n")
    machine.write(f"{_GROUP}/cpuset.cpus.partition", "isolated\n")
    machine.layer(300, "3", 'lame "a b".wav', *_ENTRIES)
    machine.baseline(
        "3",
        f"controller\t{_CGROUP}/cgroup.subtree_control\toff\ton\tours",
        "cpus\t/proc/irq/24/smp_affinity_list\t0-3\t0-2\tours",
        "cpus\t/proc/irq/99/smp_affinity_list\t0-3\t0-2\tours",
        "cpus\t/proc/irq/25/smp_affinity_list\t2-3\t2-3\twas",
    )
    return machine


_STATUS = """\
id      CPUs    mechanism  for          state        involuntary  others  command
300     3       isolated   1 min        held                   2       0  lame "a b".wav

CPU     id         wait %   busy %  switches/s  devices/s     IPIs/s  timer/s  softirqs/s
3       300           0.0    100.0         0.0        0.0        0.0      0.0         0.0
before  300          34.0     98.5       412.0       12.0          -    250.0        40.1
"""


def test_status_of_nothing(tmp_path: Path) -> None:
    root = Machine(tmp_path).make()
    assert read(root, "status") == (0, "no CPU is held\n", "")
    status, text, err = read(root, "status", "json")
    assert (status, json.loads(text), err) == (0, {"reservations": [], "cpus": []}, "")


def test_status_as_a_table(tmp_path: Path) -> None:
    _held(tmp_path)
    assert read(tmp_path, "status") == (0, _STATUS, "")


def test_states(tmp_path: Path) -> None:
    tasks = [Task(100, "stranger", 2, "0-3"), Task(401, "coreloom", 0, "0")]
    machine = _held(tmp_path, *tasks)
    machine.layer(400, "1", "gone\x1b[2J", alive=False)
    machine.layer(401, "2", "new", mechanism="")
    machine.write("/run/coreloom-exclusive/402.layer", "rubbish")
    path = tmp_path / "run/coreloom-exclusive/400.layer"
    text = path.read_text().replace("\t400\t", "\t403\t").replace("0123-4567", "ffff-ffff")
    machine.write("/run/coreloom-exclusive/403.layer", text)
    status, out, err = read(tmp_path, "status")
    assert (status, err) == (0, "")
    assert out.splitlines()[:6] == [
        "id      CPUs    mechanism  for          state        involuntary  others  command",
        "/run/coreloom-exclusive/402.layer is damaged",
        '300     3       isolated   1 min        held                   2       1  lame "a b".wav',
        "400     1       isolated   1 min        tool gone              -       3  gone\\x1b[2J",
        "401     2       -          1 min        starting               -       -  new",
        "403     1       isolated   -            other boot             -       -  gone\\x1b[2J",
    ]


def test_status_as_json(tmp_path: Path) -> None:
    _held(tmp_path)
    status, text, err = read(tmp_path, "status", "json")
    made = json.loads(text)
    seconds = made["cpus"][0].pop("seconds")
    assert (status, err, seconds > 0.1) == (0, "", True)
    assert made == {
        "reservations": [
            {
                "id": 300,
                "state": "held",
                "cpus": "3",
                "used": "3",
                "mechanism": "isolated",
                "command": 'lame "a b".wav',
                "layer": "/run/coreloom-exclusive/300.layer",
                "seconds": 95.0,
                "others": 0,
                "program": {
                    "pid": 302,
                    "cpu_s": 1.5,
                    "involuntary_switches": 2,
                    "voluntary_switches": 4,
                },
                "before": {
                    "seconds": 0.05,
                    "run_queue_wait_percent": 34.0,
                    "busy_percent": 98.5,
                    "switches_per_s": 412.0,
                    "device_interrupts_per_s": 12.0,
                    "cpu_interrupts_per_s": None,
                    "timer_interrupts_per_s": 250.0,
                    "softirqs_per_s": 40.125,
                },
            }
        ],
        "cpus": [
            {
                "cpu": 3,
                "id": 300,
                "run_queue_wait_percent": 0.0,
                "busy_percent": 100.0,
                "switches_per_s": 0.0,
                "device_interrupts_per_s": 0.0,
                "cpu_interrupts_per_s": 0.0,
                "timer_interrupts_per_s": 0.0,
                "softirqs_per_s": 0.0,
            }
        ],
    }


_PROMETHEUS = """\
# HELP coreloom_exclusive_reservations Reservations by state.
# TYPE coreloom_exclusive_reservations gauge
coreloom_exclusive_reservations{state="starting"} 0
coreloom_exclusive_reservations{state="held"} 1
coreloom_exclusive_reservations{state="broken"} 0
coreloom_exclusive_reservations{state="tool gone"} 0
coreloom_exclusive_reservations{state="other boot"} 0
coreloom_exclusive_reservations{state="damaged"} 0
# HELP coreloom_exclusive_reservation_info A reservation: its CPUs, mechanism and command.
# TYPE coreloom_exclusive_reservation_info gauge
coreloom_exclusive_reservation_info{id="300",cpus="3",mechanism="isolated",command="lame \\"a b\\".wav"} 1
# HELP coreloom_exclusive_held_seconds Time since a reservation began.
# TYPE coreloom_exclusive_held_seconds gauge
coreloom_exclusive_held_seconds{id="300"} 95.00
# HELP coreloom_exclusive_foreign_tasks Movable tasks of others that may run on held CPUs.
# TYPE coreloom_exclusive_foreign_tasks gauge
coreloom_exclusive_foreign_tasks{id="300"} 0
# HELP coreloom_exclusive_program_cpu_seconds_total CPU time of the program.
# TYPE coreloom_exclusive_program_cpu_seconds_total counter
coreloom_exclusive_program_cpu_seconds_total{id="300"} 1.500
# HELP coreloom_exclusive_program_switches_total Context switches of the program's living threads.
# TYPE coreloom_exclusive_program_switches_total counter
coreloom_exclusive_program_switches_total{id="300",kind="involuntary"} 2
coreloom_exclusive_program_switches_total{id="300",kind="voluntary"} 4
# HELP coreloom_exclusive_cpu_run_queue_wait_seconds_total Time tasks waited for the CPU.
# TYPE coreloom_exclusive_cpu_run_queue_wait_seconds_total counter
coreloom_exclusive_cpu_run_queue_wait_seconds_total{cpu="3",id="300"} 1.5
# HELP coreloom_exclusive_cpu_idle_seconds_total Time the CPU was idle.
# TYPE coreloom_exclusive_cpu_idle_seconds_total counter
coreloom_exclusive_cpu_idle_seconds_total{cpu="3",id="300"} 50
# HELP coreloom_exclusive_cpu_switches_total Context switches to a task.
# TYPE coreloom_exclusive_cpu_switches_total counter
coreloom_exclusive_cpu_switches_total{cpu="3",id="300"} 40
# HELP coreloom_exclusive_cpu_device_interrupts_total Device interrupts.
# TYPE coreloom_exclusive_cpu_device_interrupts_total counter
coreloom_exclusive_cpu_device_interrupts_total{cpu="3",id="300"} 5
# HELP coreloom_exclusive_cpu_cpu_interrupts_total Inter-processor interrupts (IPIs).
# TYPE coreloom_exclusive_cpu_cpu_interrupts_total counter
coreloom_exclusive_cpu_cpu_interrupts_total{cpu="3",id="300"} 30
# HELP coreloom_exclusive_cpu_timer_interrupts_total Local timer interrupts.
# TYPE coreloom_exclusive_cpu_timer_interrupts_total counter
coreloom_exclusive_cpu_timer_interrupts_total{cpu="3",id="300"} 2000
# HELP coreloom_exclusive_cpu_softirqs_total Softirqs.
# TYPE coreloom_exclusive_cpu_softirqs_total counter
coreloom_exclusive_cpu_softirqs_total{cpu="3",id="300"} 7
# HELP coreloom_exclusive_before_run_queue_wait_ratio Average waiting tasks, before the CPUs were cleared.
# TYPE coreloom_exclusive_before_run_queue_wait_ratio gauge
coreloom_exclusive_before_run_queue_wait_ratio{id="300"} 0.34
# HELP coreloom_exclusive_before_busy_ratio Average busy CPUs, before the CPUs were cleared.
# TYPE coreloom_exclusive_before_busy_ratio gauge
coreloom_exclusive_before_busy_ratio{id="300"} 0.985
# HELP coreloom_exclusive_before_switches_per_second Context switches, before the CPUs were cleared.
# TYPE coreloom_exclusive_before_switches_per_second gauge
coreloom_exclusive_before_switches_per_second{id="300"} 412
# HELP coreloom_exclusive_before_device_interrupts_per_second Device interrupts, before the CPUs were cleared.
# TYPE coreloom_exclusive_before_device_interrupts_per_second gauge
coreloom_exclusive_before_device_interrupts_per_second{id="300"} 12
# HELP coreloom_exclusive_before_cpu_interrupts_per_second IPIs, before the CPUs were cleared.
# TYPE coreloom_exclusive_before_cpu_interrupts_per_second gauge
# HELP coreloom_exclusive_before_timer_interrupts_per_second Timer interrupts, before the CPUs were cleared.
# TYPE coreloom_exclusive_before_timer_interrupts_per_second gauge
coreloom_exclusive_before_timer_interrupts_per_second{id="300"} 250
# HELP coreloom_exclusive_before_softirqs_per_second Softirqs, before the CPUs were cleared.
# TYPE coreloom_exclusive_before_softirqs_per_second gauge
coreloom_exclusive_before_softirqs_per_second{id="300"} 40.125
"""


def test_status_for_prometheus(tmp_path: Path) -> None:
    machine = _held(tmp_path)
    assert read(tmp_path, "status", "prometheus") == (0, _PROMETHEUS, "")
    machine.remove("/proc/schedstat")
    kept = re.sub(r"coreloom_exclusive_cpu_(run_queue_wait_seconds|switches)_total\{.*\n", "", _PROMETHEUS)
    assert read(tmp_path, "status", "prometheus") == (0, kept, "")
    machine.remove("/proc/interrupts")
    kept = re.sub(r"coreloom_exclusive_cpu_(\w+_interrupts|softirqs)_total\{.*\n", "", kept)
    assert read(tmp_path, "status", "prometheus") == (0, kept, "")


def test_status_again_and_again(tmp_path: Path) -> None:
    _held(tmp_path)
    with start(tmp_path, "status", "table", "0.01") as status:
        assert status.stdout is not None
        text = "".join(status.stdout.readline() for _ in range(3 * (len(_STATUS.splitlines()) + 1)))
        status.kill()
    assert text == 3 * f"{_STATUS}\n"


def test_status_that_nobody_reads_on_ends(tmp_path: Path) -> None:
    _held(tmp_path)
    with start(tmp_path, "status", "table", "0.01") as status:
        assert status.stdout is not None
        status.stdout.readline()
        status.stdout.close()
        assert status.wait(60) in (1, -signal.SIGPIPE)


def test_status_that_cannot_be_read(tmp_path: Path) -> None:
    machine = _held(tmp_path)
    machine.write("/proc/stat", "rubbish\n")
    said = "coreloom exclusive: error: the reservations and counters cannot be read: Invalid argument\n"
    assert read(tmp_path, "status") == (1, "", said)


def test_verify_of_nothing(tmp_path: Path) -> None:
    machine = Machine(tmp_path, tasks=[Task(100, "init", 0, "0-3")])
    machine.make()
    assert read(tmp_path, "verify") == (0, "nothing is held, nothing is left over\n", "")


def test_verify_of_what_is_as_it_should_be(tmp_path: Path) -> None:
    _held(tmp_path)
    assert read(tmp_path, "verify") == (0, "1 reservation: no problems found\n", "")


@pytest.mark.parametrize(
    "path, text, finding",
    [
        (
            f"{_GROUP}/cpuset.cpus.partition",
            "isolated invalid (Cpu list in cpuset.cpus not exclusive)",
            f'{_GROUP}/cpuset.cpus.partition is "isolated invalid (Cpu list in cpuset.cpus not exclusive)", '
            'not "isolated"',
        ),
        (f"{_GROUP}/cpuset.cpus.effective", "2", f'{_GROUP}/cpuset.cpus.effective is "2": CPU 3 is missing'),
        (f"{_CGROUP}/cpuset.cpus.isolated", "", f'{_CGROUP}/cpuset.cpus.isolated is "": CPU 3 is missing'),
        (_QUEUES, "f", f'{_QUEUES} is "f": work of the kernel may run on CPU 3'),
        ("/proc/302/cgroup", "0::/other", f"task 302 is in {_CGROUP}/other, not in {_GROUP}"),
    ],
)
def test_findings_of_a_reservation(tmp_path: Path, path: str, text: str, finding: str) -> None:
    machine = _held(tmp_path)
    machine.write(path, f"{text}\n")
    status, out, err = read(tmp_path, "verify")
    assert (status, out.splitlines()[0], err) == (1, f"reservation 300: {finding}", "")


_NO_WATCHER = "it has no watcher: if the tool is killed, the next run, attach or restore undoes its changes"


@pytest.mark.parametrize(
    ("lives", "finding"),
    [
        ((0,), _NO_WATCHER),
        ((1,), "its tool is gone but its changes remain: run coreloom exclusive restore"),
        ((), "its tool is gone but its changes remain: run coreloom exclusive restore"),
    ],
    ids=["tool", "watcher", "nobody"],
)
def test_who_lives_is_told_by_locks(tmp_path: Path, lives: tuple[int, ...], finding: str) -> None:
    machine = _held(tmp_path)
    machine.mark("/run/coreloom-exclusive/300.layer", *lives)
    status, out, _ = read(tmp_path, "verify")
    assert (status, out.splitlines()[0]) == (1, f"reservation 300: {finding}")


def test_who_can_only_read_a_layer_does_not_live(tmp_path: Path) -> None:
    """Locks for reading and flock are open to all users, so they tell nothing."""
    machine = _held(tmp_path)
    path = "/run/coreloom-exclusive/300.layer"
    machine.mark(path)
    with (tmp_path / path[1:]).open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        fcntl.lockf(file, fcntl.LOCK_SH)
        _, out, _ = read(tmp_path, "verify")
    assert out.startswith("reservation 300: its tool is gone but its changes remain:")


@pytest.mark.parametrize(("name", "mask"), [("kworker/u8:1", "f"), ("kworker/u8:1", "7"), ("rcuog/0", "f")])
def test_a_worker_of_the_workqueues_is_a_finding(tmp_path: Path, name: str, mask: str) -> None:
    """The kernel refuses to move it. Once its queue may not use the CPU, it gets no more work there."""
    machine = _held(tmp_path, Task(20, name, 0, "0-3", kernel=True, fixed=True, parent=2))
    machine.write(_QUEUES, f"{mask}\n")
    found = "reservation 300: task 20 (kworker/u8:1) may run on CPU 3\n" in read(tmp_path, "verify")[1]
    assert found == (name.startswith("kworker/u") and mask == "f")


_IRQ = "/proc/irq/24/smp_affinity_list"


@pytest.mark.parametrize(
    "path, text, finding",
    [
        (_IRQ, "0-3", f'{_IRQ} is "0-3", but should be "0-2"'),
        (_IRQ, "x", f"{_IRQ} cannot be read: Invalid argument"),
        (
            f"{_CGROUP}/cgroup.subtree_control",
            "cpu cpusets",
            f'{_CGROUP}/cgroup.subtree_control no longer lists "cpuset"',
        ),
    ],
)
def test_a_value_that_is_not_what_it_should_be(tmp_path: Path, path: str, text: str, finding: str) -> None:
    machine = _held(tmp_path)
    machine.write(path, f"{text}\n")
    assert read(tmp_path, "verify") == (1, f"{finding}\n", "")


def test_what_somebody_else_has_changed_is_named_and_no_fault(tmp_path: Path) -> None:
    machine = _held(tmp_path)
    machine.write(_IRQ, "1\n")
    line = f'{_IRQ} is "1", but "0-2" was written: changed by others, kept\n'
    assert read(tmp_path, "verify") == (0, f"{line}1 reservation: no problems found\n", "")


@pytest.mark.parametrize("parts", [3, 30])
def test_the_program_in_a_deep_group(tmp_path: Path, parts: int) -> None:
    deep = "/".join(["x" * 200] * parts)
    machine = _held(tmp_path)
    machine.write("/proc/302/cgroup", f"0::/coreloom-300/{deep}\n")
    _, out, _ = read(tmp_path, "verify")
    too_deep = f"task 302 is in a cgroup nested too deeply to name: cannot tell whether it is in {_GROUP}"
    assert ("task 302" in out) == (too_deep in out) == (parts == 30)
    machine.write("/proc/302/cgroup", f"0::/{deep}\n")
    _, out, _ = read(tmp_path, "verify")
    assert (f"task 302 is in {_CGROUP}/{deep}, not in {_GROUP}" if parts == 3 else too_deep) in out


def test_a_damaged_line_is_a_finding(tmp_path: Path) -> None:
    machine = _held(tmp_path)
    machine.layer(300, "3", "lame", "rubbish", *_ENTRIES, "group\t12\tx\t/a\t/b")
    path = "/run/coreloom-exclusive/300.layer"
    lines = [f"line {number} of {path} cannot be read" for number in (3, len(_ENTRIES) + 4)]
    assert read(tmp_path, "verify") == (1, "".join(f"reservation 300: {line}\n" for line in lines), "")


def test_a_task_of_others_that_may_come_is_a_finding(tmp_path: Path) -> None:
    _held(tmp_path, Task(400, "a b", 1, "0-3"), Task(401, "kworker/u8:1", 1, "2-3", kernel=True))
    assert read(tmp_path, "verify") == (
        1,
        "reservation 300: task 400 (a b) may run on CPU 3\n"
        "reservation 300: task 401 (kworker/u8:1) may run on CPU 3\n",
        "",
    )


def test_layers_of_nobody_are_findings(tmp_path: Path) -> None:
    machine = Machine(tmp_path, tasks=[Task(100, "init", 0, "0-3")])
    machine.make()
    machine.layer(400, "1", "gone", alive=False)
    machine.write("/run/coreloom-exclusive/402.layer", "rubbish")
    path = tmp_path / "run/coreloom-exclusive/400.layer"
    machine.write("/run/coreloom-exclusive/403.layer", path.read_text().replace("0123-4567", "ffff-ffff"))
    lines = [
        "/run/coreloom-exclusive/402.layer is damaged: inspect it, then run coreloom exclusive restore",
        "reservation 400: its tool is gone but its changes remain: run coreloom exclusive restore",
        "reservation 400: it is from another boot: run coreloom exclusive restore to remove it",
    ]
    assert read(tmp_path, "verify") == (1, "".join(f"{line}\n" for line in lines), "")


def test_what_is_left_is_a_finding(tmp_path: Path) -> None:
    machine = _held(tmp_path, Task(501, "coreloom-watch", 0, "0-2", parent=1))  # any name may be taken
    for name in ("coreloom-400", "coreloom-400-idle", "coreloom_400.slice", "coreloom-x", "system.slice"):
        machine.write(f"{_CGROUP}/{name}/cgroup.procs", "")
    machine.write("/sys/kernel/tracing/instances/coreloom-400/trace", "")
    status, out, err = read(tmp_path, "verify")
    left = "is left over from a reservation that has ended"
    assert (status, err) == (1, "")
    assert sorted(out.splitlines()) == [
        f"group {_CGROUP}/coreloom-400 {left}",
        f"group {_CGROUP}/coreloom-400-idle {left}",
        f"group {_CGROUP}/coreloom_400.slice {left}",
        f"trace /sys/kernel/tracing/instances/coreloom-400 {left}",
    ]
