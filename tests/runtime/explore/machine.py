# SPDX-License-Identifier: Apache-2.0
"""Builds the explored program with the software kernel as it ships, and explores it (explore.c)."""

from __future__ import annotations

import ctypes
import functools
import shutil
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from coreloom.design import keys, platform
from coreloom.errors import UserError
from coreloom.paths import POLICIES, RUNTIME
from coreloom.toolchain import cache, elf, firmware, link, zig

HERE = Path(__file__).parent
THREADS, ACTS = 8, 64  # ACTS: EXPLORE_ACTS of explore.h
_RAM_BYTES = 1 << 17
_DEEP = 4000
_SPINS = 1  # of the kernel `fine`: a second poll shows nothing more
SIZES = {
    "kernel.threads": THREADS,
    "kernel.priorities": 8,
    "kernel.ports": 2,
    "kernel.port_depth": 2,
    "kernel.mutexes": 2,
    "kernel.semaphores": 2,
    "kernel.conditions": 2,
}
_SOURCES = ("posix/cl_boot.c", "kernel/timer.c", "arch/cl_switch.S", "arch/standard/start.S")
Act = tuple[int, int, int]  # operation, object, word
Fault = tuple[str, str, str]  # a file below runtime/, and a text in it that another one replaces


@dataclass(frozen=True)
class Image:
    """The program, before its threads have anything to do."""

    words: bytes
    elf: Path
    ram_bytes: int = _RAM_BYTES
    checks: bool = True  # it has explore_check

    def with_acts(self, acts: Sequence[Sequence[Act]], time: int) -> bytes:
        """What threads do, from this time on."""
        image, start = bytearray(self.words), elf.offset(self.elf, elf.address(self.elf, "explore_acts"))
        for thread, each in enumerate(acts):
            assert len(each) <= ACTS, "too many operations of a thread: EXPLORE_ACTS"
            for number, act in enumerate(each):
                struct.pack_into("<III", image, start + 12 * (ACTS * thread + number), *act)
        struct.pack_into("<Q", image, elf.offset(self.elf, elf.address(self.elf, "explore_start")), time)
        return bytes(image)


@functools.cache
def image(
    cpus: int,
    policy: str = firmware.PRIORITY,
    fault: Fault | None = None,
    *,
    port: bool = False,
    kernel: str = "sw",
) -> Image:
    """The program for so many CPUs, of the shipped sources but for the fault.

    port: it has handlers of the communication port.
    """
    soc = platform.load("smp-standard", cpus, changes=SIZES)
    files = firmware.policy_files(policy)
    macros: dict[str, object] = {**keys.macros(soc), "CL_KERNEL_SW": 1, "CL_STACK_BYTES": 2048}
    macros |= {"CL_RAM_BYTES": _RAM_BYTES, "CL_IPC": int(port)}
    if kernel in firmware.FINE:
        macros |= {"CL_KERNEL_FINE": 1, "CL_SPINS": _SPINS}
    macros |= zip(("CL_POLICY", "CL_POLICY_BASE"), (path.stem for path in files), strict=False)
    if files:
        macros |= {"CL_CPUS_MAX": cpus, "CL_POLICY_ROOM": link.POLICY_ROOM}
    given = [f"-D{name}={value}" for name, value in macros.items()]
    folders = [
        *dict.fromkeys((kernel, "sw")),
        "kernel",
        "memory",
        "posix",
        "arch",
        "arch/standard",
        "include",
    ]
    read = [path for name in folders for path in sorted((RUNTIME / name).glob("*.[chS]"))]
    key = zig.digest(
        [*given, str(fault)], [*read, *files, HERE / "program.c", HERE / "explore.h", Path(__file__)]
    )

    def make(work: Path) -> None:
        root = RUNTIME
        if fault:
            name, old, new = fault
            root = Path(shutil.copytree(RUNTIME, work / "runtime"))
            text = (root / name).read_text()
            if text.count(old) != 1:
                raise UserError(f"runtime/{name} has {text.count(old)} times, not once: {old}")
            (root / name).write_text(text.replace(old, new))
        script = work / "link.ld"
        zig.run(
            [*zig.cc(), "-E", "-P", "-x", "c", *given, str(root / "arch" / "link.ld"), "-o", str(script)],
            script.name,
        )
        include = [f"-I{folder}" for folder in (HERE, *(root / name for name in folders[:-1]), POLICIES)]
        include += [flag.replace(str(RUNTIME), str(root)) for flag in zig.INCLUDE]
        warn = ["-w"] if fault else zig.WARN
        linked = [HERE / "program.c", *(root / name for name in _SOURCES), *files]
        zig.run(
            [
                *zig.cc(), *zig.TARGET, *zig.OPTIMISE, "-g", "-flto", *warn, *given, *include,
                *map(str, linked), "-Wl,--gc-sections", f"-Wl,-T,{script}", "-o", str(work / "program.elf"),
            ],
            "program.c",
        )  # fmt: skip
        if fault:
            shutil.rmtree(root)

    made = (
        cache.made(cache.place("explore") / f"{cpus}-{kernel}-{policy.replace(':', '-')}-{key}", make)
        / "program.elf"
    )
    return Image(elf.flat(made), made)


class _Options(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint32) for name in (
        "cpus", "parties", "time_steps", "limit", "unreduced", "walks", "seed", "changes", "check",
        "ram_words", "start_low", "start_high", "all_locks", "inside",
    )]  # fmt: skip


