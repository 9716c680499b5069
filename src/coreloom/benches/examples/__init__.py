# SPDX-License-Identifier: Apache-2.0
"""The programs of examples/ on both kernels, with one CPU and with two."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence

from coreloom.benches.bench import Bench, Work
from coreloom.benches.examples import page
from coreloom.benches.examples.bench import Result, Row
from coreloom.comparison import compare
from coreloom.comparison.compare import Program, Run
from coreloom.errors import WrongOutput
from coreloom.paths import EXAMPLES
from coreloom.report import results
from coreloom.report.page import Summary
from coreloom.report.table import Table
from coreloom.toolchain.application import of_user

_CIRCUIT = "hardware_thread"


class Examples(Bench[Result]):
    name = "examples"
    paper = ""
    help = "the programs of examples/ on both kernels, with one CPU and with two"
    title = "Small programs on both kernels"
    order = 5
    result = Result
    runs = True

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
        return Result(name=self.name, rows=rows, tools=results.tools(self.tools))

    def tables(self, content: Result) -> Sequence[Table]:
        return [page.table(content.rows)]

    def summary(self, content: Result) -> Summary:
        return page.summary(content)


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


BENCH = Examples()
