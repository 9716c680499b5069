# SPDX-License-Identifier: Apache-2.0
"""The tables of `coreloom bench deadlines`."""

from __future__ import annotations

from coreloom.benches.deadlines.bench import CPUS, LOADS, POLICIES, SETS, Result, Row, highest
from coreloom.benches.rivals import NAMES
from coreloom.report.page import Summary, prose
from coreloom.report.plots import Lines
from coreloom.report.table import Table, number

_NAMES = {"edf": "earliest deadline first", "priority": "fixed priorities"}


def _name(kernel: str, policy: str) -> str:
    return f"{_NAMES[policy]}, {NAMES[kernel]}"


def tables(content: Result) -> list[Table]:
    """Every row, and the area of both policies."""
    rows = tuple(
        (
            *(_NAMES[row.policy], NAMES[row.kernel], str(row.cpus), f"{row.load}"),
            *map(number, (row.jobs, row.misses, row.sets_missed, row.latest)),
        )
        for row in content.rows
    )
    columns = (
        "policy",
        "kernel",
        "CPUs",
        "load (%)",
        "jobs",
        "misses",
        f"of {SETS} sets with one",
        "latest (cycles)",
    )
    area = tuple((_NAMES[of.policy], number(of.lut4)) for of in content.area)
    return [
        Table("Periodic threads, deadline at the end of the period", columns, rows, text_columns=3),
        Table("The hardware kernel with both policies (LUT4, before placing)", ("policy", "LUT4"), area),
    ]


def _cell(row: Row) -> str:
    return f"{number(100 * row.misses / row.jobs, 1)}" if row.misses else "none"


def summary(content: Result) -> Summary:
    found = {(row.kernel, row.policy, row.cpus, row.load): row for row in content.rows}
    kinds = [(*of, cpus) for cpus in CPUS for of in POLICIES]
    lines = tuple(
        (
            f"{_name(kernel, policy)}, {cpus} CPU{'s' * (cpus > 1)}",
            *(_cell(found[kernel, policy, cpus, load]) for load in LOADS),
        )
        for kernel, policy, cpus in kinds
    )
    most = {(policy, cpus): highest(content.rows, "hw", policy, cpus) for policy in _NAMES for cpus in CPUS}
    worst = {policy: found["hw", policy, 1, LOADS[-1]] for policy in _NAMES}
    lut4 = {of.policy: of.lut4 for of in content.area}
    edf, fixed = worst["edf"], worst["priority"]
    answer = (
        f"Earliest deadline first misses no deadline of {SETS} sets of periodic threads up to "
        f"{most['edf', 1]} % load on one CPU and {most['edf', 2]} % on two, where fixed priorities bear "
        f"{most['priority', 1]} and {most['priority', 2]} %, and the hardware kernel takes "
        f"{prose(lut4['edf'])} LUT4 with it, {prose(lut4['priority'])} without. At {LOADS[-1]} % on one CPU "
        f"it misses {prose(edf.misses)} of {prose(edf.jobs)}, by up to {prose(edf.latest)} cycles, they "
        f"{prose(fixed.misses)}, by up to {prose(fixed.latest)}."
    )
    series = {
        f"{_name(kernel, policy)}, {cpus} CPU{'s' * (cpus > 1)}": [
            (load, 100 * row.misses / row.jobs)
            for load in LOADS
            if (row := found[kernel, policy, cpus, load])
        ]
        for kernel, policy, cpus in kinds
    }
    chart = Lines("Missed deadlines", "load of each CPU (%)", "% of jobs", series)
    table = Table("Missed deadlines (% of jobs) by load", ("policy", *(f"{load} %" for load in LOADS)), lines)
    return Summary(answer, table, chart)
