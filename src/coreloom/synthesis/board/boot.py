# SPDX-License-Identifier: Apache-2.0
"""The boot ROM of a board (rtl/board/boot), and images of memories for $readmemh."""

from __future__ import annotations

import struct
from pathlib import Path

from coreloom.design import keys
from coreloom.synthesis.board.boards import FOLDER, Machine, core_number
from coreloom.toolchain.application import Application
from coreloom.toolchain.link import Link

ROM_BYTES = 4096


def words(content: bytes, size: int) -> str:
    """A memory's contents for $readmemh, one word a line."""
    return "".join(f"{word:08x}\n" for (word,) in struct.iter_unpack("<I", content.ljust(size, b"\0")))


def rom(machine: Machine) -> Path:
    """The boot ROM for a machine, for $readmemh; the ELF file lies next to it."""
    folder = FOLDER / "boot"

    def beside(elf: Path) -> None:
        elf.with_suffix(".hex").write_text(words(elf.with_suffix(".bin").read_bytes(), ROM_BYTES))

    elf = Link(
        f"boot-{machine.soc.core}",
        Application("boot", (), ()),
        [folder],
        folder / "link.ld",
        {
            **keys.macros(machine.soc),
            "CL_RAM_BYTES": machine.ram_bytes,
            "CL_BOOT_ROM_BYTES": ROM_BYTES,
            "CL_BOOT_CORE": core_number(machine.soc),
        },
        too_large={"rom": lambda over: f"the boot ROM has {over} bytes more than its {ROM_BYTES >> 10} KiB"},
        beside=beside,
    ).elf()
    return elf.with_suffix(".hex")
