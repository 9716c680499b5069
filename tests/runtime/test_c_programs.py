# SPDX-License-Identifier: Apache-2.0
"""Programs of the C language and library alone: they print the same and end the same on every ground."""

from __future__ import annotations

from pathlib import Path

import pytest

from coreloom.design import platform
from coreloom.simulation import host, simulate
from coreloom.toolchain import firmware, verilate

PROGRAMS = sorted(Path(__file__).with_name("c").glob("*.c"))


def on_linux(program: Path) -> tuple[str, int]:
    soc = platform.load("smp-standard", 1)
    try:
        ran = host.run(firmware.build_linux(str(program), soc), catch=True, seconds=60)
    except host.Died as died:
        return died.printed, died.status
    return ran.printed, ran.exit_status


def on_kernel(program: Path, kernel: str) -> tuple[str, int]:
    soc = platform.load("smp-standard", 1)
    elf = firmware.build(str(program), soc, kernel)
    ran = simulate.run(verilate.build_model(soc), elf.with_suffix(".bin"), max_cycles=20_000_000)
    assert ran.exit_status is not None, ran.why
    return ran.uart, ran.exit_status & 0xFF


@pytest.mark.parametrize("kernel", firmware.KERNELS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
@pytest.mark.nightly(
    but=(
        "aborts-hw",
        "characters-sw",
        "ends-hw",
        "input-sw",
        "jumps-hw",
        "language-sw",
        "mathematics-hw",
        "memory-sw",
        "numbers-hw",
        "output-sw",
        "sorting-hw",
        "strings-sw",
        "times-hw",
    )
)
def test_a_program_does_the_same_on_every_ground(program: Path, kernel: str) -> None:
    printed, status = on_kernel(program, kernel)
    if status == 134:
        printed = printed.removesuffix("aborted\n")  # Linux's shell says it
    assert (printed, status) == on_linux(program)
