# SPDX-License-Identifier: Apache-2.0
"""[GF]'s experiment of section 4.1: encoders beside others, with and without a CPU of their own.

The CPUs of the guest run at a constant rate, so seconds of an encoder mean something.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

import msgspec

from coreloom.benches.exclusive.cases import (
    ENCODERS,
    LOADS_OF_ENCODERS,
    MACHINES_OF_ENCODERS,
    OURS,
    PLAIN,
    Cell,
    Load,
)
from coreloom.benches.exclusive.lines import runs
from coreloom.report.plots import Bars
from coreloom.report.table import Table, number

PAPER_SPEEDUP = 2.1  # the most, under its heavy load on two CPUs; its other figures are plots
_PAPERS_CPUS = 2
_SHORT = {
    job.name: job.text.removesuffix(" of audio").replace(",", "").replace("frames", "fr.") for job in ENCODERS
}
_PAPERS = {"light": "Light", "medium": "Medium", "heavy": "Heavy"}  # what it calls its loads

CELLS = [Cell(job, method, 1 if method == OURS else None) for job in ENCODERS for method in (PLAIN, OURS)]


class Encoded(msgspec.Struct, frozen=True, kw_only=True):
    """One run of an encoder."""

    job: str
    load: str
    cpus: int  # of the machine
    seed: int
    method: str
    seconds: float
    cpu_s: float
    speedup: float | None  # plain over this; None for plain itself


def rows_of(load: Load, cpus: int, seed: int, files: Mapping[str, bytes]) -> list[Encoded]:
    """A row per encoder, without and with a CPU of its own. UserError if a run is missing or failed."""
    _, lines = runs(load, CELLS, files)
    plain = {cell.job: line.wall_s for cell, line in zip(CELLS, lines, strict=True) if cell.method == PLAIN}
    return [
        Encoded(
            job=cell.job.name,
            load=load.name,
            cpus=cpus,
            seed=seed,
            method=cell.method,
            seconds=line.wall_s,
            cpu_s=line.cpu_s,
            speedup=None if cell.method == PLAIN else round(plain[cell.job] / line.wall_s, 4),
        )
        for cell, line in zip(CELLS, lines, strict=True)
    ]


def _found(rows: Sequence[Encoded], cpus: int, job: str, load: str, method: str) -> list[Encoded]:
    keys = (cpus, job, load, method)
    return [row for row in rows if (row.cpus, row.job, row.load, row.method) == keys]


def seconds(rows: Sequence[Encoded], cpus: int, job: str, load: str, method: str) -> float | None:
    """The median of the seeds; None if it was not measured."""
    found = _found(rows, cpus, job, load, method)
    return median(row.seconds for row in found) if found else None


def speedup(rows: Sequence[Encoded], cpus: int, job: str, load: str) -> float | None:
    """The median of the seeds."""
    found = [row.speedup for row in _found(rows, cpus, job, load, OURS) if row.speedup is not None]
    return median(found) if found else None


def _share(rows: Sequence[Encoded], cpus: int, job: str, load: str) -> float | None:
    """Of a CPU, that the encoder gets without one of its own, in per cent."""
    found = _found(rows, cpus, job, load, PLAIN)
    return 100 * median(row.cpu_s / row.seconds for row in found) if found else None


def table(rows: Sequence[Encoded], cpus: int) -> Table:
    """Fig. 10 and 11 of the paper as a table."""
    return Table(
        f"Execution times and speed-ups of encoders, {cpus} CPUs ([GF] Fig. 10 and 11: 2 CPUs)",
        (
            *("encoder", "in the paper", "others", "without, s", "with a CPU of its own, s"),
            *("share of a CPU without, %", "speed-up", "paper"),
        ),
        tuple(
            (
                job.text,
                job.paper,
                f"{_PAPERS[load.name]}: {load.text}" if load.name in _PAPERS else load.text,
                *(number(seconds(rows, cpus, job.name, load.name, how), 3) for how in (PLAIN, OURS)),
                number(_share(rows, cpus, job.name, load.name), 0),
                number(speedup(rows, cpus, job.name, load.name), 2),
                f"up to {PAPER_SPEEDUP:g}" if (load.name, cpus) == ("heavy", _PAPERS_CPUS) else "-",
            )
            for job in ENCODERS
            for load in LOADS_OF_ENCODERS
            if seconds(rows, cpus, job.name, load.name, PLAIN) is not None
        ),
        text_columns=3,
    )


def drawn(rows: Sequence[Encoded]) -> list[Bars]:
    """The paper's Fig. 10 and 11, for each machine."""
    found = []
    for cpus in MACHINES_OF_ENCODERS:
        loads = [
            load for load in LOADS_OF_ENCODERS if any((r.cpus, r.load) == (cpus, load.name) for r in rows)
        ]
        if not loads:
            continue
        times, gains = {}, {}
        for load in loads:
            named = _PAPERS.get(load.name, load.name)
            times[named] = {
                f"{_SHORT[job.name]}, {how}": seconds(rows, cpus, job.name, load.name, method) or 0
                for job in ENCODERS
                for how, method in (("without", PLAIN), ("with", OURS))
            }
            gains[named] = {
                _SHORT[job.name]: speedup(rows, cpus, job.name, load.name) or 0 for job in ENCODERS
            }
        text = f"Encoders on {cpus} CPUs, without and with a CPU of their own ([GF] Fig. 10)"
        found.append(Bars(text, "seconds", times))
        text = f"Speed-up of encoders on {cpus} CPUs by a CPU of their own ([GF] Fig. 11)"
        found.append(Bars(text, "time without over time with", gains))
    return found
