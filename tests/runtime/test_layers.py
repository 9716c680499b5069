# SPDX-License-Identifier: Apache-2.0
"""What is below the POSIX layer knows nothing of it: no header, and few functions."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from coreloom.design import keys, platform
from coreloom.paths import RUNTIME
from coreloom.toolchain import firmware, zig

LOWER = ("memory", "kernel", "hw", "sw", "arch")
# What a program is given to include, and not the layers below it.
PUBLIC = re.compile(r"(?!cl_)")
# What these call of the layer above: where a program, a thread and a handler begin, how a program ends that
# cannot go on, what ends a wait in memory (wait.h), and the account of CPU time (cl_kernel.h).
ABOVE = {
    *("cl_threads", "cl_boot_main", "cl_boot_stacks", "cl_thread_main", "cl_ipc_dispatch", "cl_ipc_first"),
    *("cl_fault", "cl_broken", "cl_timer_call", "cl_signals_in_trap", "cl_wait_ends", "cl_wait_ended"),
    *("cl_cpu_time_stop_apart", "cl_cpu_time_go_apart", "cl_cpu_time_next"),
}
MADE = re.compile(r"mem(cpy|set)|__\w+|_end")  # by the compiler and the linker


def files(*folders: str) -> list[Path]:
    return [path for folder in folders for path in sorted((RUNTIME / folder).rglob("*.[chS]"))]


@pytest.mark.test
def test_no_layer_includes_a_header_of_one_above() -> None:
    allowed = {path.name for path in files(*LOWER, "fine")} | {
        path.name for path in files("include") if not PUBLIC.match(path.name)
    }
    allowed |= {"errno.h", "stddef.h", "stdint.h", "string.h", "cl_policy.h"}
    for path in files(*LOWER, "fine"):
        included = set(re.findall(r'^#include ["<](.+)[">]', path.read_text(), re.M))
        assert included <= allowed, f"{path}: {included - allowed}"


def symbols(path: Path) -> tuple[set[str], set[str]]:
    """Those that the object defines, and those that it needs."""
    with path.open("rb") as file:
        section = ELFFile(file).get_section_by_name(".symtab")
        assert isinstance(section, SymbolTableSection)
        table = list(section.iter_symbols())
    named = {(symbol.name, symbol["st_shndx"] == "SHN_UNDEF") for symbol in table if symbol.name}
    return {name for name, needed in named if not needed}, {name for name, needed in named if needed}


def test_no_layer_calls_one_above(tmp_path: Path) -> None:
    called = set()
    for kernel in firmware.KERNELS:
        folders = [RUNTIME / each for each in ("memory", "kernel", kernel, "arch", "arch/standard")]
        macros = {**keys.macros(platform.load("smp-standard", 2)), f"CL_KERNEL_{kernel.upper()}": 1}
        macros |= {"CL_SIGNALS": 1, "CL_CPU_TIME": 1}
        flags = [
            *zig.TARGET,
            *zig.INCLUDE,
            *(f"-I{folder}" for folder in folders),
            *zig.OPTIMISE,
            "-fno-lto",
            "-c",
        ]
        flags += [f"-D{name}={value}" for name, value in macros.items()]
        sources = [str(path) for folder in folders for path in folder.glob("*.[cS]")]
        (tmp_path / kernel).mkdir()
        subprocess.run(
            [*zig.cc(), *flags, *sources], cwd=tmp_path / kernel, env=zig.environment(), check=True
        )
        found = [symbols(path) for path in (tmp_path / kernel).iterdir()]
        called |= set().union(*(needs for _, needs in found)) - set().union(*(has for has, _ in found))
    assert {name for name in called if not MADE.fullmatch(name)} == ABOVE
