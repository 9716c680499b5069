# SPDX-License-Identifier: Apache-2.0
"""exclusive: Golden-Finger's five states over every base, and what may be refused."""

from __future__ import annotations

import ctypes
import errno
import random

import pytest

from policies.machine import ANY_CPU, POLICIES, Machine, storm

BASES = sorted(path.stem for path in POLICIES.glob("*.c") if path.stem != "exclusive")
VALIDATE, LIST, CHOOSE, MIGRATE, RUN = range(5)


class Policy(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_char_p) for name in ("name", "text")),
        *((name, ctypes.c_uint32) for name in ("cpu_size", "shared_size")),
    )
    shared_size: int


class State(ctypes.Structure):
    """What exclusive keeps of the last request, behind the base's own."""

    _fields_ = (
        *((name, ctypes.c_uint32) for name in ("state", "reached", "cpu", "threads")),
        ("load", ctypes.c_uint64),
        ("lightest", ctypes.c_uint32),
    )
    state: int
    reached: int
    cpu: int
    threads: int
    load: int
    lightest: int


def state(m: Machine, base: str) -> State:
    size = Policy.in_dll(m._c, f"cl_{base}").shared_size
    address: int = m._c.host_shared(m._host)
    return State.from_address(address + (size + 7) // 8 * 8)


def machine(base: str, cpus: int, threads: int = 64) -> Machine:
    return Machine(
        f"exclusive:{base}",
        cpus,
        slice=1000,
        latency=6000,
        granularity=750,
        warm=500,
        realtime_cpus=1,
        threads=threads,
    )


def figure(base: str) -> tuple[Machine, list[int]]:
    """[GF], figure 5: 11 threads on 4 CPUs, and CPU 0 is the lightest. Threads 4 and 6 are those of CPU 3."""
    m = machine(base, 4)
    threads = [m.start(weight=1024 if i % 4 else 512) for i in range(11)]
    return m, threads


# --- the five states


@pytest.mark.parametrize("base", ["cfs", "o1", "eevdf", "static"])
def test_the_paper_s_example(base: str) -> None:
    if base not in BASES:
        pytest.skip("not built yet")
    m, _ = figure(base)
    before = [{i for i in range(11) if m.view(i).cpu == cpu} for cpu in range(4)]
    load = [m.load(cpu) for cpu in range(4)]
    target = max(range(4), key=lambda cpu: (load[cpu], cpu))
    lightest = min((cpu for cpu in range(4) if cpu != target), key=lambda cpu: (load[cpu], cpu))
    process_g = m.thread()
    assert m.reserve(target, process_g) == 0
    seen = state(m, base)
    assert (seen.state, seen.reached, seen.cpu) == (VALIDATE, RUN, target)
    assert (seen.threads, seen.load, seen.lightest) == (len(before[target]), load[target], lightest)
    assert m.running[target] is None
    after = [{i for i in range(11) if m.view(i).cpu == cpu} for cpu in range(4)]
    assert after[lightest] == before[lightest] | before[target]
    assert m.load(lightest) == load[lightest] + load[target]
    m.check()
    m.wake(process_g)
    assert m.running[target] == process_g
    m.run(100_000)
    assert m.view(process_g).service == 100_000
    assert {i for i in range(11) if m.view(i).cpu == target} == set()


@pytest.mark.parametrize("priority", [0, 139])
@pytest.mark.parametrize("base", BASES)
def test_threads_of_every_priority_leave(base: str, priority: int) -> None:
    m = machine(base, 2)
    threads = [m.start(priority=priority) for _ in range(4)]
    assert m.reserve(1, m.thread()) == 0
    assert {m.view(thread).cpu for thread in threads if m.view(thread).queued} <= {0}
    m.check()
    assert m.running[1] is None


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("was", ["new", "running here", "running elsewhere", "waiting", "sleeping"])
def test_the_owner_runs_there_alone_whatever_it_did(base: str, was: str) -> None:
    m = machine(base, 3)
    threads = [m.start() for _ in range(7)]
    running = [thread for thread in m.running if thread is not None]
    assert len(running) == 3
    owner, cpu = {
        "new": (m.thread(), 1),
        "running here": (running[1], 1),
        "running elsewhere": (running[2], 1),
        "waiting": (next(thread for thread in threads if thread not in running), 1),
        "sleeping": (running[0], 1),
    }[was]
    if was == "sleeping":
        m.block(owner)
    assert m.reserve(cpu, owner) == 0
    m.check()
    if was in ("new", "sleeping"):
        assert m.running[cpu] is None
        m.wake(owner)
    assert m.running[cpu] == owner
    start, before = m.now, m.view(owner).service
    m.run(start + 50_000)
    assert m.view(owner).service - before == 50_000
    m.block(owner)
    assert m.running[cpu] is None
    m.run(m.now + 5000)
    assert m.running[cpu] is None
    m.check()
    m.wake(owner)
    assert m.running[cpu] == owner


@pytest.mark.parametrize("base", BASES)
def test_given_back_the_cpu_works_for_all_again(base: str) -> None:
    m = machine(base, 2)
    threads = [m.start() for _ in range(5)]
    owner = m.start()
    assert m.reserve(1, owner) == 0
    m.run(20_000)
    assert m.reserve(1, None) == 0
    before = m.services()
    for _ in range(50):
        m.run(m.now + 2000)
        m.balance(0)
        m.balance(1)
    m.check()
    used = sum(now - then for now, then in zip(m.services(), before, strict=True))
    assert used == 200_000
    if base != "static":
        assert max(m.view(thread).service for thread in threads) < 100_000


# --- what is refused


@pytest.mark.parametrize("base", BASES)
def test_what_is_refused(base: str) -> None:
    m = machine(base, 3)
    one, two, three = m.start(), m.start(), m.start()
    placed = m.thread(home=2)
    assert m.reserve(3, one) == errno.EINVAL
    assert state(m, base).reached == VALIDATE
    assert m.reserve(3, None) == errno.EINVAL
    assert m.reserve(0, None) == errno.EINVAL
    assert m.reserve(0, placed) == errno.EINVAL
    m.wake(placed)
    assert m.reserve(2, one) == errno.EBUSY
    assert m.reserve(2, placed) == 0
    assert m.reserve(2, one) == errno.EBUSY
    assert m.reserve(1, placed) == errno.EBUSY
    assert m.reserve(1, one) == 0
    assert m.reserve(0, two) == errno.EBUSY
    assert (state(m, base).state, state(m, base).reached) == (VALIDATE, VALIDATE)
    assert m.running == [m.current(0), one, placed]
    m.check()
    assert m.reserve(1, None) == 0
    assert m.reserve(0, three) == 0
    m.check()
    assert m.running[0] == three
    assert m.reserve(2, None) == 0
    assert m.reserve(2, one) == errno.EBUSY
    m.block(placed)
    assert m.reserve(2, one) == 0
    assert m.running == [three, two, one]


@pytest.mark.parametrize("base", BASES)
def test_a_placed_thread_that_wakes_waits_for_its_cpu(base: str) -> None:
    m = machine(base, 2)
    placed = m.start(home=1)
    m.block(placed)
    owner = m.start()
    assert m.reserve(1, owner) == 0
    m.wake(placed)
    m.run(50_000)
    assert m.running[1] == owner
    assert m.view(placed).service == 0
    assert m.reserve(1, None) == 0
    m.block(owner)
    assert m.running[1] == placed
    m.check()


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("cpus", [1, 2, 3, 6])
def test_random_requests_among_random_threads(base: str, cpus: int) -> None:
    m = machine(base, cpus)
    rng = random.Random(cpus)
    owners: dict[int, int] = {}

    def request(m: Machine) -> None:
        what = rng.random()
        cpu = rng.randrange(cpus)
        if what < 0.1:
            thread = rng.randrange(m.threads)
            placed = any(
                m.homes[other] == cpu and m.view(other).runnable and other != thread
                for other in range(m.threads)
            )
            refused = cpu in owners or thread in owners.values()
            expected = errno.EBUSY if refused else 0
            if not refused and m.homes[thread] not in (ANY_CPU, cpu):
                expected = errno.EINVAL
            elif not refused and (placed or len(owners) == cpus - 1):
                expected = errno.EBUSY
            assert m.reserve(cpu, thread) == expected
            assert state(m, base).state == VALIDATE
            assert state(m, base).reached == (VALIDATE if expected else RUN)
            if not expected:
                owners[cpu] = thread
        elif what < 0.18:
            assert m.reserve(cpu, None) == (0 if cpu in owners else errno.EINVAL)
            owners.pop(cpu, None)
        m.check()
        for cpu, thread in owners.items():
            assert m.running[cpu] == (thread if m.view(thread).runnable else None)

    storm(m, seed=cpus, steps=1500, check=request)
