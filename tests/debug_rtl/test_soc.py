# SPDX-License-Identifier: Apache-2.0
"""OpenOCD at the JTAG port of a whole SoC: `coreloom run --jtag`."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from coreloom.paths import BUILD, ROOT
from coreloom.toolchain import elf
from debug.conftest import free_port

from .test_openocd import command

PROGRAM = """\
#include <stdio.h>
volatile int go;
__attribute__((noinline)) void arrives(int with) { printf("go %d\\n", with); }
int main(void) {
  while (!go) continue;
  arrives(go);
  return 7;
}
"""
# CPU 1 has nothing to do: it waits in the kernel.
COMMANDS = """\
gdb_port disabled
telnet_port disabled
tcl_port disabled
adapter speed 1000
init
proc say {{args}} {{ echo "> $args: [string map {{"\\n" " "}} [string trim [capture $args]]]" }}
reset halt
say reg pc
targets coreloom.cpu1
say reg pc
say reg mhartid
resume
sleep 100
targets coreloom.cpu1
halt
mww {go} 42
if {{[catch {{mdw 0xdeadbee0}}]}} {{ echo "> nothing there" }}
targets coreloom.cpu0
bp {arrives} 4 hw
resume
wait_halt 20000
say reg pc
say reg a0
rbp {arrives}
resume
shutdown
"""


def test_a_program_on_the_soc(tmp_path: Path) -> None:
    """REQ-debug-18: the harts of a platform halt wherever they are, and go on as if they had not."""
    source, script, port = tmp_path / "jtag_go.c", tmp_path / "script.cfg", free_port()
    source.write_text(PROGRAM)
    words = [sys.executable, "-m", "coreloom.entry", "run", "--jtag", str(port), "--cpus", "2", str(source)]
    run = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert run.stderr is not None
    try:
        line = next(line for line in run.stderr if "waiting for OpenOCD" in line)
        assert line == (
            f"waiting for OpenOCD on port {port}: openocd -f build/output/jtag_go.cfg; "
            "symbols: build/output/jtag_go.elf\n"
        )
        where = {name: elf.address(BUILD / "output" / "jtag_go.elf", name) for name in ("go", "arrives")}
        script.write_text(COMMANDS.format(go=hex(where["go"]), arrives=hex(where["arrives"])))
        openocd = [*command(), "-f", str(BUILD / "output" / "jtag_go.cfg"), "-f", str(script)]
        done = subprocess.run(openocd, capture_output=True, text=True, timeout=300, check=False)
        assert re.findall(r"^> (.*)$", done.stderr, re.MULTILINE) == [
            "reg pc: pc (/32): 0x40000080",
            "reg pc: pc (/32): 0x40000080",
            "reg mhartid: mhartid (/32): 0x00000001",
            "nothing there",
            f"reg pc: pc (/32): {where['arrives']:#010x}",
            "reg a0: a0 (/32): 0x0000002a",
        ], done.stderr
        said, _ = run.communicate(timeout=300)
    finally:
        run.kill()
        run.communicate()
    assert (said, run.returncode) == ("go 42\n", 7)
