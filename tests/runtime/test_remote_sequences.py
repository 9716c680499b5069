# SPDX-License-Identifier: Apache-2.0
"""Random sequences of load, run, fault and reset on processor 1 (programs/sequences.c).

With CORELOOM_SEED another set of them.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from coreloom.design import platform
from coreloom.simulation import simulate
from coreloom.toolchain import far, firmware, verilate

PROGRAM = Path(__file__).parent / "programs" / "sequences.c"
SEED = int(os.environ.get("CORELOOM_SEED", "20261122"), 0)
CONFIGS = [(core, kernel) for core in ("economy", "standard") for kernel in firmware.KERNELS]
PERIODS = (1000, 733, 1370, 317, 3170)  # of processor 1's clock, for a thousand of processor 0's


def storm(core: str, kernel: str, seed: int, sequences: int) -> None:
    """`sequences` of them, at a clock that the seed chooses; the program checks every outcome."""
    soc = platform.load(f"backdoor-{core}")
    program = firmware.build(str(PROGRAM), soc, kernel, {"SEED": seed, "SEQUENCES": sequences})
    result = simulate.run(
        verilate.build_model(soc),
        program,
        simulate.Options(
            loader=far.build_loader(soc), far_period=PERIODS[seed % len(PERIODS)], max_cycles=500_000_000
        ),
    )
    assert re.fullmatch(rf"{sequences} sequences: .*\n", result.uart), result.uart or result.reason
    assert result.exit_status == 0


@pytest.mark.parametrize(("core", "kernel"), CONFIGS)
def test_sequences(core: str, kernel: str) -> None:
    """200 in all."""
    storm(core, kernel, SEED + CONFIGS.index((core, kernel)), 200 // len(CONFIGS))


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize(("core", "kernel"), CONFIGS)
def test_many_sequences(core: str, kernel: str, seed: int) -> None:
    """10 000 in all."""
    storm(core, kernel, SEED + 1000 * CONFIGS.index((core, kernel)) + seed, 10_000 // 25 // len(CONFIGS))
