# SPDX-License-Identifier: Apache-2.0
"""The actions of real threads, from the text of `perf script`, `perf sched script` or ftrace: a workload.

Used are sched_switch, sched_waking, sched_wakeup and sched_wakeup_new, in the layout of the kernel's own
format strings (prev_comm=... ==> next_comm=...) and in that of libtraceevent (comm:pid [prio] S ==> ...).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from coreloom.errors import UserError
from coreloom.scheduling.case import Case
from coreloom.scheduling.workload import (
    MAX_CPUS,
    MAX_US,
    PRIORITIES,
    Compute,
    Exit,
    Machine,
    Sleep,
    Step,
    Thread,
    Workload,
    nice_weight,
)

# ftrace: "  comm-12  (  12) [003] d..2. 1.000001: sched_switch: ..."
# perf:   "comm 12/13 [003] 1.000001: sched:sched_switch: ..."
_EVENT = re.compile(
    r".*?\s\[(?P<cpu>\d+)\]\s+(?:\S+\s+)?(?P<s>\d+)\.(?P<frac>\d+):\s+(?P<event>[\w:.-]+?):(?:\s|$)"
)
_SWITCH = (
    re.compile(
        r"prev_comm=(.*) prev_pid=(\d+) prev_prio=(-?\d+) prev_state=(\S+) ==> "
        r"next_comm=(.*) next_pid=(\d+) next_prio=(-?\d+)"
    ),
    re.compile(r"(.*):(\d+) \[(-?\d+)\] (\S+) ==> (.*):(\d+) \[(-?\d+)\]"),
)
_WAKE = (
    re.compile(r"comm=(.*) pid=(\d+) prio=(-?\d+)\b"),
    re.compile(r"(.*):(\d+) \[(-?\d+)\]"),
)
_WAKES = ("sched_waking", "sched_wakeup", "sched_wakeup_new")
_LOST = re.compile(
    r"\[LOST (\d+) EVENTS\]|PERF_RECORD_LOST.*?\blost (\d+)|\blost (\d+) (?:events|chunks)", re.I
)
_CALL = re.compile(r"\s+[0-9a-f]+ .*\(.*\)\s*$")  # of a call chain below an event
_IDLE_PID = 0
_ENDED = "XZx"


@dataclass
class _Life:
    """One thread as it comes in the trace. Times in ns since the trace's first event."""

    name: str
    priority: int
    start: int
    steps: list[Step] = field(default_factory=list)
    computed: int = 0  # since it was last woken
    running: int | None = None  # since then
    blocked: int | None = None  # since then
    ended: bool = False

    def run(self, now: int) -> None:
        if self.blocked is not None:
            self.wake(now)  # its waking is not in the trace
        self.running = now

    def vanish(self) -> None:
        """It has left its CPU, nobody knows when."""
        if self.running is not None:
            self.block(self.running)
        self.running = None

    def stop(self, now: int) -> None:
        if self.running is not None:
            self.computed += now - self.running
        self.running = None

    def block(self, now: int) -> None:
        self.steps.append(Compute(self.computed / 1000))
        self.computed = 0
        self.blocked = now

    def wake(self, now: int) -> None:
        if self.blocked is not None:
            self.steps.append(Sleep((now - self.blocked) / 1000))
        self.blocked = None

    def thread(self) -> Thread:
        nice = self.priority - 120
        realtime = self.priority < 100
        return Thread(
            self.name,
            weight=nice_weight(-20 if realtime else nice),
            priority=self.priority,
            realtime=realtime,
            start_us=self.start / 1000,
            steps=(*self.steps, Exit()),
        )


@dataclass(frozen=True)
class Trace:
    """A trace as a workload, and what was not used of it."""

    case: Case
    cpus: int  # of the trace
    events: int
    skipped: dict[str, int]  # lines of other events
    lost: int  # events that the trace itself says are missing
    torn: int  # switches from another thread than the one that was switched to
    span_us: float

    def notes(self) -> list[str]:
        """Notes for a person."""
        count = self.case.workload.count
        notes = [
            f"{self.events} events of {count} thread{'s' * (count > 1)} on {self.cpus} "
            f"CPU{'s' * (self.cpus > 1)} in {self.span_us / 1e6:.3f} s"
        ]
        if self.skipped:
            most = ", ".join(f"{name} {n}" for name, n in Counter(self.skipped).most_common(3))
            more = ", ..." if len(self.skipped) > 3 else ""
            notes.append(f"lines of other events are skipped: {most}{more}")
        if self.lost:
            notes.append(f"{self.lost} events were lost while recording: what happened meanwhile is missing")
        if self.torn:
            notes.append(f"{self.torn} switches are missing: what ran before them is left out")
        return notes


