# SPDX-License-Identifier: Apache-2.0
"""The tables and plots of `coreloom bench fairness`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from statistics import pstdev

from coreloom.benches.fairness.bench import Balance, Result, Row, Swept
from coreloom.benches.fairness.cases import SWEPT, Kind
from coreloom.report.page import Summary, prose
from coreloom.report.plots import Bars, Lines
from coreloom.report.table import Table, number

OVER_TIME = ("cfs", "ring", "dwrr")  # policies whose gap is plotted
PAPER_LOCKS = {"cfs": 12.8319, "dwrr": 7.4515}  # [DWRR]: seconds of sysbench threads on four Cortex-A9


def tables(content: Result) -> list[Table]:
    """All of them."""
    rows = content.rows
    return [
        overview(rows, content.sweeps()),
        balance(content.balance),
        *(make(rows) for make in (counterexample, five_on_four, infeasible)),
        sweep(content.sweeps()),
        *(make(rows) for make in (interactive, locks, settings, reserve, coarse)),
    ]


def of_kind(rows: Sequence[Row], kind: Kind) -> list[Row]:
    return [row for row in rows if row.kind == kind]


def _percent(value: float, digits: int = 1) -> str:
    return f"{number(100 * value, digits)} %"


# --- columns that several tables have: a title, and the text of a row ---------------------------

Column = tuple[str, Callable[[Row], str]]


def _ends(row: Row) -> str:
    return f"tick {row.tick_us / 1000:g} ms" if row.tick_us else "exact"


def _ms(title: str, us: Callable[[Row], float]) -> Column:
    return title, lambda row: number(us(row) / 1000, 2)


_POLICY: Column = "policy", attrgetter("policy")
_SLICES: Column = "slices end", _ends
_GAP: Column = "gap in B", lambda row: number(row.gap_in_B, 3)
_BOUND: Column = "dwrr's bound", lambda row: number(row.bound_in_B, 2)
_MIGRATIONS: Column = "migrations/s", lambda row: number(row.migrations_per_s, 1)
_SWITCHES: Column = "switches/s", lambda row: number(row.switches_per_s, 1)
_IDLE: Column = "CPUs idle", lambda row: _percent(row.idle_share)
_HELD: Column = "times held/s", lambda row: number(row.held / row.seconds, 1)
_MEDIAN = _ms("from waking to running: median", attrgetter("latency_p50_us"))
_NEARLY_ALL = _ms("99 %", attrgetter("latency_p99_us"))
_MOST = _ms("most", attrgetter("latency_max_us"))
_WAITS = _ms("total wait per job", attrgetter("waiting_mean_us"))


def _table(title: str, rows: Sequence[Row], *columns: Column, text_columns: int = 2) -> Table:
    lines = (tuple(text(row) for _, text in columns) for row in rows)
    return Table(title, tuple(name for name, _ in columns), tuple(lines), text_columns)


# --- tables --------------------------------------------------------------------------------------


def balance(found: Balance) -> Table:
    """What cfs' own rule finds in the counter-example."""
    return Table(
        "The balance rule of cfs in the counter-example, computed by the policy",
        ("queue weights", "average", "imbalance", "half of the lightest", "threads moved by balancing"),
        (
            (
                " and ".join(map(number, found.loads)),
                number(found.average),
                number(found.imbalance),
                number(found.lightest / 2, 1),
                number(found.moved),
            ),
        ),
    )


def counterexample(rows: Sequence[Row]) -> Table:
    return _table(
        "[DWRR]'s counter-example: weights 1024 and 4 x 335 on 2 CPUs",
        of_kind(rows, Kind.COUNTEREXAMPLE),
        _POLICY,
        _SLICES,
        ("T1 over the others", lambda row: number(row.ratio, 2)),
        ("by weight", lambda row: number(row.ideal_ratio, 2)),
        _GAP,
        _BOUND,
        _MIGRATIONS,
        _SWITCHES,
        _IDLE,
    )


def five_on_four(rows: Sequence[Row]) -> Table:
    return _table(
        "5 equal threads on 4 CPUs: share of a CPU per thread (80 % is fair)",
        of_kind(rows, Kind.FIVE_ON_FOUR),
        _POLICY,
        _SLICES,
        ("least", lambda row: _percent(min(row.utilisation or ()))),
        ("most", lambda row: _percent(max(row.utilisation or ()))),
        ("standard deviation", lambda row: _percent(row.utilisation_stddev)),
        ("fewest CPUs busy", lambda row: _percent(min(row.cpu_utilisation))),
        ("most", lambda row: _percent(max(row.cpu_utilisation))),
        _GAP,
        _BOUND,
        _MIGRATIONS,
        _SWITCHES,
    )


