# SPDX-License-Identifier: Apache-2.0
"""Proofs of cl_sdram_controller: no command too early, no refresh too late, at any clock."""

from __future__ import annotations

import re

import pytest

from coreloom.paths import RTL
from soc.formal import SOC_PACKAGES, planted, proves

SOURCE = (RTL / "board" / "rtl" / "cl_sdram_controller.sv").read_text()
_COVERS = re.compile(r"^ *Cover\w+: +cover .*\n", re.MULTILINE)
_SIZE = "-GBytes=65536 -GInitUs=1"


@pytest.mark.nightly
def test_with_covers() -> None:
    """REQ-controller-1 to 4, at a clock at which the part is soon ready."""
    assert proves("cl_sdram_controller", SOURCE, f"{_SIZE} -GClockHz=10000000", SOC_PACKAGES, reach=28)


@pytest.mark.parametrize("mhz", [25, 50, 100])
@pytest.mark.nightly(but=("50",))
def test_at_clocks(mhz: int) -> None:
    params = f"{_SIZE} -GClockHz={mhz}000000"
    assert proves("cl_sdram_controller", _COVERS.sub("", SOURCE), params, SOC_PACKAGES)


FAULTS = {
    "tRCD": ("wait_q       <= WaitW'(Rcd - 1);", "wait_q       <= '0;"),
    "tRAS": ("pre_q        <= PreW'(Ras - 1);", "pre_q        <= '0;"),
    "late": ("if (last && ready_q)   due_q <= 1'b1;", "if (last && ready_q && !store_q) due_q <= 1'b1;"),
    "row": ("else if (row_q[bank] != row)        cmd", "else if (row_q[bank][1:0] != row[1:0]) cmd"),
    "burst": ("wait_q <= WaitW'(ReadEnd - 1);", "wait_q <= WaitW'(ReadEnd - 2);"),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.nightly(but=("late", "burst"))
def test_the_proof_notices(fault: str) -> None:
    text = _COVERS.sub("", planted(SOURCE, *FAULTS[fault]))
    assert not proves("cl_sdram_controller", text, f"{_SIZE} -GClockHz=100000000", SOC_PACKAGES)
