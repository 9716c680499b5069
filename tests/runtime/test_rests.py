# SPDX-License-Identifier: Apache-2.0
"""Cycles in which only the time passes are skipped, and nothing but the time of the simulation shows it."""

from __future__ import annotations

import dataclasses
import itertools
from pathlib import Path
from typing import Any

import pytest

from cases import nightly_but
from coreloom.design import platform
from coreloom.simulation import simulate
from coreloom.simulation.simulate import Pulses, SimResult
from coreloom.toolchain import firmware, verilate

PROGRAMS = Path(__file__).with_name("programs")
LINES = 6
UNITS = {"kernel.hardware_threads": ["crc32", "sort"]}
PLATFORMS: dict[str, tuple[str, int, dict[str, Any]]] = {
    "standard": ("smp-standard", 2, {}),
    "economy": ("smp-economy", 2, {}),
    "fast": ("smp-fast", 2, {}),
    "one CPU": ("smp-standard", 1, {}),
    "full": ("smp-standard", 2, {"kernel.build": "full"}),
    "deadlines": ("smp-standard", 2, {"kernel.policy": "edf"}),
    "weights": ("smp-standard", 2, {"kernel.policy": "dwrr"}),
    "low jitter": ("smp-standard", 2, {"low_jitter": True}),
    "sdram": ("smp-standard", 2, {"memory.model": "sdram"}),  # what repeats itself takes 39 000 cycles there
    "cache": ("smp-standard", 2, {"dcache.kib": 4}),
    "units": ("smp-standard", 1, UNITS),
    "local": ("amp-standard", 2, {}),
}
TIMES = {"sdram": 4}  # so much longer


def both_ways(name: str, kernel: str) -> tuple[SimResult, SimResult]:
    """With cycles skipped, and without."""
    of, cpus, changes = PLATFORMS[name]
    chosen = platform.load(of, cpus, changes=changes)
    program = firmware.build(
        str(PROGRAMS / "rests.c"), chosen, kernel, {"LINES": LINES, "TIMES": TIMES.get(name, 1)}
    )
    model = verilate.build_model(chosen)

    def run(every_cycle: bool) -> SimResult:
        return simulate.run(
            model,
            program,
            simulate.Options(
                max_cycles=5_000_000,
                pulses=[Pulses(0, 150_000, 7_000, 200_000, LINES, 1)],
                profile=True,
                modules=True,
                every_cycle=every_cycle,
            ),
        )

    return run(False), run(True)


@pytest.mark.parametrize(
    ("name", "kernel"),
    nightly_but(
        itertools.product(PLATFORMS, firmware.KERNELS),
        [("standard", "hw"), ("economy", "sw"), ("fast", "sw"), ("timeouts", "hw"), ("units", "hw")],
    ),
)
def test_what_is_skipped_does_not_show(name: str, kernel: str) -> None:
    skipping, whole = both_ways(name, kernel)
    assert whole.uart.endswith("ok\n"), f"{whole.reason}: {whole.uart}"
    assert skipping.skipped > 0
    assert whole.skipped == 0
    assert dataclasses.replace(skipping, seconds=0, skipped=0) == dataclasses.replace(whole, seconds=0)