class _Reader:
    def __init__(self) -> None:
        self.lives: dict[int, _Life] = {}
        self.all: list[_Life] = []
        self.names: Counter[str] = Counter()
        self.first: int | None = None
        self.now = 0
        self.cpus: set[int] = set()
        self.events = 0
        self.skipped: Counter[str] = Counter()
        self.lost = 0
        self.torn = 0
        self.current: dict[int, int] = {}  # by CPU: the thread's number

    def line(self, line: str) -> None:
        """Raises ValueError with what is wrong."""
        if not line.strip() or line.startswith("#") or _CALL.fullmatch(line):
            return
        lost = _LOST.search(line)
        if lost:
            self.lost += int(next(number for number in lost.groups() if number))
            return
        found = _EVENT.match(line)
        if not found:
            raise ValueError("is not a line of perf script or ftrace")
        event = found["event"].rpartition(":")[2]
        if event != "sched_switch" and event not in _WAKES:
            self.skipped[event] += 1
            return
        self._at(int(found["s"]) * 10**9 + int(found["frac"].ljust(9, "0")[:9]))
        cpu = int(found["cpu"])
        if cpu >= MAX_CPUS:
            raise ValueError(f"has CPU {cpu}, there are at most {MAX_CPUS}")
        self.cpus.add(cpu)
        self.events += 1
        rest = line[found.end() :].strip()
        if event == "sched_switch":
            self._switch(rest, cpu)
        else:
            self._wake(rest, event)

    def _at(self, time: int) -> None:
        if self.first is None:
            self.first = time
        if time - self.first < self.now:
            raise ValueError("is earlier than the line before: sort the trace by time")
        self.now = time - self.first
        if self.now > MAX_US * 1000:
            raise ValueError("is too long after the first event")

    def _life(self, comm: str, pid: int, priority: int) -> _Life:
        life = self.lives.get(pid)
        if life is None or life.ended:
            if not 0 <= priority < PRIORITIES:
                raise ValueError(f"has priority {priority}, it must be from 0 to {PRIORITIES - 1}")
            name = "".join(c if c.isprintable() else "?" for c in f"{comm}-{pid}")
            self.names[name] += 1
            if self.names[name] > 1:
                name += f"#{self.names[name]}"  # the number was used again
            life = self.lives[pid] = _Life(name, priority, self.now)
            self.all.append(life)
        return life

    def _switch(self, text: str, cpu: int) -> None:
        found = next((match for pattern in _SWITCH if (match := pattern.match(text))), None)
        if not found:
            raise ValueError("has a sched_switch that cannot be read")
        comm, pid, priority, state, next_comm, next_pid, next_priority = found.groups()
        before = self.current.get(cpu)
        if before not in (None, int(pid)):
            self.torn += 1
            if before in self.lives:
                self.lives[before].vanish()
        self.current[cpu] = int(next_pid)
        if int(pid) != _IDLE_PID:
            known = int(pid) in self.lives
            life = self._life(comm, int(pid), int(priority))
            if not known and before is None:  # it ran when the trace began
                life.start, life.running = 0, 0
            life.stop(self.now)
            if state[0] in _ENDED:
                life.block(self.now)
                life.ended = True
            elif state[0] != "R":
                life.block(self.now)
        if int(next_pid) != _IDLE_PID:
            self._life(next_comm, int(next_pid), int(next_priority)).run(self.now)

    def _wake(self, text: str, event: str) -> None:
        found = next((match for pattern in _WAKE if (match := pattern.match(text))), None)
        if not found:
            raise ValueError(f"has a {event} that cannot be read")
        comm, pid, priority = found.groups()
        if int(pid) != _IDLE_PID:
            self._life(comm, int(pid), int(priority)).wake(self.now)

    def threads(self) -> tuple[Thread, ...]:
        """A thread that still runs at the end has computed up to there."""
        for life in self.all:
            life.stop(self.now)
            if life.computed:
                life.block(self.now)
        return tuple(life.thread() for life in self.all)


def read(lines: Iterable[str], name: str) -> Trace:
    """The workload of a trace's lines; `name` is that of the file. UserError: one line with its number."""
    reader = _Reader()
    for number, line in enumerate(lines, 1):
        try:
            reader.line(line.rstrip("\n"))
        except ValueError as error:
            raise UserError(f"trace {name}, line {number}: {error}") from None
    if not reader.all:
        raise UserError(
            f"trace {name}: no thread is in it: record sched_switch and sched_waking, for example with "
            "`perf sched record`, and give the text of `perf sched script`"
        )
    threads = reader.threads()
    work = sum(step.us for t in threads for step in t.steps if isinstance(step, Compute))
    # Time enough on a single CPU, whatever switching costs.
    seconds = 10 * (reader.now / 1000 + work + 1) / 1e6
    machine = Machine(cpus=max(reader.cpus) + 1)
    return Trace(
        case=Case(Workload(Path(name).stem, threads), machine, seconds, f"trace {name}"),
        cpus=max(reader.cpus) + 1,
        events=reader.events,
        skipped=dict(reader.skipped),
        lost=reader.lost,
        torn=reader.torn,
        span_us=reader.now / 1000,
    )


def load(path: Path) -> Trace:
    """The trace in a file."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return read(file, path.name)
    except OSError as error:
        raise UserError(f"trace {path} cannot be read: {error.strerror}") from None
