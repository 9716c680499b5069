# SPDX-License-Identifier: Apache-2.0
"""The table of hardware threads, rtl/hwt/data/units.toml: names, kinds, modules; and the RTL made from it."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coreloom import licence
from coreloom.errors import UserError
from coreloom.paths import RTL

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TABLE = RTL / "hwt" / "data" / "units.toml"
MADE = RTL / "hwt" / "rtl" / "cl_hw_unit.sv"  # what rtl() returns, as `coreloom generate` has written it
MAX_KIND = 15


@dataclass(frozen=True)
class Unit:
    """A unit that a platform file may name: `kind` is what it reads in its register UNIT, 1 to 15."""

    name: str
    kind: int
    module: str


def load(path: Path = TABLE) -> dict[str, Unit]:
    """All units, by name, in the order of the table. A UserError says what is wrong in it."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise UserError(f"table of units {path.name} cannot be read: {error}") from error
    units: dict[str, Unit] = {}
    for name, entry in table.items():
        unit = _unit(name, entry, path.name)
        for other in units.values():
            if other.kind == unit.kind:
                raise UserError(
                    f"table of units {path.name}: {other.name} and {name} both have kind {unit.kind}: "
                    "give one of them another"
                )
        units[name] = unit
    return units


def _unit(name: str, entry: Any, where: str) -> Unit:
    where = f"table of units {where}: {name}"
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise UserError(f"{where}: a name has small letters, digits and _ only")
    if not isinstance(entry, dict) or set(entry) != {"kind", "module"}:
        raise UserError(f"{where} must have kind and module, and nothing else")
    kind, module = entry["kind"], entry["module"]
    if isinstance(kind, bool) or not isinstance(kind, int) or not 1 <= kind <= MAX_KIND:
        raise UserError(f"{where}: kind must be a whole number from 1 to {MAX_KIND}, not {kind!r}")
    if not isinstance(module, str) or not re.fullmatch(r"[A-Za-z_]\w*", module):
        raise UserError(f"{where}: module must be the name of a SystemVerilog module, not {module!r}")
    return Unit(name, kind, module)


def check_made() -> None:
    """A UserError unless the RTL that chooses a unit is the one of the table: it would choose none."""
    if MADE.read_text(encoding="utf-8") != rtl():
        raise UserError(f"{MADE.name} is not the one of {TABLE.name}: run `coreloom generate`")


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
        f"// {licence.tag()}",
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
