# SPDX-License-Identifier: Apache-2.0
"""Runs one program on several grounds and numbers of CPUs and puts the runs side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from coreloom.design import platform
from coreloom.design.platform import Platform
from coreloom.errors import SIGNALLED, Ended, UserError, suggest
from coreloom.jobs.job import Job, Pool, Progress, build
from coreloom.report.table import Table, number
from coreloom.simulation import host
from coreloom.simulation.experiment import PLACEMENTS, Experiment, check
from coreloom.simulation.profile import LineTable, by_owner
from coreloom.simulation.simulate import Options
from coreloom.simulation.surroundings import NOTHING, Surroundings
from coreloom.simulation.trace import Slice, slices
from coreloom.toolchain import firmware, front_end
from coreloom.toolchain.application import Application

NAMES = {
    "hw": "hardware kernel",
    "sw": "software kernel",
    "fine": "software kernel, fine-grained locks",
    **firmware.FREERTOS,
    firmware.LINUX: "Linux, this machine",
}
CPUS_MOST = 4  # numbers of CPUs in one table, which then has five columns


def _place(on: str, cpus: int) -> str:
    return f"{NAMES[on]}, {cpus} CPU{'s' * (cpus > 1)}"


class Answer(NamedTuple):
    """The answer of a run to its user; the same on every ground, or the program is not one to compare."""

    status: int
    printed: str
    output: bytes


@dataclass(frozen=True)
class Run:
    """A program on a ground. All but answer, and seconds of Linux, are of the simulated machine.

    Cycles count the measured window: from cl_ready, or from reset, to the end. where: of all CPUs
    together, by owner (profile.OWNERS) and "waiting". bus: the share of cycles with a transfer on the shared
    bus.
    """

    on: str
    cpus: int
    answer: Answer
    cycles: int | None = None
    switches: int = 0
    where: dict[str, int] = field(default_factory=dict)
    bus: float = 0.0
    slices: tuple[Slice, ...] = ()
    seconds: float | None = None  # on Linux: of the window, if the program has one

    @property
    def name(self) -> str:
        """As in "hardware kernel, 2 CPUs"."""
        return _place(self.on, self.cpus)

    def shares(self) -> dict[str, float]:
        """The parts of all CPUs' cycles."""
        total = sum(self.where.values())
        return {owner: cycles / total for owner, cycles in self.where.items()} if total else {}


@dataclass(frozen=True)
class Program:
    """The program that is compared, and the platform."""

    name: str
    app: str | Application
    platform: str
    around: Surroundings = NOTHING
    changes: dict[str, Any] = field(default_factory=dict)
    data: bytes = b""
    max_simulated: int | None = None

    def soc(self, cpus: int) -> Platform:
        return platform.load(self.platform, cpus, changes=self.changes)


def jobs(
    program: Program, grounds: Sequence[str], cpus: Sequence[int]
) -> tuple[list[Job[Any]], list[Job[Run]]]:
    """The jobs that build the models, and all runs by ground and number of CPUs.

    A job raises Ended or UserError if its run does not come to its end.
    """
    for ground in grounds:
        if ground not in NAMES:
            raise UserError(f"unknown kernel '{ground}': {suggest(ground, NAMES)}")
    check(program.app, "dynamic")
    socs = {n: program.soc(n) for n in cpus}
    simulated = [ground for ground in grounds if ground != firmware.LINUX]
    # FreeRTOS runs on the same machine, so one model serves all grounds.
    first = [build(soc) for soc in socs.values()] if simulated else []
    wanted = [
        Job(f"{program.name}, {_place(on, n)}", _job(program, on, soc))
        for on in simulated
        for n, soc in socs.items()
    ]
    if firmware.LINUX in grounds:
        here = replace(socs[cpus[-1]], cpus=min(max(cpus), host.cpus()))
        wanted.append(Job(f"{program.name}, {NAMES[firmware.LINUX]}", _job(program, firmware.LINUX, here)))
    return first, wanted


def measure(
    program: Program,
    grounds: Sequence[str],
    cpus: Sequence[int],
    pool: Pool,
    on_start: Callable[[str], None] | None = None,
) -> list[Run]:
    """All runs of jobs()."""
    return pool.run(*jobs(program, grounds, cpus), on_start)


def _job(program: Program, on: str, soc: Platform) -> Callable[[Progress], list[Run]]:
    def simulate(progress: Progress) -> list[Run]:
        experiment = Experiment(program.app, soc, on)
        outcome = experiment.run(
            program.data,
            Options(
                around=program.around, max_simulated=program.max_simulated, profile=True, progress=progress
            ),
        )
        if outcome.status is None or outcome.status > SIGNALLED:  # a fault is not an answer
            try:
                outcome.check_finished()
            except Ended as ended:
                raise Ended(f"on {NAMES[on]} with {soc.cpus} CPUs: {ended}", ended.status) from None
        found, result = outcome.figures, outcome.result
        table = LineTable(outcome.program, theirs=isinstance(program.app, Application))
        cycles = found.end - found.start
        units = soc.kernel.hardware_threads
        return [
            Run(
                on,
                soc.cpus,
                Answer(outcome.status or 0, result.uart, result.output),
                cycles,
                found.switches,
                {**by_owner(result.profile, table), "waiting": sum(found.idle)},
                result.transfers / max(cycles, 1),
                tuple(
                    slice
                    for slice in slices(result.events, soc.cpus, result.cycles, result.names, units)
                    if slice.end > found.start
                ),
            )
        ]

    def linux(progress: Progress) -> list[Run]:
        built = firmware.build_linux(
            front_end.on(program.app, firmware.LINUX), soc, {"CL_PLACEMENT": PLACEMENTS["dynamic"]}
        )
        ran = host.run(built, program.data, program.around, catch=True, seconds=_PATIENCE)
        answer = Answer(ran.exit_status, ran.printed, ran.output)
        return [Run(on, soc.cpus, answer, seconds=ran.seconds if ran.done else None)]

    return linux if on == firmware.LINUX else simulate


