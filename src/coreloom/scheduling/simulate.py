"""Run a workload on a policy of policies/*.c in the discrete-event simulator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from coreloom.scheduling.workload import Machine, Workload

Progress = Callable[[float], None]  # called with the part that is done, 0 to 1


@dataclass(frozen=True)
class ThreadRow:
    """What one thread had. Times in us; latency: from becoming runnable until it runs."""

    name: str
    weight: int
    service_us: float
    share: float  # of all service
    waiting_us: float  # runnable, but not running
    switches: int  # how often it was switched to
    migrations: int  # of them: on another CPU than before
    wakeups: int
    latency_mean_us: float
    latency_p50_us: float
    latency_p95_us: float
    latency_p99_us: float
    latency_max_us: float
    throughput: int  # times its steps ended


@dataclass(frozen=True)
class Outcome:
    """What one run gave."""

    workload: str
    policy: str
    cpus: int
    threads: tuple[ThreadRow, ...]
    simulated_us: float
    events: int
    switches: int
    migrations: int
    moved: int  # threads that the policy took from one CPU's queue to another's
    held: int  # dwrr: how often a CPU waited for the round of others
    idle_share: float  # of the CPUs' time
    lost_share: float  # of the CPUs' time: costs of switches, migrations and cold caches
    fairness: float  # Jain's index of service / weight
    gap_us: float  # largest difference of service / weight, for nice 0; see lag.h
    gap_in_B: float
    bound_in_B: float | None  # None: this policy has none
    latency_p50_us: float
    latency_p95_us: float
    latency_p99_us: float
    latency_max_us: float
    wall_seconds: float
    events_per_s: float


def run(
    workload: Workload,
    machine: Machine,
    policy: str,
    seconds: float,
    seed: int = 1,
    *,
    timeline: Path | None = None,
    progress: Progress | None = None,
) -> Outcome:
    """Simulate `seconds` of the workload under a policy (a name, or exclusive:BASE)."""
    raise NotImplementedError
