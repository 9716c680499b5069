# SPDX-License-Identifier: Apache-2.0
"""FuseSoC takes our cores: each is linted and simulated alone, and one of somebody else's depends on them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cases import nightly_but
from coreloom.design import manifest
from coreloom.paths import RTL
from coreloom.toolchain import verilate

UNITS = manifest.units()
SIMULATED = [name for name, unit in UNITS.items() if unit.testbench]
CONSUMER = """CAPI=2:
name: somebody:else:consumer
filesets:
  rtl:
    files: [consumer.sv]
    file_type: systemVerilogSource
    depend: ["coreloom:bridge:cl_kernel_wb"]
parameters:
  Cpus: {datatype: int, paramtype: vlogparam}
targets:
  lint: &lint
    filesets: [rtl]
    toplevel: consumer
    parameters: [Cpus=1]
    flow: lint
    flow_options: {tool: verilator, verilator_options: [-Wno-fatal, --timing]}
  sim:
    <<: *lint
    flow: sim
    flow_options:
      tool: verilator
      mode: binary
      # The wheel's own makefile is for another compiler.
      verilator_options: [-Wno-fatal, --timing, -CFLAGS, -std=c++20, -MAKEFLAGS, CFG_CXXFLAGS_PCH_I=-include]
"""
# A top that has a parameter with the name of one of ours, and a kernel of its own sizes.
TOP = """
module consumer #(parameter int Cpus = 2);
  function automatic cl_kernel_pkg::cfg_t sized();
    sized         = cl_kernel_pkg::Default;
    sized.Cpus    = Cpus;
    sized.Threads = 16;
  endfunction

  logic clk = 0, rst_n = 0, stb = 0, we = 0, ack;
  logic [17:0] adr;
  logic [31:0] dat, word;
  always #1 clk = ~clk;

  cl_kernel_wb #(.Cfg(sized())) u_kernel (
    .clk_i(clk), .rst_ni(rst_n), .tick_i(1'b0), .now_i('0), .intr_i('0), .line_i('0), .irq_o(), .idle_o(),
    .cyc_i(stb), .stb_i(stb), .we_i(we), .adr_i(adr), .sel_i('1), .dat_i(dat), .dat_o(word), .ack_o(ack),
    .err_o(), .stall_o()
  );

  task automatic access(input logic [7:0] op, input logic [9:0] id, input logic store, input int value);
    @(posedge clk);
    stb <= 1; we <= store; adr <= {op, id}; dat <= value;
    do @(posedge clk); while (!ack);
    stb <= 0;
  endtask

  initial begin
    repeat (3) @(posedge clk);
    rst_n <= 1;
    access(cl_kernel_pkg::OpWord0, 0, 1, 3);
    access(cl_kernel_pkg::OpSemaphoreCreate, 0, 0, 0);
    access(cl_kernel_pkg::OpSemaphorePost, 0, 0, 0);
    access(cl_kernel_pkg::OpSemaphoreValue, 0, 0, 0);
    $display("value %0d", word);
    $finish;
  end
endmodule
"""


def asked(folder: Path, roots: tuple[Path, ...], *words: str) -> subprocess.CompletedProcess[str]:
    """Runs FuseSoC with the cores in these folders and with the simulator of our own."""
    binary, root = verilate.find_verilator()
    places = [word for place in roots for word in ("--cores-root", str(place))]
    return subprocess.run(
        [Path(sys.executable).with_name("fusesoc"), *places, *words],
        cwd=folder,
        env={
            **os.environ,
            "PATH": f"{binary.parent}{os.pathsep}{os.environ['PATH']}",
            "VERILATOR_ROOT": str(root),
            "XDG_CONFIG_HOME": str(folder),
        },
        capture_output=True,
        text=True,
    )


def fusesoc(folder: Path, target: str, core: str, *roots: Path) -> str:
    """What FuseSoC says of a target that succeeds."""
    done = asked(folder, roots, "run", "--target", target, core)
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    return said


def test_each_core_can_be_read(tmp_path: Path) -> None:
    done = asked(tmp_path, (RTL,), "core", "list")
    listed = {line.split()[0] for line in done.stdout.splitlines() if line.startswith("coreloom:")}
    assert listed == {f"{unit.library}:0" for unit in UNITS.values()}, done.stdout + done.stderr


@pytest.mark.parametrize("unit", nightly_but(UNITS, ("cl_kernel", "cl_soc", "cl_kernel_shared_axil")))
def test_a_core_is_linted(unit: str, tmp_path: Path) -> None:
    assert "%Warning" not in fusesoc(tmp_path, "lint", UNITS[unit].library, RTL)


@pytest.mark.parametrize("unit", nightly_but(SIMULATED, ("cl_mutex", "cl_kernel", "cl_uart_line")))
def test_a_core_is_simulated(unit: str, tmp_path: Path) -> None:
    said = fusesoc(tmp_path, "sim", UNITS[unit].library, RTL)
    assert f"{unit}: passed" in said.splitlines()
    assert "%Warning" not in said


def test_each_unit_with_a_module_is_simulated_or_says_why_not() -> None:
    """A package has no module."""
    without = {name for name in UNITS if name not in SIMULATED and not name.endswith("_pkg")}
    reasons = {name: unit.unsimulated for name, unit in UNITS.items() if unit.unsimulated}
    assert without == set(reasons) == {"cl_soc"}
    for name, reason in reasons.items():
        assert f"; no target sim: {reason}" in (UNITS[name].folder / f"{name}.core").read_text()


def test_a_planted_fault_ends_the_simulation_with_an_error(tmp_path: Path) -> None:
    copy = shutil.copytree(RTL, tmp_path / "rtl")
    source = copy / "ipc" / "mutex" / "rtl" / "cl_mutex.sv"
    text = source.read_text()
    right = "win[p] = !held[p] | freed[p];"
    assert text.count(right) == 1
    source.write_text(text.replace(right, "win[p] = !held[p];"))
    done = asked(tmp_path, (copy,), "run", "--target", "sim", UNITS["cl_mutex"].library)
    assert done.returncode != 0
    assert "cl_mutex: passed" not in done.stdout
    assert "the cycles of OpMutexLock: 6 (0x6) instead of 5 (0x5)." in done.stdout + done.stderr


def test_a_core_of_somebody_else_depends_on_ours(tmp_path: Path) -> None:
    (tmp_path / "consumer.core").write_text(CONSUMER)
    (tmp_path / "consumer.sv").write_text(TOP)
    fusesoc(tmp_path, "lint", "somebody:else:consumer", RTL, tmp_path)
    assert "value 4" in fusesoc(tmp_path, "sim", "somebody:else:consumer", RTL, tmp_path)
