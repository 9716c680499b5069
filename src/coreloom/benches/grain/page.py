# SPDX-License-Identifier: Apache-2.0
"""The table of `coreloom bench grain`."""

from __future__ import annotations

from collections.abc import Sequence

from coreloom.benches.rivals import NAMES, better
from coreloom.benches.smp.bench import Result, Row
from coreloom.benches.smp.page import arrangement, measured, rivals, share
from coreloom.report.figure import Figure
from coreloom.report.page import Summary, prose, times
from coreloom.report.plots import Lines
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


def summary(content: Result) -> Summary:
    found: dict[
        tuple[int, int], tuple[int, int]
    ] = {}  # (pixels, CPUs) -> done by hardware, by the better rival
    for others, hard in rivals(content.rows):
        best = better(list(others.values()), lambda row: row.done)
        if best and hard.grain:
            found[hard.grain, hard.cpus] = (hard.done, best.done)
    grains, counts = sorted({grain for grain, _ in found}), sorted({cpus for _, cpus in found})
    gains = {
        f"{cpus} CPU{'s' * (cpus > 1)}": [
            (grain, found[grain, cpus][0] / found[grain, cpus][1])
            for grain in grains
            if (grain, cpus) in found
        ]
        for cpus in counts
    }
    fine, coarse = (
        [times(*found[grain, cpus]) for cpus in (counts[-1], counts[0])] for grain in (grains[0], grains[-1])
    )
    answer = (
        f"With {grains[0]} pixel in each message the image filter is {fine[0]} times as fast on the hardware "
        f"kernel as on the faster software kernel with {counts[-1]} CPUs, and {fine[1]} times with "
        f"{counts[0]}. With {prose(grains[-1])} pixels in each the gain is {coarse[0]} and {coarse[1]}: "
        "threads that seldom meet do not need a hardware kernel."
    )
    lines = []
    for grain in grains:
        each = (found[grain, cpus] for cpus in counts)
        lines.append(
            (str(grain), *(text for h, s in each for text in (number(h), number(s), number(h / s, 2))))
        )
    columns = [
        f"{what}, {name}" for name in gains for what in ("hardware kernel", "faster software kernel", "ratio")
    ]
    title = f"Pixels in {number(content.window_cycles)} cycles"
    chart = Lines(
        "Gain by the hardware kernel",
        "pixels in a message",
        "times the faster software kernel",
        gains,
        log_x=True,
        level=(1, "no gain"),
    )
    return Summary(answer, Table(title, ("pixels in a message", *columns), tuple(lines)), chart)
