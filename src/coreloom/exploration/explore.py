# SPDX-License-Identifier: Apache-2.0
"""The search: profile, configurations by the fewest CPUs first, bounds, the Pareto front, the choice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from coreloom import paths
from coreloom.comparison import compare
from coreloom.comparison.compare import Answer
from coreloom.design import platform
from coreloom.errors import UserError
from coreloom.exploration import pareto, point, space
from coreloom.exploration.area import BLOCK_KIB, Area, Model
from coreloom.exploration.pareto import Point, Work
from coreloom.exploration.point import Program, Row, Task
from coreloom.exploration.profile import Profile
from coreloom.exploration.response import Deadline
from coreloom.exploration.space import Config
from coreloom.files import write_atomically
from coreloom.jobs.job import Job, Pool, build, whole
from coreloom.jobs.kept import Kept
from coreloom.jobs.local import Local


@dataclass(frozen=True)
class Asked:
    """What must be met. throughput: units of work a second; prune: leave out what cannot pay."""

    luts: int | None = None
    ram_kib: int | None = None
    throughput: float | None = None
    deadlines: tuple[Deadline, ...] = ()
    memory: str = "sram"
    cores: tuple[str, ...] = platform.CORES
    most_cpus: int = space.CPUS[-1]
    prune: bool = True

    def has_room(self, ram_kib: int) -> bool:
        """So much RAM is within the budget."""
        return self.ram_kib is None or ram_kib <= self.ram_kib

    @property
    def needs(self) -> bool:
        """Something is asked of the time, so that the smallest that meets it is the choice."""
        return self.throughput is not None or bool(self.deadlines)


@dataclass(frozen=True)
class Measured:
    """A configuration that was run. amount: what its cycles are for."""

    config: Config
    area: Area
    row: Row
    amount: int = 1

    @property
    def seconds(self) -> float:
        """At its own clock: of the program, or of a unit of work."""
        return self.row.cycles / self.amount / (self.area.mhz * 1e6)

    @property
    def ram_kib(self) -> int:
        """Block RAM, with what the program takes of a memory on the chip."""
        image = -(-self.row.image_bytes // 1024) if self.config.memory == "sram" else 0
        return self.area.blocks * BLOCK_KIB + image

    @property
    def point(self) -> Point:
        return Point(self.area.lut4, self.seconds)

    @property
    def per_second(self) -> float:
        """Units of work."""
        return self.row.done * self.area.mhz * 1e6 / self.row.cycles if self.row.cycles else 0.0

    def response(self, deadline: Deadline) -> float | None:
        """The longest, in seconds."""
        cycles = self.row.responses.get(deadline.thread)
        return None if cycles is None else cycles / (self.area.mhz * 1e6)


@dataclass(frozen=True)
class Left:
    """A configuration that was not run, and why."""

    config: Config
    why: str


@dataclass
class Found:
    """All of a search. before: how many runs an earlier one had made."""

    program: Program
    profile: Profile
    measured: list[Measured] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)
    failed: list[Left] = field(default_factory=list)
    communicates: bool = False  # by the communication port
    before: int = 0
    runs: int = 0

    @property
    def front(self) -> list[Measured]:
        """By LUT4 and time, in the order of LUT4."""
        return pareto.front((each, each.point) for each in self.measured)

    def of(self, config: Config) -> Measured | None:
        return next((each for each in self.measured if each.config == config), None)


def folder(name: str) -> Path:
    """Where the platform files of a program's points and the rows are."""
    return paths.BUILD / "explore" / name


