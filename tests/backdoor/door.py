# SPDX-License-Identifier: Apache-2.0
"""Driver, loader and what programs have, compiled for this machine, with a model of the device between."""

from __future__ import annotations

import ctypes
import struct
import subprocess
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from coreloom.design import spec
from coreloom.paths import RUNTIME
from coreloom.toolchain import zig

SPEC = spec.backdoor()
BLOCK = 32768
AREA = SPEC.limits["area_bytes"]
RING_WORDS = (BLOCK - AREA) // 4
MEMORY = SPEC.limits["memory_base"]
MEMORY_BYTES = 1 << 18
STATE = {name: code for name, (code, _) in SPEC.enums["state"].items()} | {"silent": 8}
REASON = {name: code for name, (code, _) in SPEC.enums["reason"].items()}
CAUSE = {name: code for name, (code, _) in SPEC.enums["cause"].items()}

# What the program of device.c does.
RETURN, FAULT, FOREVER, ECHO, RESULT, LOG, MAIL, FLOOD, BAD_DMA, WRECK, LIE, WINDOW = range(12)

LOAD, EXECUTABLE = 1, 1  # of a program header


@dataclass
class Segment:
    """A program header, and what the file has of it."""

    address: int
    data: bytes
    memory_bytes: int | None = None  # None: those of the data
    flags: int = 7
    kind: int = LOAD
    offset: int | None = None  # None: behind what is before


def elf(
    segments: list[Segment],
    *,
    entry: int = MEMORY,
    machine: int = 243,
    kind: int = 2,
    ident: bytes = b"\x7fELF\1\1\1",
    version: int = 1,
    headers_at: int = 52,
    header_bytes: int = 32,
    count: int | None = None,
) -> bytes:
    """An ELF file of 32 bits."""
    number = len(segments) if count is None else count
    file = ident.ljust(16, b"\0") + struct.pack(
        "<HHIIIIIHHHHHH",
        *(kind, machine, version, entry, headers_at, 0, 0, 52, header_bytes, number, 0, 0, 0),
    )
    at, headers, content = 52 + 32 * len(segments), b"", b""
    for segment in segments:
        offset = at if segment.offset is None else segment.offset
        size = len(segment.data)
        memory = size if segment.memory_bytes is None else segment.memory_bytes
        headers += struct.pack(
            "<8I",
            *(segment.kind, offset, segment.address, segment.address, size, memory, segment.flags, 4),
        )
        content += segment.data
        at += size
    return file + headers + content


def image(
    file: bytes,
    *,
    magic: int = SPEC.limits["image_word"],
    size: int | None = None,
    crc: int | None = None,
    stack: int = 0,
) -> bytes:
    """An image of an ELF file, made whole words."""
    file += bytes(-len(file) % 4)
    return (
        struct.pack(
            "<4I",
            *(magic, len(file) if size is None else size, zlib.crc32(file) if crc is None else crc, stack),
        )
        + file
    )


CODE = bytes(range(64))
GOOD = image(elf([Segment(MEMORY, CODE), Segment(MEMORY + 256, b"data" * 4, 64, flags=6)]))


class Status(NamedTuple):
    """struct cl_backdoor_status."""

    state: int
    detail: int
    pc: int
    address: int
    cycles: int
    result_bytes: int
    log_bytes: int
    log_lost: int
    bells_merged: int
    dma_error: int


def library(folder: Path) -> ctypes.CDLL:
    path = folder / "device.so"
    loader = RUNTIME / "far" / "loader"
    subprocess.run(
        [
            *zig.cc(), "-std=gnu11", "-O2", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror",
            "-fno-sanitize=undefined", "-Wno-int-to-pointer-cast",
            f"-DCL_BACKDOOR_MEMORY_BYTES={MEMORY_BYTES}",
            f"-I{RUNTIME / 'include'}", f"-I{loader}", str(Path(__file__).with_name("device.c")),
            str(RUNTIME / "backdoor" / "driver.c"), str(loader / "loader.c"), str(loader / "image.c"),
            str(RUNTIME / "far" / "program" / "program.c"), "-o", str(path),
        ],
        check=True,
        env=zig.environment(),
    )  # fmt: skip
    made = ctypes.CDLL(str(path))
    made.reason_text.restype = made.cause_text.restype = ctypes.c_char_p
    made.model_memory.restype = made.model_down.restype = made.model_near.restype = ctypes.c_void_p
    made.door_bells.restype = ctypes.c_uint32
    return made


