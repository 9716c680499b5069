# SPDX-License-Identifier: Apache-2.0
"""Communication between processors on the simulated SoC: all cores, both kernels, smp-bus and amp."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from cases import nightly_but
from coreloom.design import platform
from coreloom.simulation import simulate
from coreloom.simulation.simulate import SimResult
from coreloom.toolchain import firmware, verilate
from coreloom.toolchain.elf import symbols

PROGRAMS = Path(__file__).with_name("programs")
CORES = ("economy", "standard")
PLATFORMS = ("amp", "smp")
CHECKED = ("mailbox", "signals", "exclusion", "handlers", "preempted", "many", "messages")


def run(
    program: str, core: str, cpus: int, kernel: str, kind: str, build: str = "", **defines: int | str
) -> SimResult:
    chosen = platform.load(f"{kind}-{core}", cpus, changes={"kernel.build": build} if build else {})
    elf = firmware.build(str(PROGRAMS / f"{program}.c"), chosen, kernel, defines)
    return simulate.run(verilate.build_model(chosen), elf, simulate.Options(max_cycles=5_000_000))


# A program asks for each core, platform and kernel once or more, not for each combination of them.
WHERE = (*product(CORES, PLATFORMS), ("fast", "smp"))


@pytest.mark.parametrize(
    ("program", "kernel", "core", "kind"),
    nightly_but(
        [(program, kernel, *where) for program, kernel, where in product(CHECKED, firmware.KERNELS, WHERE)],
        [
            *((program, "hw", "standard", "amp") for program in CHECKED),
            *((program, "sw", "standard", "smp") for program in CHECKED),
            *((program, "hw", "economy", "smp") for program in CHECKED),
            *((program, "sw", "economy", "amp") for program in CHECKED),
            *((program, "hw", "fast", "smp") for program in ("signals", "handlers", "messages")),
        ],
    ),
)
@pytest.mark.nightly(
    but=(
        "mailbox-hw-economy-smp",
        "signals-hw-standard-amp",
        "exclusion-sw-economy-amp",
        "handlers-hw-fast-smp",
        "preempted-sw-standard-smp",
        "many-sw-economy-amp",
        "messages-hw-fast-smp",
    )
)
def test_exact_output(program: str, kernel: str, core: str, kind: str) -> None:
    result = run(program, core, 2, kernel, kind)
    assert result.uart == "ok\n", result.reason
    assert result.exit_status == 0


@pytest.mark.parametrize(("core", "kind"), nightly_but(WHERE, [("fast", "smp")]))
@pytest.mark.parametrize("program", CHECKED)
def test_exact_output_of_fast_ports(program: str, core: str, kind: str) -> None:
    result = run(program, core, 2, "hw", kind, build="fast")
    assert result.uart == "ok\n", result.reason
    assert result.exit_status == 0


@pytest.mark.parametrize("core", nightly_but(CORES, ["standard"]))
def test_four_processors(core: str) -> None:
    assert run("many", core, 4, "hw", "amp").uart == "ok\n"


# Everything at once, at random: what it adds up to depends on the seed and the number of processors only.
QUICK = nightly_but(
    (("economy", 2, "amp"), ("standard", 2, "smp"), ("standard", 4, "amp"), ("fast", 4, "smp")),
    [("economy", 2, "amp"), ("standard", 4, "amp")],
)
TOTALS = {2: "def672c5", 4: "e4c27ff4"}


@pytest.mark.parametrize("kernel", firmware.KERNELS)
@pytest.mark.parametrize(("core", "cpus", "kind"), QUICK)
@pytest.mark.nightly(but=("economy-2-amp-hw", "standard-4-amp-sw"))
def test_storm(core: str, cpus: int, kernel: str, kind: str) -> None:
    result = run("storm", core, cpus, kernel, kind, ROUNDS=2)
    assert result.uart == f"total {TOTALS[cpus]}\nok\n", result.reason


def test_storm_of_fast_ports() -> None:
    result = run("storm", "fast", 4, "hw", "smp", build="fast", ROUNDS=2)
    assert result.uart == f"total {TOTALS[4]}\nok\n", result.reason


@pytest.mark.nightly
@pytest.mark.parametrize("cpus", (2, 4))
@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("seed", range(1, 8))
def test_storm_with_other_seeds(seed: int, core: str, cpus: int) -> None:
    printed = set()
    for kernel in firmware.KERNELS:
        for kind in PLATFORMS:
            result = run("storm", core, cpus, kernel, kind, SEED=seed, ROUNDS=4)
            assert result.uart.endswith("\nok\n"), f"{kernel}, {kind}: {result.reason}: {result.uart}"
            printed.add(result.uart)
    assert len(printed) == 1


@pytest.mark.parametrize("kernel", firmware.KERNELS)
@pytest.mark.parametrize(("core", "cpus", "kind"), QUICK)
def test_resets_in_the_middle_of_everything(core: str, cpus: int, kernel: str, kind: str) -> None:
    result = run("resets", core, cpus, kernel, kind, STEPS=80)
    assert result.uart == "ok\n", result.reason


@pytest.mark.nightly
@pytest.mark.parametrize("kind", PLATFORMS)
@pytest.mark.parametrize("cpus", (2, 4))
@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("seed", range(1, 9))
def test_resets_with_other_seeds(seed: int, core: str, cpus: int, kind: str) -> None:
    result = run("resets", core, cpus, tuple(firmware.KERNELS)[seed % 2], kind, SEED=seed)
    assert result.uart == "ok\n", result.reason


@pytest.mark.parametrize("kernel", firmware.KERNELS)
def test_a_platform_without_the_port_says_so_and_pays_nothing(kernel: str) -> None:
    chosen = platform.load("hthreads")
    elf = firmware.build(str(PROGRAMS / "no_port.c"), chosen, kernel)
    result = simulate.run(verilate.build_model(chosen), elf, simulate.Options(max_cycles=1_000_000))
    assert result.uart == "ok\n"
    names = {name for name, _ in symbols(elf)}
    assert "cl_fault" in names
    assert not {name for name in names if "ipc" in name and not name.endswith(".c")}


@pytest.mark.parametrize("kind", PLATFORMS)
@pytest.mark.parametrize("kernel", firmware.KERNELS)
def test_blocks_run_at_the_speed_of_the_core(kernel: str, kind: str) -> None:
    assert run("stream", "standard", 2, kernel, kind).uart == "ok\n"
