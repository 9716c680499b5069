# SPDX-License-Identifier: Apache-2.0
"""Fairness of the scheduling policies in the model: each case under its policies.

Every run of dwrr is checked against its bound (docs/decisions/0014): the largest gap of service for each unit
of weight between two threads that are runnable all the time is at most 2 B, and one tick of the lightest.
"""

from __future__ import annotations

import math
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean, pstdev

import msgspec

from coreloom.benches.fairness.cases import Case, Kind, cases, counterexample, feasible
from coreloom.errors import UserError
from coreloom.jobs.job import Job, Progress
from coreloom.report import results
from coreloom.report.figure import Figure
from coreloom.scheduling import build, simulate
from coreloom.scheduling.workload import WEIGHT_NICE_0

_FEW = 8  # threads that are told of one by one


class Row(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A case under one policy; shares and gaps are of all threads but the one that is watched."""

    policy: str
    kind: Kind
    case: str
    text: str
    cpus: int
    threads: int
    seed: int
    seconds: float  # simulated
    tick_us: float  # 0: slices end exactly
    slice_us: float
    lightest: int  # weight
    costs: bool  # do switches and moves cost something?
    share_ratio: float | None  # service of the heaviest over the lightest; None: that one had nothing
    ideal_ratio: float
    share_error: float  # the worst, of what is feasible
    fairness: float
    gap_exact: bool
    gap_in_B: float
    bound_in_B: float
    utilisation: list[float] | None  # part of a CPU of each thread, if they are few
    cpu_utilisation: list[float]
    utilisation_stddev: float
    idle_share: float
    lost_share: float
    held: int
    moved: int
    migrations: int
    migrations_per_s: float
    switches: int
    switches_per_s: float
    ended_ms: float | None = None  # when all threads had ended
    gaps_in_B: list[float] = []  # the largest in each part of the run, of the counter-example
    # Of the thread that is watched:
    latency_p50_us: float = 0
    latency_p99_us: float = 0
    latency_max_us: float = 0
    waiting_mean_us: float = 0
    watched_share: float = 0  # of a CPU

    @property
    def ratio(self) -> float:
        return math.inf if self.share_ratio is None else self.share_ratio


class Swept(msgspec.Struct, frozen=True, kw_only=True):
    """All random runs under one policy."""

    policy: str
    runs: int
    gap_median: float  # in B, as the next one
    gap_most: float
    over_bound: float  # the worst gap over dwrr's bound
    above: int  # runs beyond it
    share_error: float
    idle_share: float  # the rest: means of the runs
    migrations: float  # in a second and CPU
    switches: float


class Balance(msgspec.Struct, frozen=True, kw_only=True):
    """What cfs' own balance rule finds in the counter-example, in weights."""

    loads: list[int]  # of the queues
    average: int
    imbalance: int
    lightest: int
    moved: int  # threads


class Result(results.Result, kw_only=True):
    rows: list[Row]
    swept: list[Swept] = msgspec.field(
        default_factory=list
    )  # of the random runs, where these are not among the rows
    balance: Balance

    def sweeps(self) -> Sequence[Swept]:
        """What the random runs have in common."""
        return self.swept or swept(self.rows)


def swept(rows: Sequence[Row]) -> list[Swept]:
    """A line for each policy of the random runs among the rows."""
    runs = [row for row in rows if row.kind == Kind.SWEEP]
    found = []
    for policy in dict.fromkeys(row.policy for row in runs):
        of = [row for row in runs if row.policy == policy]
        gaps = sorted(row.gap_in_B for row in of)
        found.append(
            Swept(
                policy=policy,
                runs=len(of),
                gap_median=gaps[len(gaps) // 2],
                gap_most=gaps[-1],
                over_bound=max(row.gap_in_B / row.bound_in_B for row in of),
                above=sum(row.gap_in_B > row.bound_in_B for row in of),
                share_error=max(row.share_error for row in of),
                idle_share=fmean(row.idle_share for row in of),
                migrations=fmean(row.migrations_per_s / row.cpus for row in of),
                switches=fmean(row.switches_per_s / row.cpus for row in of),
            )
        )
    return found


def balance() -> Balance:
    """Ask the policy."""
    weights = [str(thread.weight) for thread in counterexample().workload.threads]
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "balance"
        build.program(Path(__file__).with_name("balance.c"), program)
        printed = subprocess.run([program, *weights], capture_output=True, check=True).stdout
    return msgspec.json.decode(printed, type=Balance)


def bound_in_B(case: Case) -> float:
    """What dwrr guarantees."""
    lightest = min(thread.weight for thread in case.workload.threads if thread.name != case.watched)
    return 2 + case.machine.tick_us / case.machine.slice_us * WEIGHT_NICE_0 / lightest


def check(row: Row) -> None:
    """Raise a UserError if a run of dwrr went beyond its bound, which needs slices of a tick at least."""
    small = row.slice_us * row.lightest < row.tick_us * WEIGHT_NICE_0
    if row.policy == "dwrr" and not small and row.gap_in_B > row.bound_in_B:
        raise UserError(
            f"dwrr breaks its bound in case '{row.case}' (seed {row.seed}): "
            f"gap {row.gap_in_B:.6f} B, bound {row.bound_in_B:.6f} B"
        )


def measure(case: Case, policy: str) -> Row:
    """Run a case under a policy; a UserError if dwrr breaks its bound."""
    outcome = simulate.run(case.workload, case.machine, policy, case.seconds, case.seed)
    steady = [thread for thread in outcome.threads if thread.name != case.watched]
    watched = next((thread for thread in outcome.threads if thread.name == case.watched), None)
    weights = [thread.weight for thread in steady]
    service = [thread.service_us for thread in steady]
    ideal = feasible(weights, case.machine.cpus)

    def mean(of: Sequence[float], weight: int) -> float:
        return fmean(value for value, own in zip(of, weights, strict=True) if own == weight)

    light, heavy = min(weights), max(weights)
    least = mean(service, light)
    given = [had / due for had, due in zip(service, ideal, strict=True)]
    util = [had / outcome.simulated_us for had in service]
    seconds = outcome.simulated_us / 1e6
    row = Row(
        policy=policy,
        kind=case.kind,
        case=case.name,
        text=case.text,
        cpus=case.machine.cpus,
        threads=case.workload.count,
        seed=case.seed,
        seconds=round(seconds, 6),
        tick_us=case.machine.tick_us,
        slice_us=case.machine.slice_us,
        lightest=light,
        costs=not case.machine.costs.ideal,
        share_ratio=mean(service, heavy) / least if least else None,
        ideal_ratio=mean(ideal, heavy) / mean(ideal, light),
        share_error=max(abs(had / fmean(given) - 1) for had in given),
        fairness=outcome.fairness,
        gap_exact=outcome.gap_exact,
        gap_in_B=outcome.gap_in_B,
        bound_in_B=bound_in_B(case),
        utilisation=[round(part, 6) for part in util] if len(util) <= _FEW else None,
        cpu_utilisation=[round(1 - part, 6) for part in outcome.idle_of_cpus],
        utilisation_stddev=pstdev(util),
        idle_share=outcome.idle_share,
        lost_share=outcome.lost_share,
        held=outcome.held,
        moved=outcome.moved,
        migrations=outcome.migrations,
        migrations_per_s=outcome.migrations / seconds,
        switches=outcome.switches,
        switches_per_s=outcome.switches / seconds,
        ended_ms=None if outcome.alive else outcome.simulated_us / 1000,
        gaps_in_B=[gap / case.machine.slice_us for gap in outcome.gap_series_us]
        if case.kind == Kind.COUNTEREXAMPLE
        else [],
    )
    if watched is not None:
        row = msgspec.structs.replace(
            row,
            latency_p50_us=watched.latency_p50_us,
            latency_p99_us=watched.latency_p99_us,
            latency_max_us=watched.latency_max_us,
            waiting_mean_us=watched.waiting_us / max(watched.wakeups, 1),
            watched_share=watched.service_us / outcome.simulated_us,
        )
    check(row)
    return row


def jobs(quick: bool, runs: int | None = None) -> list[Job[Row]]:
    """A job for each case: its rows, one for each policy. runs: random cases, if not the usual number."""

    def job(case: Case) -> Job[Row]:
        def rows(progress: Progress) -> list[Row]:
            found: list[Row] = []
            for policy in case.policies:
                progress(len(found))  # ends here if another job has failed
                found.append(measure(case, policy))
            return found

        return Job(case.text, rows, case.seconds * case.machine.cpus * len(case.policies))

    return [job(case) for case in cases(quick, runs)]


def figures(rows: Sequence[Row]) -> list[Figure]:
    """What is to be reached."""
    unchecked = (Kind.COARSE, Kind.SETTINGS)  # the second repeats cases
    dwrr = [row for row in rows if row.policy == "dwrr" and row.kind not in unchecked]

    def first(policy: str) -> Row:
        return next(row for row in rows if row.kind == Kind.COUNTEREXAMPLE and row.policy == policy)

    fair = first("dwrr")
    off = 100 * abs(fair.ratio / fair.ideal_ratio - 1)
    return [
        Figure(
            "counter-example: service of T1 over the others under cfs (4 in [DWRR])",
            round(first("cfs").ratio, 2),
            at_least=4,
        ),
        Figure(
            "counter-example: the same under dwrr, deviation from its weight (%)", round(off, 2), at_most=1
        ),
        Figure(
            f"worst gap of dwrr divided by its bound, {len(dwrr)} runs",
            round(max(row.gap_in_B / row.bound_in_B for row in dwrr), 3),
            at_most=1,
        ),
    ]