class Door:
    """The driver on a new device; every function returns its error number first, or alone."""

    def __init__(self, made: ctypes.CDLL, seed: int = 1, patience: int = 1_000_000) -> None:
        self.c = made
        assert made.door_open(seed, patience) == 0

    def hold(self) -> int:
        return int(self.c.door_hold())

    def release(self) -> int:
        return int(self.c.door_release())

    def load(self, data: bytes) -> int:
        return int(self.c.door_load(_aligned(data), ctypes.c_size_t(len(data))))

    def boot(self, data: bytes) -> int:
        return int(self.c.door_boot(_aligned(data), ctypes.c_size_t(len(data))))

    def start(self, *words: int, limit: int = 0) -> int:
        data = struct.pack(f"<{len(words)}I", *words)
        return int(self.c.door_start(data, ctypes.c_size_t(len(data)), ctypes.c_uint32(limit)))

    def status(self) -> tuple[int, Status]:
        words = (ctypes.c_uint32 * len(Status._fields))()
        error = self.c.door_status(words)
        return error, Status(*words)

    def wait(self) -> int:
        return int(self.c.door_wait())

    def result(self, room: int = BLOCK) -> tuple[int, bytes, int]:
        """Error number, result, its bytes."""
        to, size = ctypes.create_string_buffer(b"\xcc" * (room + 1), room + 1), ctypes.c_size_t()
        error = self.c.door_result(to, ctypes.c_size_t(room), ctypes.byref(size))
        assert to.raw[room] == 0xCC
        return error, to.raw[: size.value] if not error else b"", size.value

    def log(self, room: int = 1000) -> tuple[int, bytes]:
        to = ctypes.create_string_buffer(room)
        error = self.c.door_log(to, ctypes.c_size_t(room))
        return error, to.value

    def send(self, data: bytes, more: int = 0) -> tuple[int, int]:
        """Error number, bytes that went through; more: say that it is so many bytes longer."""
        done = ctypes.c_size_t()
        error = self.c.door_send(_aligned(data), ctypes.c_size_t(len(data) + more), ctypes.byref(done))
        return error, done.value

    def receive(self, size: int) -> tuple[int, bytes]:
        to, done = (ctypes.c_uint32 * (size // 4 + 1))(), ctypes.c_size_t()
        error = self.c.door_receive(to, ctypes.c_size_t(size), ctypes.byref(done))
        return error, bytes(to)[: done.value]

    def post(self, message: int) -> int:
        return int(self.c.door_post(ctypes.c_uint32(message)))

    def take(self) -> tuple[int, int]:
        message = ctypes.c_uint32()
        error = self.c.door_take(ctypes.byref(message))
        return error, message.value

    def ring(self, bells: int) -> int:
        return int(self.c.door_ring(ctypes.c_uint32(bells)))

    def window_open(self, base: int, size: int, writable: bool = False) -> int:
        return int(self.c.door_window_open(ctypes.c_uint32(base), ctypes.c_uint32(size), int(writable)))

    def window_close(self) -> None:
        self.c.door_window_close()

    def bells(self) -> int:
        return int(self.c.door_bells())

    def memory(self) -> bytes:
        """The local memory below the loader's page."""
        return ctypes.string_at(self.c.model_memory(), MEMORY_BYTES - SPEC.limits["loader_bytes"])

    def down(self) -> bytes:
        """The block that this side writes."""
        return ctypes.string_at(self.c.model_down(), BLOCK)


def _aligned(data: bytes) -> ctypes.Array[ctypes.c_uint32]:
    words = (ctypes.c_uint32 * (len(data) // 4 + 2))()
    ctypes.memmove(words, data, len(data))
    return words
