# SPDX-License-Identifier: Apache-2.0
"""The table of `coreloom bench grain`."""

from __future__ import annotations

from collections.abc import Sequence

from coreloom.benches.smp.bench import Row
from coreloom.benches.smp.page import arrangement, pairs, share
from coreloom.report.table import Table, number


def grain(rows: Sequence[Row]) -> Table:
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
        "Pixels in one million cycles by pixels a message (standard core)",
        (
            *("pixels a message", "CPUs", "software kernel", "hardware kernel", "ratio"),
            *("kernel's share SW", "kernel's share HW"),
        ),
        tuple(lines),
        text_columns=2,
    )
