"""The table of hardware threads, rtl/hwt/data/units.toml: names, kinds, modules; and the RTL made from it."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from coreloom.paths import RTL

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TABLE = RTL / "hwt" / "data" / "units.toml"


@dataclass(frozen=True)
class Unit:
    """A unit that a platform file may name: `kind` is what it reads in its register UNIT, 1 to 15."""

    name: str
    kind: int
    module: str


def load() -> dict[str, Unit]:
    """All units, by name, in the order of the table."""
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    return {name: Unit(name, unit["kind"], unit["module"]) for name, unit in table.items()}


_PORTS = """\
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        run_i,
  input  logic        start_i,
  input  logic [31:0] argument_i,
  output logic        done_o,
  output logic [31:0] result_o,
  output logic        call_valid_o,
  output logic  [5:0] call_op_o,
  output logic  [9:0] call_id_o,
  output logic        call_store_o,
  output logic [31:0] call_word_o,
  output logic        call_load_o,
  input  logic        call_done_i,
  input  logic [31:0] call_answer_i,
  input  logic [31:0] call_message_i,
  output logic        mem_req_o,
  output cl_soc_pkg::bus_cmd_t mem_cmd_o,
  input  logic        mem_gnt_i,
  input  logic        mem_rvalid_i,
  input  logic [31:0] mem_rdata_i
"""


def rtl() -> str:
    """SystemVerilog module cl_hw_unit: the module of a kind."""
    lines = [
        "// Generated from rtl/hwt/data/units.toml by `coreloom generate`; do not edit.",
        "// SPDX-License-Identifier: Apache-2.0",
        "module cl_hw_unit #(",
        "  parameter int unsigned Kind = 1",
        ") (",
        _PORTS + ");",
        "",
    ]
    branch = "  if"
    for unit in load().values():
        lines.append(f"{branch} (Kind == {unit.kind}) begin : g_{unit.name}")
        lines.append(f"    {unit.module} u_unit (.*);")
        branch = "  end else if"
    lines += [
        "  end else begin : g_none",
        '    $error("cl_hw_unit: no unit has this kind, see rtl/hwt/data/units.toml");',
        "  end",
        "",
        "endmodule",
        "",
    ]
    return "\n".join(lines)
