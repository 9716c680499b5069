# SPDX-License-Identifier: Apache-2.0
"""The simulator and the driver of the policies' tests, written apart: the same to the nanosecond."""

from __future__ import annotations

from random import Random

import pytest

from coreloom.scheduling.build import policies
from coreloom.scheduling.simulate import run
from coreloom.scheduling.workload import Machine, Thread, Workload
from policies.machine import ANY_CPU
from policies.machine import Machine as Driver

EVERY = [name for name in policies() if name != "exclusive"]
NEVER_US = 1e9  # periodic balancing


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("policy", EVERY)
def test_both_serve_the_same(policy: str, seed: int) -> None:
    random = Random(seed)
    machine = Machine(cpus=random.choice((1, 2, 4, 7)), slice_us=25_000, balance_us=NEVER_US)
    threads = [
        Thread(
            f"t{n}",
            weight=random.choice((15, 335, 1024, 1024, 9548)),
            priority=random.randint(90, 139),
            realtime=random.random() < 0.2,
            cpu=random.choice((None, None, None, machine.cpus - 1)),
            start_us=n * random.choice((0, 1000, 7333)),
        )
        for n in range(random.randint(1, 12))
    ]
    threads.sort(key=lambda thread: thread.start_us)
    found = run(Workload("w", tuple(threads)), machine, policy, 2)

    def ns(us: float) -> int:
        return round(us * 1000)

    driver = Driver(
        policy,
        machine.cpus,
        slice=ns(machine.slice_us),
        latency=ns(machine.latency_us),
        granularity=ns(machine.granularity_us),
        warm=ns(machine.stay_us),
        realtime_cpus=min(machine.realtime_cpus, machine.cpus),
    )
    for thread in threads:
        driver.run(ns(thread.start_us))
        home = ANY_CPU if thread.cpu is None else thread.cpu
        number = driver.thread(thread.weight, priority=thread.priority, home=home, realtime=thread.realtime)
        driver.wake(number)
    driver.run(2_000_000_000)
    assert [ns(row.service_us) for row in found.threads] == driver.services()
    assert (found.switches, found.migrations) == (driver.switches, driver.migrations)
    assert (found.moved, found.held) == (driver.moved, driver.held)
