# SPDX-License-Identifier: Apache-2.0
"""The stages of a context switch, as in Fig. 3(a) of [SMP], by a program of its own on one CPU.

What they begin with is seen by the simulator: stores to the trace port that every program has, the kernel's
own signals, and the instruction that the CPU has come to.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import median_low

import msgspec

from coreloom.benches.bench import Work
from coreloom.benches.rivals import NAMES
from coreloom.design import platform
from coreloom.errors import UserError
from coreloom.jobs.job import Job, build, whole
from coreloom.report.table import Table, number
from coreloom.simulation.experiment import Experiment
from coreloom.simulation.measure import spread
from coreloom.simulation.simulate import Event, Kind, ModuleState
from coreloom.toolchain import elf

CORES = ("standard", "economy")
KERNELS = ("sw", "hw")
STAGES = ("enter", "decide", "save", "load", "leave")
_SOURCE = str(Path(__file__).with_name("stages.c"))
_MAX_CYCLES = 3_000_000

# Places in the program, by their number in `watch`: where the interrupt begins; where its handler begins to
# store the registers that C functions keep; where a switch in place stores; where both load those of the next
# thread; where the interrupt returns.
_INTERRUPT, _STORE, _AWAY, _TO, _RETURN = (Kind.WATCH + n for n in range(5))
_FULL = (_INTERRUPT, Kind.TRAP, _STORE, _TO, Kind.RUN, _RETURN)
# A voluntary switch has left when the next thread runs. In software the call is part of the decision.
_VOLUNTARY = {
    "hw": (Kind.CALL, Kind.MODULE, _AWAY, _TO, Kind.RUN),
    "sw": (Kind.CALL, _AWAY, _TO, Kind.RUN),
}
_BREAKS = (Kind.CALL, Kind.IDLE, _INTERRUPT)  # what a switch does not continue after


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """The switches of one kind; stages are those of the one with the median cycles, None: it has none."""

    core: str
    kernel: str
    kind: str  # voluntary | full-context
    switches: int
    cycles_min: int
    cycles_mean: float
    cycles_max: int
    cycles_median: int
    enter: int | None
    decide: int
    save: int
    load: int
    leave: int | None


def _places(program: Path, core: str, kernel: str) -> list[int]:
    """The addresses of the five places."""
    vectors, entry, store = {
        ("standard", "hw"): ("vectors", 4 * 11, "give_way"),
        ("standard", "sw"): ("cl_vectors", 4 * 7, "cl_switch_in_trap"),  # the timer's
    }.get((core, kernel), ("cl_vectors", 0x10, "cl_switch_in_trap"))
    names = (vectors, store, "cl_switch_away", "cl_switch_to", "return")
    interrupt, *others = (elf.address(program, name) for name in names)
    return [interrupt + entry, *others]


def follow(events: Iterable[Event], order: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """The cycles of the events in `order`, each time all of them come, perhaps with others between."""
    seen: list[int] = []
    for event in events:
        if event.kind in _BREAKS:
            seen = []
        if event.kind == Kind.MODULE and event.value not in (ModuleState.WAITS, ModuleState.EXECUTES):
            continue
        if event.kind == order[len(seen)]:
            seen.append(event.cycle)
        if len(seen) == len(order):
            yield tuple(seen)
            seen = []


def rows(events: Sequence[Event], core: str, kernel: str) -> list[Row]:
    """A row for each kind of switch in a run of the program."""
    found = []
    for kind, order in (("voluntary", _VOLUNTARY[kernel]), ("full-context", _FULL)):
        switches = list(follow(events, order))
        if not switches:
            raise UserError(f"the program of the stages had no {kind} switch: run `make test`")
        cycles = [switch[-1] - switch[0] for switch in switches]
        low, mean, high = spread(cycles)
        assert low is not None and mean is not None and high is not None
        middle = median_low(cycles)
        typical = switches[cycles.index(middle)]
        parts: list[int | None] = [after - before for before, after in pairwise(typical)]
        if kind == "voluntary":
            parts = [*([None] if kernel == "sw" else []), *parts, None]
        found.append(
            Row(
                core=core,
                kernel=kernel,
                kind=kind,
                switches=len(switches),
                cycles_min=low,
                cycles_mean=round(mean, 1),
                cycles_max=high,
                cycles_median=middle,
                **dict(zip(STAGES, parts, strict=True)),  # type: ignore[arg-type]
            )
        )
    return found


def measure(core: str, kernel: str) -> list[Row]:
    """Both kinds of switch on one CPU."""
    experiment = Experiment(_SOURCE, platform.load(f"smp-{core}", 1), kernel)
    watch = _places(experiment.program(), core, kernel)
    outcome = experiment.run(b"", watch=watch, modules=True, max_cycles=_MAX_CYCLES)
    if outcome.result.exit_status != 0:
        raise UserError("the program of the stages failed: run `make test`")
    return rows(outcome.result.events, core, kernel)


def run(work: Work) -> list[Row]:
    """All rows."""

    def job(core: str, kernel: str) -> Job[Row]:
        text = f"stages of a switch, {core} core, {NAMES[kernel]}"
        return Job(text, whole(lambda: measure(core, kernel)))

    models = [build(platform.load(f"smp-{core}", 1), f"smp-{core} with 1 CPU") for core in CORES]
    return work.jobs(models, [job(core, kernel) for core in CORES for kernel in KERNELS])


def table(found: Sequence[Row], paper: dict[str, int]) -> Table:
    """The stages of both kinds on both kernels; those of a row add up to its median. paper: by kernel."""
    return Table(
        "Stages of a switch on 1 CPU, cycles of the switch with the median ([SMP] Fig. 3(a))",
        (
            *("core", "kernel", "switch", "call, or interrupt and its frame", "kernel decides"),
            *("save context", "load context", "resume", "all"),
            *("min / mean / max", "switches", "paper: eCos or HW"),
        ),
        tuple(
            (
                *(row.core, NAMES[row.kernel], row.kind),
                *map(number, (row.enter, row.decide, row.save, row.load, row.leave, row.cycles_median)),
                f"{number(row.cycles_min)} / {number(row.cycles_mean)} / {number(row.cycles_max)}",
                *(number(row.switches), number(paper[row.kernel])),
            )
            for row in found
        ),
        text_columns=3,
    )
