# SPDX-License-Identifier: Apache-2.0
"""Where the cycles go: cycles per instruction address, added up by whose source line they belong to.

The simulator counts, for each CPU and each cycle of the window in which the CPU does not idle, the address of
the instruction in its pipeline. The program's line table says whose it is; that also holds for what the
compiler has inlined, so a kernel load in the middle of an application's function counts as kernel.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from pathlib import Path

from elftools.elf.elffile import ELFFile

from coreloom.design.address_map import LOCAL_BASE
from coreloom.paths import APPS, POLICIES, RUNTIME
from coreloom.simulation.simulate import Sample
from coreloom.toolchain import firmware, zig

OWNERS = ("application", "kernel", "library")
# A waiting operation with interrupts off is the kernel's, whoever called it; so are the runtime and policies.
_FOLDERS = (
    (str(APPS), "application"),
    *((folder, "kernel") for folder in (str(RUNTIME), str(POLICIES), firmware.FREERTOS_PLACE)),
)


class LineTable:
    """Address to the owner of its source file, by folder.

    What is in none of `folders` is the library's; of a user's program (theirs) it is the application's.
    """

    def __init__(
        self, elf: Path, folders: Sequence[tuple[str, str]] = _FOLDERS, *, theirs: bool = False
    ) -> None:
        if theirs:
            library = ((str(RUNTIME / "libc"), "library"), (str(zig.LIBC), "library"))
            folders = (*library, *folders, ("/", "application"))
        self._folders = [(zig.placed(folder), owner) for folder, owner in folders]
        ranges: list[tuple[int, str]] = []
        with elf.open("rb") as file:
            dwarf = ELFFile(file).get_dwarf_info()
            for unit in dwarf.iter_CUs():
                program = dwarf.line_program_for_CU(unit)
                if program is not None:
                    ranges += self._of_unit(unit, program)
        # Functions that the linker dropped stay in the table, at addresses near 0.
        ranges = sorted((start, owner) for start, owner in ranges if start >= LOCAL_BASE)
        self._starts = [start for start, _ in ranges]
        self._owners = [owner for _, owner in ranges]

    def _of_unit(self, unit: object, program: object) -> list[tuple[int, str]]:
        header = program.header  # type: ignore[attr-defined]
        shift = 0 if header.version >= 5 else 1  # before DWARF 5 files count from 1, folder 0 is the unit's
        top = unit.get_top_DIE().attributes  # type: ignore[attr-defined]
        base = top["DW_AT_comp_dir"].value if "DW_AT_comp_dir" in top else b""
        folders = list(header.include_directory)
        names = []
        for entry in header.file_entry:
            index = entry.dir_index - shift
            folder = Path((folders[index] if 0 <= index < len(folders) else base).decode())
            names.append(str(Path(base.decode()) / folder / entry.name.decode()))
        ranges = []
        for entry in program.get_entries():  # type: ignore[attr-defined]
            state = entry.state
            if state is None or (state.line == 0 and not state.end_sequence):
                continue  # line 0: the compiler made it up; it goes with what stands before it
            path = "" if state.end_sequence else names[state.file - shift]
            owner = next((who for folder, who in self._folders if path.startswith(folder)), "library")
            ranges.append((state.address, owner))
        return ranges

    def owner(self, address: int) -> str:
        """One of OWNERS; code without line information is the library's."""
        index = bisect_right(self._starts, address) - 1
        return self._owners[index] if index >= 0 else "library"


def by_owner(samples: Iterable[Sample], table: LineTable) -> dict[str, int]:
    """Cycles of all CPUs by owner; what is missing to CPUs x window is idle."""
    total = dict.fromkeys(OWNERS, 0)
    for sample in samples:
        total[table.owner(sample.address)] += sample.cycles
    return total
