# SPDX-License-Identifier: Apache-2.0
"""Traces of real threads: what they become on each format, and what is wrong with a line."""

from __future__ import annotations

from pathlib import Path

import pytest

from coreloom.errors import UserError
from coreloom.scheduling import traces
from coreloom.scheduling.simulate import run
from coreloom.scheduling.workload import Compute, Exit, Sleep, Thread

# The same on two CPUs, as each tool writes it: "work er" computes 2 ms, sleeps 3 ms, computes 1 + 2 ms with
# 0.5 ms of waiting in between, and ends; bash is new, computes 0.5 ms; "rt" (priority 49) runs from the
# beginning. perf.txt is in libtraceevent's layout; perf-ns.txt has nanoseconds, flags, some fields by name.
DATA = Path(__file__).parent / "data"
FTRACE = (DATA / "ftrace.txt").read_text().splitlines()

THREADS = (
    Thread(
        "work er-7",
        steps=(Compute(2000), Sleep(3000), Compute(3000), Exit()),
    ),
    Thread("rt-9", weight=88761, priority=49, realtime=True, steps=(Compute(1000), Exit())),
    Thread("bash-12", weight=335, priority=125, start_us=6000, steps=(Compute(500), Exit())),
)


@pytest.mark.parametrize("name", ["ftrace", "perf", "perf-ns"])
def test_threads_do_what_they_did(name: str) -> None:
    trace = traces.load(DATA / f"{name}.txt")
    assert trace.case.workload.name == name
    assert trace.case.workload.threads == THREADS
    assert (trace.cpus, trace.case.machine.cpus, trace.span_us) == (2, 2, 8500.0)
    assert (trace.skipped, trace.lost) == ({"irq_handler_entry": 1}, 0)
    assert trace.notes() == [
        "10 events of 3 threads on 2 CPUs in 0.009 s",
        "lines of other events are skipped: irq_handler_entry 1",
    ]


def test_trace_runs_on_another_machine() -> None:
    """On two CPUs nobody waits."""
    case = traces.read(FTRACE, "t.txt").case
    two = run(case.workload, case.machine, "ring", case.seconds)
    assert (two.alive, two.simulated_us) == (0, 8000.0)
    assert [row.service_us for row in two.threads] == [5000.0, 1000.0, 500.0]


@pytest.mark.parametrize(
    ("line", "lost"),
    [
        ("CPU:1 [LOST 4096 EVENTS]", 4096),
        ("  swapper     0 [001]   100.004000: PERF_RECORD_LOST lost 12", 12),
        ("Warning: Processed 88 events and lost 3 chunks!", 3),
    ],
)
def test_lost_events_are_told(line: str, lost: int) -> None:
    trace = traces.read([*FTRACE, line], "t.txt")
    assert trace.lost == lost
    assert trace.notes()[-1] == (
        f"{lost} events were lost while recording: what happened meanwhile is missing"
    )


def test_missing_switch_is_told() -> None:
    """a left CPU 0 without a record; b ran there since nobody knows when."""
    text = (
        "x [000] 1.000000: sched_switch: idle:0 [120] R ==> a:5 [120]",
        "x [000] 1.004000: sched_switch: b:6 [120] S ==> idle:0 [120]",
        "x [000] 1.005000: sched_waking: a:5 [120]",
        "x [000] 1.006000: sched_switch: idle:0 [120] R ==> a:5 [120]",
        "x [000] 1.007000: sched_switch: a:5 [120] X ==> idle:0 [120]",
    )
    trace = traces.read(text, "t.txt")
    assert [thread.steps for thread in trace.case.workload.threads] == [
        (Compute(0), Sleep(5000), Compute(1000), Exit()),
        (Compute(0), Exit()),
    ]
    assert trace.notes()[-1] == "1 switches are missing: what ran before them is left out"


def test_what_runs_at_the_end_is_cut_there() -> None:
    trace = traces.read(FTRACE[:-1], "t.txt")
    assert trace.case.workload.threads[0].steps == (Compute(2000), Sleep(3000), Compute(1000), Exit())


def test_number_that_is_used_again_is_another_thread() -> None:
    text = (
        "a-5 [000] d..2. 1.000000: sched_switch: a:5 [120] X ==> swapper:0 [120]",
        "a-5 [000] d..2. 1.001000: sched_wakeup_new: a:5 [130]",
        "a-5 [000] d..2. 1.002000: sched_switch: swapper:0 [120] R ==> a:5 [130]",
        "a-5 [000] d..2. 1.003000: sched_switch: a:5 [130] Z ==> swapper:0 [120]",
    )
    threads = traces.read(text, "t.txt").case.workload.threads
    assert [(thread.name, thread.weight, thread.steps) for thread in threads] == [
        ("a-5", 1024, (Compute(0), Exit())),
        ("a-5#2", 110, (Compute(1000), Exit())),
    ]


GOOD = FTRACE[7]


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("what is this", "is not a line of perf script or ftrace"),
        ("a-5 [000] d..2. 1: sched_switch: a:5 [9] X ==> b:0 [9]", "is not a line of perf script or ftrace"),
        ("a-5 [000] d..2. 100.1: sched_switch: a:5", "has a sched_switch that cannot be read"),
        ("a-5 [000] d..2. 100.1: sched_wakeup: pid=5", "has a sched_wakeup that cannot be read"),
        ("a-5 [000] d..2. 100.1: sched_waking: a:5 [140]", "has priority 140, it must be from 0 to 139"),
        ("a [000] 99.9: sched_waking: a:5 [120]", "is earlier than the line before: sort the trace by time"),
        ("a-5 [4096] d..2. 100.1: sched_waking: a:5 [120]", "has CPU 4096, there are at most 4096"),
    ],
)  # fmt: skip
def test_malformed_line_is_told_with_its_number(line: str, error: str) -> None:
    with pytest.raises(UserError) as found:
        traces.read(["# a comment", GOOD, line], "mine.txt")
    assert str(found.value) == f"trace mine.txt, line 3: {error}"


def test_trace_without_threads_is_told() -> None:
    with pytest.raises(UserError) as error:
        traces.read(["# only this", "x-1 [000] .... 1.0: other: 5"], "t.txt")
    assert str(error.value) == (
        "trace t.txt: no thread is in it: record sched_switch and sched_waking, for example with "
        "`perf sched record`, and give the text of `perf sched script`"
    )


def test_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError) as error:
        traces.load(tmp_path / "none.txt")
    assert str(error.value) == f"trace {tmp_path / 'none.txt'} cannot be read: No such file or directory"
