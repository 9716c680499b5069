# SPDX-License-Identifier: Apache-2.0
"""The POSIX layer against its model: random programs on both kernels, and interleavings of small ones.

CORELOOM_SEED changes the random programs; there is one for every 5000 CORELOOM_STEPS.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from coreloom.errors import UserError
from coreloom.reference.posix.stream import BURST, LONG

from .explored import explored
from .posix import stream
from .posix.__main__ import main
from .posix.interleave import THREE, TWO, Scenario
from .posix.plant import found, planted

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SEED = int(os.environ.get("CORELOOM_SEED", "1"))
PROGRAMS = int(os.environ.get("CORELOOM_STEPS", "40000")) // 5000

# What random programs reach at the least, of each thousand calls: else they hardly run.
LEAST = {
    **dict.fromkeys(("wait for a mutex", "wait for a condition", "limit", "cancelled", "sem_post"), 5),
    **dict.fromkeys(("wait for a semaphore", "wait for a queue", "wait cancelled", "joined", "cleanup"), 1),
    "mutex_lock": 20,
}
# And 30 000 calls at the least once.
ONCE = (
    *("raised", "mutex in memory", "condition in memory", "cancelled twice", "once"),
    *(
        "owner ended",
        "told of a message",
        "raised along a chain",
        "several sleepers look again",
        "several woken",
        "timer expired",
    ),
    *("wait to read", "wait to write", "wait at a barrier", "destroyed while in use", "semaphore in memory"),
    *("priority of a waiter", "count of mutex", "count of thread", "count of queue", "count of heap"),
    *(name for name in stream.NAMES if name not in stream.NOT_CHOSEN),
)


def check(where: str, seeds: range, calls: int = 1000, cpus: int = 1) -> Counter[str]:
    """Runs a program for each seed; what they have reached."""
    reached: Counter[str] = Counter()
    for seed in seeds:
        program = stream.make(seed, calls, stream.kernel_of(where))
        log = stream.WHERE[where](program) if cpus == 1 else stream.run(program, where, cpus)
        wrong = stream.difference(program, log)
        assert not wrong, f"{where}, seed {seed}: {wrong}"
        reached.update(program.reached)
        reached["calls"] += len(program.log)
    few = {
        name: reached[name]
        for name, least in LEAST.items()
        if 1000 * reached[name] < least * reached["calls"]
    }
    assert not few, f"hardly reached: {few}"
    return reached


@pytest.mark.test
def test_some_random_programs_on_the_host() -> None:
    """The software kernel without the SoC: exact results and order of each call, counts at the end."""
    assert check("host", range(SEED, SEED + 6))["calls"] > 4_000


def test_random_programs_on_the_host() -> None:
    reached = check("host", range(SEED, SEED + 36))
    assert reached["calls"] > 24_000
    assert not [name for name in ONCE if not reached[name]]


@pytest.mark.test
def test_what_takes_long_is_alone_in_its_unit_of_time() -> None:
    """Else the unit ends before all threads wait, and what they do has another order than in the model."""
    for seed in range(SEED, SEED + 20):
        units: dict[int, list[str]] = {}
        for entry in stream.make(seed, 600, "sw").log:
            units.setdefault(entry.time, []).append(entry.call)
        for time, calls in list(units.items())[1:]:  # the first one prepares
            long = [at for at, call in enumerate(calls) if call in LONG]
            assert long == [] or (len(long) == 1 and long[0] <= BURST // 2), f"seed {seed}, unit {time}"


@pytest.mark.parametrize("kernel", stream.LEFT)
def test_random_programs_on_one_of_two_cpus(kernel: str) -> None:
    check(kernel, range(SEED, SEED + 2), 300, cpus=2)


@pytest.mark.parametrize("kernel", stream.LEFT)
@pytest.mark.nightly
def test_random_programs(kernel: str) -> None:
    check(kernel, range(SEED + 10, SEED + 10 + PROGRAMS))


@pytest.mark.parametrize("lot", range(20))
@pytest.mark.parametrize("where", stream.WHERE)
@pytest.mark.nightly
def test_many_random_programs(where: str, lot: int) -> None:
    check(where, range(1000 * SEED + 50 * lot, 1000 * SEED + 50 * lot + 50))


# Small: they take a second each.
QUICK = ("mutex", "mutex, static", "semaphore, limit", "barrier in memory", "thread, detached")


def allowed(name: str, scenario: Scenario) -> None:
    found = explored("POSIX layer", name, scenario)
    assert found.exhausted or found.executions == scenario.limit
    assert len(found.histories) > 1


@pytest.mark.parametrize("name", TWO)
@pytest.mark.nightly(but=QUICK)
@pytest.mark.test(*QUICK)
def test_two_threads(name: str) -> None:
    allowed(name, TWO[name])


@pytest.mark.parametrize("name", THREE)
@pytest.mark.nightly
def test_three_threads(name: str) -> None:
    allowed(name, THREE[name])


FAULTS: Mapping[str, Mapping[str, str]] = tomllib.loads(
    (Path(__file__).parent / "posix" / "faults.toml").read_text("utf-8")
)


@pytest.mark.test
def test_every_fault_has_its_place() -> None:
    for fault in FAULTS.values():
        assert planted(fault)


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.nightly(but=("mq_close leaks the queue",))
def test_a_planted_fault_is_found(fault: str, tmp_path: Path) -> None:
    assert found(FAULTS[fault], tmp_path, 100_000)


@pytest.mark.test
def test_bad_input_is_one_line() -> None:
    with pytest.raises(UserError, match=r"^unknown kernel 'x': hw, sw, host$"):
        main(["x"])
    with pytest.raises(UserError, match=r"^unknown scenario 'x': one of mutex, mutex, static, "):
        main(["scenario", "x"])
