# SPDX-License-Identifier: Apache-2.0
"""Figures from a simulation's event log: work done, switches and what they cost, idle cycles.

The events are stores of the running program, and signals of the kernel unit and of hardware threads, each
with its cycle: see the trace port in rtl/soc/README.md. All counts are over a window of cycles after the
first READY.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from coreloom.simulation.simulate import Event, Kind, ModuleState, UnitState


class UnitTime(NamedTuple):
    """Cycles of a hardware thread with a thread; it waits in the kernel, or because a command stopped it."""

    ran: int
    waited: int


@dataclass(frozen=True)
class Figures:
    """Events in the window [start, end). Cycles; idle is per CPU."""

    start: int
    end: int
    done: int
    idle: tuple[int, ...]
    switches: int  # every change of thread: voluntary, preempted, after idling
    voluntary: tuple[int, ...]  # cycles of each voluntary switch without idling: service entry to new thread
    preempted: tuple[int, ...]  # cycles of each preemption: trap entry to new thread
    units: tuple[UnitTime, ...]  # of each hardware thread


def figures(
    events: Iterable[Event], cpus: int, total: int, window: int | None = None, units: int = 0
) -> Figures:
    """Evaluate a log of a run of `total` cycles; the window ends with the run or after `window` cycles.

    units: how many hardware threads there are.
    """
    ordered = sorted(events, key=lambda event: event.cycle)
    # FreeRTOS logs RUN before it loads registers: there a switch ends with RESUMED, if the thread logs that.
    resumes = any(event.kind == Kind.RESUMED for event in ordered)
    start = next((event.cycle for event in ordered if event.kind == Kind.READY), 0)
    end = total if window is None else min(total, start + window)
    done = switches = 0
    idle = [0] * cpus
    idle_since: list[int | None] = [None] * cpus
    entered: list[tuple[int, Kind] | None] = [None] * cpus
    chosen: list[tuple[int, Kind] | None] = [None] * cpus
    taken: dict[Kind, list[int]] = {Kind.CALL: [], Kind.TRAP: []}
    for event in ordered:
        if event.cycle >= end:
            break
        cpu, inside = event.cpu, event.cycle >= start
        if event.kind == Kind.DONE and inside:
            done += event.value
        elif event.kind in (Kind.CALL, Kind.TRAP):
            entered[cpu] = (event.cycle, Kind(event.kind))
            chosen[cpu] = None
        elif event.kind == Kind.RUN:
            switches += inside
            entry = entered[cpu]
            if resumes:
                chosen[cpu] = entry
            elif inside and entry is not None:
                taken[entry[1]].append(event.cycle - entry[0])
            entered[cpu] = None
        elif event.kind == Kind.RESUMED:
            entry = chosen[cpu]
            if inside and entry is not None:
                taken[entry[1]].append(event.cycle - entry[0])
            chosen[cpu] = None
        elif event.kind == Kind.IDLE:
            since = idle_since[cpu]
            if event.value:
                idle_since[cpu] = event.cycle
                entered[cpu] = chosen[cpu] = None  # a switch that waited for work says nothing of its cost
            elif since is not None:
                idle[cpu] += max(0, event.cycle - max(since, start))
                idle_since[cpu] = None
    for cpu, since in enumerate(idle_since):
        if since is not None:
            idle[cpu] += max(0, end - max(since, start))
    return Figures(
        start,
        end,
        done,
        tuple(idle),
        switches,
        tuple(taken[Kind.CALL]),
        tuple(taken[Kind.TRAP]),
        tuple(_unit_time(ordered, unit, start, end) for unit in range(units)),
    )


def _unit_time(ordered: Iterable[Event], unit: int, start: int, end: int) -> UnitTime:
    spent = dict.fromkeys(UnitState, 0)
    state, since = UnitState.ENDED, start
    for event in ordered:
        if event.kind == Kind.UNIT and event.cpu == unit and event.cycle < end:
            now = max(start, event.cycle)
            spent[state] += now - since
            state, since = event.unit_state()[0], now
    spent[state] += end - since
    return UnitTime(spent[UnitState.RUNS], spent[UnitState.WAITS] + spent[UnitState.STOPPED])


def waits(events: Iterable[Event], start: int, end: int) -> list[int]:
    """How many cycles each operation that the engine began in [start, end) had waited for other clients'.

    Of a run with modules.
    """
    found = []
    since: dict[int, int] = {}
    for event in events:
        if event.kind != Kind.MODULE:
            continue
        if event.value == ModuleState.WAITS:
            since[event.cpu] = event.cycle
        elif event.value == ModuleState.EXECUTES:
            began = since.pop(event.cpu, event.cycle)
            if start <= event.cycle < end:
                found.append(event.cycle - began)
    return found


def spread(values: Sequence[int]) -> tuple[int | None, float | None, int | None]:
    """(min, mean, max), each None without values."""
    if not values:
        return None, None, None
    return min(values), sum(values) / len(values), max(values)
