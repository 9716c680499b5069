# SPDX-License-Identifier: Apache-2.0
"""Run a workload on a policy of policies/*.c in the discrete-event simulator (simulator/)."""

from __future__ import annotations

import contextlib
import json
import math
import struct
import subprocess
import tempfile
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coreloom.errors import UserError
from coreloom.files import check_target, write_atomically
from coreloom.scheduling.build import BASE_MARK, find
from coreloom.scheduling.workload import (
    WEIGHT_NICE_0,
    Compute,
    Exit,
    Lock,
    Machine,
    Receive,
    Send,
    Sleep,
    Step,
    Thread,
    Unlock,
    Workload,
    Yield,
)
from coreloom.simulation import trace

Progress = Callable[[float], None]  # called with the part that is done, 0 to 1

PERIODS = 100  # of gap_series_us
MAX_SECONDS = 1e6
_FOREVER = (1 << 64) - 1
_IDLE = (1 << 32) - 1
_BOUNDED = "dwrr"  # the policy whose gap is bounded: docs/decisions/0014


@dataclass(frozen=True)
class ThreadRow:
    """One thread's figures. Times in us; latency: from becoming runnable until it computes."""

    name: str
    kind: str  # name of its Thread
    weight: int
    service_us: float
    share: float  # of all service
    waiting_us: float  # runnable, but not running
    switches: int  # how often it was switched to
    migrations: int  # how often it ran on another CPU than before
    wakeups: int
    latency_mean_us: float
    latency_p50_us: float
    latency_p95_us: float
    latency_p99_us: float
    latency_max_us: float
    throughput: int  # times its steps ended


@dataclass(frozen=True)
class Outcome:
    """The outcome of one run."""

    workload: str
    policy: str
    cpus: int
    threads: tuple[ThreadRow, ...]
    simulated_us: float  # the time asked for, or until the last thread had ended
    alive: int  # threads that have not ended
    stuck: bool  # all of them wait for a lock or a port
    events: int  # decisions of the policy, see README.md
    switches: int
    migrations: int
    moved: int  # threads that the policy took from one CPU's queue to another's
    held: int  # dwrr: how often a CPU waited for the round of others
    idle_share: float  # of the CPUs' time
    idle_of_cpus: tuple[float, ...]  # of each one's
    lost_share: float  # of the CPUs' time: costs of switches, migrations and cold caches
    fairness: float  # Jain's index of service / weight: of the counted threads, of all if those are below two
    counted: int  # threads that the gap is of: runnable all the time, free to run anywhere
    gap_us: float  # largest difference of service / weight, for nice 0; see lag.h
    gap_exact: bool  # False: sampled, so a lower bound
    gap_series_us: tuple[float, ...]  # the largest in each of PERIODS parts of the time asked for
    gap_in_B: float
    bound_in_B: float | None  # None: this policy has none, or not for these threads
    latency_p50_us: float
    latency_p95_us: float
    latency_p99_us: float
    latency_max_us: float
    cpu_seconds: float  # that the simulation took
    events_per_s: float  # of them


def run(
    workload: Workload,
    machine: Machine,
    policy: str,
    seconds: float,
    seed: int = 1,
    *,
    timeline: Path | None = None,
    progress: Progress | None = None,
) -> Outcome:
    """Simulate `seconds` of the workload under a policy (a name, exclusive:BASE, or the path of a C file).

    The same seed gives the same run on every machine. timeline: a file for Perfetto. progress is called now
    and then. Raises UserError for what cannot be run.
    """
    if not 0 < seconds <= MAX_SECONDS:
        raise UserError(f"seconds must be above 0 and at most {MAX_SECONDS:g}, not {seconds:g}")
    if not 0 <= seed < 1 << 64:
        raise UserError(f"seed must be a whole number from 0 to 2^64 - 1, not {seed}")
    executable, policy = find(policy)
    workload.check(machine)
    if workload.reserve and not policy.startswith(BASE_MARK):
        raise UserError(
            f"workload '{workload.name}' reserves CPUs: choose policy {BASE_MARK}{policy}, not {policy}"
        )
    with contextlib.ExitStack() as stack:
        work = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="coreloom-")))
        (work / "input").write_bytes(_words(workload, machine, seconds, seed).tobytes())
        command = [str(executable), policy, str(work / "input")]
        if timeline is not None:
            check_target(timeline)
            command.append(str(work / "timeline"))
        found = _execute(command, policy, progress)
        if timeline is not None:
            names = [name for thread in workload.threads for name in thread.names()]
            runs = _runs((work / "timeline").read_bytes(), found["now"], full=found["timeline_full"])
            text = trace.model_trace(runs, machine.cpus, names)
            write_atomically(timeline, text.encode())
    return _outcome(workload, machine, policy, found)


