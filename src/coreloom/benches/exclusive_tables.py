# SPDX-License-Identifier: Apache-2.0
"""Tables of `coreloom bench exclusive`."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Any

from coreloom.benches.exclusive import killed
from coreloom.benches.exclusive.bench import CPUS, JOBS, LOADS, METHODS, OURS, PAPER_SPEEDUP, PLAIN, as_good
from coreloom.report.table import Table, number, reach

_Row = dict[str, Any]

_JOBS = {job.name: job.text for job in JOBS}
_LOADS = {load.name: load.text for load in LOADS}


def _of(rows: Sequence[_Row], method: str, cpus: int = 1) -> list[_Row]:
    """A method's rows; a method that does not say how many CPUs has them for any number."""
    return [row for row in rows if row["method"] == method and row["cpus"] in (None, cpus)]


def _middle(rows: Sequence[_Row], figure: str, digits: int) -> str:
    """The median of the seeds; a dash where there is nothing."""
    values = [row[figure] for row in rows if row[figure] is not None]
    return number(median(values) if values else None, digits)


def _worst(rows: Sequence[_Row], figure: str) -> str:
    values = [row[figure] for row in rows if row[figure] is not None]
    return number(max(values) if values else None)


def _cases(rows: Sequence[_Row]) -> list[tuple[str, str, list[_Row]]]:
    """Jobs with one thread under loads, each with its rows."""
    return [
        (job, load, [row for row in rows if (row["job"], row["load"]) == (job, load)])
        for job, load in dict.fromkeys((row["job"], row["load"]) for row in _sorted(rows))
        if job != "threads"
    ]


def _sorted(rows: Sequence[_Row]) -> list[_Row]:
    """By job, then by load, as the bench lists them."""
    jobs, loads = list(_JOBS), list(_LOADS)
    return sorted(rows, key=lambda row: (jobs.index(row["job"]), loads.index(row["load"])))


def _by_method(
    title: str, rows: Sequence[_Row], figure: str, digits: int, jobs: Sequence[str], worst: bool = False
) -> Table:
    """A line a case, a column a method."""
    lines = []
    for job, load, of in _cases(rows):
        if job in jobs:
            cells = [
                _worst(_of(of, method), figure) if worst else _middle(_of(of, method), figure, digits)
                for method in METHODS
            ]
            lines.append((_JOBS[job], _LOADS[load], *cells))
    return Table(title, ("job", "others", *METHODS), tuple(lines), text_columns=2)


_BOUND = tuple(job.name for job in JOBS if job.bound)


def slowdown(rows: Sequence[_Row]) -> Table:
    return _by_method("Wall time over CPU time", rows, "wall_over_cpu", 3, _BOUND)


def speedup(rows: Sequence[_Row]) -> Table:
    """What [GF] measures: a program with its own CPU over the same without."""
    lines = []
    for job, load, of in _cases(rows):
        if job not in _BOUND:
            continue
        plain, ours = (median(row["wall_over_cpu"] for row in _of(of, method)) for method in (PLAIN, OURS))
        paper = f"up to {PAPER_SPEEDUP:g}" if load == "heavy" else "-"
        lines.append((_JOBS[job], _LOADS[load], paper, f"{plain / ours:.2f}"))
    return Table(
        "Speed-up by a CPU of its own ([GF]: 2 CPUs; here 4)",
        ("job", "others", "paper", "ours over plain"),
        tuple(lines),
        text_columns=2,
    )


def involuntary(rows: Sequence[_Row]) -> Table:
    return _by_method("Involuntary switches", rows, "involuntary", 0, _BOUND)


def probe(rows: Sequence[_Row]) -> list[Table]:
    return [
        _by_method("Delay of the probe, 99 % (us)", rows, "probe_p99_us", 0, ("probe",)),
        _by_method(
            "Delay of the probe, the longest of all seeds (us)",
            rows,
            "probe_max_us",
            0,
            ("probe",),
            worst=True,
        ),
    ]


def harm(rows: Sequence[_Row]) -> Table:
    """What is left to the others."""
    loaded = [row for row in rows if row["load"] != "none"]
    return _by_method(
        "What the others get while the job runs, over what they get without it",
        loaded,
        "others_throughput",
        2,
        tuple(_JOBS),
    )


