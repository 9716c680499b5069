# SPDX-License-Identifier: Apache-2.0
"""Runs of the simulator: what holds whatever the policy, costs, ticks, locks, ports, determinism."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from coreloom.errors import UserError
from coreloom.scheduling.build import build, check_policy, policies
from coreloom.scheduling.simulate import Outcome, run
from coreloom.scheduling.workload import (
    Compute,
    Costs,
    Exit,
    Lock,
    Machine,
    Receive,
    Send,
    Sleep,
    Step,
    Thread,
    Unlock,
    Workload,
    Yield,
)

EVERY = [f"{name}:cfs" if name == "exclusive" else name for name in policies()]
every_policy = pytest.mark.parametrize("policy", EVERY)


def of(*threads: Thread, reserve: tuple[tuple[int, str], ...] = ()) -> Workload:
    return Workload("w", threads, reserve)


def one(name: str, *steps: Step, times: int | None = None) -> Thread:
    return Thread(name, steps=steps, times=times)


def services(outcome: Outcome) -> list[float]:
    return [row.service_us for row in outcome.threads]


def same(outcome: Outcome) -> Outcome:
    """Without what differs from run to run."""
    return dataclasses.replace(outcome, cpu_seconds=0, events_per_s=0)


@every_policy
def test_one_thread_has_its_cpu(policy: str) -> None:
    found = run(of(Thread("t")), Machine(cpus=1), policy, 1)
    assert services(found) == [1_000_000.0]
    assert (found.switches, found.migrations, found.idle_share, found.lost_share) == (1, 0, 0, 0)


@every_policy
def test_equal_threads_share_one_cpu(policy: str) -> None:
    found = run(of(Thread("t", count=2)), Machine(cpus=1), policy, 10)
    assert sum(services(found)) == 10_000_000.0
    assert all(abs(service - 5e6) <= 25_000 for service in services(found))
    assert found.fairness > 0.9999


@every_policy
def test_as_many_threads_as_cpus_run_all_the_time(policy: str) -> None:
    found = run(of(Thread("t", count=4)), Machine(cpus=4), policy, 2)
    assert services(found) == [2_000_000.0] * 4
    assert (found.switches, found.migrations, found.idle_share) == (4, 0, 0)
    assert (found.gap_us, found.counted) == (0, 4)


@every_policy
def test_time_is_served_idle_or_lost(policy: str) -> None:
    sleeper = Thread("s", count=3, steps=(Compute(700, spread=0.5), Sleep(300, dist="exponential")))
    machine = Machine(cpus=2, costs=Costs(switch_us=3, migrate_us=2, warm_us=5))
    found = run(of(Thread("hog"), sleeper), machine, policy, 1)
    total = sum(services(found)) / 2e6 + found.idle_share + found.lost_share
    assert total == pytest.approx(1, abs=1e-12)
    assert 0 < found.lost_share <= (3 * found.switches + 7 * found.migrations) / 2e6
    assert sum(row.switches for row in found.threads) == found.switches
    assert sum(row.migrations for row in found.threads) == found.migrations


@every_policy
def test_seed_decides(policy: str) -> None:
    sleeper = Thread("s", count=5, steps=(Compute(700, spread=1), Sleep(300, dist="exponential")))
    runs = [same(run(of(sleeper), Machine(cpus=2), policy, 0.5, seed)) for seed in (1, 1, 2)]
    assert runs[0] == runs[1] != runs[2]


@every_policy
def test_placed_threads_stay(policy: str) -> None:
    threads = (Thread("a", count=2, cpu=1), Thread("b", cpu=0))
    found = run(of(*threads), Machine(cpus=2), policy, 1)
    assert services(found)[2] == 1_000_000.0
    assert services(found)[0] + services(found)[1] == 1_000_000.0
    assert (found.migrations, found.counted, found.gap_us) == (0, 0, 0)


@every_policy
def test_sleeper_on_an_idle_cpu_has_no_latency(policy: str) -> None:
    found = run(of(one("s", Compute(1000), Sleep(1000))), Machine(cpus=1), policy, 1)
    [row] = found.threads
    assert (row.service_us, row.wakeups, row.throughput) == (500_000.0, 500, 500)
    assert (row.latency_max_us, row.waiting_us, found.idle_share) == (0, 0, 0.5)
    assert row.switches == 1  # nobody else was there


@every_policy
def test_start_and_end(policy: str) -> None:
    late = Thread("late", start_us=300, steps=(Compute(100),), times=2)
    early = Thread("early", steps=(Compute(250), Exit()))
    found = run(of(late, early), Machine(cpus=1), policy, 1)
    assert (found.simulated_us, found.alive, found.stuck) == (500.0, 0, False)
    assert services(found) == [200.0, 250.0]
    assert [row.throughput for row in found.threads] == [2, 1]
    assert found.idle_share == pytest.approx(0.1)


@every_policy
def test_lock_is_handed_over_in_order(policy: str) -> None:
    """Both threads compute 1 us outside and 1 us inside; on two CPUs they take turns from the second on."""
    user = Thread("u", count=2, steps=(Lock("l"), Compute(1), Unlock("l"), Compute(1)), times=100)
    found = run(of(user), Machine(cpus=2), policy, 1)
    assert found.simulated_us == 201.0
    assert [row.throughput for row in found.threads] == [100, 100]


@every_policy
def test_ports_carry_messages(policy: str) -> None:
    source = one("source", Compute(10), Send("p", 2), Sleep(90), times=50)
    sink = Thread("sink", count=2, steps=(Receive("p"), Compute(5)))
    found = run(of(source, sink), Machine(cpus=3), policy, 1)
    assert [row.throughput for row in found.threads] == [50, 50, 50]
    assert [row.wakeups for row in found.threads] == [49, 50, 50]
    assert (found.stuck, found.alive, found.simulated_us) == (True, 2, 5000.0)


@every_policy
def test_yield_lets_others_run(policy: str) -> None:
    found = run(of(Thread("y", count=2, steps=(Compute(10), Yield()))), Machine(cpus=1), policy, 0.01)
    assert sum(services(found)) == 10_000.0
    assert sum(row.throughput for row in found.threads) >= 999


@every_policy
def test_deadlock_is_found(policy: str) -> None:
    def take(first: str, second: str) -> tuple[Step, ...]:
        return (Lock(first), Compute(5), Lock(second), Compute(1), Unlock(second), Unlock(first))

    found = run(of(one("x", *take("a", "b")), one("y", *take("b", "a"))), Machine(cpus=2), policy, 1)
    assert (found.stuck, found.alive, found.simulated_us) == (True, 2, 5.0)


@every_policy
def test_many_threads_on_many_cpus(policy: str) -> None:
    found = run(of(Thread("t", count=300)), Machine(cpus=100), policy, 0.5)
    assert round(sum(services(found)), 3) == 50_000_000.0
    assert (found.idle_share, found.gap_exact) == (0, False)


BASES = [name for name in policies() if name != "exclusive"]


@pytest.mark.skipif("exclusive" not in policies(), reason="no policy exclusive")
@pytest.mark.parametrize("base", BASES)
def test_owner_has_its_cpu_alone(base: str) -> None:
    load = of(Thread("own"), Thread("t", count=6), reserve=((1, "own"),))
    found = run(load, Machine(cpus=3), f"exclusive:{base}", 1)
    assert services(found)[0] == 1_000_000.0
    assert (found.idle_share, found.counted) == (0, 6)


@pytest.mark.skipif("exclusive" not in policies(), reason="no policy exclusive")
@pytest.mark.parametrize("base", [name for name in BASES if name != "static"])  # that moves nobody back
def test_end_of_the_owner_gives_its_cpu_back(base: str) -> None:
    own = one("own", Compute(1000), Sleep(1000), Exit())
    found = run(
        of(own, Thread("t", count=64), reserve=((0, "own"),)), Machine(cpus=2), f"exclusive:{base}", 1
    )
    assert services(found)[0] == 1000.0
    assert found.idle_share == pytest.approx(1000 / 2e6)  # while the owner sleeps
    assert found.alive == 64


def random_workload(random: Random) -> Workload:
    """Anything that a file may say: sleeps, locks, ports, yields, ends, arrivals, weights, placements."""

    def steps() -> Iterator[Step]:
        for _ in range(random.randint(1, 4)):
            yield Compute(random.choice((0.5, 10, 1000, 30_000)), random.choice((0, 0.5, 1)))
            match random.randrange(6):
                case 0:
                    yield Sleep(random.choice((1, 100, 5000)), dist=random.choice(("fixed", "exponential")))
                case 1:
                    lock = random.choice("ab")
                    yield from (Lock(lock), Compute(random.choice((0, 5, 100))), Yield(), Unlock(lock))
                case 2:
                    yield Send("p", random.randint(1, 3))
                case 3:
                    yield Receive("p")
                case 4:
                    yield Yield()

    threads = [
        Thread(
            f"t{n}",
            count=random.randint(1, 5),
            weight=random.choice((1, 15, 335, 1024, 88_761, 1 << 20)),
            priority=random.randint(0, 139),
            realtime=random.random() < 0.3,
            start_us=random.choice((0, 0, 100)),
            gap_us=random.choice((0, 0, 50)),
            cpu=random.choice((None, None, 0)),
            steps=tuple(steps()),
            times=random.choice((None, 3)),
        )
        for n in range(random.randint(1, 8))
    ]
    return of(*threads, one("send", Compute(50), Send("p")), one("receive", Receive("p"), Compute(1)))


@every_policy
@pytest.mark.parametrize("seed", range(8))
def test_books_of_random_workloads_are_right(policy: str, seed: int) -> None:
    random = Random(seed)
    load = random_workload(random)
    tick, slice_us = random.choice((0, 333)), random.choice((100, 25_000))
    machine = Machine(cpus=random.choice((1, 2, 5, 65)), tick_us=tick, slice_us=slice_us)
    found = run(load, machine, policy, 0.1, seed)
    busy = sum(services(found))
    assert busy / (found.simulated_us * machine.cpus) + found.idle_share == pytest.approx(1, abs=1e-9)
    assert found.lost_share == pytest.approx(0, abs=1e-9)
    for row in found.threads:
        assert row.service_us + row.waiting_us <= found.simulated_us + 1e-6
        assert row.migrations <= row.switches
    if found.bound_in_B is not None and found.counted > 1:
        assert found.gap_in_B <= found.bound_in_B


def test_slices_end_at_ticks() -> None:
    """A slice of 25 ms at nice 0 with a tick of 10 ms: the first ends at 30 ms."""
    found = run(of(Thread("t", count=2)), Machine(cpus=1, tick_us=10_000), "ring", 0.035)
    assert services(found) == [30_000.0, 5_000.0]


def test_switch_costs_come_first() -> None:
    costs = Costs(switch_us=100, migrate_us=20, warm_us=3)
    found = run(of(Thread("t", count=2)), Machine(cpus=1, costs=costs), "ring", 0.0501)
    assert services(found) == [25_000.0, 24_900.0]
    assert (found.switches, found.migrations) == (2, 0)
    assert found.lost_share == pytest.approx(200 / 50_100)


def test_latency_is_from_waking_to_computing() -> None:
    """The hog is not preempted by a sleeper that is placed beside it under a policy without preemption."""
    costs = Costs(switch_us=100)
    sleeper = Thread("s", steps=(Compute(1000), Sleep(1000)), cpu=0)
    found = run(of(sleeper, Thread("hog", cpu=0)), Machine(cpus=1, costs=costs), "ring", 0.5)
    [row, _] = found.threads
    assert row.latency_max_us >= row.latency_p99_us >= row.latency_p50_us >= 100


def test_arrivals_are_exponential() -> None:
    jobs = Thread("job", count=20_000, gap_us=100, steps=(Compute(1), Exit()))
    found = run(of(jobs), Machine(cpus=4), "ring", 100)
    assert (found.alive, sum(services(found))) == (0, 20_000.0)
    assert found.simulated_us == pytest.approx(2e6, rel=0.03)  # 20 000 means: 0.7 % is one sigma
    again = run(of(jobs), Machine(cpus=1), "ring", 100)
    assert again.simulated_us == pytest.approx(found.simulated_us, abs=10)  # they come at the same times


def test_exponential_has_mean_and_tail() -> None:
    sleeper = one("s", Compute(0.001), Sleep(100, dist="exponential"))
    found = run(of(sleeper), Machine(cpus=1), "ring", 10)
    assert found.threads[0].throughput == pytest.approx(100_000, rel=0.01)


def test_timeline_shows_every_slice(tmp_path: Path) -> None:
    path = tmp_path / "made" / "t.json"
    run(of(Thread("a"), Thread("b")), Machine(cpus=1), "ring", 0.06, timeline=path)
    events = json.loads(path.read_text())["traceEvents"]
    on_cpu = [(e["name"], e["ts"], e["dur"]) for e in events if e["ph"] == "X" and e["pid"] == 1]
    assert on_cpu == [("a", 0.0, 25_000.0), ("b", 25_000.0, 25_000.0), ("a", 50_000.0, 10_000.0)]
    assert {e["args"]["name"] for e in events if e["ph"] == "M"} == {"CPUs", "Threads", "CPU 0", "0 a", "1 b"}


def test_progress_comes_to_the_caller() -> None:
    told: list[float] = []
    sleeper = Thread("s", count=100, steps=(Compute(1), Sleep(1, dist="exponential")))
    run(of(sleeper), Machine(cpus=4), "ring", 3, progress=told.append)
    assert told == sorted(told)
    assert all(0 < part <= 1 for part in told)


@pytest.mark.parametrize(
    ("seconds", "seed", "line"),
    [
        (0, 1, "seconds must be above 0 and at most 1e+06, not 0"),
        (-1, 1, "seconds must be above 0 and at most 1e+06, not -1"),
        (math.nan, 1, "seconds must be above 0 and at most 1e+06, not nan"),
        (1, -1, "seed must be a whole number from 0 to 2^64 - 1, not -1"),
    ],
)
def test_wrong_run_is_one_line(seconds: float, seed: int, line: str) -> None:
    with pytest.raises(UserError) as error:
        run(of(Thread("t")), Machine(), "ring", seconds, seed)
    assert str(error.value) == line


def test_unknown_policy_is_one_line() -> None:
    names = ", ".join("exclusive:BASE" if name == "exclusive" else name for name in policies())
    for wrong in ("fifo", "exclusive:fifo", "exclusive:exclusive", ""):
        with pytest.raises(UserError) as error:
            check_policy(wrong)
        assert (
            str(error.value)
            == f"unknown policy '{wrong}': choose one of {names}, or give a path that ends in .c"
        )


def test_reservation_needs_its_policy() -> None:
    with pytest.raises(UserError) as error:
        run(of(Thread("t"), reserve=((1, "t"),)), Machine(), "ring", 1)
    assert str(error.value) == "workload 'w' reserves CPUs: choose policy exclusive:ring, not ring"


def test_compiles_without_a_warning() -> None:
    assert build(("-Werror",)).is_file()


def test_missing_compiler_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler -x")
    with pytest.raises(UserError) as error:
        build()
    assert str(error.value) == "the C compiler in $CC was not found: no-such-compiler -x"


def test_dwrr_holds_nobody_for_sleepers() -> None:
    """However many threads sleep and wake, each round ends."""
    sleeper = (Compute(1000, 0.5), Sleep(40_000, dist="exponential"))
    mixed = Workload("mixed", (Thread("hog", count=80), Thread("sleeper", count=304, steps=sleeper)))
    found = run(mixed, Machine(cpus=16), "dwrr", 1.0)
    assert (found.held, found.idle_share) == (0, 0)
    assert found.gap_in_B <= 2
