# SPDX-License-Identifier: Apache-2.0
"""Figures, timeline and tables from hand-made event logs."""

from __future__ import annotations

import json

from coreloom.simulation.measure import UnitTime, figures, spread
from coreloom.simulation.simulate import Event, Kind, UnitState
from coreloom.simulation.trace import chrome_trace


def test_switch_is_call_to_run_and_leaves_out_waiting() -> None:
    events = [
        Event(100, 0, Kind.READY, 0),
        Event(110, 0, Kind.CALL, 0),
        Event(170, 0, Kind.RUN, 3),  # 60 cycles
        Event(200, 0, Kind.CALL, 0),
        Event(210, 0, Kind.CALL, 0),  # the first call did not give way
        Event(290, 0, Kind.RUN, 4),  # 80 cycles
        Event(300, 0, Kind.CALL, 0),
        Event(310, 0, Kind.IDLE, 1),
        Event(350, 0, Kind.IDLE, 0),
        Event(360, 0, Kind.RUN, 3),  # waited: a switch, but not a cost
        Event(400, 0, Kind.TRAP, 0),
        Event(500, 0, Kind.RUN, 4),
        Event(510, 0, Kind.DONE, 5),
    ]
    found = figures(events, cpus=1, total=1000)
    assert found.voluntary == (60, 80)
    assert found.preempted == (100,)
    assert found.switches == 4
    assert found.idle == (40,)
    assert found.done == 5
    assert (found.start, found.end) == (100, 1000)


def test_a_switch_of_freertos_ends_when_the_task_has_its_registers() -> None:
    events = [
        Event(100, 0, Kind.READY, 0),
        Event(110, 0, Kind.CALL, 0),
        Event(170, 0, Kind.RUN, 0x40001000),  # chosen
        Event(190, 0, Kind.RESUMED, 0),  # 80 cycles
        Event(200, 0, Kind.CALL, 0),
        Event(
            250, 0, Kind.RUN, 0x40002000
        ),  # goes on where it was interrupted: how long that took is not known
        Event(300, 0, Kind.CALL, 0),
        Event(340, 0, Kind.RESUMED, 0),  # another switch's
        Event(350, 1, Kind.CALL, 0),
        Event(360, 1, Kind.RUN, 0x40003000),
        Event(365, 1, Kind.IDLE, 1),
        Event(395, 1, Kind.IDLE, 0),
        Event(400, 1, Kind.RESUMED, 0),  # waited
    ]
    found = figures(events, cpus=2, total=1000)
    assert found.voluntary == (80,)
    assert found.preempted == ()
    assert found.switches == 3
    assert found.idle == (0, 30)


def test_timeline_numbers_and_names_the_tasks_of_freertos() -> None:
    events = [
        Event(10, 0, Kind.NEW, 0x40001000),
        Event(11, 0, Kind.NAME, 0x40001030),
        Event(20, 0, Kind.NEW, 0x40002000),
        Event(21, 0, Kind.NAME, 0x40002030),
        Event(30, 0, Kind.RUN, 0x40002000),
        Event(50, 0, Kind.RUN, 0x40001000),
    ]
    trace = json.loads(chrome_trace(events, 1, 90, ["boss", "clerk"]))["traceEvents"]
    slices = [
        (r["name"], r["args"]["thread"], r["ts"], r["dur"]) for r in trace if r["ph"] == "X" and r["pid"] == 1
    ]
    assert slices == [("main", 0, 0, 30), ("clerk", 2, 30, 20), ("boss", 1, 50, 40)]


def test_window_starts_with_the_first_ready_and_clips() -> None:
    events = [
        Event(10, 0, Kind.DONE, 7),
        Event(20, 1, Kind.IDLE, 1),
        Event(100, 0, Kind.READY, 0),
        Event(150, 1, Kind.IDLE, 0),
        Event(199, 0, Kind.DONE, 1),
        Event(200, 0, Kind.DONE, 2),
        Event(180, 1, Kind.IDLE, 1),
    ]
    found = figures(events, cpus=2, total=900, window=100)
    assert found.done == 1
    assert found.idle == (0, 50 + 20)
    assert found.end == 200


