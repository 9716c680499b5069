# SPDX-License-Identifier: Apache-2.0
"""Bitstreams: the clock is met, and the netlist that is placed boots and prints."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from coreloom.synthesis.board import boards, build, line, simulate
from coreloom.toolchain import firmware

PROGRAM = Path(__file__).parent / "programs" / "threads.c"
ENDED = b"\x04CLX\x03"

MHZ = {("ulx3s", "standard"): 25, ("ulx3s", "fast"): 50, ("tang_nano_20k", "economy"): 27}


@pytest.mark.nightly
@pytest.mark.parametrize(("board", "core"), MHZ)
def test_the_clock_is_met(board: str, core: str) -> None:
    """With the board's own memory."""
    machine = boards.machine(board, f"smp-{core}")
    assert machine.mhz == MHZ[board, core]
    made = build.build(machine)
    build.check_clock(made)
    assert made.bitstream.stat().st_size > 100_000


@pytest.mark.nightly
@pytest.mark.parametrize("board", boards.BOARDS)
def test_the_netlist_boots_and_prints(board: str) -> None:
    """With a program in its block RAM."""
    machine = boards.machine(board, memory="block")
    elf = firmware.build(str(PROGRAM), machine.soc, "hw", machine.macros())
    folder = build.netlist(machine, elf.with_suffix(".bin").read_bytes())
    model = simulate.gates(machine, folder)
    said = subprocess.run([model, "200000"], stdin=subprocess.DEVNULL, capture_output=True, check=True)
    assert said.stdout == b"0 1 2 3\nclock %d MHz\n" % machine.mhz + ENDED
    assert said.stderr == b""


@pytest.mark.nightly
def test_the_netlist_with_the_sdram() -> None:
    """The boot ROM answers, writes and starts a program, of which the SDRAM has the most part already."""
    machine = boards.machine("ulx3s", "smp-fast")
    image = firmware.build(str(PROGRAM), machine.soc, "hw", machine.macros()).with_suffix(".bin")
    first = image.read_bytes()[:64]
    model = simulate.gates(machine, build.netlist(machine))
    # The boot ROM reads nothing before the SDRAM is ready: 200 us, some 18 bytes.
    frames = bytes(32) + line.frame(b"I") + line.frame(b"W", 0, first) + line.frame(b"G")
    said = subprocess.run([model, "400000", "memory", image], input=frames, capture_output=True, check=True)
    answers = b"\x04CLI\x01\x02\x01\x19" + b"\x04CLK" * 2
    assert said.stdout == answers + b"0 1 2 3\nclock 50 MHz\n" + ENDED
    assert said.stderr == b""
