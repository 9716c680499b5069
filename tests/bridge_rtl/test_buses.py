# SPDX-License-Identifier: Apache-2.0
"""The kernel behind the buses of others: streams through cocotb's models of their masters, in Icarus."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from coreloom.paths import BUILD
from coreloom.reference.kernel import Config
from coreloom.simulation.harness.kernel_port import params
from coreloom.synthesis import export
from simulators import icarus

HERE = Path(__file__).parent
CONFIG: dict[str, Any] = {"cpus": 2, "threads": 8, "priorities": 8, "ports": 3, "port_depth": 2, "mutexes": 3,
          "semaphores": 3, "conditions": 2, "lines": 4}  # fmt: skip
CLIENTS = 2
# Signals of a master by their widths (0: of an address), those that it drives first.
AXIL = (
    {1: "awvalid wvalid bready arvalid rready", 0: "awaddr araddr", 32: "wdata", 4: "wstrb"},
    {1: "awready wready bvalid arready rvalid", 2: "bresp rresp", 32: "rdata"},
)
WB = ({1: "cyc stb we", 0: "adr", 4: "sel", 32: "datwr"}, {1: "ack err", 32: "datrd"})
OTHER = {"datwr": "dat_i", "datrd": "dat_o"}  # names of ours


def bench(bus: str, shared: bool) -> str:
    """Verilog whose signals are called as the bus models want them: s0_awvalid ..."""
    masters = range(1 if shared else CLIENTS)
    address = 18 + shared + (2 if bus == "axil" else 0)
    lines, ports = [], []
    for drives, groups in zip((True, False), AXIL if bus == "axil" else WB, strict=True):
        kind, first = ("reg", " = 0") if drives else ("wire", "")
        for width, names in groups.items():
            for name in names.split():
                lines += [f"  {kind} [{(width or address) - 1}:0] s{n}_{name}{first};" for n in masters]
                ours = OTHER.get(name) or name + ("_i" if drives else "_o")
                ports.append(f".{ours}({{{', '.join(f's{n}_{name}' for n in reversed(masters))}}})")
    common = [f".{name}({name})" for name in ("clk_i", "tick_i", "now_i", "intr_i", "line_i", "idle_o")]
    common += [".rst_ni(~rst_i)", *([".irq_o(done_o)", ".preempt_o(irq_o)"] if shared else [".irq_o(irq_o)"])]
    return "\n".join([
        "module bench;",
        "  reg clk_i = 0, rst_i = 1, tick_i = 0;",
        "  reg [31:0] now_i = 0;",
        "  reg [1:0] intr_i = 0;",
        "  reg [3:0] line_i = 0;",
        "  wire [1:0] irq_o, done_o, idle_o;",
        *lines,
        f"  {top(bus, shared)} dut ({', '.join([*common, *ports])});",
        "endmodule",
        "",
    ])  # fmt: skip


def top(bus: str, shared: bool) -> str:
    return f"cl_kernel_{'shared_' * shared}{bus}"


def cocotb(bus: str, shared: bool, folder: Path, steps: int, seed: int = 1) -> str:
    """What cocotb's tests say."""
    name = top(bus, shared)
    made = export.kernel(name, f"test-{name}", params(Config(**CONFIG)))
    (file,) = export.write(made, "verilog", BUILD / "export" / made.name)
    asked = {"bus": bus, "shared": shared, "config": CONFIG, "steps": steps, "seed": seed}
    return icarus(
        "bench",
        bench(bus, shared) + file.read_text(encoding="utf-8"),
        folder,
        module="bridge_rtl.cocotb_buses",
        environment={"CORELOOM_BUSES": json.dumps(asked)},
    )


@pytest.mark.parametrize("shared", [False, True], ids=["a-port-a-client", "shared"])
@pytest.mark.parametrize("bus", ["axil", "wb"])
def test_streams_through_a_bus(bus: str, shared: bool, tmp_path: Path) -> None:
    said = cocotb(bus, shared, tmp_path, 3000 if shared else 600)
    assert "TESTS=3 PASS=3 FAIL=0" in said, said
    reached = json.loads(re.findall(r"reached: (\{.*\})", said)[0])
    assert reached["steps"] > 200 and reached["words"] > 100
    assert (reached["later"] > 10) == shared
    cycles = json.loads(re.findall(r"cycles: (\{.*\})", said)[0])
    assert cycles == dict.fromkeys(("semaphore_wait", "semaphore_post"), 4 if bus == "axil" else 3)