class Search:
    """One search; on_start tells how far it is, as that of a pool."""

    def __init__(
        self,
        program: Program,
        asked: Asked,
        areas: Model,
        pool: Pool,
        kept: Kept[Row],
        on_start: Callable[[str], None],
    ) -> None:
        self.program, self.asked, self.areas = program, asked, areas
        self._pool, self._kept, self._say = pool, kept, on_start
        self._base = platform.load(program.platform)
        space.check(self._base)
        self._work: dict[str, Work] = {}  # by core
        self._answer: Answer
        self._longest: float  # the share of the longest thread in the program's own cycles
        self._before = self._runs = 0

    def run(self) -> Found:
        """All of it. UserError for a program that does not come to its end, and for what nothing can meet."""
        self._check_luts()
        core = self._base.core if self._base.core in self.asked.cores else self.asked.cores[0]
        config = Config(core, 1, "small", memory=self.asked.memory)
        found = Found(self.program, self._profile(config))
        if self.asked.throughput is not None and not found.profile.done:
            raise UserError("the program counts no units of work, which --throughput is of: call cl_done(1)")
        found.communicates = found.profile.communicates and self._base.ipc is not None
        left = self._affordable(self._configs(found), found)
        for cpus in sorted({config.cpus for config in left}):
            group = [config for config in left if config.cpus == cpus]
            for second in (False, True):  # `fast` takes no fewer cycles than `small`, which is known first
                part = [config for config in group if (config.kernel == "fast") == second]
                self._measure([config for config in part if self._may_pay(config, found)], found)
        if not found.measured:
            raise UserError(f"no configuration ran {self.program.name}: {found.failed[0].why}")
        found.before, found.runs = self._before, self._runs
        return found

    @property
    def _memories(self) -> tuple[str, ...]:
        return ("sdram", "cached") if self.asked.memory == "sdram" else ("sram",)

    def _check_luts(self) -> None:
        """UserError, with what the smallest needs, if the budget is too small for any program."""
        sizes = {
            config: config.area(self.areas).lut4
            for config in space.configs(1, (), self._memories, self.asked.cores)
        }
        least = min(sizes, key=sizes.__getitem__)
        if self.asked.luts is not None and sizes[least] > self.asked.luts:
            needs = f"the smallest, {least.name}, needs {sizes[least]}"
            raise UserError(f"no configuration needs at most {self.asked.luts} LUT4: {needs}")

    def _configs(self, found: Found) -> list[Config]:
        most = min(self.asked.most_cpus, platform.MAX_IPC_CPUS if found.communicates else space.CPUS[-1])
        profile = found.profile
        return space.configs(len(profile.threads), profile.services, self._memories, self.asked.cores, most)

    def _affordable(self, configs: Sequence[Config], found: Found) -> list[Config]:
        """Those within the budget of LUT4; the others are noted."""
        most = self.asked.luts
        sizes = {config: config.area(self.areas).lut4 for config in configs}
        for config in configs:
            if most is not None and sizes[config] > most:
                found.left.append(Left(config, f"needs {sizes[config]} LUT4"))
        return [config for config in configs if most is None or sizes[config] <= most]

    # --- runs ----------------------------------------------------------------------------------------------

    def _build(
        self, makers: Sequence[tuple[str, Callable[[], Task]]], models: Sequence[Job[Any]] = ()
    ) -> list[Task]:
        """All tasks, with their programs, after the models, on this machine."""
        jobs = [Job(f"build {text}", whole(partial(_one, make))) for text, make in makers]
        return Local().run(models, jobs, self._say)

    def _rows(self, tasks: Sequence[Task]) -> list[Row]:
        """Of those that an earlier search has run, what it found."""
        done = self._kept.done(task.key for task in tasks)
        self._before += len(done)
        self._runs += len(tasks)
        new = [task for task in tasks if task.key not in done]

        def keep(_: int, rows: Sequence[Row]) -> None:
            for row in rows:
                self._kept.add(row)

        made = self._pool.run([], [task.job() for task in new], self._say, on_rows=keep)
        done |= {row.key: row for row in made}
        return [done[task.key] for task in tasks]

    def _profile(self, config: Config) -> Profile:
        make = partial(point.build_profiled, self.program, config, self._base)
        (row,) = self._rows(self._build([(f"{self.program.name} for its profile", make)]))
        if row.error is not None or row.profile is None:
            raise UserError(row.error or f"{self.program.name} has no profile")
        if row.status:
            raise UserError(f"{self.program.name} ended with status {row.status}: give one that ends with 0")
        self._answer = _answer(row)
        self._longest = row.profile.work.longest / max(row.profile.work.own, 1)
        self._note(row.profile.core, row.own / self.program.amount(row))
        return row.profile

    def _measure(self, configs: Sequence[Config], found: Found) -> None:
        make = partial(point.build, self.program, communicates=found.communicates)
        socs = [self.program.soc(config, found.communicates) for config in configs]
        models = [build(soc, soc.name) for soc in dict.fromkeys(socs)]
        tasks = self._build([(config.name, partial(make, config)) for config in configs], models)
        for task, row in zip(tasks, self._rows(tasks), strict=True):
            why = row.error or self._differs(task.config, row)
            if why:
                found.failed.append(Left(task.config, why))
                continue
            amount = self.program.amount(row)
            found.measured.append(Measured(task.config, task.config.area(self.areas), row, amount))
            if row.own:
                self._note(task.config.core, row.own / amount)

    def _differs(self, config: Config, row: Row) -> str | None:
        """How its answer is another one than the profile's."""
        runs = [compare.Run("hw", 1, self._answer), compare.Run(config.on, config.cpus, _answer(row))]
        said = compare.difference(runs)
        return said and f"answers otherwise: {said}"

    # --- bounds --------------------------------------------------------------------------------------------

    def _note(self, core: str, own: float) -> None:
        """The fewest cycles of its own that the program took on a core with one CPU."""
        least = min(own, self._work[core].own if core in self._work else own)
        self._work[core] = Work(least, least * self._longest)

    def _may_pay(self, config: Config, found: Found) -> bool:
        """Whether it is not ruled out, and noted if it is. Of responses there is no bound."""
        if not self.asked.prune or self.asked.deadlines:
            return True
        why = self._bound(config, found) or self._flat(config, found)
        if why:
            found.left.append(Left(config, why))
        return not why

    def _bound(self, config: Config, found: Found) -> str:
        """Which configuration is no larger, and no slower than this one at best; "" if there is none."""
        area = config.area(self.areas)
        seconds = 0.0
        if config.core in self._work and config.cpus > 1:
            seconds = pareto.at_best(self._work[config.core], config.cpus, area.mhz)
        small = found.of(Config(config.core, config.cpus, "small", (), config.memory))
        if config.kernel == "fast" and small is not None:
            seconds = max(seconds, small.seconds * small.area.mhz / area.mhz)
        mine = Point(area.lut4, seconds)
        rivals = (each for each in found.measured if self.asked.has_room(each.ram_kib))
        by = next((each for each in rivals if each.point.covers(mine)), None)
        return "" if by is None else f"takes at least {seconds * 1e3:.4g} ms, and {by.config.name} no more"

    def _flat(self, config: Config, found: Found) -> str:
        """Which CPUs have brought nothing over fewer ones, so that more will not; "" if none have."""
        fewer = [each for each in found.measured if replace(each.config, cpus=config.cpus) == config]
        last = sorted(fewer, key=lambda each: each.config.cpus)[-2:]
        if len(last) < 2 or last[1].seconds < _BROUGHT * last[0].seconds:
            return ""
        return f"{last[1].config.name} is no faster than {last[0].config.name}"