def unit(cycle: int, number: int, state: UnitState, tid: int) -> Event:
    return Event(cycle, number, Kind.UNIT, state << 16 | tid)


UNIT_EVENTS = [
    unit(50, 1, UnitState.RUNS, 3),
    Event(100, 0, Kind.READY, 0),
    unit(120, 1, UnitState.WAITS, 3),
    unit(150, 1, UnitState.RUNS, 3),
    unit(155, 1, UnitState.STOPPED, 3),
    unit(165, 1, UnitState.RUNS, 3),
    unit(170, 1, UnitState.ENDED, 3),
    unit(190, 1, UnitState.RUNS, 4),
]


def test_hardware_threads_run_and_wait() -> None:
    assert figures(UNIT_EVENTS, cpus=1, total=300, window=100, units=2).units == (
        UnitTime(0, 0),
        UnitTime(20 + 5 + 5 + 10, 30 + 10),
    )


def test_timeline_has_rows_for_hardware_threads() -> None:
    trace = json.loads(chrome_trace(UNIT_EVENTS, 1, 300, [], ("crc32", "sort")))["traceEvents"]
    rows = {(r["pid"], r.get("tid")): r["args"]["name"] for r in trace if r["ph"] == "M"}
    assert rows[3, 0] == "crc32 (hardware thread 0)"
    assert rows[3, 1] == "sort (hardware thread 1)"
    assert rows[2, 3] == "3 sort"
    slices = [(r["pid"], r["tid"], r["name"], r["ts"], r["dur"]) for r in trace if r["ph"] == "X"]
    assert [found[2:] for found in slices if found[0] == 3] == [
        ("sort", 50, 70),
        ("waiting", 120, 30),
        ("sort", 150, 5),
        ("stopped", 155, 10),
        ("sort", 165, 5),
        ("sort", 190, 110),
    ]
    assert [found[1:] for found in slices if found[:2] == (2, 3)] == [
        (3, rows[3, 1], *when) for when in ((50, 70), (150, 5), (165, 5))
    ]


def test_spread() -> None:
    assert spread([3, 1, 5]) == (1, 3.0, 5)
    assert spread([]) == (None, None, None)


def test_timeline_has_a_slice_for_each_thread_and_cpu() -> None:
    events = [
        Event(5, 0, Kind.NAME, 0x4000_0000),
        Event(10, 0, Kind.RUN, 2),
        Event(30, 0, Kind.IDLE, 1),
        Event(40, 0, Kind.IDLE, 0),
    ]
    trace = json.loads(chrome_trace(events, 2, 100, ["boss"]))
    slices = [r for r in trace["traceEvents"] if r["ph"] == "X"]
    cpu = [(r["name"], r["ts"], r["dur"]) for r in slices if r["pid"] == 1]
    assert cpu == [("boss", 0, 10), ("thread 2", 10, 20), ("idle", 30, 10), ("thread 2", 40, 60)]
    thread = [(r["tid"], r["ts"], r["dur"]) for r in slices if r["pid"] == 2]
    assert thread == [(0, 0, 10), (2, 10, 20), (2, 40, 60)], "thread 2 went on in place after idling"


def test_slice_has_the_name_that_its_thread_had_then() -> None:
    events = [
        Event(10, 0, Kind.RUN, 2),
        Event(12, 0, Kind.NAME, 0x4000_0000),
        Event(30, 0, Kind.RUN, 0),
        Event(50, 0, Kind.RUN, 2),  # another thread with the same number
        Event(52, 0, Kind.NAME, 0x4000_0000),
        Event(60, 0, Kind.NAME, 0),  # of no text: keeps its name
    ]
    trace = json.loads(chrome_trace(events, 1, 100, ["first", "second", ""]))
    slices = [r for r in trace["traceEvents"] if r["ph"] == "X" and r["pid"] == 1]
    assert [r["name"] for r in slices] == ["main", "first", "main", "second"]
    assert {"2 second"} <= {r["args"]["name"] for r in trace["traceEvents"] if r["ph"] == "M"}
