"""What the tests of the kernel's RTL have in common: seeds and sizes."""

from __future__ import annotations

import os

from coreloom.model.kernel import Config
from coreloom.paths import RTL

KERNEL = RTL / "kernel"
SEED = int(os.environ.get("CORELOOM_SEED", "20261121"), 0)

DEFAULT = Config()
LARGE = Config(threads=256, priorities=128)


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
