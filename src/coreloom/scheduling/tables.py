# SPDX-License-Identifier: Apache-2.0
"""Tables of `coreloom model`."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from coreloom.report.table import Table, number
from coreloom.scheduling.simulate import Outcome, ThreadRow

MOST_KINDS = 20  # in a table; all of them are in the file of --json


def _percent(part: float) -> str:
    return f"{100 * part:.2f} %"


def _latency(rows: Sequence[Outcome] | Sequence[ThreadRow]) -> str:
    """Each figure of where it is worst; a dash if nobody has ever been waited for."""
    worst = [max(getattr(row, f"latency_{name}_us") for row in rows) for name in ("p50", "p99", "max")]
    if not worst[-1] and not any(row.wakeups for row in rows if isinstance(row, ThreadRow)):
        return "-"
    return " / ".join(number(us, 1 if us % 1 and us < 100 else 0) for us in worst)


def _gap(outcome: Outcome) -> str:
    """A sampled one is a lower bound."""
    if outcome.counted < 2:
        return "-"
    return f"{'' if outcome.gap_exact else '>= '}{outcome.gap_in_B:.3f}"


def runs(outcomes: Sequence[Outcome], title: str) -> Table:
    """A line for each policy."""
    lines = tuple(
        (
            run.policy,
            _percent(1 - run.idle_share - run.lost_share),
            _percent(run.lost_share),
            f"{run.fairness:.4f}",
            _gap(run),
            number(run.bound_in_B, 2),
            number(run.switches),
            number(run.migrations),
            _latency([run]),
            number(run.simulated_us / 1000, 3) if not run.alive else "-",
            number(run.events),
            number(run.events_per_s / 1e6, 1),
        )
        for run in outcomes
    )
    return Table(
        title,
        (
            *("policy", "busy", "lost", "fairness", "gap in B", "bound", "switches", "migrations"),
            *("latency, us: median / 99 % / max", "finished after, ms", "events", "million/s"),
        ),
        lines,
    )


def _spread(values: Sequence[float], digits: int) -> str:
    low, high = min(values), max(values)
    mean = f"{fmean(values):.{digits}f}"
    return (
        mean
        if f"{low:.{digits}f}" == f"{high:.{digits}f}"
        else f"{mean} ({low:.{digits}f}-{high:.{digits}f})"
    )


def _kind_line(run: Outcome, rows: Sequence[ThreadRow]) -> tuple[str, ...]:
    return (
        rows[0].kind,
        run.policy,
        str(len(rows)),
        str(rows[0].weight),
        _spread([100 * row.service_us / (run.simulated_us or 1) for row in rows], 2),
        number(sum(row.switches for row in rows)),
        number(sum(row.migrations for row in rows)),
        number(sum(row.wakeups for row in rows)),
        _latency(rows),
        number(sum(row.throughput for row in rows)),
    )


def threads(outcomes: Sequence[Outcome]) -> Table:
    """A line for each kind of thread and policy; latencies are the worst of its threads."""
    kinds = list(dict.fromkeys(row.kind for row in outcomes[0].threads))
    lines = []
    by_kind = [
        {kind: [row for row in run.threads if row.kind == kind] for kind in kinds[:MOST_KINDS]}
        for run in outcomes
    ]
    for kind in kinds[:MOST_KINDS]:
        lines += [_kind_line(run, rows[kind]) for run, rows in zip(outcomes, by_kind, strict=True)]
    more = f"; {len(kinds) - MOST_KINDS} more are in the file of --json" if len(kinds) > MOST_KINDS else ""
    return Table(
        f"Threads{more}",
        (
            *("thread", "policy", "number", "weight", "% of a CPU each", "switches", "migrations"),
            *("wake-ups", "latency, us: median / 99 % / max", "steps ended"),
        ),
        tuple(lines),
        text_columns=2,
    )
