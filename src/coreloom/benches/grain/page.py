# SPDX-License-Identifier: Apache-2.0
"""The table of `coreloom bench grain`."""

from __future__ import annotations

from collections.abc import Sequence

from coreloom.benches.rivals import NAMES, better
from coreloom.benches.smp.bench import Row
from coreloom.benches.smp.page import arrangement, measured, rivals, share
from coreloom.report.figure import Figure
from coreloom.report.table import Table, number

_SHORT = {"sw": "SW", "freertos": "FreeRTOS", "freertos-tuned": "FreeRTOS, our port"}


def finest(rows: Sequence[Row]) -> Figure:
    """What the hardware kernel gains where messages are smallest, on the most CPUs."""
    others, hard = min(rivals(rows), key=lambda each: (each[1].grain, -each[1].cpus))
    best = better(list(others.values()), lambda row: row.done) or others["sw"]
    what = f"{hard.grain} pixel per message, {arrangement(hard)}: pixels, hardware over {NAMES[best.kernel]}"
    return Figure(f"{what}, the better rival", round(hard.done / best.done, 2))


def grain(rows: Sequence[Row], window: int) -> Table:
    """Pixels in the window for each message size: what fine-grained communication costs on each kernel."""
    kernels = measured(rows)
    lines = []
    for others, hard in rivals(rows):
        best = better(list(others.values()), lambda row: row.done)
        lines.append(
            (
                f"{hard.grain}",
                arrangement(hard),
                *(number(others[kernel].done if kernel in others else None) for kernel in kernels),
                number(hard.done),
                number(hard.done / best.done if best and best.done else None, 2),
                NAMES[best.kernel] if best else "-",
                *(share(others[kernel]) if kernel in others else "-" for kernel in kernels),
                share(hard),
            )
        )
    return Table(
        f"Pixels in {number(window)} cycles by pixels per message (standard core)",
        (
            *("pixels per message", "CPUs", *(NAMES[kernel] for kernel in kernels), "hardware kernel"),
            *("ratio to the better rival", "better rival"),
            *(f"kernel share {_SHORT[kernel]}" for kernel in kernels),
            "kernel share HW",
        ),
        tuple(lines),
        text_columns=2,
    )
