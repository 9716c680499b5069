# SPDX-License-Identifier: Apache-2.0
"""OpenOCD at the JTAG port of a whole SoC: `coreloom run --jtag`."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from coreloom.paths import BUILD, ROOT, RUNTIME
from coreloom.simulation.gdb import debugger
from coreloom.toolchain import elf
from debug.conftest import free_port

from .test_openocd import BEGIN, command

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
say reg pc
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


@contextmanager
def running(source: Path, kernel: str = "hw") -> Iterator[subprocess.Popen[str]]:
    """A program of two CPUs that waits for OpenOCD."""
    name, port = source.stem, free_port()
    words = [sys.executable, "-m", "coreloom.entry", "run", "--jtag", str(port), "--cpus", "2"]
    run = subprocess.Popen(
        [*words, "--on", kernel, str(source)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert run.stderr is not None
    try:
        line = next(line for line in run.stderr if "waiting for OpenOCD" in line)
        assert line == (
            f"waiting for OpenOCD on port {port}: openocd -f build/output/{name}.cfg; "
            f"then gdb: gdb-multiarch -x build/output/{name}.gdb\n"
        )
        yield run
    finally:
        run.kill()
        run.communicate()


def test_a_program_on_the_soc(tmp_path: Path) -> None:
    """REQ-debug-18: the harts of a platform begin halted, halt wherever they are, and go on then."""
    source, script = tmp_path / "jtag_go.c", tmp_path / "script.cfg"
    source.write_text(PROGRAM)
    with running(source) as run:
        where = {name: elf.address(BUILD / "output" / "jtag_go.elf", name) for name in ("go", "arrives")}
        commands = COMMANDS.format(go=hex(where["go"]), arrives=hex(where["arrives"]))
        script.write_text(BEGIN.format(gdb="disabled") + commands)
        openocd = [*command(), "-f", str(BUILD / "output" / "jtag_go.cfg"), "-f", str(script)]
        done = subprocess.run(openocd, capture_output=True, text=True, timeout=300, check=False)
        assert re.findall(r"^> (.*)$", done.stderr, re.MULTILINE) == [
            "reg pc: pc (/32): 0x40000080",
            "reg pc: pc (/32): 0x40000080",
            "reg pc: pc (/32): 0x40000080",
            "reg mhartid: mhartid (/32): 0x00000001",
            "nothing there",
            f"reg pc: pc (/32): {where['arrives']:#010x}",
            "reg a0: a0 (/32): 0x0000002a",
        ], done.stderr
        said, _ = run.communicate(timeout=300)
    assert (said, run.returncode) == ("go 42\n", 7)


def test_a_debugger_that_goes(tmp_path: Path) -> None:
    """While a hart is halted: the run would never end."""
    source = tmp_path / "jtag_left.c"
    source.write_text(PROGRAM)
    with running(source) as run:
        openocd = [*command(), "-f", str(BUILD / "output" / "jtag_left.cfg"), "-c", "init", "-c", "shutdown"]
        subprocess.run(openocd, capture_output=True, timeout=300, check=True)
        _, told = run.communicate(timeout=300)
    assert told.splitlines()[-1] == (
        "coreloom: error: jtag_left was left halted by the debugger: resume it before that goes"
    )
    assert run.returncode == 124


THREADS = """\
#include <pthread.h>
#include <semaphore.h>
static sem_t gate;
__attribute__((noinline)) static void waits_here(void) { sem_wait(&gate); }
static void *blocked(void *unused) { waits_here(); return unused; }
__attribute__((noinline)) void arrives(void) { __asm__ volatile(""); }
static void *works(void *unused) { arrives(); sem_post(&gate); return unused; }
int main(void) {
  pthread_t threads[2];
  sem_init(&gate, 0, 0);
  pthread_create(&threads[0], 0, blocked, 0);
  pthread_setname_np(threads[0], "blocked");
  pthread_create(&threads[1], 0, works, 0);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
  return 5;
}
"""
# The calls of a thread that has given way, without the kernel's own.
CALLS = """\
sem_wait
waits_here
blocked
cl_thread_main
"""


@pytest.mark.parametrize("kernel", ["hw", "sw"])
def test_the_threads_of_the_kernel(kernel: str, gdb: Path, tmp_path: Path) -> None:
    """REQ-debug-19: gdb behind OpenOCD shows the kernel's threads, and the calls of one that waits."""
    source = tmp_path / f"jtag_threads_{kernel}.c"  # what the run writes is named by it
    source.write_text(THREADS)
    port = str(free_port())
    with running(source, kernel) as run:
        configuration = BUILD / "output" / f"{source.stem}.cfg"
        script = BUILD / "output" / f"{source.stem}.gdb"
        script.write_text(script.read_text().replace(":3333", f":{port}"))
        openocd = subprocess.Popen(
            [*command(), "-c", f"gdb_port {port}", "-f", str(configuration)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        try:
            assert openocd.stdout
            next(line for line in openocd.stdout if f"Listening on port {port} for gdb" in line)
            words = ["hbreak arrives", "continue", "kernel-threads", "kernel-backtrace 1"]
            words += ["kernel-backtrace 2", "kernel-backtrace 64", "delete", "detach"]
            asked = [word for each in words for word in ("-ex", each)]
            done = subprocess.run(
                [gdb, "-nx", "-q", "-batch", "-x", str(script), *asked],
                capture_output=True,
                text=True,
                timeout=200,
            )
            run.communicate(timeout=100)  # gdb has left it to itself
        finally:
            openocd.kill()
            openocd.communicate()
    assert run.returncode == 5, done.stdout + done.stderr
    listed = re.findall(r"^ +(\d+)  (\w*) +(\w+) *(.*)$", done.stdout, re.MULTILINE)
    assert ("1", "blocked", "waits", "in sem_wait") in listed, done.stdout
    assert [row[:3] for row in listed if row[0] == "2"] == [("2", "", "running")], done.stdout
    calls = re.findall(r"^#\d+  (\w+) at ", done.stdout, re.MULTILINE)
    assert calls[-4:] == CALLS.split(), done.stdout
    refused = [line for line in done.stderr.splitlines() if "thread" in line and "hart" in line]
    assert refused == ["thread 2 (running) has not given way: `thread` chooses a hart and shows its calls"]
    assert "give a thread from 0 to 63: kernel-threads lists them" in done.stderr


def test_numbers_of_the_kernel() -> None:
    """What gdb's commands know of the port is as the runtime has it."""
    known: dict[str, object] = {}
    text = Path(debugger.__file__).with_name("kernel_threads.py").read_text()
    for line in re.findall(r"^[A-Z_, ]+ = [^\n]*[^(\n]$", text, re.MULTILINE):
        exec(line, known)
    headers = [(RUNTIME / "include" / f"cl_{name}.h").read_text() for name in ("kernel_ops", "soc_map")]
    has = dict(re.findall(r"^#define CL_(\w+) +(\w+?)u?(?:$| /)", "".join(headers), re.MULTILINE))
    names = {
        **{"PORT": "KERNEL_PORT", "OP_LSB": "ADDRESS_OP_LSB", "ID_LSB": "ADDRESS_ID_LSB"},
        **{"THREAD_READ": "OP_THREAD_READ", "STATE_MASK": "THREAD_WORD_STATE_MASK"},
        **{"CPU_LSB": "THREAD_WORD_CPU_LSB", "CPU_MASK": "THREAD_WORD_CPU_MASK"},
    }
    assert {name: known[name] for name in names} == {name: int(has[n], 0) for name, n in names.items()}
    states = {"waits": "blocked", "ended": "exited"}
    assert known["STATES"] == tuple(
        next((word for word, other in states.items() if other == name), name)
        for name, _ in sorted(
            (
                (name.removeprefix("STATE_").lower(), int(n))
                for name, n in has.items()
                if name.startswith("STATE_")
            ),
            key=lambda state: state[1],
        )
    )