# --- input ---------------------------------------------------------------------------------------


def _ns(us: float) -> int:
    return _FOREVER if us == math.inf else round(us * 1000)


def _between(us: float, spread: float) -> tuple[int, int]:
    if us == math.inf:
        return _FOREVER, _FOREVER
    return _ns(us * (1 - spread)), _ns(us * (1 + spread))


def counted(workload: Workload) -> list[bool]:
    """Of each kind: whether it is runnable from the beginning to the end, and free to run anywhere."""
    owners = {name for _, name in workload.reserve}
    return [
        thread.name not in owners
        and thread.cpu is None
        and thread.start_us == thread.gap_us == 0
        and thread.times is None
        and all(isinstance(step, (Compute, Yield, Send)) for step in thread.steps)
        for thread in workload.threads
    ]


class _Numbers:
    """Names of locks or ports, numbered as they come."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {}

    def __getitem__(self, name: str) -> int:
        return self.known.setdefault(name, len(self.known))


def _step_words(step: Step, locks: _Numbers, ports: _Numbers) -> tuple[int, int, int, int]:
    """The same as struct step of sim.h."""
    if isinstance(step, Compute):
        return (0, 0, *_between(step.us, step.spread))
    if isinstance(step, Sleep):
        if step.dist == "exponential":
            return (1, 1, _ns(step.us), 0)
        return (1, 0, *_between(step.us, step.spread))
    if isinstance(step, Lock):
        return (2, locks[step.name], 0, 0)
    if isinstance(step, Unlock):
        return (3, locks[step.name], 0, 0)
    if isinstance(step, Send):
        return (4, ports[step.port], step.count, 0)
    if isinstance(step, Receive):
        return (5, ports[step.port], 0, 0)
    return (7, 0, 0, 0) if isinstance(step, Exit) else (6, 0, 0, 0)


def _words(workload: Workload, machine: Machine, seconds: float, seed: int) -> array[int]:
    """The simulator's input: struct header of main.c, then kinds, steps and reservations."""
    locks, ports = _Numbers(), _Numbers()
    kinds, steps = array("Q"), array("Q")
    for thread, is_counted in zip(workload.threads, counted(workload), strict=True):
        home = _FOREVER if thread.cpu is None else thread.cpu
        kinds.extend((thread.count, thread.weight, thread.priority, home, thread.realtime))
        kinds.extend((_ns(thread.start_us), _ns(thread.gap_us), thread.times or 0))
        kinds.extend((len(steps) // 4, len(thread.steps), is_counted))
        for step in thread.steps:
            steps.extend(_step_words(step, locks, ports))
    first = {}
    at = 0
    for thread in workload.threads:
        first[thread.name] = at
        at += thread.count
    head = array("Q", (machine.cpus, _ns(seconds * 1e6), seed, _ns(machine.tick_us), _ns(machine.balance_us)))
    head.extend((_ns(machine.slice_us), _ns(machine.latency_us), _ns(machine.granularity_us)))
    head.extend((_ns(machine.stay_us), min(machine.realtime_cpus, machine.cpus), machine.latency_threads))
    costs = machine.costs
    head.extend((_ns(costs.switch_us), _ns(costs.migrate_us), _ns(costs.warm_us)))
    head.extend((len(workload.threads), len(steps) // 4, len(locks.known), len(ports.known)))
    head.extend((len(workload.reserve), PERIODS))
    reserve = array("Q", (word for cpu, name in workload.reserve for word in (cpu, first[name])))
    return head + kinds + steps + reserve


# --- the run -------------------------------------------------------------------------------------


def _execute(command: list[str], policy: str, progress: Progress | None) -> dict[str, Any]:
    said = ""
    with tempfile.TemporaryFile("w+") as stdout:
        process = subprocess.Popen(command, stdout=stdout, stderr=subprocess.PIPE, text=True)
        try:
            assert process.stderr is not None
            for line in process.stderr:
                if not line.startswith("progress "):
                    said = line.strip().removeprefix("error: ")
                elif progress:
                    progress(float(line.split()[1]))
            process.wait()
        finally:
            # No simulation is left running, even when the user interrupts.
            if process.poll() is None:
                process.kill()
                process.wait()
        if process.returncode:
            raise UserError(f"the simulation of {policy} failed: {said or f'status {process.returncode}'}")
        stdout.seek(0)
        found: dict[str, Any] = json.load(stdout)
    return found


def _runs(data: bytes, end: int, *, full: bool) -> Iterator[tuple[int, int, float, float]]:
    """(CPU, thread, from, to in us) of the simulator's records; what runs at the end is cut there."""
    since: dict[int, tuple[int, int]] = {}
    last = 0
    for last, word in struct.iter_unpack("=QQ", data):
        cpu, thread = word >> 32, word & _IDLE
        if cpu in since:
            was, begin = since[cpu]
            yield cpu, was, begin / 1000, last / 1000
        since[cpu] = (-1 if thread == _IDLE else thread, last)
    for cpu, (was, begin) in since.items():
        yield cpu, was, begin / 1000, (last if full else end) / 1000


def _jain(values: Sequence[float]) -> float:
    """1: all have the same; 1 / n: one has all."""
    squares = sum(value * value for value in values)
    return sum(values) ** 2 / (len(values) * squares) if squares else 1.0


def _rows(workload: Workload, found: dict[str, Any]) -> Iterable[ThreadRow]:
    service = found["service"] or 1
    threads = ((name, thread) for thread in workload.threads for name in thread.names())
    for (name, thread), row in zip(threads, found["threads"], strict=True):
        served, waiting, switches, migrations, wakeups, latencies, total, p50, p95, p99, most, done = row
        yield ThreadRow(
            name=name,
            kind=thread.name,
            weight=thread.weight,
            service_us=served / 1000,
            share=served / service,
            waiting_us=waiting / 1000,
            switches=switches,
            migrations=migrations,
            wakeups=wakeups,
            latency_mean_us=total / latencies / 1000 if latencies else 0.0,
            latency_p50_us=p50 / 1000,
            latency_p95_us=p95 / 1000,
            latency_p99_us=p99 / 1000,
            latency_max_us=most / 1000,
            throughput=done,
        )


def _bound(machine: Machine, policy: str, threads: Sequence[Thread], alone: bool) -> float | None:
    """Of the gap between these threads; alone: there are no others."""
    if policy.removeprefix(BASE_MARK) != _BOUNDED or not threads:
        return None
    weights = [thread.weight for thread in threads]
    total = sum(thread.weight * thread.count for thread in threads)
    if not alone and max(weights) * machine.cpus > total:
        return None  # feasibility changes as threads sleep, and the gap assumes one for all time
    lightest = min(weights)
    if lightest * machine.slice_us < machine.tick_us * WEIGHT_NICE_0:
        return None  # its slice is shorter than a tick
    return 2 + machine.tick_us / machine.slice_us * WEIGHT_NICE_0 / lightest


def _outcome(workload: Workload, machine: Machine, policy: str, found: dict[str, Any]) -> Outcome:
    rows = tuple(_rows(workload, found))
    marked = [thread for thread, mark in zip(workload.threads, counted(workload), strict=True) if mark]
    kinds = {thread.name for thread in marked}
    fair = [row.service_us / row.weight for row in rows if row.kind in kinds]
    if len(fair) < 2:
        fair = [row.service_us / row.weight for row in rows]
    capacity = found["now"] * machine.cpus or 1
    _, *latency, most = (ns / 1000 for ns in found["latency"])
    return Outcome(
        workload=workload.name,
        policy=policy,
        cpus=machine.cpus,
        threads=rows,
        simulated_us=found["now"] / 1000,
        alive=found["alive"],
        stuck=bool(found["stuck"]),
        events=found["decisions"],
        switches=found["switches"],
        migrations=found["migrations"],
        moved=found["moved"],
        held=found["held"],
        idle_share=found["idle"] / capacity,
        idle_of_cpus=tuple(idle / (found["now"] or 1) for idle in found["idle_of_cpus"]),
        lost_share=(found["now"] * machine.cpus - found["idle"] - found["service"]) / capacity,
        fairness=_jain(fair),
        counted=sum(thread.count for thread in marked),
        gap_us=found["gap"] / 1000,
        gap_exact=bool(found["gap_exact"]),
        gap_series_us=tuple(ns / 1000 for ns in found["gaps"]),
        gap_in_B=found["gap"] / 1000 / machine.slice_us,
        bound_in_B=_bound(machine, policy, marked, len(marked) == len(workload.threads)),
        latency_p50_us=latency[0],
        latency_p95_us=latency[1],
        latency_p99_us=latency[2],
        latency_max_us=most,
        cpu_seconds=found["seconds"],
        events_per_s=found["decisions"] / max(found["seconds"], 1e-9),
    )
