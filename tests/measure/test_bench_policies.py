# SPDX-License-Identifier: Apache-2.0
"""What `coreloom bench policies` makes of the events of a run."""

from __future__ import annotations

import pytest

from coreloom.benches.policies import bench as policies
from coreloom.benches.policies import measure, page
from coreloom.benches.policies.measure import Decision, Move, Wake
from coreloom.simulation.simulate import Event, Kind


def events(*seen: tuple[int, int, Kind, int]) -> list[Event]:
    return [Event(cycle, cpu, kind, value) for cycle, cpu, kind, value in seen]


def test_a_decision_ends_with_the_next_thread() -> None:
    seen = events(
        (5, 0, Kind.CALL, 0),
        (9, 0, Kind.RUN, 1),  # before the window
        (10, 0, Kind.CALL, 0),
        (11, 1, Kind.TRAP, 0),
        (15, 0, Kind.RUN, 2),
        (20, 1, Kind.TRAP, 0),  # the one before has switched to nobody
        (50, 1, Kind.RUN, 3),
        (60, 0, Kind.CALL, 0),
        (65, 0, Kind.IDLE, 1),
        (90, 0, Kind.IDLE, 0),
        (95, 0, Kind.RUN, 2),  # it had to wait for work
    )
    assert measure.decisions(seen, 10) == {"service": [5], "interrupt": [30]}


def test_service_is_from_a_run_to_the_next() -> None:
    seen = events(
        (10, 0, Kind.RUN, 1),
        (20, 1, Kind.RUN, 2),
        (40, 0, Kind.RUN, 3),
        (50, 1, Kind.IDLE, 1),
        (60, 1, Kind.IDLE, 0),
    )
    assert measure.services(seen, 15, 100) == [(1, 15, 40), (2, 20, 50), (3, 40, 100)]
    assert measure.services(seen, 45, 60) == [(2, 45, 50), (3, 45, 60)]


def test_the_gap_is_the_largest_difference_of_any_moment() -> None:
    ran = [(1, 0, 600), (2, 600, 700), (3, 0, 5000), (1, 700, 800)]
    assert measure.largest_gap(ran, {1: 3, 2: 1}, 100) == 2.0  # at 600: 200 against 0
    assert measure.largest_gap(ran, {1: 6, 2: 1}, 100) == 1.0


def test_costs_are_in_microseconds_of_the_assumed_clock() -> None:
    decision = Decision(
        kernel="sw",
        policy="dwrr",
        core="standard",
        cpus=2,
        threads=8,
        switches=1,
        service=None,
        interrupt=2000.0,
        policy_cycles=None,
    )
    rows: list[policies.Row] = [decision, Move(core="standard", move=2500, first=600, again=500)]
    found = policies.costs(rows)
    assert [found[name] for name in ("switch_us", "migrate_us", "warm_us", "clock_mhz")] == [
        20.0,
        5.0,
        1.0,
        100,
    ]
    assert found["cycles"] == {"switch": 2000.0, "migrate": 500, "warm": 100}


WOKEN = {  # kernel, policy, real-time: cycles from the end of the sleep, median and most
    ("sw", "artis", False): (44244, 81973),
    ("sw", "artis", True): (4253, 6168),
    ("sw", "dynamic", True): (35639, 42109),  # knows no real-time threads
}


@pytest.mark.parametrize(("kernel", "policy", "realtime"), WOKEN)
@pytest.mark.nightly(but=("sw-artis-False", "sw-dynamic-True"))
@pytest.mark.runtime
def test_a_real_time_thread_runs_soon_where_the_policy_knows_it(
    kernel: str, policy: str, realtime: bool
) -> None:
    (row,) = measure.wake_rows(kernel, policy, "standard", 2, realtime)
    assert (row.median, row.most) == WOKEN[kernel, policy, realtime]


def test_both_kinds_of_a_wake_up_are_one_line() -> None:
    rows: list[policies.Row] = [
        Wake(
            kernel="sw",
            policy="artis",
            core="standard",
            cpus=2,
            threads=8,
            realtime=realtime,
            median=100 + realtime,
            most=200 + realtime,
        )
        for realtime in (False, True)
    ]
    assert page.wakes(rows).rows == (("software", "artis", "standard", "2", "100", "200", "101", "201"),)
