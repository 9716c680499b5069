# SPDX-License-Identifier: Apache-2.0
"""Our own test programs compile without warnings, which `coreloom run` lets pass in a user's file."""

from __future__ import annotations

import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from coreloom.conformance import suite
from coreloom.design import keys, platform
from coreloom.paths import RUNTIME
from coreloom.toolchain import firmware, zig

PROGRAMS = sorted(Path(__file__).with_name("programs").glob("*.c"))
CONFORMANCE = sorted(suite.PROGRAMS.glob("*.c"))
# Macros that their tests give them.
GIVEN = {
    "broken": ("CASE",),
    "fault_of_thread": ("THREADS",),
    "handovers": ("PAUSE",),
    "heap_misuse": ("HOW",),
    "lines": ("EACH",),
    "livelock": ("END",),
    "places": ("HOW",),
    "remote_stopped": ("STOP",),
    "rests": ("TIMES", "LINES"),
    "stuck": ("CASE",),
}
QUIET = "-Wno-atomic-alignment"  # atomic operations of C11 are calls on these cores


def said(flags: list[str], program: Path, work: Path) -> str:
    made = str(work / f"{program.parent.parent.name}-{program.stem}.o")
    command = [*zig.cc(), *flags, *zig.OPTIMISE, *zig.WARN, QUIET]
    command += [f"-D{macro}=1" for macro in GIVEN.get(program.stem, ())]
    command += ["-c", str(program), "-o", made]
    done = subprocess.run(command, capture_output=True, text=True, env=zig.environment(), check=False)
    return done.stderr if done.returncode else ""


def macros(soc: str, kernel: str) -> list[str]:
    given = {**keys.macros(platform.load(soc)), f"CL_KERNEL_{kernel.upper()}": 1}
    return [f"-D{name}={value}" for name, value in given.items()]


@pytest.mark.parametrize("kernel", firmware.KERNELS)
def test_programs_of_the_kernels_have_no_warnings(kernel: str, tmp_path: Path) -> None:
    folders = [RUNTIME / folder for folder in ("posix", "memory", "kernel", kernel, "arch", "arch/standard")]
    common = [*zig.TARGET, *zig.INCLUDE, *(f"-I{folder}" for folder in folders)]

    def compiled(program: Path) -> str:
        soc = "backdoor-standard" if program.name.startswith("remote") else "smp-standard"
        return said([*common, *macros(soc, kernel)], program, tmp_path)

    with ThreadPoolExecutor() as pool:
        assert "".join(pool.map(compiled, [*PROGRAMS, *CONFORMANCE])) == ""


def test_conformance_programs_have_no_warnings_on_linux(tmp_path: Path) -> None:
    common = [*firmware._HOST, f"-I{RUNTIME / 'linux'}", f"-idirafter{RUNTIME / 'include'}"]
    common += macros("smp-standard", "linux")
    with ThreadPoolExecutor() as pool:
        assert "".join(pool.map(lambda program: said(common, program, tmp_path), CONFORMANCE)) == ""
