# SPDX-License-Identifier: Apache-2.0
"""Every policy compiles for the SoC's cores and calls nothing there: no division of 64 bits, no C library."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from coreloom.toolchain import zig
from policies.machine import POLICIES

NAMES = sorted(path.stem for path in POLICIES.glob("*.c"))
UNITS = [[name] for name in NAMES] + [[name, "exclusive"] for name in NAMES if name != "exclusive"]


@pytest.mark.parametrize("names", UNITS, ids="+".join)
def test_policy_needs_nothing_but_cl_resched(names: list[str], tmp_path: Path) -> None:
    """Alone, and together with exclusive, whose base it then is."""
    unit, out = tmp_path / "policy.c", tmp_path / "policy.o"
    unit.write_text("".join(f'#include "{POLICIES / name}.c"\n' for name in names))
    command = [
        *(*zig.cc(), "-target", "riscv32-freestanding-none", "-mcpu=generic_rv32+m", "-Os"),
        *("-std=c11", "-ffreestanding", "-fno-sanitize=undefined", "-DCL_CPUS_MAX=4"),
        *("-Wall", "-Wextra", "-Wconversion", "-Werror", "-c", str(unit), "-o", str(out)),
    ]
    done = subprocess.run(command, capture_output=True, text=True, env=zig.environment(), check=False)
    assert done.returncode == 0, done.stderr
    with out.open("rb") as file:
        table = ELFFile(file).get_section_by_name(".symtab")
        assert isinstance(table, SymbolTableSection)
        symbols = table.iter_symbols()
        needed = {symbol.name for symbol in symbols if symbol["st_shndx"] == "SHN_UNDEF" and symbol.name}
    assert needed <= {"cl_resched"}
