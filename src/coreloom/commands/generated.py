# SPDX-License-Identifier: Apache-2.0
"""What `coreloom generate` writes: files made from the data of the hardware (design/generate.py), its data
sheets, the factors of apps/fft, the tables of POSIX functions and of public programs, --help of the programs
of linux/.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from coreloom.apps.pair import twiddles_header
from coreloom.conformance import functions, outside
from coreloom.design import generate as design
from coreloom.paths import APPS, LINUX, ROOT
from coreloom.programs import usage
from coreloom.report import datasheet


def _help(folder: str) -> str:
    return usage.header(usage.load(folder))


# Each with what makes its text.
FILES: dict[Path, Callable[[], str]] = {
    **design.FILES,
    **datasheet.FILES,
    APPS / "fft" / "twiddles.h": twiddles_header,
    ROOT / "docs" / "reference" / "posix.md": functions.page,
    ROOT / "docs" / "reference" / "outside.md": outside.page,
    **{LINUX / folder / "help.h": partial(_help, folder) for folder in usage.PROGRAMS},
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
