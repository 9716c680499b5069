# SPDX-License-Identifier: Apache-2.0
"""Table 1 of [SMP]: two applications for one million cycles, on either kernel of ours and on FreeRTOS.

Every combination of application, core, ports, kernel and CPUs is one simulation of the same program source.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import msgspec

from coreloom.apps import APPS
from coreloom.benches.bench import Work
from coreloom.benches.rivals import NAMES, is_there
from coreloom.benches.smp import caches, locks, modules, stages
from coreloom.design import platform
from coreloom.errors import UserError
from coreloom.jobs.job import Job, build, prepare, whole
from coreloom.options import positive
from coreloom.report import results
from coreloom.simulation.experiment import BUFFERED, DIRECT, PORTS, WITH_PORTS, Experiment, ports
from coreloom.simulation.measure import spread
from coreloom.simulation.profile import OWNERS, LineTable, by_owner
from coreloom.simulation.simulate import Options
from coreloom.toolchain.firmware import FREERTOS

WINDOW = 1_000_000
CORES = ("standard", "economy", "fast")
# (CPUs, placement) as the columns of the paper's table.
ARRANGEMENTS = ((1, "dynamic"), (2, "static"), (2, "dynamic"))
# Beyond the paper, for scaling: no application has a thread with a CPU of its own beyond the fourth.
MORE_CPUS = ((4, "static"), (4, "dynamic"), (8, "dynamic"))
# Placements by policies of the software kernel (policies/): selective is [SMP]'s future work, dynamic what it
# is compared with. The kernel's own dynamic placement does not go through the policies' interface.
DYNAMIC_POLICY, SELECTIVE_POLICY = "dynamic policy", "selective policy"
POLICIES = {DYNAMIC_POLICY: "dynamic", SELECTIVE_POLICY: "selective"}
POLICY_CPUS = (1, 2, 4)
# Streams: independent copies of the application (APP_STREAMS): more tasks, and work for more CPUs.
STREAMS = (2, 4, 8)
STREAM_CPUS = (1, 2, 4, 8)
STREAM_SIZES = {"kernel.threads": 128, "kernel.ports": 128}  # for 8 of packets
TASKS = {"image": 3, "packets": 10}  # of a stream

# Paper: [SMP] Table 1 and section 4. Two ARM926; its software kernel is eCos on one CPU.
PAPER_DONE = {
    "image": {("sw", 1, "dynamic"): 6, ("hw", 1, "dynamic"): 278}
    | {("hw", 2, "static"): 340, ("hw", 2, "dynamic"): 330},
    "packets": {("sw", 1, "dynamic"): 3, ("hw", 1, "dynamic"): 30}
    | {("hw", 2, "static"): 40, ("hw", 2, "dynamic"): 43},
}
# Idle cycles of packet processing on the hardware kernel by (CPUs, placement).
PAPER_IDLE = {(1, "dynamic"): 0, (2, "static"): 238555, (2, "dynamic"): 22688}
PAPER_SWITCH = {"sw": 10_000, "hw": 947}
# What no kernel can beat on a core with one memory port: stack pointer and program counter stored and loaded,
# a word a cycle, and one access of two cycles that says who is next. For a thread that keeps nothing else.
SWITCH_BOUND = 2 * 2 + 2


@dataclass(frozen=True)
class Case:
    """One row of the result."""

    app: str
    core: str
    kernel: str
    cpus: int
    placement: str
    ports: str = DIRECT
    streams: int = 1
    hands_over: bool = True  # of the image filter with buffered ports

    @property
    def text(self) -> str:
        where = f"{self.core} core, {NAMES[self.kernel]}, {self.cpus} CPU, {self.placement}"
        more = f", {self.streams} streams" if self.streams > 1 else ""
        return f"{where}, {self.ports} ports{more}{'' if self.hands_over else ', without hand-over'}"

    def soc(self) -> platform.Platform:
        return platform.load(f"smp-{self.core}", self.cpus, changes=STREAM_SIZES if self.streams > 1 else {})

    def experiment(self) -> Experiment:
        defines = ports(self.app, self.kernel, self.ports)
        if self.streams > 1:
            defines["APP_STREAMS"] = self.streams
        if not self.hands_over:
            defines["IMAGE_BATCH"] = 0
        policy = POLICIES.get(self.placement)
        placement = "dynamic" if policy else self.placement
        return Experiment(self.app, self.soc(), self.kernel, placement, defines, policy)


def cases(
    cores: Sequence[str] = CORES,
    arrangements: Sequence[tuple[int, str]] = ARRANGEMENTS,
    kinds: Iterable[str] = PORTS,
) -> list[Case]:
    """All combinations, in the order of the table."""
    return [
        Case(app, core, kernel, cpus, placement, ports=kind)
        for core in cores
        for app in WITH_PORTS
        for kernel in ("sw", "hw")
        for cpus, placement in arrangements
        for kind in kinds
    ]


def policy_cases() -> list[Case]:
    """Those of the software kernel with dynamic and selective migration by a policy."""
    return [
        Case(app, "standard", "sw", cpus, placement, ports=kind)
        for app in WITH_PORTS
        for placement in POLICIES
        for cpus in POLICY_CPUS
        for kind in PORTS
    ]


def stream_cases() -> list[Case]:
    """Those with several streams, on the standard core with the paper's ports."""
    return [
        Case(app, "standard", kernel, cpus, "dynamic", ports=BUFFERED, streams=streams)
        for app in WITH_PORTS
        for kernel in ("sw", "hw")
        for streams in STREAMS
        for cpus in STREAM_CPUS
    ]


