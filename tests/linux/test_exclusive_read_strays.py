# SPDX-License-Identifier: Apache-2.0
"""Other tasks that ran on a held CPU, from /proc and from a trace, on trees of files."""

from __future__ import annotations

from pathlib import Path

from linux.reading import read
from linux.tree import Machine, Task

_GROUP = "/coreloom-100"
_PROGRAM = [
    Task(200, "program", 3, "3", schedstat="1 1 1"),
    Task(200, "thread", 3, "3", tid=201, schedstat="1 1 1"),
    Task(202, "child", 3, "3", parent=200, schedstat="1 1 1"),
    Task(203, "grandchild", 3, "3", parent=202, schedstat="1 1 1"),
    Task(204, "daemon", 3, "3", schedstat="1 1 1", group=f"{_GROUP}/inner"),
    Task(205, "deep", 3, "3", schedstat="1 1 1", group=f"{_GROUP}/{'/'.join(['x' * 200] * 9)}"),
]
_INSTANCE = "/sys/kernel/tracing/instances/coreloom-100"
_STATS = "entries: 9\noverrun: {}\ncommit overrun: 0\nbytes: 1\ndropped events: 0\n"
_HEAD = "# tracer: nop\n#\n#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n"


def _machine(root: Path, *tasks: Task) -> Machine:
    machine = Machine(root, tasks=tasks)
    machine.make()
    machine.write("/proc/self/mounts", "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n")
    return machine


def _strays(root: Path, how: str = "proc", tid: int = 0) -> tuple[int, list[str], str]:
    status, out, err = read(root, "strays", how, str(tid))
    return status, out.splitlines(), err


def _grown(task: Task, times: int) -> Task:
    return Task(**{**task.__dict__, "schedstat": f"9 9 {times}"})


def test_tasks_that_got_the_cpu_meanwhile_are_strays(tmp_path: Path) -> None:
    fixed = Task(31, "ksoftirqd/3", 3, "3", kernel=True, fixed=True, schedstat="1 1 10")
    idle = Task(32, "migration/3", 3, "3", kernel=True, fixed=True, schedstat="1 1 20")
    there = Task(300, "a b", 3, "0-3", schedstat="1 1 30")
    gone = Task(301, "gone", 3, "0-3", schedstat="1 1 30")
    never = Task(302, "never", 0, "0-2", schedstat="1 1 30")
    reused = Task(303, "old", 3, "3", schedstat="1 1 30")
    _machine(tmp_path / "0", *_PROGRAM, fixed, idle, there, gone, never, reused)
    _machine(
        tmp_path / "1",
        *(_grown(task, 50) for task in _PROGRAM),
        _grown(fixed, 13),
        idle,
        _grown(there, 40),
        Task(301, "gone", 1, "0-3", schedstat="9 9 99"),
        _grown(never, 90),
        Task(303, "new", 3, "3", born=900, schedstat="9 9 7"),
        Task(33, "kworker/3:9", 3, "3", kernel=True, fixed=True, born=800, schedstat="9 9 2"),
    )
    expected = ["/proc, lost 0", "a b 300 10", "new 303 7", "ksoftirqd/3 31 kernel fixed 3"]
    assert _strays(tmp_path) == (0, [*expected, "kworker/3:9 33 kernel fixed 2"], "")


def test_a_partition_that_has_gone_has_let_all_in(tmp_path: Path) -> None:
    """systemd takes it away with its last process, before it is looked who was there."""
    fixed = Task(31, "ksoftirqd/3", 3, "3", kernel=True, fixed=True, schedstat="1 1 10")
    kept_out = Task(300, "kept out", 3, "0-2", schedstat="1 1 30")
    back = Task(300, "kept out", 3, "0-3", schedstat="9 9 35")
    _machine(tmp_path / "0", fixed, kept_out)
    machine = _machine(tmp_path / "1", _grown(fixed, 13), back)
    kernel = "ksoftirqd/3 31 kernel fixed 3"
    assert _strays(tmp_path, "partition") == (0, ["/proc, lost 0", kernel], "")
    (machine.root / "sys/fs/cgroup/coreloom-100").mkdir(parents=True)
    assert _strays(tmp_path, "partition") == (0, ["/proc, lost 0", "kept out 300 35", kernel], "")


def test_of_a_thread_the_others_of_its_process_are_strays(tmp_path: Path) -> None:
    _machine(tmp_path / "0", *_PROGRAM[:2])
    _machine(tmp_path / "1", *(_grown(task, 5) for task in _PROGRAM[:2]))
    assert _strays(tmp_path, tid=201) == (0, ["/proc, lost 0", "program 200 4"], "")


def test_without_schedstat_time_counts(tmp_path: Path) -> None:
    for at, used in enumerate((5, 9)):
        machine = _machine(tmp_path / str(at), Task(300, "other", 3, "3", used=used))
        machine.remove("/proc/300/schedstat")
    assert _strays(tmp_path) == (0, ["/proc, lost 0", "other 300 4"], "")


def _switch(name: str, tid: int) -> str:
    return (
        "          <idle>-0       [003] d..2.   100.000001: sched_switch: prev_comm=swapper/3 prev_pid=0 "
        f"prev_prio=120 prev_state=R ==> next_comm={name} next_pid={tid} next_prio=120\n"
    )


def _fork(name: str, tid: int, child: int) -> str:
    return (
        f"         {name}-{tid}     [003] .....   100.000002: sched_process_fork: comm={name} pid={tid} "
        f"child_comm={name} child_pid={child}\n"
    )


