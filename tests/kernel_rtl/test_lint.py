# SPDX-License-Identifier: Apache-2.0
"""The kernel's RTL is clean under Verilator -Wall, and Yosys reads the same circuit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from coreloom.design import record
from coreloom.paths import BUILD
from coreloom.reference.kernel import Config
from coreloom.reference.stream import Generator
from coreloom.simulation.harness.kernel_port import params, play, rtl
from coreloom.toolchain import verilate, yosys

from .harness import DEFAULT, KERNEL, LARGE, SEED, small

EXTREMES = {
    "default": DEFAULT,
    "large": LARGE,
    "one-cpu": Config(cpus=1),
    "odd": small(3),
    "hybrid": small(3, hw_threads=2),
    "reserve": replace(small(4, hw_threads=1), reserve=True),
    "reserve-1": replace(small(1), reserve=True),
    "timeouts": replace(small(3, hw_threads=2), timeouts=True),
    "timeouts-default": replace(DEFAULT, timeouts=True),
    "inheritance": replace(small(3, hw_threads=2), inheritance=True, timeouts=True, reserve=True),
    "inheritance-default": replace(DEFAULT, inheritance=True),
    "words": replace(small(3, hw_threads=2), port_words=8),
    "events": replace(small(2, hw_threads=1), event_flags=True, timeouts=True, port_words=2),
    "events-most": replace(DEFAULT, event_flags=True, conditions=64),
    "monitors": replace(small(3, hw_threads=2), monitors=True, timeouts=True, reserve=True, event_flags=True),
    "monitors-default": replace(DEFAULT, monitors=True),
    "pipeline": replace(small(3, hw_threads=2), pipeline=True),
    "pipeline-all": replace(small(3), pipeline=True, reserve=True, inheritance=True, timeouts=True),
    "dwrr": small(3, hw_threads=2, policy="dwrr"),
    "dwrr-one-cpu": Config(cpus=1, policy="dwrr"),
    "edf": replace(small(3, hw_threads=2), policy="edf"),
    "least": Config(
        cpus=1,
        threads=2,
        priorities=2,
        ports=1,
        port_depth=1,
        mutexes=1,
        semaphores=1,
        conditions=1,
        lines=1,
    ),
    "none": replace(small(2), mutexes=0, semaphores=0),
    "most": Config(
        cpus=16,
        threads=1024,
        priorities=256,
        ports=1024,
        port_depth=16,
        mutexes=1024,
        semaphores=1024,
        conditions=1024,
        lines=64,
    ),
}

# The rest is left to the tier nightly.
DAILY = (
    *("default", "large", "words", "events", "events-most"),
    *("pipeline-all", "dwrr-one-cpu", "edf", "least", "none"),
)


@pytest.mark.parametrize("config", EXTREMES.values(), ids=EXTREMES)
@pytest.mark.nightly(but=(*DAILY, "most"))
def test_verilator_lint(config: Config) -> None:
    assert verilate.lint(verilate.Design("cl_kernel", rtl()), params(config)) == []


def run_yosys(script: str) -> None:
    result = yosys.run(script)
    assert result.status == 0, result.log[-2000:]


def read(config: Config) -> str:
    """The command that reads cl_kernel."""
    values = record.options("cl_kernel", params(config))
    return f"read_slang --threads 1 -D SYNTHESIS --top cl_kernel {values} {yosys.relative(rtl())}"


READ = {name: config for name, config in EXTREMES.items() if name != "most"}  # which takes long


@pytest.mark.parametrize("config", READ.values(), ids=READ)
@pytest.mark.nightly(but=DAILY)
def test_yosys_reads_it(config: Config) -> None:
    run_yosys(f"{read(config)}; proc; check -assert")


@pytest.mark.parametrize("policy", ["priority", "dwrr", "edf"])
@pytest.mark.nightly(but=("priority",))
def test_what_yosys_read_plays_the_stream(policy: str, tmp_path: Path) -> None:
    """Simulation and synthesis see the same circuit."""
    config = replace(small(2, hw_threads=1), policy=policy)
    netlist = BUILD / "kernel-netlist" / f"{policy}.v"  # those of other policies are made at the same time
    netlist.parent.mkdir(parents=True, exist_ok=True)
    run_yosys(
        f"{read(config)}; proc; bmuxmap; demuxmap; simplemap t:$bwmux; opt_clean; "
        f"write_verilog -noattr {yosys.relative([netlist])}"
    )
    defines = ("NETLIST", "NETLIST_DWRR") if policy == "dwrr" else ("NETLIST",)
    files = (KERNEL / "rtl" / "cl_kernel_pkg.sv", netlist, KERNEL / "tb" / "cl_kernel_referee.sv")
    design = verilate.Design("cl_kernel_referee", files, defines=defines)
    model = verilate.build(design, KERNEL / "tb" / "referee.cpp", params(config), name="kernel-netlist")
    play(config, Generator(config, SEED).steps(20_000), SEED, tmp_path, model)
