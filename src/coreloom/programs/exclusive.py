# SPDX-License-Identifier: Apache-2.0
"""The program of `coreloom exclusive`, built once from linux/exclusive."""

from __future__ import annotations

from pathlib import Path

from coreloom.programs import registry
from coreloom.toolchain import native

NAME = "coreloom-exclusive"
_COMMAND = "exclusive"


def program() -> Path:
    """The executable, which may be copied to any x86_64 Linux. UserError if it does not compile."""
    if (made := registry.made(_COMMAND)) is not None:
        return made
    made = native.static(NAME, [path for path in registry.sources(_COMMAND) if path.suffix == ".c"])
    registry.remember(_COMMAND, made)
    return made
