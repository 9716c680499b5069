# SPDX-License-Identifier: Apache-2.0
"""The kernels that the hardware kernel is compared with: their names, and whether FreeRTOS is here."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Sequence
from typing import TypeVar

from coreloom.toolchain import freertos
from coreloom.toolchain.firmware import FINE, FREERTOS, OURS

Row = TypeVar("Row")

# Every kernel in a heading.
NAMES = {kernel: name.replace("ware", "ware kernel", 1) for kernel, name in OURS.items()} | FREERTOS


def is_there(kernel: str, cpus: int) -> bool:
    """Whether it is a kernel of its own: with one CPU there are no locks, and `fine` is `sw`."""
    return cpus > 1 or kernel not in FINE


def better(rows: Sequence[Row], merit: Callable[[Row], float | None]) -> Row | None:
    """Of rivals in the same case the one that the hardware kernel is compared with: the highest merit."""
    known = [(value, row) for row in rows if (value := merit(row)) is not None]
    return max(known, key=lambda each: each[0])[1] if known else None


def find_freertos(options: Namespace) -> str:
    """Why FreeRTOS is missing; empty if it is there. UserError for a folder that has not its sources."""
    try:
        freertos.kernel(options.freertos)
    except freertos.Missing as missing:
        return str(missing)
    return ""


def tools(there: bool) -> dict[str, str]:
    """What a result names besides the packages."""
    return {"FreeRTOS": freertos.label()} if there else {}