def without_hand_over() -> list[Case]:
    """The image filter without the messages by which its threads hand over: the paper has none."""
    return [
        Case("image", "standard", kernel, cpus, placement, ports=BUFFERED, hands_over=False)
        for kernel in ("sw", "hw")
        for cpus, placement in ARRANGEMENTS
    ]


def fine_cases() -> list[Case]:
    """Those of the software kernel with fine-grained locks, on the standard core."""
    return [
        Case(app, "standard", "fine", cpus, placement, ports=kind)
        for app in WITH_PORTS
        for cpus, placement in (*ARRANGEMENTS, *MORE_CPUS)
        for kind in PORTS
        if is_there("fine", cpus)
    ]


def freertos_cases(apps: Sequence[str] = WITH_PORTS) -> list[Case]:
    """Those of FreeRTOS, which runs on the standard core: on one CPU with either port."""
    return [
        Case(app, "standard", kernel, cpus, placement)
        for app in apps
        for kernel in FREERTOS
        for cpus, placement in ARRANGEMENTS
        if kernel == "freertos" or cpus == 1
    ]


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One simulation; cycles are of all CPUs in the window."""

    app: str
    kernel: str
    cpus: int
    placement: str
    core: str
    unit: str  # of what is done
    ports: str = DIRECT
    streams: int = 1
    done: int
    idle_cycles: int
    idle_cycles_per_cpu: list[int]
    switches: int
    switch_cycles_mean: float | None  # voluntary, without idling
    switch_cycles_min: int | None
    switch_cycles_max: int | None
    preemptions: int
    preempt_cycles_mean: float | None  # full-context: trap entry to the next thread
    preempt_cycles_min: int | None = None
    preempt_cycles_max: int | None = None
    cycles_application: int
    cycles_kernel: int
    cycles_library: int
    sim_cycles_per_second: int
    paper_done: int | None

    @property
    def cycles(self) -> dict[str, int]:
        """By owner, without those of idling."""
        return {owner: int(getattr(self, f"cycles_{owner}")) for owner in OWNERS}


class Result(results.Result, kw_only=True):
    """What `coreloom bench smp` writes."""

    rows: list[Row]
    streams: list[Row] = msgspec.field(default_factory=list)  # of several
    alone: list[Row] = msgspec.field(default_factory=list)  # the image filter without hand-over
    caches: list[caches.Row] = msgspec.field(default_factory=list)  # data caches and placement
    locks: list[locks.Row] = msgspec.field(default_factory=list)  # of the Lock Unit, by its order
    stages: list[stages.Row] = msgspec.field(default_factory=list)  # of a switch
    modules: list[modules.Row] = msgspec.field(default_factory=list)  # waits at the kernel's engine
    window_cycles: int = WINDOW
    switch_bound_cycles: int = SWITCH_BOUND


def measure(case: Case, data: bytes, window: int = WINDOW) -> Row:
    """Simulate one case."""
    outcome = case.experiment().run(data, Options(window=window, profile=True))
    if outcome.result.exit_status is not None:
        raise UserError(
            f"{case.app} used up its input after {outcome.figures.end - outcome.figures.start} of {window} "
            "cycles: choose a smaller --window"
        )
    found = outcome.figures
    low, mean, high = spread(found.voluntary)
    preempt_low, preempt_mean, preempt_high = spread(found.preempted)
    paper = PAPER_DONE[case.app] if case.ports == BUFFERED and case.streams == 1 else {}
    cycles = by_owner(outcome.result.profile, LineTable(outcome.program))
    return Row(
        app=case.app,
        kernel=case.kernel,
        cpus=case.cpus,
        placement=case.placement,
        core=case.core,
        unit=APPS[case.app].unit,
        ports=case.ports,
        streams=case.streams,
        done=found.done,
        idle_cycles=sum(found.idle),
        idle_cycles_per_cpu=list(found.idle),
        switches=found.switches,
        switch_cycles_mean=None if mean is None else round(mean, 1),
        switch_cycles_min=low,
        switch_cycles_max=high,
        preemptions=len(found.preempted),
        preempt_cycles_mean=None if preempt_mean is None else round(preempt_mean, 1),
        preempt_cycles_min=preempt_low,
        preempt_cycles_max=preempt_high,
        sim_cycles_per_second=round(outcome.result.cycles / max(outcome.result.seconds, 1e-9)),
        paper_done=paper.get((case.kernel, case.cpus, case.placement)),
        **{f"cycles_{owner}": count for owner, count in cycles.items()},
    )


def run(wanted: Sequence[Case], window: int, work: Work) -> list[Row]:
    """Measure all cases with the default inputs; the rows are in the order of `wanted`."""
    inputs = {app: APPS[app].prepare(None) for app in {case.app for case in wanted}}

    def job(case: Case) -> Job[Row]:
        return Job(f"{case.app}: {case.text}", whole(lambda: [measure(case, inputs[case.app], window)]))

    models = dict.fromkeys(case.soc() for case in wanted)
    first = [build(soc) for soc in models]
    first += [prepare(f"compile {case.app} for {case.text}", case.experiment().program) for case in wanted]
    rows = work.jobs(first, [job(case) for case in wanted])
    for row in rows:
        if not row.done:
            raise UserError(
                f"{row.app}, {row.core} core, {NAMES[row.kernel]}: no {row.unit} were "
                f"finished within {window} cycles: choose a larger --window"
            )
    return rows


def all_cycles(row: Row) -> int:
    """Cycles of all CPUs in the window: spent by somebody, or idle."""
    return row.idle_cycles + sum(row.cycles.values())


def free_kernel(row: Row) -> float:
    """By how much the work would grow if the kernel cost nothing: the bound of any gain over it."""
    return all_cycles(row) / (all_cycles(row) - row.cycles_kernel)


def add_window(parser: ArgumentParser) -> None:
    """The option --window; has_papers_window() says whether a page may follow."""
    parser.add_argument(
        "--window", type=positive, metavar="N", default=WINDOW, help="cycles measured (default: %(default)s)"
    )


def has_papers_window(options: Namespace) -> bool:
    return bool(options.window == WINDOW)