def threads(rows: Sequence[_Row]) -> Table:
    """The job with several threads, by the number of CPUs where the method says it."""
    here = [row for row in _sorted(rows) if row["job"] == "threads"]
    lines = []
    for load in dict.fromkeys(row["load"] for row in here):
        for method in METHODS:
            of = [row for row in here if (row["load"], row["method"]) == (load, method)]
            for cpus in dict.fromkeys(row["cpus"] for row in of):
                these = [row for row in of if row["cpus"] == cpus]
                lines.append(
                    (
                        *(_LOADS[load], method, "any" if cpus is None else f"{cpus}"),
                        _middle(these, "wall_over_cpu", 3),
                        _middle(these, "involuntary", 0),
                        _middle(these, "others_throughput", 2),
                    )
                )
    return Table(
        f"{_JOBS['threads']}: on one CPU at best 1, on two 0.5, on all {1 / CPUS:g}",
        ("others", "method", "CPUs", "wall over CPU time", "involuntary switches", "the others get"),
        tuple(lines),
        text_columns=3,
    )


def good(rows: Sequence[_Row]) -> Table:
    """Where another method does as well."""
    lines = []
    for figure, what in (
        ("wall_over_cpu", "wall time over CPU time"),
        ("involuntary", "involuntary switches"),
        ("probe_p99_us", "delay of the probe, 99 %"),
        ("probe_max_us", "delay of the probe, the longest"),
        ("others_throughput", "what is left to the others"),
    ):
        found = [as_good(rows, figure, method) for method in METHODS if method != OURS]
        if found[0][1]:
            lines.append((what, number(found[0][1]), *(number(count) for count, _ in found)))
    return Table(
        "Cases in which another method does as well as ours, or better (times and shares within 1 %)",
        ("figure", "cases", *(method for method in METHODS if method != OURS)),
        tuple(lines),
    )


def starts(found: Sequence[_Row]) -> Table:
    """What the tool takes before and after the program."""
    lines = []
    for machine in dict.fromkeys(row["machine"] for row in found):
        of = [row for row in found if row["machine"] == machine]
        lines.append(
            (
                machine,
                ", ".join(dict.fromkeys(row["mechanism"] for row in of)),
                *(_middle(of, figure, 1) for figure in ("alone_ms", "ours_ms", "cleared_ms")),
                number(max(row["cleared_ms"] for row in of), 1),
            )
        )
    return Table(
        "Running `true`: alone, and with a CPU of its own (ms)",
        ("machine", "mechanism", "alone", "ours, all of it", "CPU cleared", "longest"),
        tuple(lines),
        text_columns=2,
    )


def restored(found: Sequence[_Row]) -> Table:
    """By mechanism: of how many kills in each phase all is as it was before."""
    counted = killed.counted(found)
    lines = []
    for mechanism in dict.fromkeys(row["mechanism"] for row in counted):
        cells = []
        for phase in (*killed.PHASES, None):
            of = [row for row in counted if row["mechanism"] == mechanism and phase in (None, row["phase"])]
            cells.append(f"{killed.equal(of)} of {len(of)}")
        lines.append((mechanism, *cells))
    if not lines:
        lines.append(("not run", *("-" for _ in (*killed.PHASES, None))))
    return Table(
        "Byte for byte as before after kill -9 at random moments",
        ("mechanism", *killed.PHASES.values(), "all"),
        tuple(lines),
    )


def exclusive_tables(content: dict[str, Any]) -> list[Table]:
    rows = content["rows"]
    shown = [
        *(slowdown(rows), speedup(rows), involuntary(rows), *probe(rows), harm(rows), threads(rows)),
        *(good(rows), starts(content["start"]), restored(content.get("killed", []))),
        reach(content["reach"], f"{CPUS} CPUs, virtual machine"),
    ]
    return [table for table in shown if table.rows]


def exclusive_readme(rows: Sequence[_Row]) -> Table:
    """The job of known length under each load."""
    table = _by_method("A CPU of its own: wall time over CPU time", rows, "wall_over_cpu", 3, ("burn",))
    return Table(table.title, table.columns[1:], tuple(row[1:] for row in table.rows))
