# SPDX-License-Identifier: Apache-2.0
"""The programs of processor 1 behind a Back-Door: what the build makes of one source for both processors."""

from __future__ import annotations

import io
import re
import struct
import zlib
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from coreloom.design import platform, spec
from coreloom.errors import UserError
from coreloom.toolchain import elf, far, firmware

cores = pytest.mark.parametrize("core", ["economy", "standard"])

# Both mains use what only their own side has; `table` is too large for a local memory when TABLE says so.
_SOURCE = """
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#ifndef TABLE
#define TABLE 4
#endif
extern const uint32_t remote_image[];
extern const size_t remote_image_bytes;
int far_main(const void *argument, size_t bytes);
volatile uint32_t table[TABLE];
static const uint32_t constants[CONSTANTS] = {1, 2, 3};
int far_main(const void *argument, size_t bytes) {
  return (int)(table[bytes % TABLE] + constants[bytes % CONSTANTS]) + (argument != NULL);
}
int main(void) {
  printf("%u %u\\n", (unsigned)remote_image[0], (unsigned)remote_image_bytes);
  return 0;
}
"""


@pytest.fixture
def program(tmp_path: Path) -> str:
    (tmp_path / "both.c").write_text(_SOURCE)
    return str(tmp_path / "both.c")


@cores
@pytest.mark.parametrize("constants", [100, 101, 102, 103])
def test_image(program: str, core: str, constants: int) -> None:
    soc = platform.load(f"backdoor-{core}")
    image = far.build(program, soc, {"CONSTANTS": constants, "CL_FAR_STACK_BYTES": 1024})
    data = image.read_bytes()
    magic, size, crc, stack = struct.unpack_from("<4I", data)
    file = data[16:]
    assert (magic, size, stack) == (spec.backdoor().limits["image_word"], len(file), 1024)
    assert crc == zlib.crc32(file)
    loaded = ELFFile(io.BytesIO(file))
    assert loaded.num_sections() == 0
    segments = [segment.header for segment in loaded.iter_segments() if segment.header.p_type == "PT_LOAD"]
    assert segments[0].p_vaddr == 0x4000_0000
    assert all(h.p_vaddr % 4 == h.p_offset % 4 == h.p_filesz % 4 == h.p_memsz % 4 == 0 for h in segments)
    # Segments without bytes in the file, behind text of any length, too.
    assert all(h.p_offset + h.p_filesz <= len(file) for h in segments)
    # What is loaded is what was linked, and nothing was left out.
    with image.with_suffix(".elf").open("rb") as whole:
        for mine, theirs in zip(loaded.iter_segments(), ELFFile(whole).iter_segments(), strict=True):
            assert (dict(mine.header), mine.data()) == (dict(theirs.header), theirs.data())
    # The linker has dropped the other processor's part.
    names = {name for name, _ in elf.symbols(image.with_suffix(".elf"))}
    assert "cl_start" in names and not {"main", "printf", "pthread_create"} & names


@cores
def test_image_is_in_the_program_of_processor_0(program: str, core: str) -> None:
    soc = platform.load(f"backdoor-{core}")
    defines = {"CONSTANTS": 64}
    image = far.build(program, soc, defines).read_bytes()
    whole = firmware.build(program, soc, "hw", defines)
    flat = whole.with_suffix(".bin").read_bytes()
    at = elf.address(whole, "remote_image") - platform.RAM_BASE
    assert flat[at : at + len(image)] == image
    at = elf.address(whole, "remote_image_bytes") - platform.RAM_BASE
    assert flat[at : at + 4] == len(image).to_bytes(4, "little")
    assert "far_main" not in {name for name, _ in elf.symbols(whole)}


def test_programs_without_far_main_are_as_before(tmp_path: Path) -> None:
    (tmp_path / "one.c").write_text(
        "int far_main(void);\n// int far_main() {\nint main(void) { return 0; }\n"
    )
    made = firmware.build(str(tmp_path / "one.c"), platform.load("backdoor-standard"), "hw")
    assert "remote_image" not in {name for name, _ in elf.symbols(made)}


def test_too_large_for_the_memory(program: str) -> None:
    soc = platform.load("backdoor-standard")
    defines = {"CONSTANTS": 4, "CL_FAR_STACK_BYTES": 4096}
    room = soc.backdoor.memory_bytes // 4 if soc.backdoor else 0
    with pytest.raises(UserError) as error:
        far.build(program, soc, {**defines, "TABLE": room})
    said = str(error.value)
    assert said.startswith(
        "the program of both for processor 1 does not fit into its local memory on backdoor-standard: it has "
    )
    assert said.endswith(
        " bytes more than 256 KiB less the loader's and 4096 of stack; "
        "make memory.local_kib larger (up to 1024)"
    )
    over = int(said.split("it has ")[1].split()[0])
    # The code differs by some instructions with the size of the table.
    far.build(program, soc, {**defines, "TABLE": room - over // 4 - 16})
    with pytest.raises(UserError):
        far.build(program, soc, {**defines, "TABLE": room - over // 4 + 16})


def test_too_large_for_the_block(program: str) -> None:
    soc = platform.load("backdoor-standard")
    with pytest.raises(UserError) as error:
        far.build(program, soc, {"CONSTANTS": 32768 // 4})
    more = int(re.findall(r"(\d+) more", str(error.value))[0])
    assert 0 < more < 1024
    assert str(error.value) == (
        f"the image of both for processor 1 has {32768 + more} bytes, {more} more than the block of the "
        "Back-Door on backdoor-standard: make backdoor.block_kib larger"
    )
    fits = far.build(program, soc, {"CONSTANTS": 4096})
    assert 16384 < fits.stat().st_size <= 32768


@cores
def test_loader(core: str) -> None:
    loader = far.build_loader(platform.load(f"backdoor-{core}"))
    assert 0x80 < loader.stat().st_size <= platform.ROM_BYTES
    words = [int(line, 16).to_bytes(4, "little") for line in loader.with_suffix(".hex").read_text().split()]
    assert b"".join(words) == loader.read_bytes().ljust(platform.ROM_BYTES, b"\0")
    assert elf.address(loader.with_suffix(".elf"), "cl_start") == 0x1000_0080


def test_without_backdoor(program: str) -> None:
    soc = platform.load("smp-economy")
    said = "platform smp-economy has no Back-Door: choose backdoor-economy"
    with pytest.raises(UserError, match=said):
        far.build_loader(soc)
    with pytest.raises(UserError, match=said):
        far.build(program, soc)
