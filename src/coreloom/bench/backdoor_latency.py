"""Doorbells of the Back-Door, from the store that rings to the interrupt and handler of the other processor;
and its DMA at work for the streams of a program.

One simulation is both ways on one core at one clock of processor 1; backdoor_latency.c is the program.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median_high
from typing import Any

from coreloom import backdoor_spec, elf, firmware, platform
from coreloom.errors import UserError
from coreloom.experiment import Experiment
from coreloom.platform import RAM_BASE
from coreloom.simulate import FAR_PERIOD, Event, Kind

WORDS = 4096  # of a stream; as in backdoor_latency.c
ROUNDS = 9  # the first of them, whose code is not yet in the cache, is left out
WAYS = {"down": "to processor 1", "up": "to processor 0"}
UNTIL = {
    "entry": "the first instruction of the interrupt",
    "end": "the first instruction of the program's handler",
}
# Where each moment is: processor 0 rings down, processor 1 up.
CPU_OF = {"down_begin": 0, "down_entry": 1, "down_end": 1, "up_begin": 1, "up_entry": 0, "up_end": 0}
CLOCKS = (1, 0.5, 2)  # of processor 1, as a multiple of that of processor 0
_SOURCE = str(Path(__file__).with_name("backdoor_latency.c"))
_MAX_CYCLES = 10_000_000
_DEFINES: dict[str, str | int] = {"CL_SLICE_TICKS": 0}  # no time slice falls into a round


def _entry(core: str, cpu: int, program: Path) -> int:
    """Where that core begins the interrupt of a bell: its vector, or the one place of the economy core."""
    if core == "economy":
        return (RAM_BASE if cpu == 0 else backdoor_spec.load().limits["rom_base"]) + 0x10
    symbol, number = ("cl_backdoor_vectors", 16) if cpu == 0 else ("vectors", 17)
    return elf.address(program, symbol) + 4 * number


def cycles(
    events: Sequence[Event], way: str, places: Mapping[str, set[int]], rounds: int
) -> dict[str, list[int]]:
    """From each ring to each of UNTIL, without the first round. places: addresses of each moment."""
    found = {
        label: [
            event.cycle
            for event in events
            if event.kind >= Kind.WATCH and event.cpu == cpu and event.value in places[label]
        ]
        for label, cpu in CPU_OF.items()
        if label.startswith(way)
    }
    for label in (f"{way}_begin", f"{way}_end"):
        if len(found[label]) != rounds:
            raise UserError(f"{label} was seen {len(found[label])} times, not {rounds}: a defect")
    # A processor may have other interrupts, too, and each ring has a handler: the first of each behind it.
    return {
        until: [
            next(cycle for cycle in found[f"{way}_{until}"] if cycle > begin) - begin
            for begin in found[f"{way}_begin"]
        ][1:]
        for until in UNTIL
    }


def dma_row(op: str, core: str, far_period: int, cycles: int) -> dict[str, Any]:
    """As those of backdoor_unit, of the kind `program`; in cycles of processor 1 in which the DMA is busy."""
    row = {"part": "dma", "kind": "program", "op": op, "core": core, "words": WORDS}
    row |= {"near_period": FAR_PERIOD, "far_period": far_period}
    return row | {"cycles": cycles, "words_per_cycle": WORDS / cycles}


def measure(core: str, progress: Callable[[int], None] | None = None) -> list[dict[str, Any]]:
    """The rows of one core: both ways, at each of CLOCKS.

    Cycles of a bell are those of processor 0, of the DMA those of processor 1.
    """
    soc = platform.load(f"backdoor-{core}")
    experiment = Experiment(_SOURCE, soc, defines=_DEFINES)
    rows = []
    try:
        programs = experiment.program(), firmware.build_far(_SOURCE, soc, _DEFINES).with_suffix(".elf")
        loader = firmware.build_loader(soc).with_suffix(".elf")
        entries = {"up_entry": _entry(core, 0, programs[0]), "down_entry": _entry(core, 1, loader)}
        places = {
            label: {entries[label]} if label in entries else set(elf.copies(programs[cpu], [label])[label])
            for label, cpu in CPU_OF.items()
        }
        watch = sorted(set().union(*places.values()))  # the two programs may have the same addresses
        for clock in CLOCKS:
            period = round(FAR_PERIOD / clock)
            outcome = experiment.run(
                struct.pack("<I", ROUNDS),
                watch=watch,
                max_cycles=_MAX_CYCLES,
                far_period=period,
                progress=progress,
            )
            outcome.check_finished()
            for way in WAYS:
                for until, found in cycles(outcome.result.events, way, places, ROUNDS).items():
                    rows.append(
                        {
                            "part": "doorbell",
                            "way": way,
                            "until": until,
                            "core": core,
                            "far_clock": clock,
                            "cycles": median_high(found),
                            "least": min(found),
                            "most": max(found),
                            "rounds": len(found),
                        }
                    )
            for way, busy in zip(WAYS, struct.unpack("<2I", outcome.result.output), strict=True):
                rows.append(dma_row(way, core, period, busy))
    except UserError as error:
        raise UserError(f"doorbells on {soc.name}: {error}") from None
    return rows
