# SPDX-License-Identifier: Apache-2.0
"""Each address of the SoC stands once, in rtl/soc/data/soc.toml; what cannot be made from it agrees."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest

from coreloom.commands.generated import FILES
from coreloom.design import spec
from coreloom.paths import ROOT, RTL

SOC = spec.soc()
BASES = {region.base for region in SOC.regions.values()}

# Units and their benches, which know no SoC; and the regions that they name all the same. What gdb reads of a
# program's kernel is compared by tests/debug_rtl/test_soc.py; a proof says by itself what goes where.
OUTSIDE = {
    "rtl/dcache/tb/litmus.cpp": {"ram"},
    "rtl/hwt/tb/thread.cpp": {"ram", "unit"},
    "rtl/ipc/backdoor/tb/dma.cpp": {"ram"},
    "rtl/kernel/rtl/cl_scheduler.sv": {"unit"},
    "rtl/soc/formal/cl_core_economy_formal.sv": {"local_memory", "kernel"},
    "rtl/soc/formal/cl_core_fast_formal.sv": {"ram"},
    "rtl/soc/formal/cl_core_standard_formal.sv": {"local_memory", "kernel"},
    "src/coreloom/simulation/gdb/kernel_threads.py": {"kernel"},
}


def addresses(path: Path) -> set[int]:
    """The numbers in a file that are the base of a region, comments apart."""
    text = re.sub(r"/\*.*?\*/|(//|# )[^\n]*", "", path.read_text(), flags=re.DOTALL).replace("_", "")
    return {int(word, 16) for word in re.findall(r"(?:0x|32'h)([0-9a-fA-F]{8})(?![0-9a-fA-F])", text)} & BASES


def test_an_address_stands_once() -> None:
    found = {}
    for folder in ("rtl", "runtime", "policies", "src", "apps"):
        for path in sorted((ROOT / folder).rglob("*")):
            code = path.suffix in (".sv", ".svh", ".c", ".h", ".S", ".ld", ".cpp", ".py")
            alone = path.name.endswith("_tb.sv")  # a unit's testbench, which knows no SoC
            if code and path not in FILES and not alone and (bases := addresses(path)):
                found[path.relative_to(ROOT).as_posix()] = bases
    assert found == {name: {SOC.regions[r].base for r in regions} for name, regions in OUTSIDE.items()}


@pytest.mark.parametrize("name", SOC.regions)
def test_the_map_in_the_readme(name: str) -> None:
    region = SOC.regions[name]
    rows = [line for line in (RTL / "soc" / "README.md").read_text().splitlines() if line.startswith("| 0x")]
    shown = f"0x{region.base >> 16:04X}_{region.base & 0xFFFF:04X}"
    assert any(row.startswith(f"| {shown} ") for row in rows)


@pytest.mark.parametrize("name", SOC.registers["local"])
def test_the_local_device_in_the_readme(name: str) -> None:
    text = (RTL / "soc" / "README.md").read_text()
    assert re.search(rf"\b{name.replace('cycle_h', 'cycleh').upper()}\b", text)


def test_regions_are_apart() -> None:
    """Of processor 0, but for the private space, in which others are. Without a size: as large as can be."""
    own = [region for name, region in SOC.regions.items() if name not in ("private", "rom", "far")]
    regions = sorted((region.base, region.base + (region.bytes or 256 << 20)) for region in own)
    assert all(end <= start for (_, end), (start, _) in pairwise(regions))


def test_rooms_are_the_memory_behind_the_program() -> None:
    """They fit into the smallest memory, 32 MiB."""
    ends = [(room.offset, room.offset + room.bytes) for room in SOC.rooms.values()]
    assert [start for start, _ in ends[1:]] + [32 << 20] == [end for _, end in ends]


def test_the_uart_tells_its_registers_by_one_bit() -> None:
    """`status_i` of cl_uart is address bit 2."""
    assert [register.offset for register in SOC.registers["uart"].values()] == [0, 4]
