# SPDX-License-Identifier: Apache-2.0
"""OpenOCD at the JTAG port of cl_debug, with the configuration that users have, and gdb at OpenOCD."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from coreloom.errors import UserError
from coreloom.paths import RTL
from coreloom.toolchain import debian
from debug.conftest import free_port

from .jtag import model

CONFIGURATION = RTL / "debug" / "coreloom.cfg"
# `say` prints what a command answers, in one line.
BEGIN = """\
gdb_port {gdb}
telnet_port disabled
tcl_port disabled
adapter speed 1000
init
proc say {{args}} {{ echo "> $args: [string map {{"\\n" " "}} [string trim [capture $args]]]" }}
"""
COMMANDS = """\
targets coreloom.cpu1
halt
mww 0x1000 0xdeadbeef
say mdw 0x1000 2
say reg mhartid
targets coreloom.cpu0
halt
mww 0x80 0x00128293
mww 0x84 0xffdff06f
reg pc 0x80
reg t0 0
step
say reg t0
say reg pc
bp 0x84 4 hw
resume
wait_halt 2000
say reg pc
rbp 0x84
bp 0x80 4
say mdw 0x80
resume
wait_halt 2000
say reg pc
rbp 0x80
say mdw 0x80
say reg t0
reset halt
say reg pc
targets coreloom.cpu1
say reg pc
shutdown
"""
ANSWERS = """\
mdw 0x1000 2: 0x00001000: deadbeef 00000000
reg mhartid: mhartid (/32): 0x00000001
reg t0: t0 (/32): 0x00000001
reg pc: pc (/32): 0x00000084
reg pc: pc (/32): 0x00000084
mdw 0x80: 0x00000080: 00100073
reg pc: pc (/32): 0x00000080
mdw 0x80: 0x00000080: 00128293
reg t0: t0 (/32): 0x00000001
reg pc: pc (/32): 0x00000080
reg pc: pc (/32): 0x00000080
"""


def command() -> list[str]:
    try:
        root = debian.tree(["openocd"])
    except UserError as missing:
        pytest.skip(str(missing))
    return [*debian.program("usr/bin/openocd", root), "-s", str(root / "usr/share/openocd/scripts")]


@contextmanager
def held(commands: str, folder: Path, gdb: str = "disabled") -> Iterator[subprocess.Popen[str]]:
    """OpenOCD with two harts behind it. gdb: the port at which it waits for one."""
    script = folder / "script.cfg"
    script.write_text(BEGIN.format(gdb=gdb) + commands)
    with socket.create_server(("127.0.0.1", 0)) as there:
        there.settimeout(60)
        port = there.getsockname()[1]
        words = [
            "adapter driver remote_bitbang",
            f"remote_bitbang port {port}",
            "remote_bitbang host 127.0.0.1",
        ]
        started = [word for each in words for word in ("-c", each)]
        openocd = subprocess.Popen(
            [*command(), *started, "-f", str(CONFIGURATION), "-f", str(script)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        link, _ = there.accept()
    with link:
        harts = subprocess.Popen([model(2)], stdin=link.fileno(), stdout=link.fileno())
    try:
        yield openocd
    finally:
        openocd.kill()
        harts.kill()
        openocd.communicate()
        harts.wait()


def test_a_session(tmp_path: Path) -> None:
    """REQ-debug-12: registers, memory, steps, breakpoints of both kinds, and a reset, by OpenOCD."""
    with held(COMMANDS, tmp_path) as openocd:
        said, _ = openocd.communicate(timeout=300)
    assert openocd.returncode == 0, said
    assert "found 2 harts" in said
    assert re.findall(r"^> (.*)$", said, re.MULTILINE) == ANSWERS.splitlines()


# A loop that adds the hart's number to t0
PROGRAM = """\
.globl _start
_start:
  csrr t1, mhartid
  li t0, 5
again:
  add t0, t0, t1
  j again
"""


GDB = """\
Hardware assisted breakpoint 1 at 0x108: file program.S, line 6.

Thread 1 "coreloom.cpu0" hit Breakpoint 1, again () at program.S:6
6\t  add t0, t0, t1
  Id   Target Id                                                         Frame \n\
* 1    Thread 1 "coreloom.cpu0" (Name: coreloom.cpu0, state: watchpoint) again () at program.S:6
  2    Thread 2 "coreloom.cpu1" (Name: coreloom.cpu1, state: watchpoint) again () at program.S:6
$1 = 5
$2 = 0
7\t  j again
$3 = (void (*)()) 0x10c <again+4>
[Inferior 1 (Remote target) detached]
"""


def test_gdb(gdb: Path, tmp_path: Path) -> None:
    """REQ-debug-13: harts are gdb's threads; it loads a program, and stops both harts by one's breakpoint."""
    source, layout, program = (tmp_path / name for name in ("program.S", "program.ld", "program.elf"))
    source.write_text(PROGRAM)
    layout.write_text("ENTRY(_start)\nSECTIONS { . = 0x100; .text : { *(.text) } }\n")
    zig = [sys.executable, "-m", "ziglang", "cc", "--target=riscv32-freestanding-none", "-nostdlib"]
    zig += ["-mcpu=generic_rv32+m+zicsr", "-mabi=ilp32"]
    subprocess.run([*zig, f"-Wl,-T,{layout}", str(source), "-o", str(program)], check=True)
    port = str(free_port())
    commands = (
        f"target extended-remote 127.0.0.1:{port}",
        "load",
        "thread 2",
        "set $pc = _start",
        "thread 1",
        "set $pc = _start",
        "hbreak again",
        "continue",
        "info threads",
        "print $t0",
        "print $t1",
        "stepi",
        "print $pc",
    )
    with held("halt\n", tmp_path, port) as openocd:
        assert openocd.stdout
        for line in openocd.stdout:
            if f"Listening on port {port} for gdb" in line:
                break
        words = [word for each in commands for word in ("-ex", each)]
        done = subprocess.run(
            [gdb, "-nx", "-q", "-batch", *words, program], capture_output=True, text=True, timeout=120
        )
    told = done.stdout.replace(f"{source}", "program.S")
    assert told[told.index("Hardware assisted") :] == GDB, done.stderr
