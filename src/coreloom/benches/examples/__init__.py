# SPDX-License-Identifier: Apache-2.0
"""The programs of examples/ on both kernels, with one CPU and with two."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence

import msgspec

from coreloom.benches.bench import Bench, Work
from coreloom.comparison import compare
from coreloom.comparison.compare import Program, Run
from coreloom.errors import WrongOutput
from coreloom.paths import EXAMPLES
from coreloom.report import results
from coreloom.report.figure import Figure
from coreloom.report.table import Table, number
from coreloom.toolchain.application import of_user

_CIRCUIT = "hardware_thread"


class Row(msgspec.Struct, frozen=True):
    """One run; cycles of `application` to `waiting` are of all CPUs together."""

    program: str
    on: str
    cpus: int
    cycles: int
    switches: int
    application: int
    kernel: int
    library: int
    waiting: int
    bus: float


class Result(results.Result, kw_only=True):
    rows: list[Row]


class Examples(Bench[Result]):
    name = "examples"
    paper = ""
    help = "the programs of examples/ on both kernels, with one CPU and with two"
    title = "Seven small programs on both kernels"
    order = 5
    result = Result
    runs = True
    leading = "pingpong"

    def measure(self, options: Namespace, work: Work) -> Result:
        programs = [
            Program(path.stem, of_user([path]), "hthreads" if path.stem == _CIRCUIT else "smp-standard")
            for path in sorted(EXAMPLES.glob("*.c"))
        ]
        made = [
            compare.jobs(program, ("hw", "sw"), (1,) if program.name == _CIRCUIT else (1, 2))
            for program in programs
        ]
        first = {job.text: job for models, _ in made for job in models}
        found = work.jobs(list(first.values()), [job for _, wanted in made for job in wanted])
        work.ran()
        rows: list[Row] = []
        for program, (_, wanted) in zip(programs, made, strict=True):
            runs, found = found[: len(wanted)], found[len(wanted) :]
            if difference := compare.difference(runs):
                raise WrongOutput(f"{program.name}: {difference}")
            rows += [_row(program, run) for run in runs]
        return Result(name=self.name, rows=rows, tools=results.tools(self.tools), method=self.method())

    def tables(self, content: Result) -> Sequence[Table]:
        return [table(content.rows)]

    def headline(self, content: Result) -> Figure:
        hard, soft = (_at(content.rows, "pingpong", on, 2) for on in ("hw", "sw"))
        return Figure(
            "pingpong, 2 CPUs: cycles of the software kernel over those of the hardware kernel",
            round(soft.cycles / hard.cycles, 1),
        )


def _row(program: Program, run: Run) -> Row:
    return Row(
        program=program.name,
        on=run.on,
        cpus=run.cpus,
        cycles=run.cycles or 0,
        switches=run.switches,
        bus=round(run.bus, 3),
        **run.where,
    )


def _at(rows: Sequence[Row], program: str, on: str, cpus: int) -> Row:
    return next(row for row in rows if (row.program, row.on, row.cpus) == (program, on, cpus))


def table(rows: Sequence[Row]) -> Table:
    """A line for each program and number of CPUs."""
    lines = []
    for hard in rows:
        if hard.on == "hw":
            soft = _at(rows, hard.program, "sw", hard.cpus)
            lines.append(
                (
                    *(hard.program, f"{hard.cpus}", number(hard.cycles), number(soft.cycles)),
                    number(soft.cycles / hard.cycles, 2),
                    *(f"{row.kernel / sum(_where(row)) * 100:.0f} %" for row in (hard, soft)),
                )
            )
    return Table(
        "Cycles of each program",
        (
            *("program", "CPUs", "hardware kernel", "software kernel", "ratio"),
            *("in the hardware kernel", "in the software kernel"),
        ),
        tuple(lines),
    )


def _where(row: Row) -> tuple[int, ...]:
    return (row.application, row.kernel, row.library, row.waiting)


BENCH = Examples()
