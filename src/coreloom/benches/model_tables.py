# SPDX-License-Identifier: Apache-2.0
"""Tables of `coreloom bench fairness` and `coreloom bench model`."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Any

from coreloom.benches.fairness.bench import (
    COARSE,
    COUNTEREXAMPLE,
    FIVE_ON_FOUR,
    INFEASIBLE,
    INTERACTIVE,
    LOCKS,
    PAPER_LOCKS,
    RESERVE,
    SWEEP,
    SWEPT,
)
from coreloom.benches.model import bench as scale
from coreloom.benches.tables import arrangement
from coreloom.report.table import Table, number, reach
from coreloom.toolchain.firmware import KERNELS

_Row = dict[str, Any]


_WAITS = ("latency_p50", "latency_p99", "latency_max", "waiting_mean")


def _of(rows: Sequence[_Row], kind: str) -> list[_Row]:
    return [row for row in rows if row["kind"] == kind]


def _gap(row: _Row) -> str:
    return number(row["gap_in_B"], 3)


def _bound(row: _Row) -> str:
    return number(row["bound_in_B"], 2)


def _percent(value: float, digits: int = 1) -> str:
    return f"{number(100 * value, digits)} %"


def _tick(row: _Row) -> str:
    return "exact" if not row["tick_us"] else f"tick {row['tick_us'] / 1000:g} ms"


def balance(found: dict[str, Any]) -> Table:
    """What cfs' own rule finds in the counter-example."""
    return Table(
        "The balance rule of cfs in the counter-example, computed by the policy",
        ("queue weights", "average", "imbalance", "half of the lightest", "threads that balancing moves"),
        (
            (
                " and ".join(map(number, found["loads"])),
                number(found["average"]),
                number(found["imbalance"]),
                number(found["lightest"] / 2, 1),
                number(found["moved"]),
            ),
        ),
    )


def counterexample(rows: Sequence[_Row]) -> Table:
    chosen = _of(rows, COUNTEREXAMPLE)
    return Table(
        "[DWRR]'s counter-example: weights 1024 and 4 x 335 on 2 CPUs",
        (
            *("policy", "slices end", "T1 over the others", "by weight", "gap in B", "dwrr's bound"),
            *("migrations/s", "switches/s", "CPUs idle"),
        ),
        tuple(
            (
                *(row["policy"], _tick(row), number(row["share_ratio"], 2), number(row["ideal_ratio"], 2)),
                *(_gap(row), _bound(row), number(row["migrations_per_s"], 1)),
                *(number(row["switches_per_s"], 1), _percent(row["idle_share"])),
            )
            for row in chosen
        ),
        text_columns=2,
    )


def five_on_four(rows: Sequence[_Row]) -> Table:
    return Table(
        "5 equal threads on 4 CPUs: part of a CPU that each thread has (80 % is fair)",
        (
            *("policy", "slices end", "least", "most", "standard deviation", "CPUs busy, least", "most"),
            *("gap in B", "dwrr's bound", "migrations/s", "switches/s"),
        ),
        tuple(
            (
                *(
                    row["policy"],
                    _tick(row),
                    _percent(min(row["utilisation"])),
                    _percent(max(row["utilisation"])),
                ),
                *(_percent(row["utilisation_stddev"]), _percent(min(row["cpu_utilisation"]))),
                *(_percent(max(row["cpu_utilisation"])), _gap(row), _bound(row)),
                *(number(row["migrations_per_s"], 1), number(row["switches_per_s"], 1)),
            )
            for row in _of(rows, FIVE_ON_FOUR)
        ),
        text_columns=2,
    )


def infeasible(rows: Sequence[_Row]) -> Table:
    return Table(
        "Weights that ask for more than a CPU: service of the heaviest over the lightest",
        (
            *("case", "policy", "measured", "feasible", "gap in B", "dwrr's bound", "CPUs idle"),
            *("times held/s", "migrations/s"),
        ),
        tuple(
            (
                *(row["text"].removeprefix("infeasible: "), row["policy"], number(row["share_ratio"], 2)),
                *(number(row["ideal_ratio"], 2), _gap(row), _bound(row), _percent(row["idle_share"])),
                *(number(row["held"] / row["seconds"], 1), number(row["migrations_per_s"], 1)),
            )
            for row in _of(rows, INFEASIBLE)
        ),
        text_columns=2,
    )