_PATIENCE = 120.0  # seconds for a run on Linux


def difference(runs: Sequence[Run]) -> str | None:
    """How the answers differ, in one line; None if they are one."""
    first = runs[0]
    for other in runs[1:]:
        if other.answer == first.answer:
            continue
        one, two = first.answer, other.answer
        if one.status != two.status:
            return f"status {one.status} on {first.name}, {two.status} on {other.name}"
        lines = [answer.printed.splitlines() for answer in (one, two)]
        for n in range(max(map(len, lines))):
            shown = [repr(each[n]) if n < len(each) else "no such line" for each in lines]
            if shown[0] != shown[1]:
                return f"line {n + 1} is {shown[0]} on {first.name}, {shown[1]} on {other.name}"
        if one.printed == two.printed:
            return f"another output (cl_output) on {first.name} than on {other.name}"
        return f"other ends of lines on {first.name} than on {other.name}"
    return None


def best(runs: Sequence[Run]) -> Run | None:
    """The run of the fewest cycles."""
    counted = [run for run in runs if run.cycles is not None]
    return min(counted, key=lambda run: run.cycles or 0, default=None)


def table(name: str, platform: str, runs: Sequence[Run]) -> Table:
    """Cycles by ground and number of CPUs, the fewest of a column marked."""
    cpus = sorted({run.cpus for run in runs if run.cycles is not None})
    columns = cpus or sorted({run.cpus for run in runs})
    rows = []
    for on in dict.fromkeys(run.on for run in runs):
        cells = []
        for n in columns:
            run = next((run for run in runs if run.on == on and run.cpus == n), None)
            least = best([run for run in runs if run.cpus == n])
            cells.append(_cell(run) + (" *" if run and run is least else "  "))
        rows.append((NAMES[on], *cells))
    title = f"{name} on {platform}: cycles (* the fewest)" if cpus else name
    return Table(title, ("", *(f"{n} CPU{'s' * (n > 1)}  " for n in columns)), tuple(rows))


def _cell(run: Run | None) -> str:
    if run is None:
        return "-"
    if run.cycles is not None:
        return number(run.cycles)
    return "-" if run.seconds is None else f"{run.seconds * 1e3:.3g} ms"


_WORDS = {"application": "program", "kernel": "kernel", "library": "library", "waiting": "waiting"}


def lines(runs: Sequence[Run]) -> list[str]:
    """Where each run's cycles went, a line each."""
    found = []
    for run in runs:
        shares = run.shares()
        if not shares:
            continue
        parts = [f"{_WORDS[owner]} {share * 100:.0f} %" for owner, share in shares.items()]
        found.append(f"{run.name}: {', '.join(parts)}; bus busy {run.bus * 100:.0f} %")
    return found


def facts(program: Program, runs: Sequence[Run]) -> dict[str, Any]:
    """All of it but the timelines, for --json."""
    return {
        "program": program.name,
        "platform": program.platform,
        "arguments": list(program.around.arguments[1:]),
        "status": runs[0].answer.status,
        "printed": runs[0].answer.printed,
        "difference": difference(runs),
        "runs": [
            {
                "on": run.on,
                "cpus": run.cpus,
                "cycles": run.cycles,
                "seconds": run.seconds,
                "switches": run.switches,
                "where": run.where,
                "bus": round(run.bus, 4),
            }
            for run in runs
        ],
    }


def sentence(runs: Sequence[Run]) -> str:
    """The fastest with each number of CPUs against its best rival; "" without two that can be compared."""
    found: dict[tuple[str, str], list[str]] = {}
    for n in sorted({run.cpus for run in runs if run.cycles}):
        here = sorted((run for run in runs if run.cpus == n and run.cycles), key=lambda run: run.cycles or 0)
        if len(here) > 1:
            times = (here[1].cycles or 0) / (here[0].cycles or 1)
            said = f"{times:.3g} times as fast as the {NAMES[here[1].on]}"
            pair = found.setdefault((here[0].on, here[1].on), [])
            pair.append(f"{f'{times:.3g} times' if pair else said} with {n} CPU{'s' * (n > 1)}")
    return "; ".join(
        f"{'the' if n else 'The'} {NAMES[winner]} is {', '.join(texts)}"
        for n, ((winner, _), texts) in enumerate(found.items())
    )
