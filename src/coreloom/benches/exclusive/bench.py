# SPDX-License-Identifier: Apache-2.0
"""[GF]'s experiment on a current kernel: one program beside others, favoured in five ways.

Everything but the kills runs in the guest of coreloom.vm.vm in deterministic mode: the same seed gives the
same rows. There CPU time is right and work counted in instructions is not (a program alone runs faster), so
wall time over CPU time of the same run is compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from coreloom.benches import guests
from coreloom.benches.exclusive import encoding, guest, killed
from coreloom.benches.exclusive.cases import (
    CPUS,
    LOADS_OF_ENCODERS,
    MACHINES,
    MACHINES_OF_ENCODERS,
    PLAIN,
    QUICK_OF_ENCODERS,
    TASKSET,
    TRIES,
    Cell,
    Load,
    cells,
    chosen,
)
from coreloom.benches.exclusive.encoding import Encoded
from coreloom.benches.exclusive.lines import Line, last, measured, runs
from coreloom.errors import UserError
from coreloom.jobs.job import Job, prepare, whole
from coreloom.report import results
from coreloom.vm import vm

_Files = Mapping[str, bytes]  # what a guest leaves
_TIMEOUT = 1800  # host seconds of one guest


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One run of a job."""

    job: str
    load: str
    method: str
    cpus: int | None
    seed: int
    wall_over_cpu: float | None
    involuntary: int
    voluntary: int
    probe_p50_us: float | None = None
    probe_p99_us: float | None = None
    probe_max_us: float | None = None
    others_throughput: float | None
    wall_s: float
    cpu_s: float


class Start(msgspec.Struct, frozen=True):
    """One run of `true`, alone and under the tool."""

    machine: str
    seed: int
    alone_ms: float
    ours_ms: float
    cleared_ms: float
    mechanism: str


class Result(results.Result, kw_only=True):
    """What `coreloom bench exclusive` writes."""

    rows: list[Row]
    start: list[Start]
    encoding: list[Encoded]
    killed: list[killed.Kill] = msgspec.field(default_factory=list)


# --- what a guest leaves -----------------------------------------------------------------------


class _Delays(msgspec.Struct):
    """What the probe prints."""

    p50_us: float | None = None
    p99_us: float | None = None
    max_us: float | None = None


class _Proof(msgspec.Struct):
    """What `coreloom exclusive run --json` prints."""

    cleared_ms: float
    mechanism: str


def rows_of(load: Load, wanted: Sequence[Cell], seed: int, files: Mapping[str, bytes]) -> list[Row]:
    """The rows of a guest, from the files that its script left. UserError if a run is missing or failed."""
    base, found = runs(load, wanted, files)
    return [
        _row(load, cell, seed, line, base, files.get(f"{n}.out", b""))
        for n, (cell, line) in enumerate(zip(wanted, found, strict=True))
    ]


def _row(load: Load, cell: Cell, seed: int, line: Line, base: Line, said: bytes) -> Row:
    delays = msgspec.json.decode(said, type=_Delays) if cell.job.name == "probe" else _Delays()
    throughput = _throughput(load, line, base)
    return Row(
        job=cell.job.name,
        load=load.name,
        method=cell.method,
        cpus=cell.cpus,
        seed=seed,
        wall_over_cpu=round(line.wall_s / line.cpu_s, 4) if cell.job.bound else None,
        involuntary=line.involuntary,
        voluntary=line.voluntary,
        probe_p50_us=delays.p50_us,
        probe_p99_us=delays.p99_us,
        probe_max_us=delays.max_us,
        others_throughput=None if throughput is None else round(throughput, 4),
        wall_s=line.wall_s,
        cpu_s=line.cpu_s,
    )


def _throughput(load: Load, line: Line, base: Line) -> float | None:
    """The others' throughput while the job runs, relative to without it; for players, frames in time."""
    if load.players:
        due, alone = (of.shown + of.dropped for of in (line, base))
        return (line.shown / due) / (base.shown / alone) if due and base.shown else None
    if not base.others_cpu_s or line.others_cpu_s is None:
        return None
    return line.others_cpu_s / line.wall_s / (base.others_cpu_s / base.wall_s)


