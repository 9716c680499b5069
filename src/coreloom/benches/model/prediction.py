# SPDX-License-Identifier: Apache-2.0
"""The two applications of [SMP] in the scheduling model: does it say what the SoC does?

The model is told the graph of the application, how long each thread computes for each message in turn, and
what a switch costs; all measured on the SoC, from leaving one service that may block to entering the next.
It is not told the throughput, the switches, or how long CPUs idle. A cycle is 1 us in the model.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any

from coreloom.benches import pool
from coreloom.benches.pool import Job
from coreloom.benches.smp import bench as smp
from coreloom.design.platform import Platform
from coreloom.errors import UserError
from coreloom.report.figure import Figure
from coreloom.scheduling.simulate import run
from coreloom.scheduling.workload import Compute, Costs, Machine, Receive, Send, Step, Thread, Workload
from coreloom.simulation.experiment import Experiment
from coreloom.simulation.measure import Figures
from coreloom.simulation.simulate import Event, Kind

_SLICE_TICKS = 10  # CL_SLICE_TICKS, of every thread on both kernels
_CORE = "standard"


@dataclass(frozen=True)
class Node:
    """A thread of an application: what it receives from and sends to, in turn, and where it is placed."""

    receive: tuple[str, ...]
    send: tuple[str, ...]
    cpu: int
    services: int = 2  # that may block, for each message


@dataclass(frozen=True)
class Graph:
    """An application as a graph of threads; apps/<name>/main.c has the same in C."""

    threads: dict[str, Node]
    first: tuple[str, int]  # the messages that main starts the work with
    ends: tuple[str, ...]  # the threads that finish a message
    bounded: bool  # may senders wait for room in a port?


GRAPHS = {
    "image": Graph(
        {
            "control": Node(("done",), ("request",), 0, services=1),
            "decoder": Node(("request",), ("decoded",), 0),
            "filter": Node(("decoded",), ("done",), 1),
        },
        first=("done", 8),
        ends=("filter",),
        bounded=False,
    ),
    "packets": Graph(
        {
            "packetizer": Node(("free",), ("decoder 0", "decoder 1"), 0),
            "decoder 0": Node(("decoder 0",), ("crc 0",), 0),
            "decoder 1": Node(("decoder 1",), ("crc 1",), 1),
            "crc 0": Node(("crc 0",), ("enqueue 0",), 0),
            "crc 1": Node(("crc 1",), ("enqueue 1",), 1),
            "enqueue": Node(("enqueue 0", "enqueue 1"), ("classifier",), 1),
            "classifier": Node(("classifier",), ("forward", "store", "discard"), 0),
            "forward": Node(("forward",), ("free",), 1),
            "store": Node(("store",), ("free",), 0),
            "discard": Node(("discard",), ("free",), 0),
        },
        first=("free", 16),
        ends=("forward", "store", "discard"),
        bounded=True,
    ),
}


@dataclass(frozen=True)
class Measured:
    """What the SoC did in the window, and what the model is told of it."""

    figures: Figures
    computes: dict[str, list[int]]  # by thread: cycles for each message
    switch_cycles: float

    def units(self, graph: Graph) -> float:
        """Units of work (pixels, packets) a finished message is worth."""
        return self.figures.done / sum(len(self.computes[end]) for end in graph.ends)


def services(events: Sequence[Event], names: Sequence[str], cpus: int, start: int) -> dict[str, list[int]]:
    """By thread: the cycles that it computed up to each service that may block, from cycle `start` on."""
    texts = iter(names)
    current: list[int | None] = [0] + [None] * (cpus - 1)
    since: list[int | None] = [0] + [None] * (cpus - 1)  # None: the CPU idles, or is on its way to a thread
    name: dict[int, str] = {0: "main"}
    computed: dict[int, int] = {}
    found: dict[int, list[int]] = {}
    for event in sorted(events, key=lambda event: event.cycle):
        cpu, thread, begin = event.cpu, current[event.cpu], since[event.cpu]
        if event.kind in (Kind.CALL, Kind.TRAP) and thread is not None:
            if begin is not None:
                computed[thread] = computed.get(thread, 0) + event.cycle - begin
            since[cpu] = event.cycle
            if event.kind == Kind.CALL:
                cycles = computed.pop(thread, 0)
                if event.cycle >= start:
                    found.setdefault(thread, []).append(cycles)
        elif event.kind == Kind.RUN:  # what went by since the last service was the switch
            current[cpu], since[cpu] = event.value, event.cycle
        elif event.kind == Kind.IDLE:  # after it the same thread goes on, unless another is switched to
            since[cpu] = None if event.value else event.cycle
        elif event.kind == Kind.NAME and thread is not None:
            name[thread] = next(texts)
    return {name[thread]: cycles for thread, cycles in found.items()}


def measure(experiment: Experiment, data: bytes, window: int) -> Measured:
    """Simulate the SoC."""
    outcome = experiment.run(data, window=window)
    if outcome.result.exit_status is not None:
        raise UserError(
            f"{experiment.app} used up its input before {window} cycles: choose a smaller --window"
        )
    result, figures = outcome.result, outcome.figures
    computed = services(result.events, result.names, experiment.platform.cpus, figures.start)
    messages = {}
    for thread, node in GRAPHS[experiment.app].threads.items():
        parts, n = computed[thread], node.services
        messages[thread] = [sum(parts[i : i + n]) for i in range(0, len(parts) - n + 1, n)]
    switches = figures.voluntary
    return Measured(figures, messages, sum(switches) / len(switches))


def spread_out(counts: Sequence[int]) -> list[int]:
    """Each index as often as its count says, evenly mixed."""
    total = sum(counts)
    behind = [0] * len(counts)
    order = []
    for _ in range(total):
        behind = [late + count for late, count in zip(behind, counts, strict=True)]
        turn = max(range(len(counts)), key=lambda index: behind[index])
        behind[turn] -= total
        order.append(turn)
    return order


def workload(app: str, computes: dict[str, list[int]], depth: int, placed: bool) -> Workload:
    """The application for the model; ports hold `depth` messages. placed: each thread on its CPU.

    computes: of each thread, how long it computes for each message in turn, over and over.
    """
    graph = GRAPHS[app]
    room = {port for node in graph.threads.values() for port in node.receive} if graph.bounded else set()

    def put(port: str) -> list[Step]:
        return [Receive(f"room {port}"), Send(port)] if port in room else [Send(port)]

    def get(port: str) -> list[Step]:
        return [Receive(port), Send(f"room {port}")] if port in room else [Receive(port)]

    threads = []
    for name, node in graph.threads.items():
        if all(port in computes for port in node.send):  # several ports: as often as they were used
            order = spread_out([len(computes[port]) for port in node.send])
        else:
            order = list(range(len(node.send)))
        steps: list[Step] = []
        for n, cycles in enumerate(computes[name]):
            steps += get(node.receive[n % len(node.receive)])
            steps.append(Compute(float(cycles)))
            steps += put(node.send[order[n % len(order)]])
        threads.append(Thread(name, cpu=node.cpu if placed else None, steps=tuple(steps)))
    port, count = graph.first
    begin: list[Step] = [Send(f"room {each}", depth) for each in sorted(room)]
    for _ in range(count):
        begin += put(port)
    main = Thread("main", cpu=0 if placed else None, steps=tuple(begin), times=1)
    return Workload(app, (main, *threads))


def messages(computes: Sequence[int], service: float) -> int:
    """How many messages a thread has finished that has computed for so long."""
    rounds, rest = divmod(service, sum(computes))
    return int(rounds) * len(computes) + bisect_right(list(accumulate(computes)), rest)


def predict(case: smp.Case, told: Measured, soc: Platform, window: int) -> dict[str, Any]:
    """What the model says of a case: work done, switches, idle cycles."""
    machine = Machine(
        cpus=case.cpus,
        slice_us=float(_SLICE_TICKS * soc.tick_cycles),
        costs=Costs(switch_us=told.switch_cycles),
    )
    graph = GRAPHS[case.app]
    placed = case.placement == "static"
    load = workload(case.app, told.computes, soc.kernel.port_depth, placed)
    outcome = run(load, machine, case.placement, window / 1e6)
    service = {thread.name: thread.service_us for thread in outcome.threads}
    finished = sum(messages(told.computes[end], service[end]) for end in graph.ends)
    return {
        "done": round(finished * told.units(graph)),
        "switches": outcome.switches,
        "idle_cycles": round(outcome.idle_share * case.cpus * window),
    }


def cases() -> list[smp.Case]:
    """What is predicted: both applications on the standard core."""
    return smp.cases((_CORE,))


@dataclass
class Told:
    """All that was measured: each case, and each machine with all threads on its CPU 0 (`alone`)."""

    cases: dict[smp.Case, Measured] = field(default_factory=dict)
    alone: dict[tuple[str, str, int], Measured] = field(default_factory=dict)  # by app, kernel, CPUs


def jobs(inputs: dict[str, bytes], window: int, told: Told) -> list[Job]:
    """The simulations of the SoC; what they find goes into `told`.

    One CPU alone has twice the time, so that it comes to all messages that two get through.
    """

    def of_case(case: smp.Case) -> Job:
        def one() -> list[pool.Row]:
            told.cases[case] = measure(case.experiment(), inputs[case.app], window)
            return []

        return Job(f"{_title(case)}, {case.placement}", pool.whole(one), window * case.cpus)

    def of_alone(case: smp.Case) -> Job:
        def one() -> list[pool.Row]:
            experiment = replace(case.experiment(), placement="static", defines={"APP_CPUS": 1})
            found = measure(experiment, inputs[case.app], 2 * window)
            told.alone[case.app, case.kernel, case.cpus] = found
            return []

        return Job(f"{_title(case)}, all threads on one", pool.whole(one), 2 * window * case.cpus)

    wanted = cases()
    machines = {(case.app, case.kernel, case.cpus): case for case in wanted}
    return [*map(of_case, wanted), *map(of_alone, machines.values())]


def _title(case: smp.Case) -> str:
    return f"{case.app}: {case.kernel} kernel, {case.cpus} CPU{'s' * (case.cpus > 1)}"


def rows(window: int, told: Told) -> list[dict[str, Any]]:
    """Measured beside predicted. times_of: where the model's computing times and its switch cost are from."""
    found = []
    for case in cases():
        soc = case.experiment().platform
        measured = told.cases[case].figures
        sources = {"one CPU": told.alone[case.app, case.kernel, case.cpus]}
        if case.cpus > 1:
            other = "static" if case.placement == "dynamic" else "dynamic"
            sources[other] = told.cases[replace(case, placement=other)]
        for of, source in sources.items():
            said = predict(case, source, soc, window)
            found.append(
                {
                    **{key: getattr(case, key) for key in ("app", "kernel", "cpus", "placement")},
                    "times_of": of,
                    "done": measured.done,
                    "predicted_done": said["done"],
                    "error_percent": round(100 * (said["done"] / measured.done - 1), 2),
                    "switches": measured.switches,
                    "predicted_switches": said["switches"],
                    "idle_cycles": sum(measured.idle),
                    "predicted_idle_cycles": said["idle_cycles"],
                    "switch_cycles": round(source.switch_cycles, 1),
                }
            )
    return found


def figures(rows: Sequence[dict[str, Any]]) -> list[Figure]:
    """What is to be reached: the largest error of each application, from the times of one CPU."""
    return [
        Figure(
            f"largest error of the predicted {unit}, times of one CPU (%)",
            max(
                abs(row["error_percent"])
                for row in rows
                if row["app"] == app and row["times_of"] == "one CPU"
            ),
            at_most=10,
        )
        for app, unit in (("image", "pixels"), ("packets", "packets"))
    ]
