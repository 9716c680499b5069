# SPDX-License-Identifier: Apache-2.0
"""The instrument of fairness against its definition in exact fractions."""

from __future__ import annotations

import ctypes
import random
import subprocess
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import pytest

from coreloom.paths import ROOT
from coreloom.toolchain import zig

_SCALE = 2**52
_PERIODS = 4


class Event(NamedTuple):
    now: int
    cpu: int
    thread: int  # -1: stop


class Found(NamedTuple):
    largest: Fraction
    series: list[Fraction]
    rates: list[Fraction]
    exact: bool


class _Event(ctypes.Structure):
    _fields_ = (("now", ctypes.c_uint64), ("cpu", ctypes.c_uint32), ("thread", ctypes.c_int32))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    path = tmp_path_factory.mktemp("lag") / "lag.so"
    subprocess.run(
        [
            *zig.cc(), "-std=c11", "-O2", "-shared", "-fPIC",
            *("-Wall", "-Wextra", "-Wconversion", "-Werror"),
            f"-I{ROOT / 'src' / 'coreloom' / 'scheduling' / 'simulator'}",
            str(Path(__file__).with_name("lag_host.c")), "-o", str(path),
        ],
        check=True,
        env=zig.environment(),
    )  # fmt: skip
    return ctypes.CDLL(str(path))


def play(
    library: ctypes.CDLL,
    weights: Sequence[int],
    cpus: int,
    events: Sequence[Event],
    end: int,
    *,
    open_cpus: int | None = None,
    interval: int = 1,
) -> Found:
    count = len(weights)
    series = ((ctypes.c_uint64 * 2) * _PERIODS)()
    largest = (ctypes.c_uint64 * 2)()
    rates = (ctypes.c_uint64 * count)()
    exact = library.lag_play(
        count,
        cpus,
        cpus if open_cpus is None else open_cpus,
        (ctypes.c_uint32 * count)(*weights),
        ctypes.c_uint64(interval),
        (_Event * len(events))(*(_Event(*event) for event in events)),
        len(events),
        ctypes.c_uint64(end),
        series,
        _PERIODS,
        largest,
        rates,
    )

    def value(words: ctypes.Array[ctypes.c_uint64]) -> Fraction:
        return Fraction(words[0] + (words[1] << 64), _SCALE)

    return Found(
        value(largest),
        [value(words) for words in series],
        [Fraction(rate, _SCALE) for rate in rates],
        bool(exact),
    )


def feasible(weights: Sequence[int], cpus: int) -> list[Fraction]:
    """Chandra and others, as they state it: recursively, over the weights from the heaviest down."""
    order = sorted((Fraction(w) for w in weights if w), reverse=True)

    def readjust(rest: list[Fraction], left: int) -> list[Fraction]:
        if left == 1 or rest[0] * left <= sum(rest):
            return rest
        below = readjust(rest[1:], left - 1)
        return [sum(below, Fraction(0)) / (left - 1), *below]

    if len(order) <= cpus:
        return [Fraction(1024 if w else 0) for w in weights]
    by_weight = dict(zip(order, readjust(order, cpus), strict=True))
    return [by_weight[Fraction(w)] if w else Fraction(0) for w in weights]


def gap_at(weights: Sequence[Fraction], events: Sequence[Event], moment: int) -> Fraction:
    """By the definition, without any short cut."""
    service = [0] * len(weights)
    on: dict[int, tuple[int, int]] = {}
    for now, cpu, thread in events:
        if now > moment:
            break
        if thread >= 0:
            on[cpu] = (thread, now)
        else:
            who, since = on.pop(cpu)
            service[who] += now - since
    for who, since in on.values():
        service[who] += moment - since
    values = [service[t] * 1024 / w for t, w in enumerate(weights) if w]
    return max(values) - min(values) if values else Fraction(0)


