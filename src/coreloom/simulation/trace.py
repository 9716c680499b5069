# SPDX-License-Identifier: Apache-2.0
"""Timeline of a run in the Chrome trace format, which Perfetto (ui.perfetto.dev) opens.

One process shows the CPUs (which thread each runs, when it idles), another the threads (where each runs), a
third the hardware threads, if there are any (when each runs, waits in the kernel, is stopped). If the run was
asked for it (modules), two more show the kernel's scheduling modules (when an operation of each CPU waits for
those of others, and when it is executed) and the Lock Unit (which address each CPU waits for, and holds).
One microsecond on the time axis is one cycle; in the scheduling model it is one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from coreloom.simulation.simulate import Event, Kind, ModuleState, UnitState

_CPUS, _THREADS, _UNITS, _MODULES, _LOCKS = 1, 2, 3, 4, 5
_IDLE = -1
_STATES = {UnitState.WAITS: "waiting", UnitState.STOPPED: "stopped"}
_DOES = {ModuleState.WAITS: "waits", ModuleState.EXECUTES: "operation", ModuleState.OTHER: "other"}
_LOCK = {Kind.LOCK_WAITS: "waits for", Kind.LOCK_HOLDS: "holds"}


class _Timeline:
    def __init__(self, cpus: int, units: Sequence[str]) -> None:
        self.records: list[dict[str, Any]] = []
        self.names: dict[int, str] = {0: "main"}
        # Per CPU: (what runs, since which cycle); CPU 0 starts with thread 0, the others with nothing.
        self.running: list[tuple[int, float] | None] = [(0, 0)] + [None] * (cpus - 1)
        # Per CPU: the thread it ran before it idled; it goes on in place unless another is switched to.
        self.waiting: list[int | None] = [None] * cpus
        # Per CPU: the thread of the next name, if not the one it runs; and the numbers of FreeRTOS's tasks.
        self.named: list[int | None] = [None] * cpus
        self.tasks: dict[int, int] = {}
        # Per hardware thread: its name, and (what it does, its thread, since which cycle).
        self.units = [f"{unit} (hardware thread {number})" for number, unit in enumerate(units)]
        self.doing = [(UnitState.ENDED, 0, 0)] * len(units)
        # Of scheduling modules and the Lock Unit, by process and row: what is shown, and since which cycle.
        self.shown: dict[tuple[int, int], tuple[str, int]] = {}

    def name(self, tid: int) -> str:
        return self.names.get(tid, f"thread {tid}")

    def slice(self, cpu: int, cycle: float) -> None:
        """Close what runs on `cpu`."""
        running = self.running[cpu]
        if running is None or cycle <= running[1]:
            return
        what, since = running
        common = {"ph": "X", "ts": since, "dur": cycle - since}
        tid: dict[str, Any] = {"thread": what} if what != _IDLE else {"idle": True}
        # By its name now: a later thread may have the same number.
        name = "idle" if what == _IDLE else self.name(what)
        self.records.append({"pid": _CPUS, "tid": cpu, "name": name, "args": tid, **common})
        if what != _IDLE:
            self.records.append(
                {"pid": _THREADS, "tid": what, "name": f"CPU {cpu}", "args": {"cpu": cpu}, **common}
            )

    def unit_slice(self, unit: int, cycle: int) -> None:
        """Close what hardware thread `unit` does."""
        state, what, since = self.doing[unit]
        if state == UnitState.ENDED or cycle <= since:
            return
        common = {"ph": "X", "ts": since, "dur": cycle - since}
        name = self.name(what) if state == UnitState.RUNS else _STATES[state]
        self.records.append({"pid": _UNITS, "tid": unit, "name": name, "args": {"thread": what}, **common})
        if state == UnitState.RUNS:
            where = {"name": self.units[unit], "args": {"unit": unit}}
            self.records.append({"pid": _THREADS, "tid": what, **where, **common})

    def unit(self, event: Event, name: str) -> None:
        """A hardware thread begins to do something."""
        state, tid = event.unit_state()
        self.unit_slice(event.cpu, event.cycle)
        if self.doing[event.cpu][0] == UnitState.ENDED:
            self.names[tid] = name  # it has no store to tell its name
        self.doing[event.cpu] = (state, tid, event.cycle)

    def _thread(self, cpu: int) -> int | None:
        running = self.running[cpu]
        return None if running is None or running[0] == _IDLE else running[0]

    def idle(self, cpu: int, cycle: int, begins: bool) -> None:
        """The CPU begins to idle, or goes on with the thread before that."""
        if begins:
            self.waiting[cpu] = self._thread(cpu)
            self.slice(cpu, cycle)
            self.running[cpu] = (_IDLE, cycle)
        elif (running := self.running[cpu]) is not None and running[0] == _IDLE:
            self.slice(cpu, cycle)
            before = self.waiting[cpu]
            self.running[cpu] = None if before is None else (before, cycle)

    def tell(self, cpu: int, text: str) -> None:
        """The name of the task that is new on this CPU, else of its thread."""
        if (new := self.named[cpu]) is not None:
            self.names[new], self.named[cpu] = text, None
        elif text and (thread := self._thread(cpu)) is not None:
            self.names[thread] = text

    def show(self, pid: int, tid: int, cycle: int, name: str | None) -> None:
        """Close what a row shows, and begin something else."""
        before = self.shown.pop((pid, tid), None)
        if before is not None and cycle > before[1]:
            text, since = before
            self.records.append(
                {"pid": pid, "tid": tid, "name": text, "ph": "X", "ts": since, "dur": cycle - since}
            )
        if name is not None:
            self.shown[pid, tid] = (name, cycle)


def chrome_trace(
    events: Iterable[Event], cpus: int, cycles: int, names: Iterable[str], units: Sequence[str] = ()
) -> str:
    """JSON text of the timeline.

    `names` has the text of each NAME event, in their order; `units` are the names of the hardware threads.
    """
    return _render(_timeline(events, cpus, cycles, names, units), cpus)


class Slice(NamedTuple):
    """A CPU's activity in the cycles [begin, end): it ran a thread, or idled (name is "")."""

    cpu: int
    begin: int
    end: int
    name: str


