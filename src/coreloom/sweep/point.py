# SPDX-License-Identifier: Apache-2.0
"""One point of a sweep: built here, run anywhere, one row of figures."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

import msgspec

from coreloom.apps import APPS
from coreloom.design import keys, platform
from coreloom.errors import UserError, WrongOutput
from coreloom.jobs.job import Job, Progress, Stopped
from coreloom.simulation.experiment import Built, Experiment
from coreloom.simulation.measure import spread
from coreloom.simulation.simulate import Options
from coreloom.sweep.file import Setting, Sweep, Value
from coreloom.toolchain import cache


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of a point. Cycles are of the window, from the program's initialisation on, unless said."""

    key: str  # of all that decides the row
    app: str
    platform: str
    kernel: str
    placement: str
    policy: str | None
    parameters: dict[str, Value]
    defines: dict[str, int | str]
    core: str
    cpus: int
    unit: str  # of what is done
    error: str | None = None  # why there are no figures
    cycles_total: int | None = None  # since reset
    cycles: int | None = None
    done: int | None = None
    switches: int | None = None
    switch_cycles_min: int | None = None  # of voluntary switches without idling
    switch_cycles_mean: float | None = None
    switch_cycles_max: int | None = None
    preemptions: int | None = None
    preempt_cycles_mean: float | None = None
    idle_cycles: int | None = None  # of all CPUs
    seconds: float = 0  # that the point took where it was run

    @property
    def axes(self) -> dict[str, Value | None]:
        """The chosen values, by name."""
        named: dict[str, Value | None] = {
            "app": self.app,
            "platform": self.platform,
            "kernel": self.kernel,
            "placement": self.placement,
            "policy": self.policy,
        }
        return named | self.parameters | self.defines


@dataclass(frozen=True)
class Point:
    """The program run at a point, with its inputs; files are named relative to the cache."""

    setting: Setting
    experiment: Experiment
    files: tuple[str, str, str | None]  # model, program, loader
    input: str
    window: int | None
    max_cycles: int

    @property
    def key(self) -> str:
        """Of all that decides its row: the setting, and what was built by its content."""
        made = hashlib.sha256()
        for part in (self.setting, self.files, self.input, self.window, self.max_cycles):
            made.update(repr(part).encode() + b"\0")
        return made.hexdigest()[:24]

    def job(self) -> Job[Row]:
        """It may run on any machine: what it uses of the cache travels with it."""
        entries = tuple(_entry(file) for file in (*self.files, self.input) if file is not None)
        cpus = self.experiment.platform.cpus
        steps = float((self.window or self.max_cycles) * cpus)
        return Job(self.setting.text, partial(run, self), steps, entries, f"sweep-{self.key}")


def _entry(file: str) -> str:
    """The entry of the cache in which a file lies."""
    return "/".join(Path(file).parts[:2])


def experiment(sweep: Sweep, setting: Setting) -> Experiment:
    """The run that a setting asks for. UserError if its values do not go together."""
    changes = {key: list(value) if isinstance(value, tuple) else value for key, value in setting.parameters}
    soc = platform.load(sweep.place(setting.platform), changes=changes)
    for macro, _ in setting.defines:
        if macro in keys.macros(soc):
            raise UserError(f"{macro} follows from the platform: set it in [parameters]")
    app = sweep.place(setting.app)
    return Experiment(app, soc, setting.kernel, setting.placement, dict(setting.defines), setting.policy)


def build(sweep: Sweep, setting: Setting) -> Point:
    """The point of a setting, with all that it runs with. UserError if that cannot be built."""
    wanted = experiment(sweep, setting)
    built = wanted.build()
    loader = None if built.loader is None else _inside(built.loader)
    files = (_inside(built.model), _inside(built.program), loader)
    return Point(setting, wanted, files, _input(wanted.app), sweep.window, sweep.max_cycles)


def _inside(path: Path) -> str:
    return str(path.relative_to(cache.folder()))


@lru_cache
def _input(app: str) -> str:
    """The application's default input, as a file in the cache; of a program of the user's it is empty."""
    data = APPS[app].prepare(None) if app in APPS else b""
    entry = cache.place("input") / f"{Path(app).stem}-{hashlib.sha256(data).hexdigest()[:16]}"
    return _inside(cache.made(entry, lambda work: (work / "data").write_bytes(data)) / "data")


def run(point: Point, progress: Callable[[int], None]) -> Sequence[Row]:
    """The row of a point; what keeps it from having figures is in it."""
    setting, soc = point.setting, point.experiment.platform
    row = Row(
        key=point.key,
        app=setting.app,
        platform=setting.platform,
        kernel=setting.kernel,
        placement=setting.placement,
        policy=setting.policy,
        parameters=dict(setting.parameters),
        defines=dict(setting.defines),
        core=soc.core,
        cpus=soc.cpus,
        unit=APPS[setting.app].unit if setting.app in APPS else "units of work",
    )
    begin = time.monotonic()
    try:
        row = _measured(point, row, progress)
    except Stopped:
        raise
    except (UserError, WrongOutput) as error:
        row = msgspec.structs.replace(row, error=one_line(str(error)))
    return [msgspec.structs.replace(row, seconds=round(time.monotonic() - begin, 3))]


def _measured(point: Point, row: Row, progress: Progress) -> Row:
    model, program, loader = point.files
    top = cache.folder()
    data = (top / point.input).read_bytes()
    built = Built(top / model, top / program, None if loader is None else top / loader)
    outcome = point.experiment.run(
        data, Options(window=point.window, max_cycles=point.max_cycles, progress=progress), built
    )
    result, found = outcome.result, outcome.figures
    if result.reason != "window":
        outcome.check_finished()
        if row.app in APPS:
            APPS[row.app].check(result.output, data)
    low, mean, high = spread(found.voluntary)
    preempted = spread(found.preempted)[1]
    return msgspec.structs.replace(
        row,
        cycles_total=result.cycles,
        cycles=found.end - found.start,
        done=found.done,
        switches=found.switches,
        switch_cycles_min=low,
        switch_cycles_mean=None if mean is None else round(mean, 1),
        switch_cycles_max=high,
        preemptions=len(found.preempted),
        preempt_cycles_mean=None if preempted is None else round(preempted, 1),
        idle_cycles=sum(found.idle),
    )


def one_line(text: str) -> str:
    """A message of several lines, as a compiler's, as its first line and the first that names an error."""
    first, *rest = text.splitlines()
    return " ".join([first, *[line.strip() for line in rest if "error" in line][:1]])
