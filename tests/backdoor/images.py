# SPDX-License-Identifier: Apache-2.0
"""Images that the loader refuses, made from a good one, and why."""

from __future__ import annotations

import struct

from . import door as d
from .door import GOOD, MEMORY, MEMORY_BYTES, Segment, elf, image

END = MEMORY + MEMORY_BYTES - d.SPEC.limits["loader_bytes"]  # of what a program may have
CODE = Segment(MEMORY, d.CODE)
HEADERS = 16 + 52 + 2 * 32  # of GOOD: record, ELF header, program headers


def with_header(offset: int, word: int) -> bytes:
    """A good image but for one word of its first program header."""
    file = bytearray(elf([CODE]))
    file[52 + offset : 56 + offset] = struct.pack("<I", word & 0xFFFFFFFF)
    return image(bytes(file))


def cut(size: int) -> bytes:
    """A good file that ends after `size` bytes and says so, CRC and all."""
    return image(GOOD[16 : 16 + size])


BAD = {
    # The record
    "nothing": (b"", "truncated"),
    "no whole record": (GOOD[:12], "truncated"),
    "magic": (image(GOOD[16:], magic=0x4C524C43), "magic"),
    "an ELF file without record": (GOOD[16:], "magic"),
    "says more than it has": (image(GOOD[16:], size=len(GOOD) - 12), "truncated"),
    "says 4 GiB": (image(GOOD[16:], size=0xFFFFFFFC), "truncated"),
    "not whole words": (image(GOOD[16:], size=len(GOOD) - 17), "truncated"),
    "crc": (image(GOOD[16:], crc=0x12345678), "crc"),
    "a bit": (GOOD[:200] + bytes([GOOD[200] ^ 4]) + GOOD[201:], "crc"),
    # The ELF header
    "shorter than a header": (cut(48), "truncated"),
    "no ELF": (image(elf([CODE], ident=b"\x7fELG\1\1\1")), "elf"),
    "class": (image(elf([CODE], ident=b"\x7fELF\2\1\1")), "elf"),
    "endianness": (image(elf([CODE], ident=b"\x7fELF\1\2\1")), "elf"),
    "version in the identification": (image(elf([CODE], ident=b"\x7fELF\1\1\2")), "elf"),
    "version": (image(elf([CODE], version=2)), "elf"),
    "machine": (image(elf([CODE], machine=40)), "machine"),
    "relocatable": (image(elf([CODE], kind=1)), "kind"),
    "shared object": (image(elf([CODE], kind=3)), "kind"),
    "no program headers": (image(elf([])), "segments"),
    "9 program headers": (image(elf([Segment(MEMORY + 64 * n, d.CODE) for n in range(9)])), "segments"),
    "65535 program headers": (image(elf([CODE], count=65535)), "segments"),
    "program headers of 40 bytes": (image(elf([CODE], header_bytes=40)), "segments"),
    "headers behind the end": (image(elf([CODE], headers_at=4096)), "truncated"),
    "headers across the end": (image(elf([CODE], count=8)), "truncated"),
    "headers wrap around": (image(elf([CODE], headers_at=0xFFFFFFF0)), "truncated"),
    "headers at no word": (image(elf([CODE], headers_at=54)), "alignment"),
    # Segments
    "nothing to load": (image(elf([Segment(MEMORY, d.CODE, kind=4)])), "segments"),
    "only empty segments": (image(elf([Segment(MEMORY, b"")])), "segments"),
    "file behind the end": (with_header(4, 4096), "truncated"),
    "file across the end": (with_header(16, 68), "truncated"),
    "file wraps around": (with_header(4, -32), "truncated"),
    "file of 4 GiB": (with_header(16, -4), "truncated"),
    "memory smaller than file": (with_header(20, 60), "memory"),
    "below the memory": (image(elf([Segment(MEMORY - 4, d.CODE)])), "memory"),
    "at 0": (image(elf([Segment(0, d.CODE)])), "memory"),
    "in the ROM": (image(elf([Segment(d.SPEC.limits["rom_base"], d.CODE)])), "memory"),
    "in the loader's": (image(elf([Segment(END, d.CODE)])), "memory"),
    "a word into the loader's": (image(elf([Segment(END - 60, d.CODE)])), "memory"),
    "behind the memory": (image(elf([Segment(MEMORY + MEMORY_BYTES, d.CODE)])), "memory"),
    "zeroes into the loader's": (image(elf([CODE, Segment(MEMORY + 64, b"", END - MEMORY - 60)])), "memory"),
    "wraps around to the memory": (image(elf([Segment(MEMORY + 64, d.CODE, 0xFFFFFFF0)])), "memory"),
    "wraps around to its begin": (image(elf([Segment(0xFFFFFFFC, d.CODE, 0x50000000)])), "memory"),
    "4 GiB": (with_header(20, -4), "memory"),
    "stack": (image(elf([CODE]), stack=END - MEMORY - 60), "memory"),
    "stack of 4 GiB": (image(elf([CODE]), stack=0xFFFFFFFF), "memory"),
    "odd address": (image(elf([Segment(MEMORY + 2, d.CODE)])), "alignment"),
    "odd offset": (image(elf([Segment(MEMORY, d.CODE, offset=54)])), "alignment"),
    "odd length": (image(elf([Segment(MEMORY, d.CODE[:63], 64)])), "alignment"),
    "odd length in the memory": (image(elf([Segment(MEMORY, d.CODE, 65)])), "alignment"),
    "overlap": (image(elf([CODE, Segment(MEMORY + 60, d.CODE)])), "overlap"),
    "overlap, lower second": (image(elf([Segment(MEMORY + 60, d.CODE), CODE])), "overlap"),
    "the same twice": (image(elf([CODE, CODE])), "overlap"),
    "zeroes over code": (image(elf([CODE, Segment(MEMORY + 32, b"", 16)])), "overlap"),
    "inside another": (image(elf([Segment(MEMORY, d.CODE, 256), Segment(MEMORY + 192, b"word")])), "overlap"),
    # The entry
    "entry at 0": (image(elf([CODE], entry=0)), "entry"),
    "entry behind the code": (image(elf([CODE], entry=MEMORY + 64)), "entry"),
    "entry in data": (image(elf([CODE, Segment(MEMORY + 64, b"data", flags=6)], entry=MEMORY + 64)), "entry"),
    "entry in zeroes": (image(elf([Segment(MEMORY, d.CODE, 128)], entry=MEMORY + 64)), "entry"),
    "entry across the end": (image(elf([CODE], entry=MEMORY + 62)), "entry"),
    "odd entry": (image(elf([CODE], entry=MEMORY + 2)), "entry"),
}  # fmt: skip
