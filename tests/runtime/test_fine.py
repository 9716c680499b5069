# SPDX-License-Identifier: Apache-2.0
"""The software kernel with fine-grained locks (runtime/fine) answers what that with one lock answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from coreloom.design import platform
from coreloom.errors import UserError
from coreloom.toolchain import firmware

from .test_programs import PROGRAMS, run

CHECKED = (
    *(
        "stress",
        "ports",
        "naps",
        "timeouts",
        "priorities",
        "cancel",
        "queues",
        "wakes",
        "protocols",
        "clocks",
    ),
    *("placement", "affinity", "interrupts", "suspend", "pileup", "pipeline", "policies", "attributes"),
)


@pytest.mark.parametrize("cpus", (2, 4))
@pytest.mark.parametrize("program", CHECKED)
@pytest.mark.test("ports-2", "cancel-2")
@pytest.mark.nightly(*(f"{program}-4" for program in CHECKED if program not in ("stress", "pipeline")))
def test_programs(program: str, cpus: int) -> None:
    result = run(program, "standard", cpus, "fine")
    assert result.uart.endswith("ok\n"), f"{result.reason}: {result.uart}"


@pytest.mark.test
def test_one_cpu_has_the_same_program() -> None:
    """There are no locks."""
    soc = platform.load("smp-standard", 1)

    def image(kernel: str) -> bytes:
        elf = firmware.build(str(PROGRAMS / "ports.c"), soc, kernel)
        return Path(elf).with_suffix(".bin").read_bytes()

    assert image("fine") == image("sw")


@pytest.mark.test
def test_a_policy_is_refused() -> None:
    with pytest.raises(
        UserError, match=r"^kernel fine has fixed priorities only, not policy 'cfs': choose --on sw$"
    ):
        firmware.build(str(PROGRAMS / "ports.c"), platform.load("smp-standard", 2), "fine", policy="cfs")
