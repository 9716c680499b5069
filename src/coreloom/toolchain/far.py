# SPDX-License-Identifier: Apache-2.0
"""Programs of processor 1 behind a Back-Door: its loader, and an application with the far runtime."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping
from pathlib import Path

from coreloom.design import keys, spec
from coreloom.design.address_map import ROM_BYTES
from coreloom.design.keys import MAX_LOCAL_KIB, BackdoorSize, Platform
from coreloom.errors import UserError
from coreloom.paths import RUNTIME
from coreloom.toolchain.application import Application, application
from coreloom.toolchain.link import Link, uses_no_threads

_STACK_BYTES = 8192  # of a program, unless it defines CL_FAR_STACK_BYTES


def build_loader(platform: Platform) -> Path:
    """The loader of processor 1 (runtime/far/loader), as its ROM has it (.bin).

    Next to it lie the ELF file and the whole ROM, one word a line, for RomInitFile of cl_soc (.hex).
    Raises UserError on a platform without Back-Door and with the compiler's text.
    """
    _backdoor(platform)
    folder = RUNTIME / "far" / "loader"
    elf = Link(
        f"loader-{platform.core}",
        Application("loader", (), ()),
        [folder, folder / platform.core],
        folder / "link.ld",
        {**keys.macros(platform), "CL_BACKDOOR_ROM_BYTES": ROM_BYTES},
        too_large={"rom": lambda over: f"the loader has {over} bytes more than its {ROM_BYTES >> 10} KiB"},
        beside=_rom,
    ).elf()
    return elf.with_suffix(".bin")


def _rom(elf: Path) -> None:
    rom = elf.with_suffix(".bin").read_bytes().ljust(ROM_BYTES, b"\0")
    words = struct.iter_unpack("<I", rom)
    elf.with_suffix(".hex").write_text("".join(f"{word:08x}\n" for (word,) in words))


def build(app: str | Application, platform: Platform, defines: Mapping[str, str | int] | None = None) -> Path:
    """The program that an application has for processor 1, as its loader takes it (.image).

    That is the record `image` of rtl/ipc/backdoor/data/backdoor.toml and a stripped ELF file; the one with
    its symbols lies next to it (.elf). CL_FAR_STACK_BYTES in defines is the room that its stack has at least.
    Raises UserError on a platform without Back-Door, for a program larger than the local memory or the block,
    and with the compiler's text.
    """
    back = _backdoor(platform)
    what = application(app)
    macros = {
        **keys.macros(platform),
        "CL_FAR_STACK_BYTES": _STACK_BYTES,
        **dict(what.defines),
        **(defines or {}),
    }
    stack = int(macros["CL_FAR_STACK_BYTES"])
    folder = RUNTIME / "far" / "program"

    def image(elf: Path) -> None:
        made = far_image(_strip(elf.read_bytes()), stack)
        if (over := len(made) - back.block_bytes) > 0:
            raise UserError(
                f"the image of {what.name} for processor 1 has {len(made)} bytes, {over} more than the block "
                f"of the Back-Door on {platform.name}: make backdoor.block_kib larger"
            )
        elf.with_suffix(".image").write_bytes(made)

    elf = Link(
        f"{what.name}-{platform.core}-far",
        what,
        [folder, folder / platform.core],
        folder / "link.ld",
        macros,
        # The loaded segments lie word by word behind the headers, without pages; zig does not heed ENTRY.
        link_flags=("-Wl,-z,max-page-size=16", "-Wl,-e,cl_start"),
        uses=lambda elf: uses_no_threads(elf, what, "processor 1"),
        too_large={
            "memory": lambda over: (
                f"the program of {what.name} for processor 1 does not fit into its local memory on "
                f"{platform.name}: it has {over} bytes more than {back.local_kib} KiB less the loader's and "
                f"{stack} of stack; "
                f"make memory.local_kib larger (up to {MAX_LOCAL_KIB})"
            )
        },
        beside=image,
    ).elf()
    return elf.with_suffix(".image")


def far_image(elf: bytes, stack_bytes: int) -> bytes:
    """An image for the loader of processor 1: an ELF file, made whole words, behind what describes it."""
    elf += bytes(-len(elf) % 4)
    words = {
        "magic": spec.backdoor().limits["image_word"],
        "bytes": len(elf),
        "crc": zlib.crc32(elf),
        "stack_bytes": stack_bytes,
    }
    record = spec.backdoor().records["image"]
    return b"".join(words[word].to_bytes(4, "little") for word in record) + elf


def _strip(elf: bytes) -> bytes:
    """An ELF file (32 bits, little-endian) without sections: what is loaded only, as that comes first."""
    start = int.from_bytes(elf[28:32], "little")
    size, number = (int.from_bytes(elf[at : at + 2], "little") for at in (42, 44))
    end = start + size * number
    for at in range(start, end, size):
        offset, length = (int.from_bytes(elf[at + field : at + field + 4], "little") for field in (4, 16))
        end = max(end, offset + length)  # also of none: the loader wants its place inside the file
    stripped = bytearray(elf[:end])
    stripped[32:36] = bytes(4)  # e_shoff
    stripped[46:52] = bytes(6)  # e_shentsize, e_shnum, e_shstrndx
    return bytes(stripped)


def _backdoor(platform: Platform) -> BackdoorSize:
    if platform.backdoor is None:
        raise UserError(f"platform {platform.name} has no Back-Door: choose backdoor-{platform.core}")
    return platform.backdoor
