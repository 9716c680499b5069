# SPDX-License-Identifier: Apache-2.0
"""The programs for Linux by name: the sources of each, and where the last build is.

A leaf: the entry point imports it before anything else.
"""

from __future__ import annotations

import os
from pathlib import Path

from coreloom.paths import BUILD, LINUX, POLICIES

# linux/NAME, and which folders else are in it.
PROGRAMS = {
    "exclusive": (LINUX / "user",),
    "scx_dwrr": (LINUX / "bpf", POLICIES),
    "lagmeter": (LINUX / "bpf", LINUX / "user", POLICIES),
}
_MADE = BUILD / "linux" / "bin"  # NAME: of which sources the program was made last, and where it is


def sources(name: str) -> list[Path]:
    folders = [LINUX / name, *PROGRAMS[name]]
    return sorted(path for folder in folders for path in folder.glob("*") if path.suffix in (".c", ".h"))


def _state(name: str) -> str:
    """Names, sizes and times: to read 40 files and hash them takes longer than the program's own start."""
    makers = [Path(__file__).with_name("bpf.py"), Path(__file__).parents[1] / "toolchain" / "native.py"]
    return " ".join(
        f"{path.name}:{(at := path.stat()).st_size}:{at.st_mtime_ns}" for path in [*sources(name), *makers]
    )


def made(name: str) -> Path | None:
    """The built program, if it matches the current sources."""
    try:
        state, program = (_MADE / name).read_text().splitlines()
    except (OSError, ValueError):
        return None
    return Path(program) if state == _state(name) and os.access(program, os.X_OK) else None


def remember(name: str, program: Path) -> None:
    _MADE.mkdir(parents=True, exist_ok=True)
    part = _MADE / f".{name}.{os.getpid()}"
    part.write_text(f"{_state(name)}\n{program}\n")
    part.replace(_MADE / name)
