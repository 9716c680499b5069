# SPDX-License-Identifier: Apache-2.0
"""The tables and the plot of `coreloom bench model`."""

from __future__ import annotations

from collections.abc import Sequence

from coreloom.benches.model.bench import Result, Row, growth
from coreloom.benches.model.prediction import Prediction
from coreloom.benches.smp.page import arrangement
from coreloom.report.page import Summary, prose
from coreloom.report.plots import Lines
from coreloom.report.table import Table, number
from coreloom.toolchain.firmware import KERNELS


def tables(content: Result) -> list[Table]:
    """All of them."""
    rows = content.rows
    return [speed(rows), grown(rows), prediction(content.predicted)]


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


def drawn(rows: Sequence[Row]) -> Lines:
    """Events a second by the size of the simulated machine."""
    lines = {
        policy: [(row.cpus, row.events_per_s) for row in rows if row.policy == policy]
        for policy in dict.fromkeys(row.policy for row in rows)
    }
    text = "Scheduling events a second of the model, on one core of this machine"
    return Lines(text, "simulated CPUs", "events a second", lines, log_x=True, log_y=True)


def summary(content: Result) -> Summary:
    own = [row for row in content.rows if row.policy == "dwrr"]
    least, most = own[0], own[-1]
    wrong = [abs(row.error_percent) for row in content.predicted if row.times_of == "one CPU"]
    answer = (
        f"On one core of the machine that measured it, the model does {prose(least.events_per_s / 1e6, 1)} "
        f"million scheduling events a second with {least.cpus} simulated CPUs and "
        f"{prose(most.events_per_s / 1e6, 1)} million with {prose(most.cpus)} CPUs and {prose(most.threads)} "
        "threads. From computing times measured on one CPU it predicts what the SoC gets done with an error "
        f"of {prose(max(wrong), 1)} % at most."
    )
    lines = tuple(
        (
            f"{row.app}, {KERNELS[row.kernel]} kernel",
            arrangement(row),
            number(row.done),
            number(row.predicted_done),
            f"{row.error_percent:+.1f} %",
        )
        for row in content.predicted
        if row.times_of == "one CPU" and row.cpus > 1
    )
    columns = ("application", "CPUs", "on the SoC", "predicted", "error")
    table = Table("Work in a million cycles: SoC and model", columns, lines, text_columns=2)
    return Summary(answer, table, drawn(content.rows))
