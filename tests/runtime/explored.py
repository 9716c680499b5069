# SPDX-License-Identifier: Apache-2.0
"""A scenario is explored, and what was found is noted for build/results/exploration.json."""

from __future__ import annotations

import time
from typing import Protocol

import pytest

from coreloom.toolchain import firmware
from proofs import Exploration, note

from .explore.machine import Found


class Scenario(Protocol):
    """Of the software kernel (explore/scenarios.py), or of the POSIX layer (posix/interleave.py)."""

    @property
    def threads(self) -> tuple[str, ...]: ...
    @property
    def cpus(self) -> int: ...
    @property
    def time_steps(self) -> int: ...
    def explore(self) -> Found: ...
    def wrong(self, found: Found) -> str: ...


def explored(unit: str, name: str, scenario: Scenario) -> Found:
    """Fails, with the last steps, if something is wrong."""
    start = time.process_time()
    found = scenario.explore()
    if wrong := scenario.wrong(found):
        schedule = "\n".join(found.schedule[-40:])
        pytest.fail(f"{wrong}\n{schedule}")
    open_ = [] if found.exhausted else [f"interleavings beyond {found.executions}"]
    if scenario.time_steps:
        open_.append(f"more than {scenario.time_steps} rings of timers")
    note(
        Exploration(
            unit, name, getattr(scenario, "policy", firmware.PRIORITY), scenario.cpus, len(scenario.threads),
            found.executions, len(found.histories), found.method,
            round(time.process_time() - start, 2), open_,
        )
    )  # fmt: skip
    return found