def infeasible(rows: Sequence[Row]) -> Table:
    return _table(
        "Weights that entitle a thread to more than one CPU: service of the heaviest over the lightest",
        of_kind(rows, Kind.INFEASIBLE),
        ("case", lambda row: row.text.removeprefix("infeasible: ")),
        _POLICY,
        ("measured", lambda row: number(row.ratio, 2)),
        ("feasible", lambda row: number(row.ideal_ratio, 2)),
        _GAP,
        _BOUND,
        _IDLE,
        _HELD,
        _MIGRATIONS,
    )


def sweep(found: Sequence[Swept]) -> Table:
    """All runs of a policy in a line."""
    return Table(
        "Random CPUs, threads and weights",
        (
            *("policy", "runs", "gap in B: median", "worst", "worst over dwrr's bound", "runs above it"),
            *("largest error of a share", "CPUs idle", "migrations/s per CPU", "switches/s per CPU"),
        ),
        tuple(
            (
                *(each.policy, number(each.runs), number(each.gap_median, 2), number(each.gap_most, 2)),
                *(number(each.over_bound, 3), number(each.above), _percent(each.share_error)),
                *(_percent(each.idle_share, 2), number(each.migrations, 1), number(each.switches, 1)),
            )
            for each in found
        ),
    )


def interactive(rows: Sequence[Row]) -> Table:
    return _table(
        "A thread that sleeps among threads that never sleep, on 4 CPUs (times in ms)",
        of_kind(rows, Kind.INTERACTIVE),
        ("it computes", attrgetter("text")),
        _POLICY,
        _MEDIAN,
        _NEARLY_ALL,
        _MOST,
        _WAITS,
        ("its share of a CPU", lambda row: _percent(row.watched_share)),
        ("gap of the others in B", _GAP[1]),
        _MIGRATIONS,
        _SWITCHES,
        _IDLE,
        ("lost to switching", lambda row: _percent(row.lost_share, 2)),
    )


def locks(rows: Sequence[Row]) -> Table:
    return _table(
        "sysbench threads after [DWRR], 320 of its 10 000 events: 32 threads, 8 locks, 1000 yields, 4 CPUs",
        of_kind(rows, Kind.LOCKS),
        _POLICY,
        ("finished after, ms", lambda row: number(row.ended_ms, 1)),
        ("paper, s", lambda row: number(PAPER_LOCKS.get(row.policy), 2)),
        ("switches", lambda row: number(row.switches)),
        ("migrations", lambda row: number(row.migrations)),
        _IDLE,
        text_columns=1,
    )


# [DWRR]: seconds of sysbench threads by granularity of cfs, and of dwrr.
_PAPER_SETTINGS = {"0.75 ms": 12.8319, "0.5 ms": 13.0980, "0.25 ms": 21.3573, "25 ms": 7.4515}


def settings(rows: Sequence[Row]) -> Table:
    """[DWRR]'s settings: three granularities of cfs, a round slice of 25 ms."""

    def paper(row: Row) -> str:
        setting = row.case.rpartition(", ")[2].removeprefix("granularity ")
        return number(_PAPER_SETTINGS[setting] if row.case.startswith("locks") else None, 2)

    return _table(
        "[DWRR]'s tests with its settings: cfs with a latency of 6 ms for 8 threads, dwrr with B of 25 ms",
        of_kind(rows, Kind.SETTINGS),
        ("case", attrgetter("case")),
        _POLICY,
        ("finished after, ms", lambda row: number(row.ended_ms, 1)),
        ("paper, s", paper),
        ("CPU utilisation, least", lambda row: _percent(min(row.cpu_utilisation), 2)),
        ("most", lambda row: _percent(max(row.cpu_utilisation), 2)),
        ("standard deviation", lambda row: _percent(pstdev(row.cpu_utilisation), 2)),
        ("switches", lambda row: number(row.switches)),
        ("migrations", lambda row: number(row.migrations)),
        text_columns=2,
    )


def reserve(rows: Sequence[Row]) -> Table:
    """The gain of a CPU of its own, over the same base without one."""
    chosen = of_kind(rows, Kind.RESERVE)
    shared = {row.policy: row.watched_share for row in chosen}
    return _table(
        "Golden-Finger in the model: a player among eight encoders on 4 CPUs (times in ms)",
        chosen,
        ("", attrgetter("text")),
        _POLICY,
        ("the player's share of a CPU", lambda row: _percent(row.watched_share)),
        (
            "over the base policy",
            lambda row: number(row.watched_share / shared[row.policy.split(":")[-1]], 2),
        ),
        _MEDIAN,
        _NEARLY_ALL,
        _WAITS,
        ("the encoders' gap in B", _GAP[1]),
    )


