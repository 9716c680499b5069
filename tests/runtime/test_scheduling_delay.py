"""[HT]'s scheduling delay, in short: 250 threads ready, interrupts at random phases, standard core."""

from __future__ import annotations

from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

import coreloom
from coreloom import firmware, platform, simulate, verilate
from coreloom.simulate import Kind, Pulses

PROGRAM = Path(coreloom.__file__).parent / "bench" / "scheduling_delay.c"
POINTS = ("cl_trap_entry", "cl_switch_to", "served")
COUNT = 150


def delays(kernel: str, footprint: int) -> dict[str, list[int]]:
    """Cycles from each interrupt to each point."""
    chosen = platform.load("hthreads")
    elf = firmware.build(str(PROGRAM), chosen, kernel, {"INTERRUPTS": COUNT, "FOOTPRINT": footprint})
    with elf.open("rb") as file:
        table = ELFFile(file).get_section_by_name(".symtab")
        assert isinstance(table, SymbolTableSection)
        places = {symbol.name: symbol["st_value"] for symbol in table.iter_symbols()}
        addresses = [places[name] for name in POINTS]
    result = simulate.run(
        verilate.build_model(chosen),
        elf.with_suffix(".bin"),
        max_cycles=2_000_000,
        watch=addresses,
        pulses=[Pulses(0, 200_000, 2500, 4000, COUNT, 1)],
    )
    assert result.exit_status == 0
    found: dict[str, list[int]] = {name: [] for name in POINTS}
    start, left = 0, set[str]()
    for event in result.events:
        if event.kind == Kind.INTERRUPT:
            start, left = event.cycle, set(POINTS)
        elif event.kind >= Kind.WATCH and (name := POINTS[event.kind - Kind.WATCH]) in left:
            left.remove(name)
            found[name].append(event.cycle - start)
    assert all(len(cycles) == COUNT for cycles in found.values())
    return found


# Mean and jitter (max - mean) at most, from the interrupt until the new context is about to be loaded.
# The issue wants 100 and 30; with a cold instruction cache every instruction of the path has to be fetched.
@pytest.mark.parametrize(
    ("kernel", "footprint", "mean", "jitter"), [("hw", 0, 65, 3), ("hw", 8192, 95, 30), ("sw", 0, 300, 130)]
)
def test_end_to_end_delay(kernel: str, footprint: int, mean: int, jitter: int) -> None:
    found = delays(kernel, footprint)
    cycles = found["cl_switch_to"]
    average = sum(cycles) / COUNT
    assert average <= mean
    assert max(cycles) - average <= jitter
    assert max(found["cl_trap_entry"]) <= 20
