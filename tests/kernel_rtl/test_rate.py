# SPDX-License-Identifier: Apache-2.0
"""How often the engine takes an operation when all clients ask without a pause."""

from __future__ import annotations

import json
import subprocess

import pytest

from coreloom.reference.kernel import Config
from coreloom.simulation.harness.kernel_port import params, rtl
from coreloom.toolchain import verilate

from .harness import KERNEL

CYCLES = 6000


@pytest.mark.parametrize(
    ("cpus", "pipeline", "operations"), [(8, False, 2999), (2, True, 1999), (16, True, 1999)]
)
def test_operations_of_all_clients(cpus: int, pipeline: bool, operations: int) -> None:
    """One every 2 cycles, with the pipeline every 3, however many ask, and all get as many."""
    config = Config(cpus=cpus, pipeline=pipeline)
    design = verilate.Design("cl_kernel_referee", (*rtl(), KERNEL / "tb" / "cl_kernel_referee.sv"))
    model = verilate.build(design, KERNEL / "tb" / "rate.cpp", params(config), name="kernel-rate")
    done = subprocess.run([model, str(CYCLES)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    fewest, rest = divmod(operations, cpus)
    assert json.loads(done.stdout) == {
        "operations": operations,
        "fewest": fewest,
        "most": fewest + bool(rest),
    }
