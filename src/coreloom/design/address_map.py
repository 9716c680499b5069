# SPDX-License-Identifier: Apache-2.0
"""Where things are in a SoC, by name (rtl/soc/data/soc.toml)."""

from __future__ import annotations

from coreloom.design import spec

_SOC = spec.soc()

RAM_BASE = _SOC.regions["ram"].base
UNCACHED_BASE = _SOC.regions["uncached"].base  # of the same memory, for the fast core
LOCAL_BASE = _SOC.regions["local_memory"].base  # the local memory of a processor
UNIT_BASE = _SOC.regions["unit"].base  # registers of the hardware threads
ROM_BASE = _SOC.regions["rom"].base
ROM_BYTES = _SOC.regions["rom"].bytes  # of processor 1 behind a Back-Door: its loader
LINES = _SOC.limits["lines"]  # interrupt lines
LINE_PINS = _SOC.limits["line_pins"]  # of them: the first
TICK_CYCLES = _SOC.limits["tick_cycles"]  # unit of the time slice
CONTEXT_BYTES = _SOC.limits["context_bytes"]  # of the memory for the code of traps, with low_jitter
SDRAM_HIT = _SOC.limits["sdram_hit"]  # cycles from a request to its answer in an open row
SDRAM_INTERVAL = _SOC.limits["sdram_interval"]  # cycles from one refresh to the next

# Of the memory: a program, its heap and stacks; then INPUT and OUTPUT, a length word and data each.
INPUT = _SOC.rooms["input"].offset
OUTPUT = _SOC.rooms["output"].offset
PROGRAM_ROOM = INPUT
INPUT_ROOM = _SOC.rooms["input"].bytes - 4
OUTPUT_ROOM = _SOC.rooms["output"].bytes - 4


def place(address: int) -> int:
    """Where in the memory an address is."""
    return address - (RAM_BASE if address < UNCACHED_BASE else UNCACHED_BASE)


# Words of the local device that go on by themselves.
_COUNTERS = ("cycle", "cycle_h", "bus_count", "mtime_lo", "mtime_hi")

# Macros for the simulation harness.
HARNESS = {
    "CORELOOM_RAM_BASE": RAM_BASE,
    "CORELOOM_UNCACHED_BASE": UNCACHED_BASE,
    "CORELOOM_LOCAL_BASE": LOCAL_BASE,
    "CORELOOM_INPUT": INPUT,
    "CORELOOM_OUTPUT": OUTPUT,
    "CORELOOM_LINE_PINS": LINE_PINS,
    "CORELOOM_COUNTERS": sum(1 << _SOC.registers["local"][name].offset // 4 for name in _COUNTERS),
}