def coarse(rows: Sequence[_Row]) -> Table:
    return Table(
        "A tick longer than the slice of the lightest, and B wide enough for it",
        ("case", "policy", "gap in B", "dwrr's bound", "CPUs idle", "times held/s", "worst share off by"),
        tuple(
            (
                *(row["text"], row["policy"], _gap(row), _bound(row), _percent(row["idle_share"], 2)),
                *(number(row["held"] / row["seconds"], 1), _percent(row["share_error"])),
            )
            for row in _of(rows, COARSE)
        ),
        text_columns=2,
    )


def locks(rows: Sequence[_Row]) -> Table:
    return Table(
        "sysbench threads as in [DWRR]: 32 threads, 8 locks, 4 CPUs; 1 us in a lock, with a yield",
        ("policy", "all ended after ms", "paper, s", "switches", "migrations", "CPUs idle"),
        tuple(
            (
                *(
                    row["policy"],
                    number(row["ended_ms"], 1),
                    number(PAPER_LOCKS.get(row["policy"]), 2),
                ),
                *(number(row["switches"]), number(row["migrations"]), _percent(row["idle_share"])),
            )
            for row in _of(rows, LOCKS)
        ),
    )


def reserve(rows: Sequence[_Row]) -> Table:
    """The gain of a CPU of its own, over the same base without one."""
    chosen = _of(rows, RESERVE)
    shared = {row["policy"]: row for row in chosen if ":" not in row["policy"]}

    def gain(row: _Row) -> float:
        base = shared[row["policy"].rpartition(":")[2]]
        return float(row["watched_share"] / base["watched_share"])

    return Table(
        "Golden-Finger in the model: a player among eight encoders on 4 CPUs (times in ms)",
        (
            *(
                "",
                "policy",
                "the player's part of a CPU",
                "over the base",
                "from waking to running: median",
                "99 %",
            ),
            *("waits in all each time", "the encoders' gap in B"),
        ),
        tuple(
            (
                *(row["text"], row["policy"], _percent(row["watched_share"]), number(gain(row), 2)),
                *(
                    number(row[f"{which}_us"] / 1000, 2)
                    for which in ("latency_p50", "latency_p99", "waiting_mean")
                ),
                _gap(row),
            )
            for row in chosen
        ),
        text_columns=2,
    )