def coarse(rows: Sequence[Row]) -> Table:
    return _table(
        "A tick longer than the lightest thread's slice, with a B that allows for it",
        of_kind(rows, Kind.COARSE),
        ("case", attrgetter("text")),
        _POLICY,
        _GAP,
        _BOUND,
        ("CPUs idle", lambda row: _percent(row.idle_share, 2)),
        _HELD,
        ("largest error of a share", lambda row: _percent(row.share_error)),
    )


def overview(rows: Sequence[Row], found: Sequence[Swept]) -> Table:
    """A line for each policy: what it is good at and what not."""
    lines = []
    gaps = {each.policy: each.gap_most for each in found}
    for policy in SWEPT:
        of = [row for row in rows if row.policy == policy]
        greedy = of_kind(of, Kind.INTERACTIVE)[2]
        lines.append(
            (
                policy,
                number(of_kind(of, Kind.COUNTEREXAMPLE)[0].ratio, 2),
                _percent(of_kind(of, Kind.FIVE_ON_FOUR)[0].utilisation_stddev),
                number(gaps[policy], 2),
                number(greedy.waiting_mean_us / 1000, 1),
                number(greedy.migrations_per_s, 1),
                number(greedy.switches_per_s, 1),
            )
        )
    ideal = of_kind(rows, Kind.COUNTEREXAMPLE)[0].ideal_ratio
    runs = max(each.runs for each in found)
    return Table(
        "Scheduling policies in the model",
        (
            "policy",
            f"[DWRR]'s counter-example (by weight {ideal:.2f})",
            "5 threads on 4 CPUs: standard deviation",
            f"worst gap in B, {runs} random runs",
            "wait of a thread for 5 ms of computing, among 16 on 4 CPUs, ms",
            "migrations/s there",
            "switches/s",
        ),
        tuple(lines),
    )


# --- plots ---------------------------------------------------------------------------------------


def drawn(content: Result) -> tuple[Bars, Lines]:
    """The counter-example, its slices ending exactly: the shares, and the gap over time."""
    rows = [row for row in of_kind(content.rows, Kind.COUNTEREXAMPLE) if not row.tick_us]
    ideal = rows[0].ideal_ratio
    text = "Service of T1 over that of each other thread in [DWRR]'s counter-example"
    shares = {row.policy: row.ratio for row in rows}
    bars = Bars(
        text,
        "times as much",
        {policy: {policy: share} for policy, share in shares.items()},
        level=(ideal, f"by weight: {ideal:.2f}"),
    )
    over_time = "Largest gap of weighted service in [DWRR]'s counter-example over time"
    gaps = {
        row.policy: [((n + 1) * row.seconds / len(row.gaps_in_B), gap) for n, gap in enumerate(row.gaps_in_B)]
        for row in rows
        if row.policy in OVER_TIME
    }
    level = (2, "dwrr's bound: 2 B")
    return bars, Lines(f"{over_time}, up to 10 B", "seconds", "gap in B", gaps, level=level, top=10)


def summary(content: Result) -> Summary:
    found = {each.policy: each for each in content.sweeps()}
    case = {row.policy: row for row in of_kind(content.rows, Kind.COUNTEREXAMPLE) if not row.tick_us}
    five = {row.policy: row for row in of_kind(content.rows, Kind.FIVE_ON_FOUR) if not row.tick_us}
    lines = []
    for policy, each in found.items():
        share = case[policy].ratio
        lines.append(
            (
                *(policy, number(share, 2), _percent(five[policy].utilisation_stddev)),
                *(number(each.gap_median, 1), number(each.gap_most, 1)),
                *(number(each.migrations, 1), number(each.switches, 1)),
            )
        )
    ideal = case["dwrr"].ideal_ratio
    runs = found["dwrr"].runs
    answer = (
        f"In {runs} random runs the service of two threads never differed by more than "
        f"{prose(found['dwrr'].gap_most, 2)} rounds under dwrr; under cfs the difference reached "
        f"{prose(found['cfs'].gap_most)}. A thread that is due {prose(ideal, 2)} times the service of "
        f"four others gets {prose(case['dwrr'].ratio, 2)} times under dwrr and {prose(case['cfs'].ratio, 2)} "
        "times under cfs."
    )
    columns = (
        *("policy", f"share that should be {number(ideal, 2)}", "5 threads on 4 CPUs: spread of CPU time"),
        *("gap in rounds: median", "worst", "migrations/s and CPU", "switches/s and CPU"),
    )
    table = Table(f"Policies in the model; gaps of {runs} random runs", columns, tuple(lines))
    gaps = {policy: {policy: each.gap_most} for policy, each in found.items()}
    chart = Bars(
        "Worst gap between two threads", "rounds of service, logarithmic; fewer are better", gaps, log=True
    )
    return Summary(answer, table, chart)
