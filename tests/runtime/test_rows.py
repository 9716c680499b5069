# SPDX-License-Identifier: Apache-2.0
"""Cycles of the common services on the standard core, one CPU: no more than a good RTOS needs on it."""

from __future__ import annotations

from pathlib import Path

import pytest

from coreloom.design import platform
from coreloom.simulation import simulate
from coreloom.toolchain import firmware, verilate

PROGRAM = Path(__file__).parent / "programs" / "rows.c"
# Mean at most. Software kernel: no more than FreeRTOS V11.2 takes on the same core.
BOUNDS = {
    "hw": {
        "yield": 50,
        "semaphore": 32,
        "mutex": 28,
        "message-of-4": 115,
        "malloc": 180,
        "create-less-urgent": 330,
        "create-more-urgent": 400,
    },
    "sw": {
        "yield": 98,
        "semaphore": 89,
        "mutex": 80,
        "message-of-4": 200,
        "malloc": 253,
        "create-less-urgent": 680,
        "create-more-urgent": 680,
    },
}


@pytest.mark.parametrize("kernel", firmware.KERNELS)
def test_services_are_within_their_bounds(kernel: str) -> None:
    chosen = platform.load("smp-standard", 1)
    elf = firmware.build(str(PROGRAM), chosen, kernel)
    result = simulate.run(verilate.build_model(chosen), elf.with_suffix(".bin"), max_cycles=4_000_000)
    *rows, end = result.uart.splitlines()
    assert end == "ok"
    means = {name: int(mean) for name, _least, mean, _most in (row.split() for row in rows)}
    assert means.keys() == BOUNDS[kernel].keys()
    assert {name: mean for name, mean in means.items() if mean > BOUNDS[kernel][name]} == {}


def test_packets_fit_into_40_kib_with_the_software_kernel() -> None:
    """A send is one copy, a receive is little more than taking the message."""
    image = firmware.build("packets", platform.load("smp-standard", 1), "sw").with_suffix(".bin")
    assert image.stat().st_size <= 40 * 1024
