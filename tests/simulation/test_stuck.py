# SPDX-License-Identifier: Apache-2.0
"""Where a thread is, from a memory that is made here."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace

from coreloom.design.address_map import RAM_BASE
from coreloom.simulation.places import RA, SAVED, SP
from coreloom.simulation.stuck import Machine

_BLOCKS, _ENTRY, _STACK, _FRAME = 0x100, 0x400, 0x1000, 144


def test_a_thread_that_the_hardware_kernel_has_preempted() -> None:
    """Its registers are in the frame of the trap: those that functions keep, ra and pc."""
    memory = bytearray(0x2000)

    def put(at: int, word: int) -> None:
        struct.pack_into("<I", memory, at, word)

    put(_BLOCKS + 16, RAM_BASE + _STACK)  # thread 1's stack pointer
    put(_STACK, RAM_BASE + _ENTRY + 0x40)  # it goes on in the entry of traps,
    put(_ENTRY, (4096 - _FRAME) << 20 | 0x10113)  # which begins with addi sp, sp, -144
    put(_STACK + 16, 0x1111)  # ra
    put(_STACK + 16 + 64, 0x2222)  # pc
    for number in range(len(SAVED)):
        put(_STACK + 16 + 72 + 4 * number, 0x3000 + number)
    asked: list[tuple[int, Mapping[int, int]]] = []

    def frames(pc: int, known: Mapping[int, int], word: object, trapped: object) -> Iterator[int]:
        asked.append((pc, known))
        return iter([pc])

    machine = Machine(Path("none"), bytes(memory))
    machine.__dict__["_symbols"] = {
        "cl_threads": (RAM_BASE + _BLOCKS, 64),
        "cl_names": (0, 64),
        "cl_trap_entry": (RAM_BASE + _ENTRY, 0),
    }
    machine.__dict__["_code"] = SimpleNamespace(frames=frames, functions=lambda at: [])
    assert list(machine._frames(1)) == [0x2222]
    kept = {register: 0x3000 + number for number, register in enumerate(SAVED)}
    assert asked == [(0x2222, {SP: RAM_BASE + _STACK + _FRAME, RA: 0x1111, **kept})]
