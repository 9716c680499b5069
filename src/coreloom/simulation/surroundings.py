# SPDX-License-Identifier: Apache-2.0
"""A program's surroundings, wherever it runs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Surroundings:
    """A command line, an environment, files, standard input."""

    arguments: tuple[str, ...] = ()  # for a main that takes them, the program's name first
    environment: tuple[str, ...] = ()  # NAME=VALUE
    files: Path | None = None  # the folder in which its files are; None: it has none
    current: str = ""  # its current folder, below that one
    stdin: int | None = None  # the file that is its standard input; None: that is at its end
    stack: int = 0  # bytes of main's stack on this machine; 0: as many as ours (elsewhere the program has it)


NOTHING = Surroundings()
