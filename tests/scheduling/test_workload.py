# SPDX-License-Identifier: Apache-2.0
"""Wrong workloads, machines and costs: one exact line each."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from coreloom.errors import UserError
from coreloom.scheduling.workload import (
    Compute,
    Costs,
    Exit,
    Lock,
    Machine,
    Receive,
    Send,
    Sleep,
    Thread,
    Unlock,
    Workload,
    Yield,
    nice_weight,
)


def of(*threads: Thread, reserve: tuple[tuple[int, str], ...] = ()) -> Workload:
    return Workload("w", threads, reserve)


def one(*steps: Any, **more: Any) -> Thread:
    return Thread("t", steps=steps, **more)


WRONG: list[tuple[Callable[[], object], str]] = [
    (lambda: Thread(""), "thread: name must be a printable text, not ''"),
    (lambda: Thread("t", weight=0), "thread 't': weight must be a whole number from 1 to 1048576, not 0"),
    (lambda: Thread("t", weight=-1), "thread 't': weight must be a whole number from 1 to 1048576, not -1"),
    (
        lambda: Thread("t", weight=(1 << 20) + 1),
        "thread 't': weight must be a whole number from 1 to 1048576, not 1048577",
    ),
    (
        lambda: Thread("t", weight=True),
        "thread 't': weight must be a whole number from 1 to 1048576, not True",
    ),
    (lambda: Thread("t", count=0), "thread 't': count must be a whole number from 1 to 1000000, not 0"),
    (lambda: Thread("t", priority=140), "thread 't': priority must be a whole number from 0 to 139, not 140"),
    (lambda: Thread("t", cpu=-1), "thread 't': cpu must be a whole number from 0 to 4095, not -1"),
    (
        lambda: Thread("t", start_us=-1),
        "thread 't': start_us must be a time from 0 to 1e+12 us, not -1",
    ),
    (lambda: one(), "thread 't': there are no steps: leave them out for a thread that computes for ever"),
    (lambda: one(Exit(), Compute(1)), "thread 't': exit must be the last step"),
    (lambda: one(Yield()), "thread 't': the steps take no time and never end: add a compute or a sleep"),
    (lambda: one(Unlock("a"), Compute(1)), "thread 't': unlock of 'a' without its lock"),
    (lambda: one(Lock("a"), Compute(1)), "thread 't': lock 'a' is not unlocked at the end of the steps"),
    (lambda: one(Lock("a"), Lock("a"), Compute(1)), "thread 't': lock 'a' is taken twice"),
    (lambda: Compute(-1), "compute must be a time from 0 to 1e+12 us, not -1"),
    (lambda: Compute(math.nan), "compute must be a time from 0 to 1e+12 us, not nan"),
    (lambda: Compute(1, spread=2), "compute: spread must be a number from 0 to 1, not 2"),
    (lambda: Sleep(-0.5), "sleep must be a time from 0 to 1e+12 us, not -0.5"),
    (lambda: Sleep(math.inf), "sleep must be a time from 0 to 1e+12 us, not inf"),
    (lambda: Sleep(1, dist="normal"), "sleep: dist is 'normal', choose one of fixed, exponential"),
    (lambda: Send("p", 0), "send: count must be a whole number from 1 to 1000000, not 0"),
    (lambda: nice_weight(20), "nice must be a whole number from -20 to 19, not 20"),
    (lambda: nice_weight(-21), "nice must be a whole number from -20 to 19, not -21"),
    (lambda: of(), "workload 'w': there are no threads"),
    (lambda: of(Thread("t"), Thread("t")), "workload 'w': two threads are named 't'"),
    (
        lambda: of(Thread("t", count=600_000), Thread("u", count=600_000)),
        "workload 'w': there are 1200000 threads, at most 1000000 fit",
    ),
    (
        lambda: of(one(Receive("p"), Compute(1))),
        "workload 'w': thread 't': unknown port 'p', no thread sends to it",
    ),
    (
        lambda: of(one(Send("p"), Compute(1))),
        "workload 'w': thread 't': unknown port 'p', no thread receives from it",
    ),
    (
        lambda: of(Thread("t"), reserve=((1, "u"),)),
        "workload 'w': reserve: unknown thread 'u': choose one of t",
    ),
    (
        lambda: of(Thread("t", count=2), reserve=((1, "t"),)),
        "workload 'w': reserve: there are 2 threads 't', only one can own",
    ),
    (
        lambda: of(Thread("t"), Thread("u"), reserve=((1, "t"), (1, "u"))),
        "workload 'w': reserve: CPU 1 is given to 't' and to 'u'",
    ),
    (
        lambda: of(Thread("t"), reserve=((1, "t"), (2, "t"))),
        "workload 'w': reserve: thread 't' is given two CPUs",
    ),
    (
        lambda: of(Thread("t"), Thread("u", cpu=1), reserve=((1, "t"),)),
        "workload 'w': thread 'u' is placed on CPU 1, which is reserved for 't'",
    ),
    (
        lambda: of(Thread("t", cpu=0), reserve=((1, "t"),)),
        "workload 'w': thread 't' is placed on CPU 0, but given CPU 1",
    ),
    (
        lambda: of(Thread("t", cpu=2)).check(Machine(cpus=2)),
        "workload 'w': thread 't': there is no CPU 2, the machine has CPUs 0 to 1",
    ),
    (
        lambda: of(Thread("t"), reserve=((2, "t"),)).check(Machine(cpus=2)),
        "workload 'w': reserve: there is no CPU 2 for 't', the machine has CPUs 0 to 1",
    ),
    (
        lambda: of(Thread("t"), Thread("u"), reserve=((0, "t"), (1, "u"))).check(Machine(cpus=2)),
        "workload 'w': 2 CPUs are reserved of 2: leave one unreserved",
    ),
    (lambda: Machine(cpus=0), "machine: cpus must be a whole number from 1 to 4096, not 0"),
    (lambda: Machine(tick_us=-1), "machine: tick_us must be a time from 0 to 1e+12 us, not -1"),
    (lambda: Machine(slice_us=0), "machine: slice_us must be a time from above 0 to 1e+12 us, not 0"),
    (lambda: Costs(switch_us=-1), "costs: switch_us must be a time from 0 to 1e+12 us, not -1"),
]


@pytest.mark.parametrize(("make", "line"), WRONG, ids=[line for _, line in WRONG])
def test_wrong_input_is_one_line(make: Callable[[], object], line: str) -> None:
    with pytest.raises(UserError) as error:
        make()
    assert str(error.value) == line


def test_weights_are_linux() -> None:
    assert [nice_weight(nice) for nice in (-20, -5, 0, 5, 19)] == [88761, 3121, 1024, 335, 15]


def test_names_are_told_apart() -> None:
    assert list(Thread("a").names()) == ["a"]
    assert list(Thread("a", count=2).names()) == ["a.1", "a.2"]


def test_costs_are_ideal_until_measured(tmp_path: Path) -> None:
    assert Costs.measured(tmp_path / "costs.json").ideal


def test_costs_are_read(tmp_path: Path) -> None:
    path = tmp_path / "costs.json"
    path.write_text('{"switch_us": 2.5, "migrate_us": 1, "warm_us": 40}')
    assert Costs.measured(path) == Costs(2.5, 1.0, 40.0)


@pytest.mark.parametrize(
    ("text", "defect"),
    [
        ("{}", "KeyError('switch_us')"),
        ("[1]", "TypeError('list indices must be integers or slices, not str')"),
    ],
)
def test_damaged_costs_are_one_line(tmp_path: Path, text: str, defect: str) -> None:
    path = tmp_path / "costs.json"
    path.write_text(text)
    with pytest.raises(UserError) as error:
        Costs.measured(path)
    assert str(error.value) == f"costs.json is damaged ({defect}): run `coreloom bench policies` again"
