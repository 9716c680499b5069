"""Programs on processor 1 behind the Back-Door, on the simulated SoC: both cores, both kernels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from coreloom import firmware, platform, simulate, verilate
from coreloom.simulate import SimResult

PROGRAMS = Path(__file__).with_name("programs")
CORES = ("economy", "standard")


def run(
    program: str, core: str, kernel: str, defines: dict[str, int] | None = None, **options: Any
) -> SimResult:
    chosen = platform.load(f"backdoor-{core}")
    elf = firmware.build(str(PROGRAMS / f"{program}.c"), chosen, kernel, defines)
    model, loader = verilate.build_model(chosen), firmware.build_loader(chosen)
    return simulate.run(model, elf, loader=loader, **{"max_cycles": 20_000_000, **options})


@pytest.mark.parametrize("kernel", firmware.KERNELS)
@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("program", ["remote", "remote_ends"])
def test_exact_output(program: str, core: str, kernel: str) -> None:
    result = run(program, core, kernel)
    assert result.uart == "ok\n", result.reason
    assert result.exit_status == 0


@pytest.mark.parametrize(("core", "period"), [("economy", 2137), ("standard", 613)])
def test_clocks_that_do_not_match(core: str, period: int) -> None:
    result = run("remote", core, "hw", far_period=period)
    assert result.uart == "ok\n", result.reason
