# SPDX-License-Identifier: Apache-2.0
"""What `coreloom generate` writes: files made from the data of the hardware (design/generate.py); the factors
of apps/fft; the table of POSIX functions; --help, man page and completion of the programs of linux/.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from coreloom.apps.pair import twiddles_header
from coreloom.conformance import functions
from coreloom.design import generate as design
from coreloom.paths import APPS, LINUX, ROOT
from coreloom.programs import completion, usage


def _of_program(folder: str, make: Callable[[usage.Program], str]) -> str:
    return make(usage.load(folder))


def _of_programs() -> dict[Path, Callable[[], str]]:
    """--help, man page and completion of each program of linux/."""
    return {
        LINUX / folder / name: partial(_of_program, folder, make)
        for folder, program in usage.PROGRAMS.items()
        for name, make in {
            "help.h": usage.header,
            usage.page_name(program): usage.page,
            **{f"completion/{name}": make for name, make in completion.files(program).items()},
        }.items()
    }


# Each with what makes its text.
FILES: dict[Path, Callable[[], str]] = {
    **design.FILES,
    APPS / "fft" / "twiddles.h": twiddles_header,
    ROOT / "docs" / "reference" / "posix.md": functions.page,
    **_of_programs(),
}


def generate() -> list[Path]:
    """Write every generated file; returns those whose content changed."""
    changed = []
    for path, make in FILES.items():
        text = make()
        if not path.is_file() or path.read_text() != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            changed.append(path)
    return changed
