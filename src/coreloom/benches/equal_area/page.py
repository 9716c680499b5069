# SPDX-License-Identifier: Apache-2.0
"""The tables of `coreloom bench equal_area`."""

from __future__ import annotations

from collections.abc import Sequence

from coreloom.benches.equal_area.bench import (
    APPLICATIONS,
    FITTED,
    SIZES,
    USUAL,
    Core,
    Result,
    Row,
    Soc,
    ahead,
    contests,
    ratio,
)
from coreloom.benches.rivals import NAMES
from coreloom.benches.switch import BENCH as SWITCH
from coreloom.benches.switch import bench as switch
from coreloom.report.page import Summary, prose
from coreloom.report.plots import Bars
from coreloom.report.table import Table, number
from coreloom.toolchain.firmware import KERNELS


def tables(content: Result) -> list[Table]:
    """All of them."""
    return [
        *(application(content.rows, each) for each in APPLICATIONS),
        switches(content.socs, published.rows if (published := SWITCH.read_published()) else []),
        clocks(content.socs, content.cores),
        paths(content.socs),
    ]


def application(rows: Sequence[Row], name: str) -> Table:
    """Hardware beside the best that the same LUT4 do with the software kernel."""
    lines = tuple(
        (
            *(hard.core, hard.arranged, number(hard.lut4), number(hard.mhz, 1), number(hard.per_second)),
            *(soft.arranged, number(soft.lut4), number(soft.mhz, 1), number(soft.per_second)),
            *(number(ratio(hard, soft), 2), "yes" if ahead(hard, soft) else "no"),
        )
        for hard, soft in contests(rows, name)
    )
    side = ("LUT4", "MHz", "per second")
    return Table(
        f"{APPLICATIONS[name].capitalize()} a second: hardware kernel beside the best software arrangement "
        "of equal area",
        (
            *("core", "hardware kernel", *side, "software kernel", *side),
            *("hardware over software", "hardware ahead"),
        ),
        lines,
    )


def switches(socs: Sequence[Soc], rows: Sequence[switch.Row]) -> Table:
    """The published switches without low jitter, each kernel's at the clock of its own SoC."""
    clock = {(soc.core, soc.kernel, soc.cpus): soc.mhz for soc in socs if soc.size == USUAL}
    found = {(row.kind, row.core, row.cache, row.cpus, row.kernel): row for row in rows if not row.low_jitter}
    lines = []
    for kind, core, cache, cpus in dict.fromkeys(case[:4] for case in found):
        both = [(found.get((kind, core, cache, cpus, of)), clock.get((core, of, cpus))) for of in KERNELS]
        times = [(row.mean / mhz, row.max / mhz) for row, mhz in both if row and mhz]
        if len(times) == len(KERNELS):
            hard, soft = times
            cells = [number(each, 2) for each in (*hard, *soft, soft[0] / hard[0])]
            lines.append((kind, core, cache, str(cpus), *cells))
    return Table(
        "Microseconds of a switch (bench switch), each kernel at the clock of its SoC, with all CPUs busy",
        (
            *("kind", "core", "cache", "CPUs", "hardware kernel: mean", "most"),
            *("software kernel: mean", "most", "software over hardware, mean"),
        ),
        tuple(lines),
        text_columns=3,
    )


def clocks(socs: Sequence[Soc], cores: Sequence[Core]) -> Table:
    """Every SoC that competes, and its core alone."""
    lines: list[tuple[str, ...]] = [
        (each.core, "the core alone", "-", "-", number(each.lut4), number(each.mhz, 1), "-", "-", "-")
        for each in cores
    ]
    lines += [
        (
            *(soc.core, NAMES[soc.kernel], _size(soc), str(soc.cpus), number(soc.lut4)),
            *(*(number(mhz, 1) for mhz in (soc.mhz, soc.mhz_min, soc.mhz_max)), number(soc.seeds)),
        )
        for soc in socs
    ]
    order = list(dict.fromkeys(each.core for each in cores))
    return Table(
        "Area and clock of each SoC; the clock of its core alone is the bound",
        ("core", "kernel", "size", "CPUs", "LUT4", "MHz", "min", "max", "placements"),
        tuple(sorted(lines, key=lambda line: order.index(line[0]))),
        text_columns=3,
    )


def paths(socs: Sequence[Soc]) -> Table:
    """What limits each SoC."""
    return Table(
        "Longest path of each SoC",
        ("core", "kernel", "size", "CPUs", "from and to"),
        tuple((soc.core, NAMES[soc.kernel], _size(soc), str(soc.cpus), f"`{soc.path}`") for soc in socs),
        text_columns=5,
    )


def _size(soc: Soc) -> str:
    return soc.size if soc.kernel == "hw" else "-"


def summary(content: Result) -> Summary:
    units = {"packets": "packets", "image": "pixels", "pairs": "round trips"}
    found: dict[tuple[str, str, str], list[float]] = {}  # (work, size, core) -> of each number of CPUs
    for name, unit in units.items():
        for hard, soft in contests(content.rows, name):
            found.setdefault((unit, hard.size, hard.core), []).append(ratio(hard, soft))
    cores = list(dict.fromkeys(core for _, _, core in found))
    lines = []
    for unit in units.values():
        for size in SIZES:
            each = (found[unit, size, core] for core in cores)
            lines.append((unit, size, *(f"{number(min(of), 2)} to {number(max(of), 2)}" for of in each)))

    def span(digits: int, units: Sequence[str], *sizes: str) -> str:
        of = [value for (u, size, _), each in found.items() if u in units and size in sizes for value in each]
        return f"{prose(min(of), digits)} to {prose(max(of), digits)}"

    fine, coarse = ("round trips",), ("packets", "pixels")
    answer = (
        f"Threads that wait for each other get {span(1, fine, *SIZES)} times as much done with the "
        "hardware kernel as with the cores that fit into the same area. For coarser work it depends: "
        f"{span(2, coarse, USUAL)} times with the usual kernel, {span(2, coarse, FITTED)} with one that is "
        "fitted to the program."
    )
    worst: dict[str, dict[str, float]] = {}
    for (unit, size, core), of in found.items():
        worst.setdefault(f"{unit}, {core}", {})[f"{size} kernel"] = min(of)
    chart = Bars("Worst case: work a second over the best software SoC", "times", worst, level=(1, "equal"))
    columns = ("work", "hardware kernel", *(f"{core} core" for core in cores))
    title = "Work a second with the hardware kernel, over that of the best software SoC that is no larger"
    return Summary(answer, Table(title, columns, tuple(lines), text_columns=2), chart)
