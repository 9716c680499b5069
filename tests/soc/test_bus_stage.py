# SPDX-License-Identifier: Apache-2.0
"""Programs with registers at the bus (bus_pipeline): stores are on their way for longer."""

from __future__ import annotations

import pytest

from cases import nightly_but
from conforms import conforms
from coreloom.design import platform

from .litmus import litmus, run_program

CHANGES = {"bus_pipeline": True}


@pytest.mark.parametrize(
    ("cpus", "seed", "rounds"),
    nightly_but(
        [(2, 1, 100), *((4, seed, 100 if seed == 1 else 1000) for seed in range(1, 9))],
        [(2, 1, 100), (4, 1, 100)],
    ),
)
def test_litmus(cpus: int, seed: int, rounds: int) -> None:
    litmus(platform.load("smp-fast", cpus, changes=CHANGES), seed, rounds)


@pytest.mark.parametrize(
    "program",
    nightly_but(
        ["atomics", "hthreads", "pipeline", "stress", "sharing"],
        ["atomics", "stress"],
    ),
)
def test_programs_of_the_runtime(program: str) -> None:
    result = run_program(program, platform.load("smp-fast", 4, changes=CHANGES))
    assert result.uart.endswith("ok\n"), f"{result.reason}: {result.uart}"


@pytest.mark.nightly(but=("condition",))
@pytest.mark.parametrize("group", ["threads", "mutex", "condition"])
def test_conformance(group: str) -> None:
    conforms(group, platform.load("smp-fast", 4, changes=CHANGES), "hw")