def starts_of(seed: int, files: Mapping[str, bytes]) -> list[Start]:
    """A row for each machine and try. UserError if one failed."""
    lines = measured(files)
    found = []
    for n, machine in enumerate(MACHINES):
        for attempt in range(TRIES):
            alone, ours = (lines.get(f"{n}.{attempt}.{what}") for what in ("alone", "ours"))
            report = files.get(f"{n}.{attempt}.json")
            if alone is None or ours is None or ours.status or report is None:
                said = last(files, "errors")
                raise UserError(f"coreloom exclusive failed in the guest ({machine}): {said}")
            proof = msgspec.json.decode(report, type=_Proof)
            alone_ms, ours_ms = (round(1000 * line.wall_s, 3) for line in (alone, ours))
            found.append(Start(machine, seed, alone_ms, ours_ms, proof.cleared_ms, proof.mechanism))
    return found


# --- all of it ---------------------------------------------------------------------------------

Measured = Row | Start | Encoded | killed.Kill


def jobs(quick: bool, seeds: int) -> tuple[list[Job[Measured]], list[Job[Measured]]]:
    """The preparation, then one guest per mechanism to kill and one per load and seed."""

    def made() -> vm.Guest:
        """Where a job runs, as a guest is files of that machine; what is there takes no time."""
        vm.prepare(["7"])
        return guest.guest()

    def run(name: str, text: str, seed: int, cpus: int = CPUS, constant_rate: bool = False) -> _Files:
        """What the script leaves; an unchanged run is not repeated."""
        there = made()
        key = guests.made_of(there, text, cpus=cpus, constant_rate=constant_rate, seed=seed)

        def measure() -> dict[str, str]:
            outcome = vm.run(
                there,
                text,
                cpus=cpus,
                deterministic=True,
                constant_rate=constant_rate,
                seed=seed,
                timeout=_TIMEOUT,
            )
            return {file: said.decode(errors="replace") for file, said in outcome.files.items()}

        found = results.once(f"exclusive-{name}-{cpus}-{seed}".replace(" ", "-"), key, measure)
        return {file: said.encode() for file, said in found.items()}

    programs, loads = chosen(quick)
    wanted = cells(programs)

    def favoured(load: Load, seed: int) -> Job[Measured]:
        ahead = sum(cell.method not in (PLAIN, TASKSET) for cell in wanted)
        seconds = ahead + (len(wanted) - ahead) * load.slows
        text = f"{load.name}: {load.text}, seed {seed}"
        script = guest.script(load, wanted)
        return Job(text, whole(lambda: [*rows_of(load, wanted, seed, run(load.name, script, seed))]), seconds)

    def encoded(cpus: int, load: Load, seed: int) -> Job[Measured]:
        text = f"encoders on {cpus} CPUs, {load.name}: {load.text}, seed {seed}"
        script = guest.script(load, encoding.CELLS)
        name = f"encoders-{load.name}"
        seconds = 40 * cpus  # each CPU has its part of the instructions
        return Job(
            text,
            whole(lambda: [*encoding.rows_of(load, cpus, seed, run(name, script, seed, cpus, True))]),
            seconds,
        )

    def started(seed: int) -> Job[Measured]:
        script = guest.start_script()
        return Job(f"start, seed {seed}", whole(lambda: [*starts_of(seed, run("start", script, seed))]), 20)

    def killed_at(case: killed.Case) -> Job[Measured]:
        count = killed.QUICK_MOMENTS if quick else killed.MOMENTS
        text = f"kill -9 at {count} moments, {case.mechanism}"
        return Job(text, whole(lambda: [*killed.run(case, count)]), count / 2)

    of_encoders = [
        (cpus, load)
        for cpus in MACHINES_OF_ENCODERS
        for load in LOADS_OF_ENCODERS
        if not quick or (cpus, load.name) == QUICK_OF_ENCODERS
    ]
    of_seeds = [
        job
        for seed in range(1, seeds + 1)
        for job in (
            *(favoured(load, seed) for load in loads),
            started(seed),
            *(encoded(cpus, load, seed) for cpus, load in of_encoders),
        )
    ]
    return [prepare("prepare the guest", made)], [*map(killed_at, killed.CASES), *of_seeds]
