# SPDX-License-Identifier: Apache-2.0
"""The tables and the plot of `coreloom bench model`."""

from __future__ import annotations

from collections.abc import Sequence

from coreloom.benches.model.bench import Result, Row, growth
from coreloom.benches.model.prediction import Prediction
from coreloom.benches.smp.page import arrangement
from coreloom.report import plots
from coreloom.report.page import Plot
from coreloom.report.table import Table, number, reach
from coreloom.toolchain.firmware import KERNELS


def tables(content: Result) -> list[Table]:
    """All of them."""
    rows = content.rows
    return [speed(rows), grown(rows), prediction(content.predicted), reach(content.reach, "the model")]


def speed(rows: Sequence[Row]) -> Table:
    return Table(
        "Scheduling events of the model on one core, best of the runs",
        ("policy", "CPUs", "threads", "million events/s", "ns per event", "runs"),
        tuple(
            (
                row.policy,
                number(row.cpus),
                number(row.threads),
                number(row.events_per_s / 1e6, 2),
                number(row.ns_per_event),
                number(row.runs),
            )
            for row in rows
        ),
    )


def grown(rows: Sequence[Row]) -> Table:
    return Table(
        "Growth from the smallest to the largest machine of each policy, as a factor",
        ("policy", "cost of an event", "log CPUs", "log threads"),
        tuple(
            (policy, *(number(times, 2) for times in growth(rows, policy)))
            for policy in dict.fromkeys(row.policy for row in rows)
        ),
    )


def prediction(rows: Sequence[Prediction]) -> Table:
    return Table(
        "The applications of [SMP] in one million cycles: SoC and model",
        (
            *("application", "kernel", "CPUs", "computing times from", "SoC", "model", "error"),
            *("switches: SoC", "model", "idle cycles: SoC", "model"),
        ),
        tuple(
            (
                row.app,
                KERNELS[row.kernel],
                arrangement(row),
                row.times_of,
                number(row.done),
                number(row.predicted_done),
                f"{row.error_percent:+.1f} %",
                number(row.switches),
                number(row.predicted_switches),
                number(row.idle_cycles),
                number(row.predicted_idle_cycles),
            )
            for row in rows
        ),
        text_columns=4,
    )


def plotted(rows: Sequence[Row]) -> dict[str, Plot]:
    text = "Events per second of the model by CPUs, on one core"
    lines = {
        policy: [(row.cpus, row.events_per_s) for row in rows if row.policy == policy]
        for policy in dict.fromkeys(row.policy for row in rows)
    }
    level = (3e6, "3 million")
    svg = plots.lines(text, "CPUs", "events a second", lines, log_x=True, level=level)
    return {"model-scale.svg": Plot(text, svg)}
