# SPDX-License-Identifier: Apache-2.0
"""The two applications of [SMP] in the scheduling model: does it say what the SoC does?

The model is told the graph of the application, how long each thread computes for each message in turn, and
what a switch costs; all measured on the SoC, from leaving one service that may block to entering the next.
It is not told the throughput, the switches, or how long CPUs idle. A cycle is 1 us in the model.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

import msgspec

from coreloom.apps import APPS
from coreloom.benches.bench import Work
from coreloom.benches.smp import bench as smp
from coreloom.design.address_map import TICK_CYCLES
from coreloom.errors import UserError
from coreloom.jobs.job import Job, whole
from coreloom.report.figure import Figure
from coreloom.scheduling import simulate
from coreloom.scheduling.applications import GRAPHS, Graph, workload
from coreloom.scheduling.workload import Costs, Machine
from coreloom.simulation.experiment import DIRECT, Experiment
from coreloom.simulation.measure import Figures
from coreloom.simulation.simulate import Event, Kind, Options

ONE_CPU = "one CPU"  # a placement that only this bench has: all threads on CPU 0
_SLICE_TICKS = 10  # CL_SLICE_TICKS, of every thread on both kernels


def cases() -> list[smp.Case]:
    """What is predicted: both applications on the standard core, with messages that are visible at once."""
    return smp.cases(("standard",), kinds=(DIRECT,))


def sources(case: smp.Case) -> list[smp.Case]:
    """Where the times that the model is told of a case come from: one CPU alone, the other placement."""
    other = "static" if case.placement == "dynamic" else "dynamic"
    return [replace(case, placement=of) for of in ((ONE_CPU, other) if case.cpus > 1 else (ONE_CPU,))]


# --- what the SoC does -------------------------------------------------------------------------


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
    outcome = experiment.run(data, Options(window=window))
    if outcome.result.exit_status is not None:
        raise UserError(
            f"{experiment.name} used up its input before {window} cycles: choose a smaller --window"
        )
    result, figures = outcome.result, outcome.figures
    computed = services(result.events, result.names, experiment.platform.cpus, figures.start)
    messages = {}
    for thread, node in GRAPHS[experiment.name].threads.items():
        parts, n = computed[thread], node.services
        messages[thread] = [sum(parts[i : i + n]) for i in range(0, len(parts) - n + 1, n)]
    switches = figures.voluntary
    return Measured(figures, messages, sum(switches) / len(switches))


def _job(case: smp.Case, data: bytes, window: int) -> Job[Measured]:
    """One CPU alone has twice the time, so that it comes to all messages that two get through."""
    text = f"{case.app}: {case.kernel} kernel, {case.cpus} CPU{'s' * (case.cpus > 1)}"
    if case.placement != ONE_CPU:
        text, experiment = f"{text}, {case.placement}", case.experiment()
    else:
        text, window = f"{text}, all threads on one", 2 * window
        experiment = replace(replace(case, placement="static").experiment(), defines={"APP_CPUS": 1})
    return Job(text, whole(lambda: [measure(experiment, data, window)]), window * case.cpus)


# --- what the model says -----------------------------------------------------------------------


class Prediction(msgspec.Struct, frozen=True, kw_only=True):
    """A case, measured beside predicted."""

    app: str
    kernel: str
    cpus: int
    placement: str
    times_of: str  # the placement that the model's computing times and its switch cost are of
    done: int
    predicted_done: int
    error_percent: float
    switches: int
    predicted_switches: int
    idle_cycles: int
    predicted_idle_cycles: int
    switch_cycles: float


def messages(computes: Sequence[int], service: float) -> int:
    """How many messages a thread has finished that has computed for so long."""
    rounds, rest = divmod(service, sum(computes))
    return int(rounds) * len(computes) + bisect_right(list(accumulate(computes)), rest)


def predict(
    case: smp.Case, source: smp.Case, measured: Mapping[smp.Case, Measured], window: int
) -> Prediction:
    """Run the model with the times of `source`."""
    told, seen = measured[source], measured[case].figures
    soc = case.experiment().platform
    machine = Machine(
        cpus=case.cpus,
        slice_us=float(_SLICE_TICKS * TICK_CYCLES),
        costs=Costs(switch_us=told.switch_cycles),
    )
    graph = GRAPHS[case.app]
    load = workload(case.app, told.computes, soc.kernel.port_depth, case.placement == "static")
    outcome = simulate.run(load, machine, case.placement, window / 1e6)
    service = {thread.name: thread.service_us for thread in outcome.threads}
    finished = sum(messages(told.computes[end], service[end]) for end in graph.ends)
    done = round(finished * told.units(graph))
    return Prediction(
        app=case.app,
        kernel=case.kernel,
        cpus=case.cpus,
        placement=case.placement,
        times_of=source.placement,
        done=seen.done,
        predicted_done=done,
        error_percent=round(100 * (done / seen.done - 1), 2),
        switches=seen.switches,
        predicted_switches=outcome.switches,
        idle_cycles=sum(seen.idle),
        predicted_idle_cycles=round(outcome.idle_share * case.cpus * window),
        switch_cycles=round(told.switch_cycles, 1),
    )


def run(window: int, work: Work) -> list[Prediction]:
    """Simulate the SoC and then the model, all cases with the default inputs."""
    inputs = {app: APPS[app].prepare(None) for app in GRAPHS}
    alone = (sources(case)[0] for case in cases())
    wanted = list(dict.fromkeys((*cases(), *alone)))
    found = work.jobs([], [_job(case, inputs[case.app], window) for case in wanted])
    work.ran()
    measured = dict(zip(wanted, found, strict=True))
    return [predict(case, source, measured, window) for case in cases() for source in sources(case)]


def figures(rows: Sequence[Prediction]) -> list[Figure]:
    """What is to be reached: the largest error of each application, from the times of one CPU."""
    return [
        Figure(
            f"largest error of the predicted {unit}, computing times from one CPU (%)",
            max(abs(row.error_percent) for row in rows if row.app == app and row.times_of == ONE_CPU),
            at_most=10,
        )
        for app, unit in (("image", "pixels"), ("packets", "packets"))
    ]
