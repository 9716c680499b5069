"""Communication between processors on the simulated SoC: both cores, both kernels, smp-bus and amp."""

from __future__ import annotations

from pathlib import Path

import pytest

from coreloom import firmware, platform, simulate, verilate
from coreloom.simulate import SimResult

PROGRAMS = Path(__file__).with_name("programs")
CORES = ("economy", "standard")
PLATFORMS = ("amp", "smp")
# What each prints.
PRINTED = {
    "mailbox": "ok\n",
    "signals": "ok\n",
    "exclusion": "ok\n",
}


def run(program: str, core: str, cpus: int, kernel: str, kind: str, **defines: int | str) -> SimResult:
    chosen = platform.load(f"{kind}-{core}", cpus)
    elf = firmware.build(str(PROGRAMS / f"{program}.c"), chosen, kernel, defines)
    return simulate.run(verilate.build_model(chosen), elf.with_suffix(".bin"), max_cycles=5_000_000)


@pytest.mark.parametrize("kind", PLATFORMS)
@pytest.mark.parametrize("kernel", firmware.KERNELS)
@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("program", PRINTED)
def test_exact_output(program: str, core: str, kernel: str, kind: str) -> None:
    result = run(program, core, 2, kernel, kind)
    assert result.uart == PRINTED[program], result.reason
    assert result.exit_status == 0
