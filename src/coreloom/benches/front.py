# SPDX-License-Identifier: Apache-2.0
"""What README shows of results: each block between two markers, made from published data."""

from __future__ import annotations

from typing import Any

from coreloom.benches import examples
from coreloom.comparison import compare
from coreloom.comparison.compare import Answer, Run
from coreloom.report.table import Table

_FIRST = "pingpong"


def block(name: str) -> tuple[str, str]:
    """The markers around a block of README."""
    return f"<!-- {name}: begin (made by `coreloom report`) -->", f"<!-- {name}: end -->"


def blocks(found: dict[str, Any]) -> dict[str, str]:
    """Name -> text of each block whose results are there (bench -> result)."""
    made = {}
    if "examples" in found:
        made["sixty"] = _sixty(found["examples"].rows)
    if {"grain", "equal_area", "synth"} <= found.keys():
        made["limits"] = _limits(found)
    return made


def _sixty(rows: list[examples.Row]) -> str:
    """A console with what `coreloom compare` prints of the first example."""
    runs = [
        Run(
            *(row.on, row.cpus, Answer(0, "", b""), row.cycles, row.switches),
            {owner: getattr(row, owner) for owner in ("application", "kernel", "library", "waiting")},
            row.bus,
        )
        for row in rows
        if row.program == _FIRST
    ]
    table = compare.table(_FIRST, "smp-standard", runs)
    lines = [
        f"$ coreloom compare examples/{_FIRST}.c",
        table.title,
        *_plain(table),
        "",
        *compare.lines(runs),
        "",
        compare.sentence(runs),
    ]
    return "\n".join(("```console", *lines, "```"))


def _plain(table: Table) -> list[str]:
    """The lines of a table as a terminal shows them."""
    rows = [table.columns, *table.rows]
    widths = [max(len(row[i]) for row in rows) for i in range(len(table.columns))]
    return [
        "  ".join(
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _limits(found: dict[str, Any]) -> str:
    """Where software is as good."""
    done = {(row.kernel, row.cpus): row.done for row in found["grain"].rows if row.grain == 200}
    coarse = done["hw", 1] / done["sw", 1]
    area = {figure.what.split(":")[0]: figure.measured for figure in found["equal_area"].reach}
    clock = {row.build: row.fmax_mhz for row in found["synth"].rows if row.unit == "cl_soc"}
    return "\n".join(
        (
            f"- **Coarse work.** When threads seldom meet, the kernel hardly matters: with messages of 200 "
            f"pixels, the image filter on one CPU is {coarse:.2f} times as fast on the hardware kernel. "
            "[Cost of a message](docs/results/grain.md)",
            "- **When more CPUs fit instead.** The hardware kernel takes the area of a small core. In the "
            "worst case over the number of CPUs, packets on the standard core get "
            f"{area['packets, standard core']:.2f} times as much done as with the best software system of "
            f"equal area ({area['packets, economy core']:.2f} on the economy core); a kernel fitted to the "
            f"program gets {area['packets, standard core, fitted']:.2f} times as much done. "
            "[Equal area](docs/results/equal_area.md)",
            "- **The clock.** On a Lattice ECP5 the systems with two CPUs reach "
            f"{clock['smp-fast']:.0f} MHz (VexRiscv), {clock['smp-economy']:.0f} MHz (PicoRV32) and "
            f"{clock['smp-standard']:.0f} MHz (Ibex). They are synthesised, placed and routed, but have not "
            "run on a board. [Area and clock](docs/results/synth.md)",
        )
    )
