# SPDX-License-Identifier: Apache-2.0
"""The stages of a context switch, as in Fig. 3(a) of [SMP], by programs of their own on one CPU and on two.

What they begin with is seen by the simulator: stores to the trace port that every program has, the kernel's
own signals, and the instruction that the CPU has come to.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import median_low
from typing import NamedTuple

import msgspec

from coreloom.benches.bench import Work
from coreloom.benches.rivals import NAMES
from coreloom.design import platform
from coreloom.errors import UserError
from coreloom.jobs.job import Job, build, whole
from coreloom.report.plots import Bars
from coreloom.report.table import Table, number
from coreloom.simulation.experiment import Experiment
from coreloom.simulation.measure import spread
from coreloom.simulation.simulate import Event, Kind, ModuleState, Options
from coreloom.toolchain import elf
from coreloom.toolchain.firmware import FREERTOS

KERNELS = {"standard": ("sw", *FREERTOS, "hw"), "economy": ("sw", "hw")}  # of each core
CPUS = (1, 2)
STAGES = ("enter", "decide", "save", "load", "leave")
_MAX_CYCLES = 3_000_000
_MRET, _RETIRQ = 0x3020_0073, 0x0400_000B
_RETURNS = {"standard": _MRET, "economy": _RETIRQ, "fast": _MRET}

_RETURN = 0x0000_8067
_LOAD_SP, _LOAD_SP_MASK = 0x0001_2103, 0x000F_FFFF  # lw sp, any(sp)


class Way(NamedTuple):
    """A way through a switch: its events, and the stages between them; one may come in parts."""

    events: tuple[Kind | str, ...]
    stages: tuple[str, ...]


# A text is a place in the program. A voluntary switch has left when the next thread runs; in software the
# call is part of its decision. FreeRTOS's own port saves all registers before anything is decided, and loads
# all in one piece. On ours a CPU gives way in its own tick or because of another CPU's interrupt.
_FULL = Way(("interrupt", Kind.TRAP, "store", "to", Kind.RUN, "return"), STAGES)
_IN_PARTS = ("decide", "save", "decide", "load")
_OUR_PORT = {
    "voluntary": (Way((Kind.CALL, "store", "choose", Kind.RUN, "left"), _IN_PARTS),),
    "full-context": (
        Way(
            ("interrupt", "tick", "away", "choose", Kind.RUN, "back", "return"),
            ("enter", "decide", "save", "decide", "load", "leave"),
        ),
        Way(
            ("interrupt", "away", "choose", Kind.RUN, "back", "return"),
            ("enter", "save", "decide", "load", "leave"),
        ),
    ),
}
_THEIR_PORT = {
    "voluntary": (Way((Kind.CALL, "trap", "saved", Kind.RUN, Kind.RESUMED), _IN_PARTS),),
    "full-context": (
        Way(("interrupt", "store", "saved", Kind.RUN, "return"), ("enter", "save", "decide", "load")),
    ),
}
_HARDWARE = {
    "voluntary": (Way((Kind.CALL, Kind.MODULE, "away", "to", Kind.RUN), STAGES[:-1]),),
    "full-context": (_FULL,),
}
_SOFTWARE = {
    "voluntary": (Way((Kind.CALL, "away", "to", Kind.RUN), STAGES[1:-1]),),
    "full-context": (_FULL,),
}
BREAKS = (Kind.CALL, Kind.IDLE, "interrupt")  # what a switch does not continue after


def ways(kernel: str, cpus: int) -> Mapping[str, Sequence[Way]]:
    """By kind of switch."""
    if kernel in FREERTOS:
        return _THEIR_PORT if _has_their_port(kernel, cpus) else _OUR_PORT
    return _HARDWARE if kernel == "hw" else _SOFTWARE


def _has_their_port(kernel: str, cpus: int) -> bool:
    return kernel == "freertos" and cpus == 1


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """The switches of one kind; stages are those of the one with the median cycles, None: it has none."""

    core: str
    kernel: str
    cpus: int = 1
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


def places(program: Path, core: str, kernel: str, by: str = "timer", cpus: int = 1) -> list[tuple[str, int]]:
    """Names and addresses: the vector of the interrupt; where its handler begins to store the registers that
    C functions keep; where a switch in place stores; where both load; every return from an interrupt. Of
    FreeRTOS: what its ports have names for.

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
    elif _has_their_port(kernel, cpus):
        found.append(("trap", elf.address(program, vectors)))
        found.append(("store", elf.address(program, "freertos_risc_v_mtimer_interrupt_handler")))
        # A handler has saved all when it loads the stack of interrupts.
        found += [("saved", at + 4) for at in elf.instructions(program, _LOAD_SP, _LOAD_SP_MASK)]
    else:
        if cpus > 1:
            found.append(("interrupt", elf.address(program, vectors) + 4 * 3))
        for name, symbol in (
            *(("tick", "cl_port_tick"), ("away", "away"), ("choose", "vTaskSwitchContext"), ("back", "back")),
            ("store", "vPortYield"),
        ):
            found.append((name, elf.address(program, symbol)))
        yielded = elf.address(program, "yielded")
        found.append(("left", min(at for at in elf.instructions(program, _RETURN) if at > yielded)))
    return [*found, *(("return", address) for address in elf.instructions(program, _RETURNS[core]))]


