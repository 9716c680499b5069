# SPDX-License-Identifier: Apache-2.0
"""The tables of `coreloom bench exclusive`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from statistics import median

from coreloom.benches.exclusive import encoding, killed
from coreloom.benches.exclusive.bench import Result, Row, Start
from coreloom.benches.exclusive.cases import (
    CPUS,
    FIFO,
    JOBS,
    LOADS,
    MACHINES_OF_ENCODERS,
    METHODS,
    NICE,
    OURS,
    PLAIN,
    SHOWN,
    TASKSET,
    Load,
    Program,
)
from coreloom.benches.exclusive.reach import LATE, LATEST, OTHERS, SWITCHES, WALL, Compared, as_good
from coreloom.report.page import Summary, prose
from coreloom.report.plots import Bars
from coreloom.report.table import Table, number

_THREADS = next(job for job in JOBS if job.name == "threads")
_SINGLE = tuple(job for job in JOBS if job is not _THREADS)
_BOUND = tuple(job for job in _SINGLE if job.bound)
_Summary = Callable[[list[float]], float]
_PROBE = tuple(job for job in JOBS if job.name == "probe")


def tables(content: Result) -> list[Table]:
    """All tables that have rows."""
    rows = content.rows
    shown = [
        *(encoding.table(content.encoding, cpus) for cpus in MACHINES_OF_ENCODERS),
        by_method("Wall time over CPU time (ratio)", rows, WALL, 3, _BOUND),
        by_method("Involuntary context switches (count)", rows, SWITCHES, 0, _BOUND),
        by_method("Wake-up latency of the probe, 99th percentile (us)", rows, LATE, 0, _PROBE),
        by_method("Wake-up latency of the probe, maximum over all seeds (us)", rows, LATEST, 0, _PROBE, max),
        by_method(
            "Throughput of the others while the job runs, relative to without it (ratio)",
            [row for row in rows if row.load != "none"],
            OTHERS,
            2,
            _SINGLE,
        ),
        *(threads(rows), good(rows), starts(content.start), restored(content.killed)),
    ]
    return [table for table in shown if table.rows]


def _cell(rows: Sequence[Row], figure: Compared, digits: int, of: _Summary = median) -> str:
    """The median of the seeds; a dash where there is nothing."""
    values = figure.values(rows)
    return number(of(values) if values else None, digits)


def _cases(rows: Sequence[Row], jobs: Sequence[Program]) -> Iterator[tuple[Program, Load, list[Row]]]:
    """Jobs under loads as the bench lists them, each with its rows."""
    for job in jobs:
        for load in LOADS:
            of = [row for row in rows if (row.job, row.load) == (job.name, load.name)]
            if of:
                yield job, load, of


def _by(method: str, rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row.method == method]


def by_method(
    title: str,
    rows: Sequence[Row],
    figure: Compared,
    digits: int,
    jobs: Sequence[Program],
    of: _Summary = median,
) -> Table:
    """A line per case, a column per method."""
    return Table(
        title,
        ("job", "others", *SHOWN.values()),
        tuple(
            (job.text, load.text, *(_cell(_by(method, these), figure, digits, of) for method in METHODS))
            for job, load, these in _cases(rows, jobs)
        ),
        text_columns=2,
    )


def threads(rows: Sequence[Row]) -> Table:
    """The job with several threads, by the number of CPUs where the method has one."""
    lines = []
    for _, load, here in _cases(rows, [_THREADS]):
        for method in METHODS:
            of = _by(method, here)
            for cpus in dict.fromkeys(row.cpus for row in of):
                these = [row for row in of if row.cpus == cpus]
                cells = (_cell(these, WALL, 3), _cell(these, SWITCHES, 0), _cell(these, OTHERS, 2))
                lines.append((load.text, SHOWN[method], "any" if cpus is None else f"{cpus}", *cells))
    return Table(
        f"{_THREADS.text}: at best 1 on one CPU, 0.5 on two, {1 / CPUS:g} on all",
        (
            "others",
            "method",
            "CPUs",
            "wall over CPU time (ratio)",
            "involuntary switches",
            "throughput of the others (ratio)",
        ),
        tuple(lines),
        text_columns=3,
    )


def good(rows: Sequence[Row]) -> Table:
    """How often another method is as good."""
    others = [method for method in METHODS if method != OURS]
    lines = []
    for figure in (WALL, SWITCHES, LATE, LATEST, OTHERS):
        found = [as_good(rows, figure, method) for method in others]
        cases = found[0][1]
        if cases:
            lines.append((figure.text, number(cases), *(number(count) for count, _ in found)))
    return Table(
        "Cases in which another method is as good as exclusive or better (times and shares within 1 %)",
        ("figure", "cases", *others),
        tuple(lines),
    )


def starts(found: Sequence[Start]) -> Table:
    """The time that the tool takes before and after the program."""
    lines = []
    for machine in dict.fromkeys(row.machine for row in found):
        of = [row for row in found if row.machine == machine]
        times = list(zip(*((row.alone_ms, row.ours_ms, row.cleared_ms) for row in of), strict=True))
        lines.append(
            (
                machine,
                ", ".join(dict.fromkeys(row.mechanism for row in of)),
                *(number(median(time), 1) for time in times),
                number(max(times[-1]), 1),
            )
        )
    return Table(
        "Run time of `true`, alone and with a CPU of its own (ms)",
        (
            "machine",
            "mechanism",
            "alone",
            "exclusive, total",
            "clearing the CPU, median",
            "clearing the CPU, maximum",
        ),
        tuple(lines),
        text_columns=2,
    )


def restored(found: Sequence[killed.Kill]) -> Table:
    """Per mechanism: after how many kills in each phase everything was restored."""
    counted = killed.counted(found)
    lines = []
    for mechanism in dict.fromkeys(kill.mechanism for kill in counted):
        of = [kill for kill in counted if kill.mechanism == mechanism]
        phases = [*([kill for kill in of if kill.phase == phase] for phase in killed.PHASES), of]
        lines.append((mechanism, *(f"{killed.equal(kills)} of {len(kills)}" for kills in phases)))
    return Table(
        "Machine state restored byte for byte after kill -9 at random moments (kills)",
        ("mechanism", *killed.PHASES.values(), "all"),
        tuple(lines) or (("not run", *("-" for _ in killed.PHASES), "-"),),
    )


def summary(content: Result) -> Summary:
    loads = [
        load for load in LOADS if any((row.job, row.load) == ("burn", load.name) for row in content.rows)
    ]
    methods = {PLAIN: "plain", TASKSET: "taskset", NICE: "nice -20", FIFO: "SCHED_FIFO", OURS: "exclusive"}

    def wall(load: str, method: str) -> float | None:
        found = [
            row.wall_over_cpu
            for row in content.rows
            if (row.job, row.load, row.method) == ("burn", load, method) and row.wall_over_cpu
        ]
        return median(found) if found else None

    lines = tuple((load.text, *(number(wall(load.name, method), 2) for method in methods)) for load in loads)
    heavy = loads[-1]
    worst = [
        row for row in content.rows if (row.load, row.method) == (heavy.name, OURS) and row.job != "threads"
    ]
    slow = max(row.wall_over_cpu for row in worst if row.wall_over_cpu)
    good, cases = as_good(content.rows, WALL, FIFO)
    answer = (
        f"Among {heavy.text}, a program with a CPU of its own takes {prose(slow, 3)} times its CPU time, "
        f"where a plain start takes {prose(wall(heavy.name, PLAIN) or 0, 1)} times. SCHED_FIFO is as good in "
        f"{good} of {cases} cases and leaves the CPU to others while the program sleeps, but starves them "
        "while it computes."
    )
    table = Table(
        "Wall time over CPU time of a program that only computes, 4 CPUs",
        ("others", *methods.values()),
        lines,
    )
    bars = {
        name: {name: value}
        for method, name in methods.items()
        if (value := wall(heavy.name, method)) is not None
    }
    chart = Bars(f"A computing program among {heavy.text}", "wall time over CPU time; 1 is the best", bars)
    return Summary(answer, table, chart)
