# SPDX-License-Identifier: Apache-2.0
"""The built-in cases of `coreloom model`, by name."""

from __future__ import annotations

from coreloom.scheduling import applications
from coreloom.scheduling.case import Case
from coreloom.scheduling.workload import (
    Compute,
    Costs,
    Exit,
    Lock,
    Machine,
    Sleep,
    Thread,
    Unlock,
    Workload,
    Yield,
    nice_weight,
)

_NICE_5 = nice_weight(5)


def _counterexample() -> Case:
    threads = (
        Thread("T1"),
        *(Thread(f"T{n}", weight=_NICE_5, priority=125) for n in range(2, 6)),
    )
    return Case(
        Workload("counterexample", threads),
        Machine(cpus=2),
        30,
        "[DWRR]'s: nice 0 and four of nice 5 on 2 CPUs; by weight T1 has 3.06 times as much as another",
    )


def _five_on_four() -> Case:
    return Case(
        Workload("five-on-four", (Thread("hog", count=5),)),
        Machine(cpus=4),
        30,
        "[DWRR]'s: five equal threads on 4 CPUs; fair is 80 % of a CPU each",
    )


def _sleepers() -> Case:
    sleeper = Thread("sleeper", count=8, steps=(Compute(1000, 0.5), Sleep(4000, dist="exponential")))
    return Case(
        Workload("sleepers", (Thread("hog", count=4), sleeper)),
        Machine(cpus=4),
        text="eight threads that sleep four times as long as they compute, among four that compute",
    )


def _mutex() -> Case:
    """A thread takes one of 8 locks, gives way, unlocks; what it does in between takes 1 us here."""
    threads = tuple(
        Thread(
            f"lock{n}",
            count=4,
            steps=(Lock(f"m{n}"), Compute(0.5), Yield(), Compute(0.5), Unlock(f"m{n}")),
            times=10_000,
        )
        for n in range(8)
    )
    return Case(
        Workload("mutex", threads),
        Machine(cpus=4),
        60,
        "sysbench threads after [DWRR], 320 of its 10 000 events: 32 threads, 8 locks; how long it takes",
    )


def _interactive() -> Case:
    user = Thread("user", steps=(Compute(500, 0.5), Sleep(10_000, dist="exponential")))
    return Case(
        Workload("interactive", (user, Thread("hog", count=8))),
        Machine(cpus=4),
        text="one thread that wakes for half a millisecond, among eight that compute: its latency",
    )


def _arrivals() -> Case:
    job = Thread("job", count=20_000, gap_us=500, steps=(Compute(1500, 1), Exit()))
    return Case(
        Workload("arrivals", (job,)),
        Machine(cpus=4),
        60,
        "20 000 jobs of 0 to 3 ms that arrive whether or not the others are done, load 75 %",
    )


def _infeasible() -> Case:
    return Case(
        Workload("infeasible", (Thread("heavy", weight=10_240), Thread("light", count=3))),
        Machine(cpus=2),
        text="a weight of ten beside three of one on 2 CPUs: it can have one CPU, not 10/13 of two",
    )


def _reserve() -> Case:
    player = Thread("player", steps=(Compute(12_000, 0.5), Sleep(8000)))
    return Case(
        Workload("reserve", (player, Thread("encoder", count=8)), ((3, "player"),)),
        Machine(cpus=4),
        text="[GF]: a player with CPU 3 for itself, beside eight encoders; needs a policy exclusive:BASE",
    )


# By thread: the messages it gets of one request or of ten packets, and its mean cycles for each; measured on
# the hardware kernel with all threads on one of two CPUs.
_IMAGE = {"control": (1, 62), "decoder": (1, 604), "filter": (1, 678)}
_PACKETS = {
    "packetizer": (10, 101),
    "decoder 0": (5, 214),
    "decoder 1": (5, 220),
    "crc 0": (5, 906),
    "crc 1": (5, 984),
    "enqueue": (10, 55),
    "classifier": (10, 166),
    "forward": (6, 547),
    "store": (2, 341),
    "discard": (2, 51),
}
_PORT_DEPTH = 8


def _application(app: str, means: dict[str, tuple[int, int]], text: str) -> Case:
    computes = {thread: [cycles] * count for thread, (count, cycles) in means.items()}
    return Case(
        applications.workload(app, computes, _PORT_DEPTH, placed=False),
        Machine(cpus=2, slice_us=10_000),
        1,
        f"{text}; a us is a cycle of the SoC, `coreloom bench model` has the real times",
        Costs(switch_us=29),
    )


_CASES = (
    _counterexample(),
    _five_on_four(),
    _sleepers(),
    _mutex(),
    _interactive(),
    _arrivals(),
    _infeasible(),
    _reserve(),
    _application("image", _IMAGE, "[SMP]'s image filter: three threads and their ports"),
    _application("packets", _PACKETS, "[SMP]'s packet processing: ten threads and their ports"),
)
CASES: dict[str, Case] = {case.workload.name: case for case in _CASES}
