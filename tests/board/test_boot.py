# SPDX-License-Identifier: Apache-2.0
"""A board as RTL with its SDRAM: the boot ROM's protocol, programs, buttons, all through a serial port."""

from __future__ import annotations

import os
import pty
import re
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from coreloom.errors import UserError
from coreloom.simulation.jtag import Port
from coreloom.synthesis.board import boards, line, simulate
from coreloom.synthesis.board.boards import Machine
from coreloom.toolchain import firmware
from debug_rtl.test_openocd import BEGIN, command

PATIENCE = 120.0  # seconds: the simulated board is slow
PROGRAMS = Path(__file__).parent / "programs"
CORES = ("standard", "fast")
of_cores = pytest.mark.parametrize("core", CORES)


def machine(core: str, memory: str = "sdram") -> Machine:
    return boards.machine("ulx3s", f"smp-{core}", memory=memory)


@contextmanager
def board(soc: Machine, *words: str) -> Iterator[tuple[line.Line, subprocess.Popen[str]]]:
    """A simulated board behind a serial port."""
    model = simulate.rtl(soc)
    master, slave = pty.openpty()
    try:
        with line.opened(Path(os.ttyname(slave)), PATIENCE) as opened:
            command = [str(model), *(words or ["1000000000"])]
            with subprocess.Popen(
                command, stdin=master, stdout=master, stderr=subprocess.PIPE, text=True
            ) as process:
                try:
                    yield opened, process
                finally:
                    process.kill()
    finally:
        os.close(master)
        os.close(slave)


def image(soc: Machine, name: str, kernel: str = "hw") -> bytes:
    elf = firmware.build(str(PROGRAMS / name), soc.soc, kernel, soc.macros())
    return elf.with_suffix(".bin").read_bytes()


def run(opened: line.Line, program: bytes) -> tuple[int, bytes]:
    opened.send(program)
    opened.start()
    said: list[bytes] = []
    return opened.console(said.append), b"".join(said)


@of_cores
def test_programs(core: str) -> None:
    """A program ends with its status, and the boot ROM is there again."""
    soc = machine(core)
    with board(soc) as (opened, _):
        assert opened.info() == line.Info(core, 1, 32 << 20)
        assert run(opened, image(soc, "threads.c")) == (3, b"0 1 2 3\nclock %d MHz\n" % soc.mhz)
        assert opened.info() == line.Info(core, 1, 32 << 20)


def test_what_the_boot_rom_refuses() -> None:
    soc = machine("standard")
    with board(soc) as (opened, _):
        with pytest.raises(UserError) as refused:
            opened.ask(b"Z")
        assert str(refused.value) == ("the board has another boot ROM: load the bitstream of this version")
        with pytest.raises(UserError) as refused:
            opened.ask(b"W", soc.ram_bytes - line.STACK_BYTES - 3, b"four")
        assert str(refused.value) == (
            "the board has no memory at 0x1fffbfd to 0x1fffc00: build the program for this board"
        )
        wrong = bytearray(line.frame(b"W", 0, b"data"))
        wrong[-1] ^= 1
        opened.write(bytes(wrong))
        assert opened.answer() == (b"E", b"")
        assert opened.info().cpus == 1


def test_the_button_pwr_starts_the_boot_rom() -> None:
    """While a program runs that does not end."""
    soc = machine("standard")
    with board(soc, "1000000000", "press", "0", "6000000") as (opened, process):
        opened.send(image(soc, "forever.c"))
        opened.start()
        assert process.stderr is not None
        assert process.stderr.readline().endswith("LEDs a5\n")
        assert opened.info().core == "standard"


# What is stored where the boot ROM reads itself is in the SDRAM when a program starts.
JTAG = """\
reset halt
say reg pc
mww 0x40000080 0x0000006f
mww 0x41fff000 0x12345678
say mdw 0x41fff000
mww 0xe4000000 0xa5
resume
sleep 50
halt
catch {mww 0xe4000008 0}
sleep 50
halt
say reg pc
shutdown
"""


def test_a_debugger(tmp_path: Path) -> None:
    """OpenOCD halts the boot ROM, reaches SDRAM and LEDs, and starts the program that it has stored."""
    model = simulate.rtl(machine("standard"))
    commands = tmp_path / "script.cfg"
    commands.write_text(BEGIN.format(gdb="disabled") + JTAG)
    with socket.create_server(("127.0.0.1", 0)) as there:
        there.settimeout(60)
        port = Port(there, 1)
        (tmp_path / "board.cfg").write_text(port.configuration())
        openocd = subprocess.Popen(
            [*command(), "-f", str(tmp_path / "board.cfg"), "-f", str(commands)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        link, _ = there.accept()
    with link:
        words = [str(model), "1000000000", "jtag", str(link.fileno())]
        simulated = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, pass_fds=[link.fileno()]
        )
    said, _ = openocd.communicate(timeout=300)
    _, told = simulated.communicate(timeout=300)
    assert re.findall(r"^> (.*)$", said, re.MULTILINE) == [
        "reg pc: pc (/32): 0x40000080",
        "mdw 0x41fff000: 0x41fff000: 12345678",
        "reg pc: pc (/32): 0x40000080",
    ], said
    assert [line.split(": ")[1] for line in told.splitlines()] == ["LEDs a5"]
