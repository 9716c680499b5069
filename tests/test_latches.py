# SPDX-License-Identifier: Apache-2.0
"""Each latch of events in rtl/: what is set by an event and cleared by somebody else.

For each there is a property that says what becomes of an event in the cycle of its clear, and a file below
rtl/ in which it stands. The proofs are the tests of the tier `formal`.
"""

from __future__ import annotations

import re

import pytest

from coreloom.paths import RTL

# File, register, requirement, file of the property
LATCHES = (
    ("soc/rtl/cl_local.sv", "ipi_q", "REQ-device-4", "soc/formal/cl_local_formal.sv"),
    ("soc/rtl/cl_local.sv", "line_pending_q", "REQ-device-5", "soc/formal/cl_local_formal.sv"),
    ("soc/rtl/cl_local.sv", "timer_q", "REQ-device-6", "soc/formal/cl_local_formal.sv"),
    ("soc/rtl/cl_first.sv", "left_q", "REQ-tile-3", "soc/formal/cl_tile_formal.sv"),
    ("soc/rtl/cl_bus_stage.sv", "asks_q", "REQ-stage-1", "soc/rtl/cl_bus_stage.sv"),
    ("soc/rtl/cl_scheduler_port.sv", "pending_q", "REQ-scheduler-2", "soc/rtl/cl_scheduler_port.sv"),
    ("kernel/rtl/cl_kernel_port.sv", "save_q", "REQ-kernel-port-1",
     "kernel/formal/cl_kernel_port_formal.sv"),
    ("kernel/rtl/cl_kernel_port.sv", "op_valid_q", "REQ-kernel-port-1",
     "kernel/formal/cl_kernel_port_formal.sv"),
    ("kernel/rtl/cl_kernel_interrupt_ops.sv", "pending_q", "REQ-kernel-line-1",
     "kernel/formal/cl_kernel_lines_formal.sv"),
    ("kernel/rtl/cl_kernel_rest.sv", "left_q", "REQ-kernel-rest", "kernel/rtl/cl_kernel_rest.sv"),
    ("ipc/doorbell/rtl/cl_doorbell.sv", "bells_q", "REQ-doorbell-1", "ipc/doorbell/rtl/cl_doorbell.sv"),
    ("ipc/doorbell/rtl/cl_doorbell.sv", "overrun_q", "REQ-doorbell-2", "ipc/doorbell/rtl/cl_doorbell.sv"),
    ("ipc/mailbox/rtl/cl_mailbox_fifo.sv", "received_error_q", "REQ-mailbox-4",
     "ipc/mailbox/rtl/cl_mailbox_fifo.sv"),
    ("ipc/backdoor/rtl/cl_backdoor_bells.sv", "pending_q", "REQ-backdoor-6",
     "ipc/backdoor/rtl/cl_backdoor_bells.sv"),
    ("ipc/backdoor/rtl/cl_backdoor_far.sv", "error_q", "REQ-backdoor-latch-1",
     "ipc/backdoor/formal/cl_backdoor_far_latches_formal.sv"),
    ("ipc/backdoor/rtl/cl_backdoor_far.sv", "done_q", "REQ-backdoor-latch-2",
     "ipc/backdoor/formal/cl_backdoor_far_latches_formal.sv"),
    ("ipc/backdoor/rtl/cl_backdoor_far.sv", "fault_q", "REQ-backdoor-latch-3",
     "ipc/backdoor/formal/cl_backdoor_far_latches_formal.sv"),
    ("ipc/backdoor/rtl/cl_backdoor_near.sv", "error_q", "REQ-backdoor-latch-4",
     "ipc/backdoor/formal/cl_backdoor_near_latches_formal.sv"),
)  # fmt: skip


@pytest.mark.parametrize(("file", "register", "requirement", "where"), LATCHES)
def test_latch_has_a_property(file: str, register: str, requirement: str, where: str) -> None:
    assert re.search(rf"\b{register}\b", (RTL / file).read_text())
    assert f"{requirement}:" in (RTL / where).read_text()
