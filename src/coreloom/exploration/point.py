# SPDX-License-Identifier: Apache-2.0
"""One run of the program on one configuration: built here, run anywhere, one row."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from coreloom.apps import APPS
from coreloom.design.platform import Platform
from coreloom.errors import SIGNALLED, UserError, WrongOutput, suggest
from coreloom.exploration import profile, response
from coreloom.exploration.profile import Profile, Watched
from coreloom.exploration.space import Config
from coreloom.jobs.job import Job, Stopped
from coreloom.simulation.experiment import Built, Experiment, Outcome
from coreloom.simulation.places import Code
from coreloom.simulation.profile import LineTable, by_owner
from coreloom.simulation.simulate import Options, Pulses
from coreloom.simulation.surroundings import NOTHING, Surroundings
from coreloom.toolchain import cache, elf
from coreloom.toolchain.application import Application


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """What a run gave. Cycles are of the measured window, from cl_ready() or reset to the end."""

    key: str  # of all that decides the row
    error: str | None = None  # why there are no figures
    status: int = 0
    printed: str = ""
    output: str = ""  # its digest
    cycles: int = 0
    done: int = 0  # units of work
    own: int = 0  # cycles of the program and the library; 0: not asked for
    image_bytes: int = 0
    responses: dict[str, int] = msgspec.field(default_factory=dict)  # of threads: the longest, in cycles
    profile: Profile | None = None
    seconds: float = 0  # that the run took


@dataclass(frozen=True)
class Program:
    """The program that is looked at, and what it runs with; platform: whose sizes all configurations have."""

    name: str
    app: str | Application
    platform: str
    data: bytes = b""
    around: Surroundings = NOTHING
    pulses: tuple[Pulses, ...] = ()
    threads: tuple[str, ...] = ()  # whose responses are asked for
    max_simulated: int | None = None
    keys: dict[str, Any] = field(default_factory=dict)  # of the platform, which only programs know
    window: int | None = None  # cycles measured from cl_ready() on; None: to the end

    def soc(self, config: Config, communicates: bool) -> Platform:
        """The platform that it runs on; communicates: it uses the communication port."""
        return config.soc(self.platform, communicates, self.keys)

    def amount(self, row: Row) -> int:
        """What the cycles of a row are for: all of the program, or the units of work in the window."""
        return 1 if self.window is None else row.done


@dataclass(frozen=True)
class Task:
    """A run with its files, named relative to the cache. profiled: its calls are counted."""

    program: Program
    config: Config
    experiment: Experiment
    files: tuple[str, str]  # model, program
    watched: tuple[Watched, ...] = ()
    functions: tuple[str, ...] = field(default=(), repr=False)  # of a run that is profiled
    profiled: bool = False

    @property
    def key(self) -> str:
        """Of all that decides its row."""
        program, made = self.program, hashlib.sha256(self.program.data)
        given = (self.files, program.around, program.pulses, program.threads, program.max_simulated)
        window = () if program.window is None else (program.window,)
        for part in (*given, *window, self._counted, self.profiled):
            made.update(repr(part).encode() + b"\0")
        return made.hexdigest()[:24]

    @property
    def _counted(self) -> bool:
        """Whether it is asked whose its cycles are: with one CPU, of which bounds are made."""
        return self.config.cpus == 1

    def job(self) -> Job[Row]:
        entries = tuple("/".join(Path(file).parts[:2]) for file in self.files)
        return Job(self.config.name, partial(run, self), self.config.cpus, entries, f"explore-{self.key}")


def build(program: Program, config: Config, communicates: bool) -> Task:
    """UserError if it cannot be built."""
    experiment = Experiment(program.app, program.soc(config, communicates), config.on)
    return Task(program, config, experiment, _files(experiment.build()))


def build_profiled(program: Program, config: Config, base: Platform) -> Task:
    """Likewise, of the run whose calls are counted."""
    plain = Experiment(program.app, program.soc(config, False), config.on).program()
    port = base.ipc is not None and profile.communicates(Code(plain).names)
    task = build(program, config, port)
    code = Code(cache.folder() / task.files[1])
    watched = tuple(profile.operations(code)[: profile.MOST_WATCHED])
    return replace(task, watched=watched, functions=tuple(sorted(code.names)), profiled=True)


def _files(built: Built) -> tuple[str, str]:
    model, program = (str(path.relative_to(cache.folder())) for path in (built.model, built.program))
    return model, program


def run(task: Task, progress: Callable[[int], None]) -> Sequence[Row]:
    """The row; what keeps it from having figures is in it."""
    begin = time.monotonic()
    try:
        row = _measured(task, progress)
    except Stopped:
        raise
    except (UserError, WrongOutput) as error:
        row = Row(key=task.key, error=str(error).splitlines()[0])
    return [msgspec.structs.replace(row, seconds=round(time.monotonic() - begin, 3))]


def _measured(task: Task, progress: Callable[[int], None]) -> Row:
    program, top = task.program, cache.folder()
    built = Built(top / task.files[0], top / task.files[1])
    outcome = task.experiment.run(
        program.data,
        Options(
            around=program.around,
            pulses=program.pulses,
            max_simulated=program.max_simulated,
            window=program.window,
            profile=task._counted,
            watch=[each.address for each in task.watched],
            endless=True,
            progress=progress,
        ),
        built,
    )
    result, found = outcome.result, outcome.figures
    if program.window is not None:
        _check_window(program.window, outcome)
    elif outcome.status is None or outcome.status > SIGNALLED:
        outcome.check_finished()
    elif program.name in APPS:
        APPS[program.name].check(result.output, program.data)
    facts: dict[str, Any] = {}
    if task._counted:
        owners = by_owner(
            result.profile, LineTable(built.program, theirs=isinstance(program.app, Application))
        )
        facts["own"] = owners["application"] + owners["library"]
        if task.profiled:
            facts["profile"] = _profile(task, outcome, owners)
    known = profile.names(result.events, result.names, task.config.cpus)
    for name in program.threads:
        if name not in known.values():
            raise UserError(f"no thread is named '{name}': {suggest(name, sorted(known.values()))}")
    return Row(
        key=task.key,
        status=outcome.status or 0,
        printed="" if program.window else result.uart,
        output="" if program.window else hashlib.sha256(result.output).hexdigest()[:16],
        cycles=found.end - found.start,
        done=found.done,
        image_bytes=elf.image_bytes(built.program),
        responses={
            name: longest
            for name in program.threads
            if (longest := response.longest(result.events, known, name, task.config.cpus)) is not None
        },
        **facts,
    )


def _check_window(window: int, outcome: Outcome) -> None:
    """UserError unless all of the window was run, and something was done in it."""
    if outcome.result.reason != "window":
        raise UserError(f"it ended before {window} cycles: choose a smaller --window")
    if not outcome.figures.done:
        raise UserError(
            f"it counted no unit of work in {window} cycles: call cl_done(), or choose a larger --window"
        )


def _profile(task: Task, outcome: Outcome, owners: dict[str, int]) -> Profile:
    result, found = outcome.result, outcome.figures
    events, start = result.events, found.start
    return Profile(
        core=task.config.core,
        cycles=found.end - start,
        own=owners["application"] + owners["library"],
        kernel=owners["kernel"],
        idle=sum(found.idle),
        calls=profile.calls(events, task.watched, start),
        threads=profile.threads(events, result.names, task.config.cpus, start, found.end),
        interrupts=profile.interrupts(events, start),
        done=found.done,
        services=profile.services(task.functions),
        communicates=profile.communicates(task.functions),
    )