class _Results(ctypes.Structure):
    _fields_ = [
        *((name, ctypes.c_uint32) for name in (
            "executions", "cut", "steps", "restarts", "words", "exhausted", "deepest", "checks",
        )),
        ("word", ctypes.c_uint32 * 64),
        ("logs", ctypes.c_uint32),
        ("log_words", ctypes.c_uint32),
        ("failure", ctypes.c_char * 256),
        ("schedule", ctypes.c_uint32 * (3 * _DEEP)),
        ("scheduled", ctypes.c_uint32),
    ]  # fmt: skip


@functools.cache
def _explorer() -> ctypes.CDLL:
    source = HERE / "explore.c"
    headers = [HERE / "explore.h", RUNTIME / "include" / "cl_soc_map.h"]
    flags = ["-std=gnu11", "-O2", "-shared", "-fPIC", *zig.WARN]

    def make(work: Path) -> None:
        zig.run(
            [
                *zig.cc(),
                *flags,
                "-idirafter",
                str(RUNTIME / "include"),
                str(source),
                "-o",
                str(work / "explore.so"),
            ],
            source.name,
        )

    place = cache.place("explore") / f"explorer-{zig.digest(flags, [source, *headers])}"
    library = ctypes.CDLL(str(cache.made(place, make) / "explore.so"))
    library.explored.restype = ctypes.POINTER(ctypes.c_uint32)
    return library


def play(image: bytes, given: bytes, kind: int, room: int = 1 << 18) -> tuple[list[int], int | None, str]:
    """Runs a program of one CPU, without a model of the SoC and its cycles: time passes when it waits.

    given: at the address of the input. Returned are the words of its trace events of kinds from `kind` on,
    its exit status, and what it has printed, or why it could not go on: then the status is None.
    """
    results, library = _Results(), _explorer()
    log = (ctypes.c_uint32 * room)()
    library.play.restype = ctypes.c_size_t
    sized = struct.pack("<I", len(given)) + given + bytes(-len(given) % 4)
    count = library.play(
        image + bytes(-len(image) % 4), ctypes.c_size_t((len(image) + 3) // 4), sized,
        ctypes.c_size_t(len(sized) // 4), log, ctypes.c_size_t(room), ctypes.c_uint32(kind),
        ctypes.byref(results),
    )  # fmt: skip
    status = None if results.executions == 0xFFFFFFFF else results.executions
    return log[:count], status, results.failure.decode("utf-8", "replace")


History = tuple[tuple[int, int, int, int, int], ...]  # kind, CPU, thread, two words


@dataclass(frozen=True)
class Found:
    """What an exploration has found."""

    executions: int
    cut: int  # executions that were given up, as others have shown all that can differ
    steps: int
    deepest: int
    exhausted: bool  # nothing that differs is left
    histories: tuple[History, ...]
    shared: tuple[str, ...]  # variables that CPUs use without the lock
    failure: str = ""
    schedule: tuple[str, ...] = ()  # of the failure
    walked: bool = False  # by random priorities

    @property
    def method(self) -> str:
        return "exhaustive" if self.exhausted else "random" if self.walked else "bounded"


def explore(
    program: Image,
    words: bytes,
    cpus: int,
    parties: int,
    limit: int,
    *,
    time_steps: int = 0,
    unreduced: bool = False,
    walks: int = 0,
    seed: int = 1,
    start: int = 1000,
    all_locks: bool = False,
) -> Found:
    """words: the program's, with what its threads do; start: the time.

    all_locks: calls take effect with any of them.
    """
    check = elf.address(program.elf, "explore_check") if program.checks else 0
    chosen = _Options(
        cpus, parties, time_steps, limit, unreduced, walks, seed, 4, check, program.ram_bytes // 4,
        start & 0xFFFFFFFF, start >> 32, all_locks, elf.address(program.elf, "inside") if all_locks else 0,
    )  # fmt: skip
    results = _Results()
    library = _explorer()
    fine = library.explore(
        ctypes.byref(chosen), words, ctypes.c_size_t(len(words) // 4), ctypes.byref(results)
    )
    threads, shift = elf.address(program.elf, "cl_threads"), 4

    def thread_of(pointer: int) -> int:
        return ((pointer - threads) & 0xFFFF) >> shift

    logs = ctypes.string_at(library.explored(), 4 * results.log_words) if results.log_words else b""
    histories, at = [], 0
    while at < len(logs):
        (length,) = struct.unpack_from("<I", logs, at)
        triples = struct.iter_unpack("<III", logs[at + 4 : at + 4 + 4 * length])
        histories.append(tuple((k & 0xFF, k >> 8 & 0xFF, thread_of(k >> 16), a, b) for k, a, b in triples))
        at += 4 + 4 * length

    extents = sorted((at, at + size, name) for name, (at, size) in elf.extents(program.elf).items() if size)

    def variable(address: int) -> str:
        return next(
            (name for at, end, name in reversed(extents) if at <= address < end and not name.startswith(".")),
            f"{address:x}",
        )

    def name(address: int) -> str:
        return elf.place(program.elf, address) or f"{address:x}"

    return Found(
        results.executions,
        results.cut,
        results.steps,
        results.deepest,
        bool(results.exhausted),
        tuple(histories),
        tuple(sorted({variable(results.word[i]) for i in range(results.words)})),
        "" if fine else results.failure.decode(),
        tuple(
            f"{('cpu 0', 'cpu 1', 'cpu 2', 'cpu 3', 'time')[results.schedule[3 * i] % 5]}: "
            f"{name(results.schedule[3 * i + 1])} -> {name(results.schedule[3 * i + 2])}"
            for i in range(results.scheduled)
        ),
        bool(walks),
    )