_BROUGHT = 0.99  # of the time before: more CPUs have brought something


def _one(make: Callable[[], Task]) -> list[Task]:
    return [make()]


def _answer(row: Row) -> Answer:
    return Answer(row.status, row.printed, row.output.encode())


# --- the choice --------------------------------------------------------------------------------------------


def choose(found: Found, asked: Asked) -> Measured:
    """The smallest that meets what is asked of the time; else the fastest within the budget; else, without
    either, the one with the least LUT4 times seconds. UserError, with what is missing, if nothing will do."""
    fits = [each for each in found.measured if asked.has_room(each.ram_kib)]
    if not fits:
        least = min(found.measured, key=lambda each: each.ram_kib)
        raise UserError(
            f"no configuration needs at most {asked.ram_kib} KiB of RAM: the smallest, {least.config.name}, "
            f"needs {least.ram_kib}"
        )
    for deadline in asked.deadlines:
        fits = _in_time(fits, deadline)
    if asked.throughput is not None:
        fits = _fast_enough(fits, asked.throughput)
    if asked.needs:
        return min(fits, key=lambda each: each.point)
    if asked.luts is not None or asked.ram_kib is not None:
        return min(fits, key=lambda each: (each.seconds, each.area.lut4))
    return min(fits, key=lambda each: (each.area.lut4 * each.seconds, each.area.lut4))


def _in_time(measured: Sequence[Measured], deadline: Deadline) -> list[Measured]:
    times = [(time, each) for each in measured if (time := each.response(deadline)) is not None]
    if not times:
        raise UserError(
            f"{deadline.thread} never responded to an interrupt line: drive the line that wakes it by --line"
        )
    best, nearest = min(times, key=lambda pair: pair[0])
    if best > deadline.seconds:
        raise UserError(
            f"no configuration meets {deadline.thread}<={deadline.text}: the nearest, {nearest.config.name}, "
            f"takes {best * 1e6:.4g} us, {best / deadline.seconds:.3g} times as long"
        )
    return [each for time, each in times if time <= deadline.seconds]


def _fast_enough(measured: Sequence[Measured], throughput: float) -> list[Measured]:
    best = max(measured, key=lambda each: each.per_second)
    if best.per_second < throughput:
        raise UserError(
            f"no configuration does {throughput:g} units a second: the fastest, {best.config.name}, does "
            f"{best.per_second:.4g}"
        )
    return [each for each in measured if each.per_second >= throughput]


def write(found: Found) -> list[Path]:
    """The platform files of what was run; both kernels have one where the hardware kernel is `small`."""
    told: dict[Config, list[str]] = {}
    first: dict[str, Config] = {}
    for each in found.measured:
        config = first.setdefault(each.config.platform, each.config)
        told.setdefault(config, []).append(f"--on {each.config.on}: {each.row.cycles} cycles")
    made = []
    for config, said in told.items():
        path = folder(found.program.name) / f"{config.platform}.toml"
        soc = found.program.soc(config, found.communicates)
        text = platform.text(soc, f"{found.program.name}, {', '.join(said)}")
        write_atomically(path, text.encode())
        made.append(path)
    return made
