# SPDX-License-Identifier: Apache-2.0
"""Misuse of the heap is found under --check, and told with its line and that of the allocation."""

from __future__ import annotations

from pathlib import Path

import pytest

from coreloom.design import platform
from coreloom.simulation import simulate, stuck
from coreloom.toolchain import elf as elf_file
from coreloom.toolchain import firmware, verilate

PROGRAM = Path(__file__).with_name("programs") / "heap_misuse.c"
OF = "24 bytes, allocated in main (heap_misuse.c:21)"
MISUSES = (
    "",
    f"thread 1: freed twice, in misuse (heap_misuse.c:14): {OF}, freed in misuse (heap_misuse.c:13)",
    "thread 1: freed what malloc has not given, in misuse (heap_misuse.c:10)",
    f"thread 1: written behind its end, found in misuse (heap_misuse.c:13): {OF}",
    f"thread 1: written before its beginning, found in misuse (heap_misuse.c:13): {OF}",
    "thread 0: written after free, found in main (heap_misuse.c:26): "
    f"{OF}, freed in misuse (heap_misuse.c:13)",
    "thread 0: written after free, found at the end of the program: "
    f"{OF}, freed in misuse (heap_misuse.c:13)",
    "thread 0: written behind its end, found at the end of the program: "
    "10 bytes, allocated in main (heap_misuse.c:21)",
)


@pytest.mark.parametrize("how", range(len(MISUSES)))
@pytest.mark.parametrize("kernel", firmware.KERNELS)
def test_misuse_of_the_heap_is_found(kernel: str, how: int) -> None:
    soc = platform.load("smp-standard", 2)
    elf = firmware.build(str(PROGRAM), soc, kernel, {"HOW": how, firmware.CHECK: 1})
    result = simulate.run(verilate.build_model(soc), elf, simulate.Options(max_cycles=5_000_000))
    assert stuck.with_places(result.uart, elf) == (f"heap: {MISUSES[how]}\n" if how else "")
    assert result.exit_status == (134 if how else 0)


def test_without_it_nothing_is_linked() -> None:
    elf = firmware.build(str(PROGRAM), platform.load("smp-standard", 2), "hw", {"HOW": 0})
    assert not any("record" in name or "misused" in name for name in elf_file.extents(elf))