def follow(
    events: Iterable[Event],
    order: Sequence[Kind | str],
    watched: Sequence[str],
    breaks: Sequence[Kind | str] = BREAKS,
) -> Iterator[tuple[int, ...]]:
    """The cycles of the events in `order`, each time all of them come on a CPU, perhaps with others between.

    watched: the names of the places; breaks: after what it begins anew.
    """
    seen: defaultdict[int, list[int]] = defaultdict(list)  # by CPU
    for event in events:
        what = watched[event.kind - Kind.WATCH] if event.kind >= Kind.WATCH else Kind(event.kind)
        mine = seen[event.cpu]
        if what in breaks:
            mine.clear()
        if what == Kind.MODULE and event.value not in (ModuleState.WAITS, ModuleState.EXECUTES):
            continue
        if what == order[len(mine)]:
            mine.append(event.cycle)
        if len(mine) == len(order):
            yield tuple(mine)
            mine.clear()


def switches(events: Sequence[Event], either: Sequence[Way], watched: Sequence[str]) -> list[dict[str, int]]:
    """Cycles of the stages of each switch by one of the ways; what only another way has leads off it."""
    found = []
    for way in either:
        others = {event for other in either for event in other.events} - set(way.events)
        for switch in follow(events, way.events, watched, (*BREAKS, *others)):
            stages = dict.fromkeys(way.stages, 0)
            for stage, (before, after) in zip(way.stages, pairwise(switch), strict=True):
                stages[stage] += after - before
            found.append(stages)
    return found


def measure(core: str, kernel: str, cpus: int = 1) -> list[Row]:
    """A row for each kind of switch, on any of the CPUs."""
    source = Path(__file__).with_name("stages_freertos.c" if kernel in FREERTOS else "stages.c")
    experiment = Experiment(str(source), platform.load(f"smp-{core}", cpus), kernel)
    watched = places(experiment.program(), core, kernel, cpus=cpus)
    watch = [address for _, address in watched]
    outcome = experiment.run(b"", Options(watch=watch, modules=True, max_cycles=_MAX_CYCLES))
    if outcome.result.exit_status != 0:
        raise UserError("the program of the stages failed: run `make test-runtime`")
    found = []
    for kind, either in ways(kernel, cpus).items():
        made = switches(outcome.result.events, either, [name for name, _ in watched])
        cycles = [sum(switch.values()) for switch in made]
        low, mean, high = spread(cycles)
        if low is None or mean is None or high is None:
            raise UserError(f"the program of the stages had no {kind} switch: run `make test-runtime`")
        middle = median_low(cycles)
        found.append(
            Row(
                core=core,
                kernel=kernel,
                cpus=cpus,
                kind=kind,
                switches=len(made),
                cycles_min=low,
                cycles_mean=round(mean, 1),
                cycles_max=high,
                cycles_median=middle,
                **made[cycles.index(middle)],
            )
        )
    return found


def run(work: Work, with_freertos: bool) -> list[Row]:
    """All rows."""

    def job(core: str, kernel: str, cpus: int) -> Job[Row]:
        text = f"stages of a switch, {core} core, {NAMES[kernel]}, {cpus} CPU"
        return Job(text, whole(lambda: measure(core, kernel, cpus)))

    models = [build(platform.load(f"smp-{core}", cpus)) for core in KERNELS for cpus in CPUS]
    wanted = [
        job(core, kernel, cpus)
        for core, kernels in KERNELS.items()
        for cpus in CPUS
        for kernel in kernels
        if (with_freertos or kernel not in FREERTOS) and not (kernel == "freertos-tuned" and cpus > 1)
    ]
    return work.jobs(models, wanted)


# Beside which of the paper's a kernel stands: its eCos is an operating system from elsewhere, as FreeRTOS.
_BESIDE = {"hw": "hw", **dict.fromkeys(FREERTOS, "sw")}


def drawn(found: Sequence[Row]) -> list[Bars]:
    """Fig. 3(a) of the paper: the stages of each kind of switch, for each core."""
    texts = ("call or interrupt", "kernel decides", "save", "load", "resume")
    plotted = []
    for core, cpus in dict.fromkeys((row.core, row.cpus) for row in found):
        groups = {
            f"{NAMES[row.kernel].removesuffix(' kernel')}, {row.kind.removesuffix('-context')}": {
                text: float(cycles)
                for stage, text in zip(STAGES, texts, strict=True)
                if (cycles := getattr(row, stage))
            }
            for row in found
            if (row.core, row.cpus) == (core, cpus) and any(getattr(row, stage) for stage in STAGES)
        }
        title = f"Stages of a switch on {cpus} CPU{'s' if cpus > 1 else ''}, {core} core ([SMP] Fig. 3(a))"
        plotted.append(Bars(title, "cycles", groups))
    return plotted


def table(found: Sequence[Row], paper: dict[str, int]) -> Table:
    """The stages of both kinds on every kernel; those of a row add up to its median. paper: by kernel."""
    return Table(
        "Stages of a switch, cycles of the switch with the median ([SMP] Fig. 3(a))",
        (
            *("core", "CPUs", "kernel", "switch", "call, or interrupt and its frame", "kernel decides"),
            *("save context", "load context", "resume", "all"),
            *("min / mean / max", "switches", "paper: eCos or HW"),
        ),
        tuple(
            (
                *(row.core, number(row.cpus), NAMES[row.kernel], row.kind),
                *map(number, (row.enter, row.decide, row.save, row.load, row.leave, row.cycles_median)),
                f"{number(row.cycles_min)} / {number(row.cycles_mean)} / {number(row.cycles_max)}",
                *(number(row.switches), number(paper.get(_BESIDE.get(row.kernel, "")))),
            )
            for row in found
        ),
        text_columns=4,
    )
