# SPDX-License-Identifier: Apache-2.0
"""A device of the user's at the bus port of cl_soc: what it is asked, in how many cycles, and without one."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import pytest

from coreloom.design import platform
from coreloom.errors import UserError
from coreloom.simulation import simulate
from coreloom.toolchain import verilate

from .asm import assemble
from .test_programs import marks

DEVICE = Path(__file__).with_name("user_device.sv")
WHERE = "li s5, 0xE4000000\n"
OF_DEVICE = "lw t0, 0(s5)\n  lw s8"
OF_UART = "lw t0, 4(s3)\n  lw s8"
PROGRAM = (
    WHERE
    + """

  li t0, 0x11223344
  sw t0, 0(s5)
  li t0, 0x55
  sb t0, 2(s5)
  lw t1, 0(s5)
  sw t1, MARK(s1)
  lw t1, 4(s5)
  sw t1, MARK(s1)
  li s6, 3
again:
  lw s7, CYCLE(s1)
  lw t0, 0(s5)
  lw s8, CYCLE(s1)
  sub s8, s8, s7
  addi s6, s6, -1
  bnez s6, again
  sw s8, MARK(s1)
  sw zero, EXIT(s1)
"""
)


@lru_cache
def model(memory: str = "sram", top: Path | None = DEVICE) -> Path:
    soc = platform.load("smp-economy", 1, changes={"memory.model": memory}, ipc=False)
    return verilate.build_model(soc, top=top)


def run(source: str, memory: str = "sram", top: Path | None = DEVICE) -> simulate.SimResult:
    options = simulate.Options(max_cycles=10_000)
    return simulate.run(model(memory, top), assemble(source, "economy"), options)


def values(source: str, memory: str = "sram") -> list[int]:
    return [value for _, value in marks(run(source, memory))]


def test_it_is_asked_as_the_program_says() -> None:
    """A word, a byte of it; two stores and a load so far; a load takes as long as one from the UART."""
    assert values(PROGRAM) == [0x11553344, 3, 10]
    assert values(PROGRAM.replace(OF_DEVICE, OF_UART))[2] == 10


def test_it_may_wait_where_the_bus_waits() -> None:
    """The UART is asked in the second cycle of a request, as it is; it grants two cycles later."""
    assert values(PROGRAM, "sdram") == [0x11553344, 3, 21]
    assert values(PROGRAM.replace(OF_DEVICE, OF_UART), "sdram")[2] == 19


@pytest.mark.parametrize(
    ("access", "address"), [("lw t0, 8", "e4000008"), ("sw t0, 4", "e4000004"), ("lbu t0, 257", "e4000100")]
)
def test_it_refuses(access: str, address: str) -> None:
    with pytest.raises(UserError, match=rf": bus error: cpu 0, address 0x{address}$"):
        run(f"{WHERE} {access}(s5)\n nop\n j .\n")


@pytest.mark.parametrize("address", ["e4000000", "e4fffffc"])
def test_without_one(address: str) -> None:
    with pytest.raises(UserError, match=rf": bus error: cpu 0, address 0x{address}$"):
        run(f"li s5, 0x{address}\n lw t0, 0(s5)\n nop\n j .\n", top=None)


@pytest.mark.parametrize(
    ("old", "new"),
    [("rvalid_q <= req & gnt;", "rvalid_q <= 1'b0;"), ("gnt       = !Cfg.Sdram ||", "gnt       =")],
    ids=["no answer", "no grant"],
)
@pytest.mark.nightly
def test_a_device_that_breaks_the_protocol_stops_the_simulation(tmp_path: Path, old: str, new: str) -> None:
    text = DEVICE.read_text()
    assert text.count(old) == 1
    wrong = tmp_path / "device.sv"
    wrong.write_text(text.replace(old, new))
    with pytest.raises(UserError, match=r"^the simulation of test failed"):
        run(PROGRAM, top=wrong)
