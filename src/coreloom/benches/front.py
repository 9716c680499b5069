# SPDX-License-Identifier: Apache-2.0
"""What README shows of results: blocks between two markers."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

from coreloom.benches.examples.bench import Row as Example
from coreloom.benches.grain import page as grain
from coreloom.benches.rtos.page import service
from coreloom.benches.smp.bench import Row
from coreloom.benches.smp.page import RIVALS
from coreloom.comparison import compare
from coreloom.comparison.compare import Answer, Run
from coreloom.report.table import Table, number
from coreloom.simulation.experiment import DIRECT

_FIRST = "pingpong"
_WIDTH = 160  # of a line of README
# Measurement of `bench rtos`, number of CPUs, and its words.
_SERVICES = (
    ("semaphore_across", 2, "semaphore there and back, a thread on each of two CPUs"),
    ("line", 1, "interrupt to the most urgent thread"),
    ("mutex_free", 1, "free mutex: lock and unlock"),
    ("create_less", 1, "thread: create and join"),
)
_SWITCH = "voluntary switch, packet processing, 1 CPU"
_SWITCH_AT = 2  # its place among them


def block(name: str) -> tuple[str, str]:
    """The markers around a block of README."""
    return f"<!-- {name}: begin (made by `coreloom report`) -->", f"<!-- {name}: end -->"


def blocks(found: dict[str, Any]) -> dict[str, str]:
    """Name -> text of each block whose results are there (bench -> result)."""
    made = {}
    if "examples" in found:
        made["sixty"] = _sixty(found["examples"].rows)
    if {"rtos", "smp"} <= found.keys():
        made["figures"] = figures(found).markdown()
    if {"grain", "equal_area", "synth"} <= found.keys():
        made["limits"] = _limits(found)
    return made


def _sixty(rows: list[Example]) -> str:
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
    area = {figure.what.split(":")[0]: figure.measured for figure in found["equal_area"].reach}
    clock = {row.build: row.fmax_mhz for row in found["synth"].rows if row.unit == "cl_soc"}
    return "\n".join(
        textwrap.fill(each, _WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
        for each in (
            "- **Coarse work.** When threads seldom meet, the kernel hardly matters. "
            f"{grain.reach(found['grain'].rows)}, with semaphores. "
            "[The map](docs/results/grain.md)",
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


def figures(found: Mapping[str, Any]) -> Table:
    """Mean cycles on the standard core; the least of a row in bold type."""
    lines = [(words, service(found["rtos"].rows, name, cpus)) for name, cpus, words in _SERVICES]
    lines.insert(_SWITCH_AT, (_SWITCH, _switches(found["smp"].rows)))
    kernels = [name for name in RIVALS if any(name in cycles for _, cycles in lines)]
    return Table(
        "",
        ("on the same core, in cycles", *kernels),
        tuple((words, *(_cell(cycles, name) for name in kernels)) for words, cycles in lines),
    )


def _cell(cycles: Mapping[str, float], name: str) -> str:
    text = number(cycles.get(name))
    return f"**{text}**" if name in cycles and cycles[name] == min(cycles.values()) else text


def _switches(rows: list[Row]) -> dict[str, float]:
    found: dict[str, float] = {}
    for name, kernels in RIVALS.items():
        cycles = [
            row.switch_cycles_mean
            for row in rows
            if (row.core, row.app, row.cpus, row.ports) == ("standard", "packets", 1, DIRECT)
            and row.kernel in kernels
            and row.switch_cycles_mean
        ]
        if cycles:
            found[name] = min(cycles)
    return found
