# SPDX-License-Identifier: Apache-2.0
"""The table of `coreloom bench grain`."""

from __future__ import annotations

from collections.abc import Sequence

from coreloom.benches.smp.bench import Row
from coreloom.benches.smp.page import arrangement, pairs, share
from coreloom.report.figure import Figure
from coreloom.report.table import Table, number


def finest(rows: Sequence[Row]) -> Figure:
    """What the hardware kernel gains where messages are smallest, on the most CPUs."""
    soft, hard = min(pairs(rows), key=lambda pair: (pair[0].grain, -pair[0].cpus))
    what = f"{soft.grain} pixel per message, {arrangement(soft)}: pixels, hardware over software kernel"
    return Figure(what, round(hard.done / soft.done, 2))


def grain(rows: Sequence[Row], window: int) -> Table:
    """Pixels in the window for each message size: what fine-grained communication costs on either kernel."""
    lines = []
    for soft, hard in pairs(rows):
        lines.append(
            (
                f"{soft.grain}",
                arrangement(soft),
                number(soft.done),
                number(hard.done),
                number(hard.done / soft.done if soft.done else None, 2),
                share(soft),
                share(hard),
            )
        )
    return Table(
        f"Pixels in {number(window)} cycles by pixels per message (standard core)",
        (
            *("pixels per message", "CPUs", "software kernel", "hardware kernel", "ratio"),
            *("kernel share SW", "kernel share HW"),
        ),
        tuple(lines),
        text_columns=2,
    )