def sweep(rows: Sequence[_Row]) -> Table:
    """All runs of a policy in a line."""
    swept = _of(rows, SWEEP)
    lines = []
    for policy in dict.fromkeys(row["policy"] for row in swept):
        of = [row for row in swept if row["policy"] == policy]
        gaps = sorted(row["gap_in_B"] for row in of)
        above = sum(row["gap_in_B"] > row["bound_in_B"] for row in of)
        lines.append(
            (
                *(policy, number(len(of)), number(gaps[len(gaps) // 2], 2), number(gaps[-1], 2)),
                *(number(max(row["gap_in_B"] / row["bound_in_B"] for row in of), 3), number(above)),
                _percent(max(row["share_error"] for row in of)),
                _percent(fmean(row["idle_share"] for row in of), 2),
                number(fmean(row["migrations_per_s"] / row["cpus"] for row in of), 1),
                number(fmean(row["switches_per_s"] / row["cpus"] for row in of), 1),
            )
        )
    return Table(
        "CPUs, threads and weights at random",
        (
            *("policy", "runs", "gap in B: median", "worst", "worst over dwrr's bound", "runs above it"),
            *("worst share off by", "CPUs idle", "migrations/s a CPU", "switches/s a CPU"),
        ),
        tuple(lines),
    )


def interactive(rows: Sequence[_Row]) -> Table:
    return Table(
        "A thread that sleeps now and then among threads that never do, on 4 CPUs (times in ms)",
        (
            *("it computes", "policy", "from waking to running: median", "99 %", "most"),
            *("waits in all each time", "its part of a CPU", "gap of the others in B", "migrations/s"),
            *("switches/s", "CPUs idle", "lost to costs"),
        ),
        tuple(
            (
                *(row["text"], row["policy"]),
                *(number(row[f"{which}_us"] / 1000, 2) for which in _WAITS),
                *(_percent(row["watched_share"]), _gap(row), number(row["migrations_per_s"], 1)),
                *(number(row["switches_per_s"], 1), _percent(row["idle_share"])),
                _percent(row["lost_share"], 2),
            )
            for row in _of(rows, INTERACTIVE)
        ),
        text_columns=2,
    )


def fairness_readme(rows: Sequence[_Row]) -> Table:
    """A line for each policy: what it is good at and what not."""
    lines = []
    for policy in SWEPT:
        of = [row for row in rows if row["policy"] == policy]

        def first(kind: str, of: Sequence[_Row] = of) -> _Row:
            return _of(of, kind)[0]

        swept, greedy = _of(of, SWEEP), _of(of, INTERACTIVE)[2]
        lines.append(
            (
                *(policy, number(first(COUNTEREXAMPLE)["share_ratio"], 2)),
                _percent(first(FIVE_ON_FOUR)["utilisation_stddev"]),
                number(max(row["gap_in_B"] for row in swept), 2),
                *(number(greedy["waiting_mean_us"] / 1000, 1), number(greedy["migrations_per_s"], 1)),
                number(greedy["switches_per_s"], 1),
            )
        )
    return Table(
        "Scheduling policies in the model",
        (
            *(
                "policy",
                f"[DWRR]'s counter-example (by weight {_of(rows, COUNTEREXAMPLE)[0]['ideal_ratio']:.2f})",
            ),
            *("5 threads on 4 CPUs: standard deviation", f"worst gap in B, {len(swept)} runs at random"),
            *(
                "wait of a thread for 5 ms of computing, among 16 on 4 CPUs, ms",
                "migrations/s there",
                "switches/s",
            ),
        ),
        tuple(lines),
    )


def fairness_tables(content: dict[str, Any]) -> list[Table]:
    rows = content["rows"]
    return [
        balance(content["balance"]),
        *(
            make(rows)
            for make in (counterexample, five_on_four, infeasible, sweep, interactive, locks, reserve, coarse)
        ),
        reach(content["reach"], "the model"),
    ]


def model_scale(rows: Sequence[_Row]) -> Table:
    return Table(
        "Scheduling events of the model on one core, best of the runs",
        ("policy", "CPUs", "threads", "million events/s", "ns an event", "runs"),
        tuple(
            (
                *(row["policy"], number(row["cpus"]), number(row["threads"])),
                *(number(row["events_per_s"] / 1e6, 2), number(row["ns_per_event"]), number(row["runs"])),
            )
            for row in rows
        ),
    )


def model_growth(rows: Sequence[_Row]) -> Table:
    lines = []
    for policy in dict.fromkeys(row["policy"] for row in rows):
        grown = scale.growth(rows, policy)
        lines.append((policy, *(number(grown[key], 2) for key in ("cost", "log_cpus", "log_threads"))))
    return Table(
        "From the smallest to the largest size of a policy, each times as much",
        ("policy", "cost of an event", "log CPUs", "log threads"),
        tuple(lines),
    )


def prediction(rows: Sequence[_Row]) -> Table:
    return Table(
        "The applications of [SMP] in one million cycles: SoC and model",
        (
            *("application", "kernel", "CPUs", "computing times of", "SoC", "model", "error"),
            *("switches: SoC", "model", "idle cycles: SoC", "model"),
        ),
        tuple(
            (
                *(row["app"], KERNELS[row["kernel"]], arrangement(row), row["times_of"]),
                *(number(row["done"]), number(row["predicted_done"]), f"{row['error_percent']:+.1f} %"),
                *(number(row["switches"]), number(row["predicted_switches"])),
                *(number(row["idle_cycles"]), number(row["predicted_idle_cycles"])),
            )
            for row in rows
        ),
        text_columns=4,
    )


def model_tables(content: dict[str, Any]) -> list[Table]:
    rows = content["rows"]
    return [
        *(model_scale(rows), model_growth(rows), prediction(content["predicted"])),
        reach(content["reach"], "the model"),
    ]
