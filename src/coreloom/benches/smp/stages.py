# SPDX-License-Identifier: Apache-2.0
"""The stages of a context switch, as in Fig. 3(a) of [SMP], by programs of their own on one CPU.

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
from coreloom.report import plots
from coreloom.report.page import Plot
from coreloom.report.table import Table, number
from coreloom.simulation.experiment import Experiment
from coreloom.simulation.measure import spread
from coreloom.simulation.simulate import Event, Kind, ModuleState
from coreloom.toolchain import elf
from coreloom.toolchain.firmware import FREERTOS

KERNELS = {"standard": ("sw", *FREERTOS, "hw"), "economy": ("sw", "hw")}  # of each core
STAGES = ("enter", "decide", "save", "load", "leave")
_MAX_CYCLES = 3_000_000
_MRET, _RETIRQ = 0x3020_0073, 0x0400_000B
_RETURNS = {"standard": _MRET, "economy": _RETIRQ, "fast": _MRET}

# The events of a switch that end its stages; a text is a place in the program. A voluntary switch has left
# when the next thread runs; in software the call is part of its decision. Of FreeRTOS there is a full-context
# one, and as a whole only: its source is not ours, and has no names for the places.
_FULL = ("interrupt", Kind.TRAP, "store", "to", Kind.RUN, "return")
_ORDERS: dict[str, dict[str, tuple[Kind | str, ...]]] = {
    "hw": {"voluntary": (Kind.CALL, Kind.MODULE, "away", "to", Kind.RUN), "full-context": _FULL},
    "sw": {"voluntary": (Kind.CALL, "away", "to", Kind.RUN), "full-context": _FULL},
    **{kernel: {"full-context": ("interrupt", Kind.RUN, "return")} for kernel in FREERTOS},
}
BREAKS = (Kind.CALL, Kind.IDLE, "interrupt")  # what a switch does not continue after


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
    enter: int | None = None
    decide: int | None = None
    save: int | None = None
    load: int | None = None
    leave: int | None = None


def places(program: Path, core: str, kernel: str, by: str = "timer") -> list[tuple[str, int]]:
    """Names and addresses: the vector of the interrupt; where its handler begins to store the registers that
    C functions keep; where a switch in place stores; where both load; every return from an interrupt.

    by: whose interrupt the software kernel has, the timer's or a line's.
    """
    vectors, entry, store = {
        "economy": ("cl_vectors", 0x10, "cl_switch_in_trap"),
        "fast": ("cl_trap_entry", 0, "cl_switch_in_trap"),
        "standard": ("cl_vectors", 4 * {"timer": 7, "line": 16}[by], "cl_switch_in_trap"),
    }[core]
    if (core, kernel) == ("standard", "hw"):
        vectors, entry, store = "vectors", 4 * 11, "give_way"
    found = [("interrupt", elf.address(program, vectors) + entry)]
    if kernel not in FREERTOS:
        for name, symbol in (("store", store), ("away", "cl_switch_away"), ("to", "cl_switch_to")):
            found.append((name, elf.address(program, symbol)))
        # With two banks of registers a trap has its own copy of the last one.
        found += [("to", at) for symbol, at in elf.symbols(program) if symbol == "cl_switch_from_trap"]
    return [*found, *(("return", address) for address in elf.instructions(program, _RETURNS[core]))]


def follow(
    events: Iterable[Event],
    order: Sequence[Kind | str],
    watched: Sequence[str],
    breaks: Sequence[Kind | str] = BREAKS,
) -> Iterator[tuple[int, ...]]:
    """The cycles of the events in `order`, each time all of them come, perhaps with others between.

    watched: the names of the places; breaks: after what it begins anew.
    """
    seen: list[int] = []
    for event in events:
        what = watched[event.kind - Kind.WATCH] if event.kind >= Kind.WATCH else Kind(event.kind)
        if what in breaks:
            seen = []
        if what == Kind.MODULE and event.value not in (ModuleState.WAITS, ModuleState.EXECUTES):
            continue
        if what == order[len(seen)]:
            seen.append(event.cycle)
        if len(seen) == len(order):
            yield tuple(seen)
            seen = []


def _stages(kernel: str, kind: str, switch: tuple[int, ...]) -> dict[str, int]:
    """The cycles of those that it has."""
    names = STAGES if kind == "full-context" else STAGES[kernel == "sw" : -1]
    parts = [after - before for before, after in pairwise(switch)]
    return {} if kernel in FREERTOS else dict(zip(names, parts, strict=True))


def measure(core: str, kernel: str) -> list[Row]:
    """A row for each kind of switch, on one CPU."""
    source = Path(__file__).with_name("stages_freertos.c" if kernel in FREERTOS else "stages.c")
    experiment = Experiment(str(source), platform.load(f"smp-{core}", 1), kernel)
    watched = places(experiment.program(), core, kernel)
    watch = [address for _, address in watched]
    outcome = experiment.run(b"", watch=watch, modules=True, max_cycles=_MAX_CYCLES)
    if outcome.result.exit_status != 0:
        raise UserError("the program of the stages failed: run `make test`")
    found = []
    for kind, order in _ORDERS[kernel].items():
        switches = list(follow(outcome.result.events, order, [name for name, _ in watched]))
        cycles = [switch[-1] - switch[0] for switch in switches]
        low, mean, high = spread(cycles)
        if low is None or mean is None or high is None:
            raise UserError(f"the program of the stages had no {kind} switch: run `make test`")
        middle = median_low(cycles)
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
                **_stages(kernel, kind, switches[cycles.index(middle)]),
            )
        )
    return found


def run(work: Work, with_freertos: bool) -> list[Row]:
    """All rows."""

    def job(core: str, kernel: str) -> Job[Row]:
        text = f"stages of a switch, {core} core, {NAMES[kernel]}"
        return Job(text, whole(lambda: measure(core, kernel)))

    models = [build(platform.load(f"smp-{core}", 1)) for core in KERNELS]
    wanted = [
        job(core, kernel)
        for core, kernels in KERNELS.items()
        for kernel in kernels
        if with_freertos or kernel not in FREERTOS
    ]
    return work.jobs(models, wanted)


# Beside which of the paper's a kernel stands: its eCos is an operating system from elsewhere, as FreeRTOS.
_BESIDE = {"hw": "hw", **dict.fromkeys(FREERTOS, "sw")}


def drawn(found: Sequence[Row]) -> dict[str, Plot]:
    """Fig. 3(a) of the paper: the stages of each kind of switch, for each core."""
    texts = ("call or interrupt", "kernel decides", "save", "load", "resume")
    plotted = {}
    for core in dict.fromkeys(row.core for row in found):
        groups = {
            f"{NAMES[row.kernel].removesuffix(' kernel')}, {row.kind.removesuffix('-context')}": {
                text: float(getattr(row, stage) or 0) for stage, text in zip(STAGES, texts, strict=True)
            }
            for row in found
            if row.core == core and row.decide is not None
        }
        if groups:
            title = f"Stages of a switch on 1 CPU, {core} core"
            plot = Plot(f"{title} ([SMP] Fig. 3(a))", plots.groups(title, "cycles", groups))
            plotted[f"smp-stages-{core}.svg"] = plot
    return plotted


def table(found: Sequence[Row], paper: dict[str, int]) -> Table:
    """The stages of both kinds on every kernel; those of a row add up to its median. paper: by kernel."""
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
                *(number(row.switches), number(paper.get(_BESIDE.get(row.kernel, "")))),
            )
            for row in found
        ),
        text_columns=3,
    )