def schedule(seed: int, threads: int, cpus: int, stops: int, longest: int) -> tuple[list[Event], int]:
    """Some schedule at random: each CPU runs one thread after another, with breaks now and then."""
    rng = random.Random(seed)
    waiting = list(range(threads))
    running: dict[int, int] = {}
    events: list[Event] = []
    now = 0
    for _ in range(stops):
        for cpu in range(cpus):
            if cpu not in running and waiting and rng.random() < 0.8:
                running[cpu] = waiting.pop(rng.randrange(len(waiting)))
                events.append(Event(now, cpu, running[cpu]))
        now += rng.randrange(longest)
        for cpu in list(running):
            if rng.random() < 0.5:
                events.append(Event(now, cpu, -1))
                waiting.append(running.pop(cpu))
    return events, now + _PERIODS - now % _PERIODS


@pytest.mark.parametrize("seed", range(12))
def test_the_largest_gap_is_that_of_the_definition(library: ctypes.CDLL, seed: int) -> None:
    rng = random.Random(seed)
    cpus = rng.randrange(1, 6)
    weights = [rng.choice((0, 1, 15, 335, 1024, 88761, 1 << 20)) for _ in range(rng.randrange(1, 12))]
    events, end = schedule(seed, len(weights), cpus, 60, 1_000_000_000)
    found = play(library, weights, cpus, events, end)
    phi = feasible(weights, cpus)
    moments = sorted({event.now for event in events} | {end})
    gaps = {moment: gap_at(phi, events, moment) for moment in moments}
    error = Fraction(2 * end, _SCALE)
    assert found.exact
    assert abs(found.largest - max(gaps.values())) <= error
    for period, kept in enumerate(found.series):
        begin = period * (end // _PERIODS)
        last = end if period == _PERIODS - 1 else begin + end // _PERIODS - 1
        within = [gap for moment, gap in gaps.items() if begin <= moment <= last]
        assert abs(kept - max(within, default=Fraction(0))) <= error


def test_weights_are_made_feasible(library: ctypes.CDLL) -> None:
    cases = (
        ([1024, 335, 335, 335, 335], 2),
        ([1 << 20, 1, 1, 1], 2),
        ([1 << 20, 1 << 19, 1, 1, 1], 4),
        ([10, 10, 1, 1, 1], 3),
        ([7, 5], 4),
        ([0, 3, 0, 9, 1], 2),
        ([5] * 9, 3),
    )
    for weights, cpus in cases:
        found = play(library, weights, cpus, [], 4).rates
        expected = [1024 / w if w else Fraction(0) for w in feasible(weights, cpus)]
        assert all(0 <= e - f < Fraction(1, _SCALE) for e, f in zip(expected, found, strict=True)), weights


def test_reserved_cpus_do_not_make_a_weight_feasible(library: ctypes.CDLL) -> None:
    weights = [20, 10, 10]
    assert play(library, weights, 3, [], 4).rates == [1, 1, 1]
    assert play(library, weights, 3, [], 4, open_cpus=2).rates == [
        Fraction(_SCALE * 1024 // 20, _SCALE),
        *[Fraction(_SCALE * 1024 // 10, _SCALE)] * 2,
    ]


def test_hours_of_the_least_weight_do_not_overflow(library: ctypes.CDLL) -> None:
    hours = 24 * 3600 * 10**9
    events = [Event(0, 0, 0), Event(hours, 0, -1)]
    assert play(library, [1, 1], 1, events, hours).largest == hours * 1024


def test_many_cpus_are_looked_at_every_so_often(library: ctypes.CDLL) -> None:
    events, end = schedule(5, 200, 65, 200, 1000)
    weights = [1024 + 7 * t for t in range(200)]
    phi = feasible(weights, 65)
    whole = max(gap_at(phi, events, moment) for moment in {event.now for event in events} | {end})
    always = play(library, weights, 65, events, end, interval=1)
    seldom = play(library, weights, 65, events, end, interval=20_000)
    assert (always.exact, seldom.exact) == (False, False)
    assert abs(always.largest - whole) < 1
    assert whole / 2 < seldom.largest <= always.largest