def slices(
    events: Iterable[Event], cpus: int, cycles: int, names: Iterable[str], units: Sequence[str] = ()
) -> list[Slice]:
    """The rows of the CPUs of a timeline, as chrome_trace's; in the order of their ends."""
    return [
        Slice(
            record["tid"],
            record["ts"],
            record["ts"] + record["dur"],
            "" if "idle" in record["args"] else record["name"],
        )
        for record in _timeline(events, cpus, cycles, names, units).records
        if record["pid"] == _CPUS and record["ph"] == "X"
    ]


def _timeline(
    events: Iterable[Event], cpus: int, cycles: int, names: Iterable[str], units: Sequence[str]
) -> _Timeline:
    timeline = _Timeline(cpus, units)
    texts = iter(names)
    for event in sorted(events, key=lambda e: e.cycle):
        cpu, cycle, kind = event.cpu, event.cycle, event.kind
        if kind == Kind.UNIT:
            timeline.unit(event, units[cpu])
        elif kind == Kind.MODULE:
            timeline.show(_MODULES, cpu, cycle, _DOES.get(ModuleState(event.value)))
        elif kind in (Kind.LOCK_WAITS, Kind.LOCK_HOLDS, Kind.LOCK_FREE):
            does = _LOCK.get(Kind(kind))
            timeline.show(_LOCKS, cpu, cycle, does and f"{does} 0x{event.value:08x}")
        elif kind == Kind.RUN:
            timeline.slice(cpu, cycle)
            timeline.running[cpu] = (timeline.tasks.get(event.value, event.value), cycle)
        elif kind == Kind.NEW:
            timeline.named[cpu] = timeline.tasks[event.value] = len(timeline.tasks) + 1
        elif kind == Kind.IDLE:
            timeline.idle(cpu, cycle, bool(event.value))
        elif kind == Kind.NAME:
            timeline.tell(cpu, next(texts))
        elif kind in (Kind.READY, Kind.MARK, Kind.TRAP):
            name = Kind(kind).name.lower()
            timeline.records.append(
                {"ph": "i", "s": "t", "pid": _CPUS, "tid": cpu, "ts": cycle, "name": name}
                | {"args": {"value": event.value}}
            )
    for cpu in range(cpus):
        timeline.slice(cpu, cycles)
    for unit in range(len(units)):
        timeline.unit_slice(unit, cycles)
    for pid, tid in list(timeline.shown):
        timeline.show(pid, tid, cycles, None)
    return timeline


def model_trace(runs: Iterable[tuple[int, int, float, float]], cpus: int, names: Sequence[str]) -> str:
    """JSON text of a timeline of the scheduling model: (CPU, thread, from, to in us) of each time it ran."""
    timeline = _Timeline(cpus, ())
    timeline.names = dict(enumerate(names))
    for cpu, thread, begin, end in runs:
        timeline.running[cpu] = (thread, begin)
        timeline.slice(cpu, end)
    return _render(timeline, cpus)


def _render(timeline: _Timeline, cpus: int) -> str:
    threads = {record["tid"] for record in timeline.records if record["pid"] == _THREADS}
    titles: list[tuple[int, int | None, str]] = [(_CPUS, None, "CPUs"), (_THREADS, None, "Threads")]
    titles += [(_CPUS, cpu, f"CPU {cpu}") for cpu in range(cpus)]
    titles += [(_THREADS, tid, f"{tid} {timeline.name(tid)}") for tid in sorted(threads)]
    if timeline.units:
        titles.append((_UNITS, None, "Hardware threads"))
    titles += [(_UNITS, unit, text) for unit, text in enumerate(timeline.units)]
    clients = [*(f"CPU {cpu}" for cpu in range(cpus)), *timeline.units]
    for pid, title in ((_MODULES, "Scheduling modules"), (_LOCKS, "Lock Unit")):
        if rows := sorted({record["tid"] for record in timeline.records if record["pid"] == pid}):
            titles += [(pid, None, title), *((pid, row, clients[row]) for row in rows)]
    head = [
        {
            "ph": "M",
            "pid": pid,
            "name": "process_name" if tid is None else "thread_name",
            "args": {"name": text},
        }
        | ({} if tid is None else {"tid": tid})
        for pid, tid, text in titles
    ]
    return json.dumps({"displayTimeUnit": "ns", "traceEvents": head + timeline.records}) + "\n"
