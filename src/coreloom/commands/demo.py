# SPDX-License-Identifier: Apache-2.0
"""`coreloom demo`: four comparisons that tell the story, in two minutes."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import NamedTuple

from coreloom.apps import APPS
from coreloom.commands.console import Command, doing, out, shown
from coreloom.comparison import compare, page
from coreloom.comparison.compare import Program, Run
from coreloom.errors import UserError, WrongOutput
from coreloom.files import write_atomically
from coreloom.jobs.local import Local
from coreloom.paths import BUILD, EXAMPLES
from coreloom.report.table import number
from coreloom.toolchain.application import of_user


class _Step(NamedTuple):
    """A program of examples/ or an application; said: what its figures say, behind "N times as fast: "."""

    title: str
    program: str
    platform: str
    cpus: int
    said: str


_STEPS = (
    _Step(
        "Two threads wake each other 1000 times, on two CPUs",
        "pingpong.c",
        "smp-standard",
        2,
        "nothing happens here but waiting and waking",
    ),
    _Step(
        "200 interrupts, each served by a thread",
        "interrupt.c",
        "smp-standard",
        2,
        "the line wakes the thread, without a handler and without a lock",
    ),
    _Step(
        "pthread_create of a thread that is a circuit: CRC-32",
        "hardware_thread.c",
        "hthreads",
        1,
        "the software kernel runs the C function instead",
    ),
    _Step(
        "A real program: three threads filter a picture",
        "image",
        "smp-standard",
        2,
        "with much work for each message, the kernel hardly matters",
    ),
)
_KERNELS = ("hw", "sw")
_WIDTH, _BAR = 96, 36


def _run(args: argparse.Namespace) -> int:
    begun = time.monotonic()
    out.print("Coreloom: the same programs on a hardware kernel and on a software kernel")
    parts = []
    for number_, step in enumerate(_STEPS, 1):
        program = _program(step)
        with doing(f"{number_} of {len(_STEPS)}: {step.title}") as task:
            runs = compare.measure(program, _KERNELS, [step.cpus], Local(), task.say)
        if difference := compare.difference(runs):
            raise WrongOutput(f"{program.name}: {difference}")
        if runs[0].answer.status:
            raise WrongOutput(f"{program.name} ended with status {runs[0].answer.status}")
        times = (runs[1].cycles or 0) / (runs[0].cycles or 1)
        said = f"The hardware kernel is {times:.3g} times as fast: {step.said}"
        _show(number_, step, runs, said)
        parts.append(page.Comparison(program, runs, said))
    picture = _picture(parts[-1])
    target = write_atomically(BUILD / "demo.html", page.html("Coreloom demo", parts).encode())
    for line in (
        "",
        f"See it:  {shown(target):43} every run on one page, with its timeline",
        f"         {shown(picture):43} the filtered picture, as computed on this machine",
        "Next:    coreloom compare PROGRAM.c                  your own program, side by side",
        "         coreloom run examples/pipeline.c --trace    a timeline for ui.perfetto.dev",
        "         docs/guide.md                               everything else",
        f"Done in {time.monotonic() - begun:.0f} s; all runs gave the right result. "
        "Cycles are the same on every machine.",
    ):
        out.print(line)
    return 0


def _program(step: _Step) -> Program:
    if step.program in APPS:
        return Program(step.program, step.program, step.platform, data=APPS[step.program].prepare(None))
    file = EXAMPLES / step.program
    if not file.is_file():
        raise UserError(f"there is no {shown(file)}: get it back with git")
    app = of_user([file])
    return Program(app.name, app, step.platform)


def _show(position: int, step: _Step, runs: list[Run], said: str) -> None:
    longest = max(run.cycles or 0 for run in runs)
    where = step.program if step.program in APPS else f"examples/{step.program}"
    block = "█" if "utf" in (sys.stdout.encoding or "").lower() else "#"
    lines = ["", f"{position}  {step.title}".ljust(_WIDTH - len(where)) + where]
    for run in runs:
        bar = block * max(1, round((run.cycles or 0) / longest * _BAR))
        lines.append(f"     {compare.NAMES[run.on]:16}  {bar:{_BAR}}  {number(run.cycles):>10} cycles")
    for line in (*lines, f"   {said}."):
        out.print(line)


def _picture(part: page.Comparison) -> Path:
    app = APPS[part.program.name]
    output = part.runs[0].answer.output
    app.check(output, part.program.data)
    target = BUILD / "output" / f"{part.program.name}{app.suffix}"
    app.save(output, target)
    return target


COMMAND = Command("demo", _run)
