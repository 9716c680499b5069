# SPDX-License-Identifier: Apache-2.0
"""Doorbells of the Back-Door, from the store that rings to the interrupt and handler of the other processor;
and its DMA at work for the streams of a program.

One simulation is both ways on one core at one clock of processor 1; latency.c is the program.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median_high

import msgspec

from coreloom.design import platform
from coreloom.design.address_map import RAM_BASE, ROM_BASE
from coreloom.errors import UserError
from coreloom.simulation.experiment import Experiment
from coreloom.simulation.simulate import FAR_PERIOD, Event, Kind, Options
from coreloom.toolchain import elf, far

WORDS = 4096  # of a stream; as in latency.c
ROUNDS = 9  # the first of them, whose code is not yet in the cache, is left out
WAYS = {"down": "to processor 1", "up": "to processor 0"}
UNTIL = {
    "entry": "the first instruction of the interrupt",
    "handler": "the first instruction of the program's handler",
}
# Where each moment is: processor 0 rings down, processor 1 up.
CPU_OF = {"down_begin": 0, "up_begin": 1} | {
    f"{way}_{moment}": cpu for way, cpu in (("down", 1), ("up", 0)) for moment in ("entry", "handler", "end")
}
CLOCKS = (1, 0.5, 2)  # of processor 1, as a multiple of that of processor 0
_SOURCE = str(Path(__file__).with_name("latency.c"))
_MAX_CYCLES = 10_000_000
_DEFINES: dict[str, str | int] = {"CL_SLICE_TICKS": 0}  # no time slice falls into a round


class Bell(msgspec.Struct, frozen=True, kw_only=True, tag_field="part", tag="doorbell"):
    """Cycles of processor 0 from a ring to the moment `until`: median, least, most of the rounds."""

    way: str
    until: str
    core: str
    far_clock: float
    cycles: int
    least: int
    most: int
    rounds: int


class Dma(msgspec.Struct, frozen=True, kw_only=True, tag_field="part", tag="dma", omit_defaults=True):
    """The DMA at work: alone (kind list), with both sides (stream), or for a program, whose core it names."""

    kind: str
    op: str
    core: str | None = None
    words: int
    near_period: int | None
    far_period: int | None
    cycles: int  # in which it is busy, of the slower clock
    words_per_cycle: float


def _entry(core: str, cpu: int, program: Path) -> int:
    """Where that core begins the interrupt of a bell: its vector, or the one place of the economy core."""
    if core == "economy":
        return (RAM_BASE if cpu == 0 else ROM_BASE) + 0x10
    return elf.address(program, "cl_backdoor_vectors" if cpu == 0 else "vectors") + 4 * 17


def cycles(
    events: Sequence[Event], way: str, places: Mapping[str, set[int]], rounds: int
) -> dict[str, list[int]]:
    """From each ring to each of UNTIL, without the first round. places: addresses of each moment.

    A handler's first instruction is the one before the moment `end`. It is also seen behind a jump that is
    before the handler in the memory, so its last time counts.
    """
    found = {
        label: [
            event.cycle
            for event in events
            if event.kind >= Kind.WATCH and event.cpu == cpu and event.value in places[label]
        ]
        for label, cpu in CPU_OF.items()
        if label.startswith(way)
    }
    begins, ends = found[f"{way}_begin"], found[f"{way}_end"]
    if not len(begins) == len(ends) == rounds:
        raise UserError(
            f"{way}: {len(begins)} rings and {len(ends)} handlers were seen, not {rounds}: a bug in Coreloom"
        )
    entries = [[c for c in found[f"{way}_entry"] if a < c < b] for a, b in zip(begins, ends, strict=True)]
    handlers = [[c for c in found[f"{way}_handler"] if a < c <= b] for a, b in zip(begins, ends, strict=True)]
    if not all(entries) or not all(handlers):
        raise UserError(
            f"{way}: a handler was seen without its interrupt or its first instruction: a bug in Coreloom"
        )
    # A processor may have other interrupts, too: the first behind the ring.
    cycles = {"entry": [each[0] for each in entries], "handler": [each[-1] for each in handlers]}
    return {until: [c - a for a, c in zip(begins, cycles[until], strict=True)][1:] for until in UNTIL}


def measure(core: str, progress: Callable[[int], None] | None = None) -> list[Bell | Dma]:
    """The rows of one core: both ways, at each of CLOCKS.

    Cycles of a bell are those of processor 0, of the DMA those of processor 1.
    """
    soc = platform.load(f"backdoor-{core}")
    experiment = Experiment(_SOURCE, soc, defines=_DEFINES)
    rows: list[Bell | Dma] = []
    try:
        programs = experiment.program(), far.build(_SOURCE, soc, _DEFINES).with_suffix(".elf")
        loader = far.build_loader(soc).with_suffix(".elf")
        places = {
            "up_entry": {_entry(core, 0, programs[0])},
            "down_entry": {_entry(core, 1, loader)},
        }
        for label in ("down_begin", "down_end", "up_begin", "up_end"):
            places[label] = set(elf.copies(programs[CPU_OF[label]], [label])[label])
        for way in WAYS:
            places[f"{way}_handler"] = {address - 4 for address in places[f"{way}_end"]}
        watch = sorted(set().union(*places.values()))  # the two programs may have the same addresses
        for clock in CLOCKS:
            period = round(FAR_PERIOD / clock)
            outcome = experiment.run(
                struct.pack("<I", ROUNDS),
                Options(watch=watch, max_cycles=_MAX_CYCLES, far_period=period, progress=progress),
            )
            outcome.check_finished()
            for way in WAYS:
                for until, found in cycles(outcome.result.events, way, places, ROUNDS).items():
                    rows.append(
                        Bell(
                            way=way,
                            until=until,
                            core=core,
                            far_clock=clock,
                            cycles=median_high(found),
                            least=min(found),
                            most=max(found),
                            rounds=len(found),
                        )
                    )
            for way, busy in zip(WAYS, struct.unpack("<2I", outcome.result.output), strict=True):
                moved = Dma(
                    kind="program",
                    op=way,
                    core=core,
                    words=WORDS,
                    near_period=FAR_PERIOD,
                    far_period=period,
                    cycles=busy,
                    words_per_cycle=WORDS / busy,
                )
                rows.append(moved)
    except UserError as error:
        raise UserError(f"doorbells on {soc.name}: {error}") from None
    return rows
