# SPDX-License-Identifier: Apache-2.0
"""Programs of the C language and library alone: they print the same and end the same on every ground."""

from __future__ import annotations

from pathlib import Path

import pytest

from coreloom.design import platform
from coreloom.simulation import host, simulate
from coreloom.simulation.surroundings import Surroundings
from coreloom.toolchain import firmware, verilate

PROGRAMS = sorted(Path(__file__).with_name("c").glob("*.c"))


def around(program: Path, files: Path) -> Surroundings:
    files.mkdir()
    return Surroundings((program.stem, "a b", ""), ("FIRST=1", "SECOND=2 3"), files)


def on_linux(program: Path, files: Path) -> tuple[str, int]:
    soc = platform.load("smp-standard", 2)
    try:
        ran = host.run(
            firmware.build_linux(str(program), soc), around=around(program, files), catch=True, seconds=60
        )
    except host.Died as died:
        return died.printed, died.status
    return ran.printed, ran.exit_status


def on_kernel(program: Path, kernel: str, files: Path) -> tuple[str, int]:
    soc = platform.load("smp-standard", 2)
    elf = firmware.build(str(program), soc, kernel)
    ran = simulate.run(
        verilate.build_model(soc),
        elf.with_suffix(".bin"),
        simulate.Options(around=around(program, files), max_cycles=20_000_000),
    )
    assert ran.exit_status is not None, ran.why
    return ran.uart, ran.exit_status & 0xFF


@pytest.mark.parametrize("kernel", firmware.KERNELS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
@pytest.mark.test(
    *(
        "aborts-hw",
        "characters-sw",
        "ends-hw",
        "environment-sw",
        "files-hw",
        "folders-sw",
        "futexes-hw",
        "input-sw",
        "jumps-hw",
        "language-sw",
        "locale-hw",
        "mappings-sw",
        "mathematics-hw",
        "memory-sw",
        "numbers-hw",
        "output-sw",
        "random-hw",
        "sorting-hw",
        "streams-sw",
        "strings-sw",
        "times-hw",
    )
)
@pytest.mark.nightly
def test_a_program_does_the_same_on_every_ground(program: Path, kernel: str, tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    printed, status = on_kernel(program, kernel, ours)
    if status == 134:
        printed = printed.removesuffix("aborted\n")  # Linux's shell says it
    assert (printed, status) == on_linux(program, theirs)
    assert left(ours) == left(theirs)


def left(folder: Path) -> dict[str, bytes]:
    """The files that a program has left behind, but for one whose name is by chance."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.name.startswith("t-")
    }
