# SPDX-License-Identifier: Apache-2.0
"""What the tests of the kernel's RTL have in common: seeds, sizes, scenarios."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from coreloom.paths import RTL
from coreloom.reference.kernel import Config
from coreloom.reference.scenario import Scenario
from coreloom.simulation.harness.kernel_port import play

KERNEL = RTL / "kernel"
SEED = int(os.environ.get("CORELOOM_SEED", "20261121"), 0)

DEFAULT = Config()
LARGE = Config(threads=256, priorities=128)
# What barriers and event flags are tried on: one model for both.
SERVICES = Config(cpus=1, timeouts=True, event_flags=True)


def small(cpus: int, hw_threads: int = 0, policy: str = "priority") -> Config:
    """Tables that fill up, of sizes that are no powers of two."""
    return Config(
        cpus=cpus,
        threads=16,
        priorities=8,
        ports=6,
        port_depth=3,
        mutexes=5,
        semaphores=5,
        conditions=3,
        lines=5,
        hw_threads=hw_threads,
        policy=policy,
    )


# All services of the usual policy: the second model of the kernel in the tier `test`.
FULL = replace(small(3), reserve=True, inheritance=True, timeouts=True, event_flags=True, port_words=2)


# --- scenarios -----------------------------------------------------------------------------


def run(s: Scenario, tmp_path: Path) -> None:
    """Play it on the RTL, which must agree with the model whatever the pauses between operations."""
    for seed in (0, 1, 2, 3):
        play(s.kernel.config, s.steps, seed, tmp_path)


def irq(s: Scenario) -> int:
    """The CPUs that should give way after the last operation, a bit each."""
    return s.steps[-1].irq


def words(s: Scenario) -> tuple[tuple[int, int], ...]:
    """The last operation's answers, each with its client."""
    return s.steps[-1].words
