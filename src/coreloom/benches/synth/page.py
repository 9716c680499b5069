# SPDX-License-Identifier: Apache-2.0
"""The tables of `coreloom synth`."""

from __future__ import annotations

from collections.abc import Sequence

from coreloom.benches.synth.bench import SMP_GATES, Result, paper
from coreloom.report.page import Summary, one, prose
from coreloom.report.plots import Bars
from coreloom.report.table import Table, number
from coreloom.synthesis.synth import Gates, Row


def tables(content: Result) -> list[Table]:
    """Area and clock, and what was to be reached of them."""
    return [
        area(content.rows),
        *gates(content.gates),
    ]


def paths(rows: Sequence[Row]) -> list[str]:
    """The longest path of each unit, for a person who works on it."""
    return [f"\n{row.title}: longest path of the median seed\n{row.critical.text()}" for row in rows]


def area(rows: Sequence[Row]) -> Table:
    """Area and clock of the units, the paper's scheduler beside ours."""

    def line(row: Row) -> tuple[str, ...]:
        of = paper(row)
        beside = ((row.lut4, of.lut4), (row.ff, of.ff), (row.bram, of.bram))
        clocks = (row.fmax_mhz, row.fmax_min, row.fmax_max, of.mhz)
        return (
            *(*_unit(row), row.device),
            *(number(value) for pair in beside for value in pair),
            *(number(row.dram), number(of.slices)),
            *(number(mhz, 1) for mhz in clocks),
            number(row.seeds),
        )

    return Table(
        "Area and clock on ECP5, median of the seeds (paper: Virtex-II Pro 30)",
        (
            *("unit", "size", "part"),
            *("LUT4", "paper", "FF", "paper", "BRAM", "paper", "RAM16x4", "slices"),
            *("MHz", "min", "max", "paper", "seeds"),
        ),
        tuple(map(line, rows)),
        text_columns=3,
    )


def gates(rows: Sequence[Gates]) -> list[Table]:
    """What [SMP] adds in gates, beside its own figure: the kernel, which has the ports, and the Lock Unit."""
    if not rows:
        return []
    kernel, ports, lock_unit = rows
    lines = [
        ("cl_kernel", f"{kernel.threads} x {kernel.priorities}", kernel.gates, kernel.memory_bits, "-"),
        ("of it the ports, cl_kernel_port_ops", "-", ports.gates, ports.memory_bits, "-"),
        ("cl_lock_unit", "-", lock_unit.gates, lock_unit.memory_bits, "-"),
        (
            "kernel and Lock Unit", "-", kernel.gates + lock_unit.gates,
            kernel.memory_bits + lock_unit.memory_bits, f"about {number(SMP_GATES)}",
        ),
    ]  # fmt: skip
    return [
        Table(
            "Gate equivalents (NAND2) of what [SMP] adds for two processors",
            ("unit", "size", "gates", "bits of memory", "gates, paper"),
            tuple((unit, size, number(n), number(bits), paper) for unit, size, n, bits, paper in lines),
            text_columns=2,
        )
    ]


def critical(rows: Sequence[Row]) -> Table:
    """Where the longest path of each unit goes: what to mend first."""

    def line(row: Row) -> tuple[str, ...]:
        path = row.critical
        routing = number(path.ns - path.logic_ns, 1)
        times = (number(path.ns, 1), number(path.logic_ns, 1), routing, number(path.levels))
        return (*_unit(row), f"`{path.start}`", f"`{path.end}`", *times)

    return Table(
        "Longest path of the median seed",
        ("unit", "size", "from", "to", "ns", "logic", "routing", "levels"),
        tuple(map(line, rows)),
        text_columns=4,
    )


def _unit(row: Row) -> tuple[str, str]:
    return (
        row.unit if row.build is None else f"{row.unit}, {row.build}",
        "-" if row.threads is None else f"{row.threads} x {row.priorities}",
    )


_SHOWN = (
    ("cl_soc", "smp-economy", "SoC, two economy cores"),
    ("cl_soc", "smp-standard", "SoC, two standard cores"),
    ("cl_soc", "smp-fast", "SoC, two fast cores"),
    ("cl_kernel", None, "hardware kernel, 2 CPUs, 64 threads"),
    ("cl_kernel", "fast", "the same, build fast"),
    ("cl_kernel", "8-cpus", "the same for 8 CPUs, small"),
    ("cl_scheduler", "hybrid", "scheduler with hardware threads, 256 threads"),
    ("cl_ipc", "2", "communication port, 2 CPUs"),
)


def summary(content: Result) -> Summary:
    found = {}
    for unit, build, words in _SHOWN:
        found[words] = one(content.rows, unit=unit, build=build)
    lines = tuple(
        (words, *map(number, (row.lut4, row.ff, row.bram)), number(row.fmax_mhz, 1))
        for words, row in found.items()
    )
    socs = [found[words] for unit, _, words in _SHOWN if unit == "cl_soc"]
    kernel = found["hardware kernel, 2 CPUs, 64 threads"]
    core = one(content.rows, unit="cl_core", build="standard")
    answer = (
        f"On a Lattice ECP5 the SoCs with two cores reach {prose(min(soc.fmax_mhz for soc in socs))} to "
        f"{prose(max(soc.fmax_mhz for soc in socs))} MHz; the slowest is that with the standard core, whose "
        f"own logic reaches {prose(core.fmax_mhz)} alone. The hardware kernel for two CPUs takes "
        f"{prose(kernel.lut4)} LUT4 and reaches {prose(kernel.fmax_mhz)} MHz alone, built fast "
        f"{prose(found['the same, build fast'].fmax_mhz)}."
    )
    bars = {words: {words: row.fmax_mhz} for words, row in found.items()}
    table = Table(
        "Area and clock on ECP5, speed grade 6", ("unit", "LUT4", "flip-flops", "18 kbit RAMs", "MHz"), lines
    )
    return Summary(answer, table, Bars("Clock of SoCs and units", "MHz; more are better", bars))
