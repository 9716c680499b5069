# SPDX-License-Identifier: Apache-2.0
"""The figures of [SMP]'s applications to reach, each with its bound (cycles on the standard core).

Those beside the paper are of buffered ports, those beside FreeRTOS of direct ones: it has no others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Any

from coreloom.benches.rivals import NAMES, better
from coreloom.benches.smp import bench as smp
from coreloom.design import platform
from coreloom.errors import UserError
from coreloom.jobs.job import Job, whole
from coreloom.report.figure import Figure
from coreloom.simulation.experiment import BUFFERED, DIRECT, WITH_PORTS, Experiment
from coreloom.simulation.harness import ready_queue
from coreloom.simulation.simulate import Kind, Options

# The headline: the paper has 947 cycles.
SWITCH = "voluntary switch, hardware kernel, 2 CPUs: mean (cycles; paper: 947)"


def port_access(cpus: int = 2) -> float:
    """Cycles that one non-blocking operation takes the standard core."""
    program = str(Path(__file__).with_name("port_access.c"))
    outcome = Experiment(program, platform.load("smp-standard", cpus)).run(b"", Options(max_cycles=1_000_000))
    marks = [event.value for event in outcome.result.events if event.kind == Kind.MARK]
    if outcome.result.exit_status != 0 or len(marks) != 2:
        raise UserError("the probe of the kernel port failed: run `make test-runtime`")
    return (marks[1] - marks[0]) / 16


def ready_queue_cycles() -> float:
    """Most cycles of putting a thread into the ready queue and taking it out, in the unit."""
    queue = _ready_queue()
    return float(max(queue[operation][1] for operation in ("push_back", "pop")))


def next_cycles() -> float:
    """Cycles of reading the next thread, in the unit."""
    return float(_ready_queue()["read_next"])


def _ready_queue() -> dict[str, Any]:
    size = platform.load("smp-standard").kernel
    return ready_queue.measure(ready_queue.Build.BITMAP, 3, size.threads, size.priorities, 50_000, seed=1)


def jobs() -> list[Job[float]]:
    """What the figures need besides the rows: in the order in which figures() takes it."""
    return [
        Job(text, whole(partial(_one, measure)))
        for text, measure in (
            ("the ready queue", ready_queue_cycles),
            ("the next thread of the ready queue", next_cycles),
            ("the kernel port", port_access),
        )
    ]


def _one(measure: Callable[[], float]) -> list[float]:
    return [measure()]


def figures(rows: Sequence[smp.Row], queue: float, next_thread: float, port: float) -> list[Figure]:
    """All figures, from the rows of `bench smp` and those of jobs()."""

    case = attrgetter("core", "app", "ports", "kernel", "cpus", "placement")

    def row(app: str, kernel: str, cpus: int, ports: str = BUFFERED) -> smp.Row:
        key = ("standard", app, ports, kernel, cpus, "dynamic")
        return next(r for r in rows if case(r) == key)

    def growth(app: str) -> float:
        return round(row(app, "hw", 2).done / row(app, "hw", 1).done, 2)

    def largest(kernel: str, cpus: int, of: str) -> float:
        return max(float(getattr(row(app, kernel, cpus), f"switch_cycles_{of}")) for app in apps)

    apps = WITH_PORTS
    hard = row("packets", "hw", 1, DIRECT)
    same = attrgetter("core", "app", "ports", "cpus")
    others = [r for r in rows if same(r) == same(hard) and r is not hard]
    rival = better(others, lambda r: r.done) or row("packets", "sw", 1, DIRECT)
    return [
        Figure(
            "ready-queue operation, in the unit (cycles)",
            queue,
            at_most=4,
        ),
        Figure("reading the next thread, in the unit (cycles)", next_thread, at_most=1, bound=1),
        Figure("kernel port access from the core (cycles)", port, at_most=4, bound=1),
        Figure(
            SWITCH,
            largest("hw", 2, "mean"),
            at_most=100,
            bound=smp.SWITCH_BOUND,
        ),
        Figure(
            "voluntary switch, hardware kernel, 2 CPUs: largest (cycles)",
            largest("hw", 2, "max"),
            at_most=100,
            bound=smp.SWITCH_BOUND,
        ),
        Figure(
            "voluntary switch, software kernel, 1 CPU: mean (cycles)",
            largest("sw", 1, "mean"),
            at_most=250,
            bound=smp.SWITCH_BOUND,
        ),
        Figure(
            f"packets, hardware kernel over the better rival ({NAMES[rival.kernel]}), 1 CPU, direct ports",
            round(hard.done / rival.done, 2),
            at_least=1.5,
            bound=round(smp.free_kernel(rival), 2),
        ),
        Figure(
            "pixels, hardware kernel, 2 CPUs dynamic over 1 (paper: 1.19)",
            growth("image"),
            at_least=1.8,
            bound=2,
        ),
        Figure(
            "packets, hardware kernel, 2 CPUs dynamic over 1 (paper: 1.43)",
            growth("packets"),
            at_least=1.8,
            bound=2,
        ),
        Figure(
            "speed of the simulation, 2 CPUs, on this machine (kcycle/s)",
            round(min(row(app, k, 2).sim_cycles_per_second for app in apps for k in ("hw", "sw")) / 1000),
            at_least=400,
            machine=True,
        ),
    ]