def _traced(root: Path, trace: str, lost: int = 0, tasks: tuple[Task, ...] = ()) -> None:
    for at in range(2):
        machine = _machine(root / str(at), *tasks)
        for name in (
            "buffer_size_kb",
            "per_cpu/cpu3/buffer_size_kb",
            "tracing_cpumask",
            "tracing_on",
            "events/sched/sched_switch/filter",
            "events/sched/sched_switch/enable",
            "events/sched/sched_process_fork/enable",
        ):
            machine.write(f"{_INSTANCE}/{name}", "\n")
        machine.write(f"{_INSTANCE}/trace", _HEAD + trace)
        machine.write(f"{_INSTANCE}/per_cpu/cpu3/stats", _STATS.format(lost))


def test_every_switch_to_another_task_is_counted(tmp_path: Path) -> None:
    trace = [
        _switch("program", 200),
        _fork("program", 200, 210),
        _fork("x child_pid=9", 210, 211),
        _switch("program", 210),
        _switch("sh", 211),
        _switch("kworker/3:1", 31),
        _switch("a next_pid=5", 900),
        _switch(" ==> next_comm=", 901),
        _switch("x\n: sched_switc", 902),
        _switch("b", 903).replace("swapper/3", "\n==> next_comm=").replace("prev_pid=0", "prev_pid=902"),
        _fork("y child_pid=7\n", 210, 212),
        _switch("y", 212),
        _switch("c", 900),
        _switch("kworker/3:1", 31),
        _switch("kworker/3:1", 31),
        _switch("daemon", 204),
        _switch("swapper/3", 0),
        _switch("short", 904).replace("swapper/3", "q"),
        _switch("empty", 905).replace("swapper/3", ""),
        "CPU:3 [LOST 5 EVENTS]\n sched_switch: broken\n : sched_switch: \n : sched_process_fork: pid=200\n",
    ]
    kworker = Task(31, "kworker/3:1", 3, "3", kernel=True, fixed=True)
    _traced(tmp_path, "".join(trace), tasks=(_PROGRAM[0], _PROGRAM[4], kworker))
    odd = [" ==> next_comm= 901 1", "x", ": sched_switc 902 1", "b 903 1", "short 904 1", "empty 905 1"]
    expected = ["sched_switch, lost 0", "kworker/3:1 31 kernel fixed 3", "c 900 2", *odd]
    assert _strays(tmp_path, "trace") == (0, expected, "")
    for name, text in (
        ("buffer_size_kb", "4"),
        ("per_cpu/cpu3/buffer_size_kb", "1024"),
        ("tracing_cpumask", "8"),
        ("events/sched/sched_switch/filter", "next_pid != 0"),
        ("events/sched/sched_switch/enable", "1"),
        ("events/sched/sched_process_fork/enable", "1"),
    ):
        assert (tmp_path / "0" / f"{_INSTANCE[1:]}/{name}").read_text() == text
    assert (tmp_path / "1" / f"{_INSTANCE[1:]}/tracing_on").read_text() == "0"


def test_of_a_trace_that_was_too_small_nobody_is_accused_who_may_be_the_programs(tmp_path: Path) -> None:
    trace = _switch("unknown", 900) + _switch("unknown", 900) + _switch("other", 300)
    _traced(tmp_path, trace, lost=40, tasks=(_PROGRAM[0], Task(300, "other", 3, "0-3")))
    assert _strays(tmp_path, "trace") == (0, ["sched_switch, lost 42", "other 300 1"], "")


def test_a_program_that_has_just_ended_is_traced_all_the_same(tmp_path: Path) -> None:
    _traced(tmp_path, _switch("other", 300) + _switch("program", 200))
    assert _strays(tmp_path, "trace") == (0, ["sched_switch, lost 0", "other 300 1"], "")


def test_without_tracefs_proc_is_read_and_said(tmp_path: Path) -> None:
    for at in range(2):
        _machine(tmp_path / str(at), Task(300, "other", 3, "3", schedstat=f"1 1 {at}"))
    assert _strays(tmp_path, "trace") == (
        0,
        ["/proc, lost 0", "other 300 1"],
        "coreloom exclusive: warning: cannot trace: tracefs is not mounted at /sys/kernel/tracing; "
        "strays are counted from /proc instead\n",
    )


def test_a_plan_prints_the_writes_of_a_trace(tmp_path: Path) -> None:
    machine = _machine(tmp_path / "0")
    _machine(tmp_path / "1")
    machine.write("/sys/kernel/tracing/instances/.keep", "")
    status, lines, err = _strays(tmp_path, "plan")
    assert (status, err) == (0, "")
    assert lines == [
        f"create {_INSTANCE}",
        f'write {_INSTANCE}/buffer_size_kb "4" (was "")',
        f'write {_INSTANCE}/per_cpu/cpu3/buffer_size_kb "1024" (was "")',
        f'write {_INSTANCE}/tracing_cpumask "8" (was "")',
        f'write {_INSTANCE}/events/sched/sched_switch/filter "next_pid != 0" (was "")',
        f'write {_INSTANCE}/events/sched/sched_process_fork/enable "1" (was "")',
        f'write {_INSTANCE}/events/sched/sched_switch/enable "1" (was "")',
        "nobody looked, lost 0",
    ]
    assert list((tmp_path / "0" / "sys/kernel/tracing/instances").iterdir()) == [
        tmp_path / "0" / "sys/kernel/tracing/instances/.keep"
    ]
