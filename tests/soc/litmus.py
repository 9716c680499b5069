# SPDX-License-Identifier: Apache-2.0
"""Programs of the runtime's tests on a platform, and the litmus tests of its memory model."""

from __future__ import annotations

import re
from pathlib import Path

from coreloom.design.keys import Platform
from coreloom.simulation import simulate
from coreloom.simulation.simulate import SimResult
from coreloom.toolchain import firmware, verilate

PROGRAMS = Path(__file__).parents[1] / "runtime" / "programs"

# Each with the outcomes that an order of all accesses gives: none of the five tests has others, see litmus.c.
ALLOWED = {
    "message passing": 3,
    "store buffering": 3,
    "load buffering": 3,
    "coherence": 6,
    "IRIW": 15,
}


def run_program(program: str, soc: Platform, **defines: int) -> SimResult:
    elf = firmware.build(str(PROGRAMS / f"{program}.c"), soc, "hw", defines)
    return simulate.run(verilate.build_model(soc), elf, simulate.Options(max_cycles=400_000_000))


def litmus(soc: Platform, seed: int, rounds: int) -> dict[str, int]:
    """How many outcomes of each test a run has seen; that none of them was forbidden is asserted."""
    result = run_program("litmus", soc, SEED=seed, ROUNDS=rounds)
    assert result.uart.endswith("ok\n"), f"{result.reason}: {result.uart}"
    found = {name: int(count) for name, count in re.findall(r"^(.*): (\d+) outcomes$", result.uart, re.M)}
    assert list(found) == [name for name in ALLOWED if soc.cpus >= 4 or name != "IRIW"]
    assert all(2 <= count <= ALLOWED[name] for name, count in found.items())
    return found
