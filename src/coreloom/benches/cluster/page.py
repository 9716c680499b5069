# SPDX-License-Identifier: Apache-2.0
"""The tables of `coreloom bench cluster`, and what its page shows."""

from __future__ import annotations

from coreloom.benches.cluster.bench import FAIRNESS, SWEEP, Result, at_a_time, ratio
from coreloom.report.page import Summary, one, prose
from coreloom.report.plots import Bars
from coreloom.report.table import Table, number


def tables(content: Result) -> list[Table]:
    """Every pass, and two workers compared with one."""
    rows = (
        (
            *(row.load, str(row.workers), number(row.runs), number(row.seconds, 1)),
            *(number(row.rate, 2), number(row.at_a_time, 2)),
        )
        for row in content.rows
    )
    columns = ("load", "workers", "jobs", "seconds", "jobs per second", "jobs at a time")
    title = "Time of many jobs, in the order in which they were run"
    return [Table(title, columns, tuple(rows)), _compared(content)]


def _compared(content: Result) -> Table:
    return Table(
        "Two workers compared with one",
        ("load", "speed (times that of one)", "of two busy processes", "jobs at a time"),
        tuple(
            (
                *(load, number(ratio(content.rows, load), 2)),
                *(number(content.machine, 2), number(at_a_time(content.rows, load), 2)),
            )
            for load in (SWEEP, FAIRNESS)
        ),
    )


def summary(content: Result) -> Summary:
    sweep, short = ratio(content.rows, SWEEP), ratio(content.rows, FAIRNESS)
    bound = "" if content.machine is None else f", where two busy processes reach {prose(content.machine, 2)}"
    job = one(content.rows, load=FAIRNESS, workers=1)
    answer = (
        f"Two workers do a sweep of simulations {prose(sweep or 0, 2)} times as fast as one{bound}. With "
        f"jobs of some {prose(1000 * job.busy / job.runs)} ms it is {prose(short or 0, 2)} times: sending "
        "and collecting them takes a share of the same two cores."
    )
    speeds = {load: {load: ratio(content.rows, load) or 0.0} for load in (SWEEP, FAIRNESS)}
    level = None if content.machine is None else (content.machine, "two busy processes")
    chart = Bars("Two workers over one", "times as many jobs a second", speeds, level=level)
    return Summary(answer, _compared(content), chart)
