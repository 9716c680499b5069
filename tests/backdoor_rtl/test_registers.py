# SPDX-License-Identifier: Apache-2.0
"""Every register of both sides of the Back-Door at equal clocks, and every wrong access."""

from __future__ import annotations

import itertools

import pytest

from .harness import BLOCK, DOWN, FAR, MEMORY, NEAR, OFFSETS, SPEC, UP, Ask, Door, Side, bit

NEAR_ERROR, FAR_ERROR, STATUS = "near_error_word", "far_error_word", "status_word"
LIST = 0x4000_0000


def readable(side: int) -> list[str]:
    """What can be loaded and is changed by no load."""
    registers = (SPEC.registers["near"], SPEC.registers["far"])[side]
    return [
        name
        for name in OFFSETS[side]
        if registers[name.rstrip("0123")].access != "wo" and name not in ("mail_receive", "bell_take")
    ]


def state(door: Door) -> list[int | None]:
    return [door.do(side, name) for side in (NEAR, FAR) for name in readable(side)]


def test_after_reset() -> None:
    """All is 0 but what tells sizes; processor 1 is held."""
    with Door() as door:
        assert not door.seen(FAR).live
        found = {name: door.near(name) for name in readable(NEAR)}
        sizes = {"id": SPEC.limits["id_word"], "size": BLOCK}
        assert found == {name: sizes.get(name, 0) for name in found}
        door.begin()
        found = {name: door.far(name) for name in readable(FAR)}
        sizes |= {"memory": MEMORY, "mail_count": 16}
        assert found == {name: sizes.get(name, 0) for name in found}
        assert door.near("mail_count") == 16


@pytest.mark.parametrize("side", [NEAR, FAR])
def test_wrong_accesses(side: int) -> None:
    """REQ-backdoor-1: a bus error each, and nothing is changed."""
    registers = (SPEC.registers["near"], SPEC.registers["far"])[side]
    access = {
        offset: registers[name.rstrip("0123")].access if name.rstrip("0123") in registers else ""
        for name, offset in OFFSETS[side].items()
    }
    with Door().begin() as door:
        for word, name in enumerate(("word0", "word1", "word2", "word3", "bell_enable")):
            for other in (NEAR, FAR):
                assert door.do(other, name, 0x1234_5670 + word) == 0
        door.near("bell_ring", 0xF0)
        door.far("bell_ring", 0x0F)
        door.near("mail_send", 7)
        door.far("mail_send", 8)
        door.wait(20)
        before = state(door)
        for offset in range(0, 256, 4):
            if access.get(offset, "wo") == "wo":
                assert door.do(side, offset) is None, hex(offset)
            if access.get(offset, "ro") == "ro":
                assert door.do(side, offset, 0xFFFF_FFFF) is None, hex(offset)
            if side == NEAR:
                for be in range(15):
                    assert door.near(offset, 0xFFFF_FFFF, be) is None, (hex(offset), be)
        if side == FAR:
            for offset in (1, 2, 3, 0x61, 0x8A):
                assert door.far(offset) is None and door.far(offset, 0xFF) is None
        else:
            loads = [0x100, 0xFFFFC, DOWN, DOWN + BLOCK - 4, DOWN + BLOCK, UP + BLOCK, UP + 0xFFFFC, 0x300000]
            stores = [0x100, 0xFFFFC, DOWN + BLOCK, DOWN + 0xFFFFC, UP, UP + BLOCK - 4, UP + BLOCK, 0x300000]
            assert [door.near(offset) for offset in loads] == [None] * len(loads)
            assert [door.near(offset, 0xFFFF_FFFF) for offset in stores] == [None] * len(stores)
            assert [door.near(DOWN, 0xFFFF_FFFF, be) for be in range(15)] == [None] * 15
        door.wait(20)
        assert state(door) == before
        assert (door.near("mail_receive"), door.far("mail_receive")) == (8, 7)


def test_near_takes_the_offset_only() -> None:
    with Door() as door:
        assert door.near(0xE200_0000) == SPEC.limits["id_word"]


@pytest.mark.parametrize("side", [NEAR, FAR])
def test_words(side: int) -> None:
    """Each word is one of its own, can be read back, and is seen on the other side."""
    there = "near_word" if side == NEAR else "far_word"
    with Door().begin() as door:
        for n in range(4):
            assert door.do(side, f"word{n}", 0xA000_0000 + n) == 0
        door.wait(20)
        assert [door.do(side, f"word{n}") for n in range(4)] == [0xA000_0000 + n for n in range(4)]
        assert [door.do(1 - side, f"{there}{n}") for n in range(4)] == [0xA000_0000 + n for n in range(4)]
        assert [door.do(1 - side, f"word{n}") for n in range(4)] == [0] * 4


@pytest.mark.parametrize("side", [NEAR, FAR])
def test_bells(side: int) -> None:
    """Latched, each of its own; cleared by their side only; interrupt while one that is enabled rings."""
    other = 1 - side
    with Door().begin() as door:
        assert door.do(side, "bell_ring", 0x8000_0005) == 0
        assert door.do(side, "bell_ring", 0) == 0
        door.wait(20)
        assert door.do(other, "bell_pending") == 0x8000_0005
        assert door.do(side, "bell_pending") == 0
        assert not door.seen(other).irq
        door.do(other, "bell_enable", 2)
        assert not door.seen(other).irq
        door.do(other, "bell_enable", 6)
        assert door.seen(other).irq and not door.seen(side).irq
        assert door.do(other, "bell_enable") == 6
        door.do(other, "bell_clear", 4)
        door.wait(2)
        assert not door.seen(other).irq
        assert door.do(other, "bell_pending") == 0x8000_0001
        door.do(other, "bell_clear", 0xFFFF_FFFF)
        assert door.do(other, "bell_pending") == 0


@pytest.mark.parametrize("side", [NEAR, FAR])
def test_taking_bells(side: int) -> None:
    """Causes that are pending and enabled, at once, and never the doorbell."""
    with Door().begin() as door:
        door.do(1 - side, "bell_ring", 0x8000_000F)
        door.wait(20)
        assert door.do(side, "bell_take") == 0
        door.do(side, "bell_enable", 0xF000_0007)
        assert door.do(side, "bell_take") == 0x8000_0006
        door.wait(2)
        assert door.do(side, "bell_pending") == 9 and door.seen(side).irq
        assert door.do(side, "bell_take") == 0


@pytest.mark.parametrize("side", [NEAR, FAR])
def test_a_clear_drops_the_interrupt_for_a_cycle(side: int) -> None:
    """REQ-backdoor-6: what is left makes a new edge, a bell that comes meanwhile, too."""
    with Door().begin() as door:
        door.do(side, "bell_enable", 0xFF)
        door.do(1 - side, "bell_ring", 3)
        door.wait(20)
        lines: list[bool] = []

        def clear() -> Side:
            seen = yield Ask("bell_clear", 1)
            for _ in range(4):
                lines.append(seen.irq)
                seen = yield None

        door.start(side, clear())
        door.wait(10)
        assert lines == [False, True, True, True]

        # A ring takes four cycles: it comes in the cycle of the clear.
        lines.clear()

        def ring() -> Side:
            yield Ask("bell_ring", 2)

        def wait_and_clear() -> Side:
            for _ in range(3):
                seen = yield None
                lines.append(seen.irq)
            seen = yield Ask("bell_clear", 2)
            for _ in range(3):
                lines.append(seen.irq)
                seen = yield None

        door.start(1 - side, ring())
        door.start(side, wait_and_clear())
        door.wait(10)
        assert lines == [True, True, True, False, True, True]
        assert door.do(side, "bell_pending") == 2
        if side == NEAR:
            assert door.near("bell_merged") == 0


def test_merged_bells_are_counted() -> None:
    with Door().begin() as door:
        for bells in (1, 3, 3, 0x8000_0000):
            door.far("bell_ring", bells)
            door.wait(20)
        assert door.near("bell_merged") == 3
        assert door.near("bell_merged", 77) == 0
        assert door.near("bell_merged") == 0
        rings = 2050

        def flood() -> Side:
            for _ in range(rings):
                yield Ask("bell_ring", 0xFFFF_FFFF)
                for _ in range(7):
                    yield None

        door.run(far=flood())
        door.wait(20)
        assert door.near("bell_merged") == 0xFFFF  # and not more: 32 * 2050 came
        assert door.near("bell_pending") == 0xFFFF_FFFF


@pytest.mark.parametrize("side", [NEAR, FAR])
@pytest.mark.parametrize("depth", [2, 16, 128])
def test_mail(depth: int, side: int) -> None:
    """In order, until it is full; what is refused is an error that stays until it is cleared."""
    other = 1 - side
    full, empty = bit(NEAR_ERROR, "mail_full"), bit(NEAR_ERROR, "mail_empty")  # the same on both sides
    with Door(depth=depth).begin() as door:
        for word in range(depth):
            assert door.do(side, "mail_count") == depth - word
            assert door.do(side, "mail_send", 100 + word) == 0
        assert door.do(side, "error") == 0
        assert door.status() & bit(STATUS, "mail_room") == (bit(STATUS, "mail_room") if side == FAR else 0)
        assert door.do(side, "mail_send", 99) == 0
        assert door.do(side, "error") == full
        door.wait(20)
        assert door.do(other, "mail_count") == depth << 8 | depth
        assert door.status() & bit(STATUS, "mail_waiting") == (
            bit(STATUS, "mail_waiting") if side == FAR else 0
        )
        assert [door.do(other, "mail_receive") for _ in range(depth)] == [100 + n for n in range(depth)]
        assert door.do(other, "error") == 0
        assert door.do(other, "mail_receive") == 0
        assert door.do(other, "error") == empty
        assert door.do(side, "mail_count") == depth
        for where, error in ((side, full), (other, empty)):
            door.do(where, "error", ~error & 0xFFFF_FFFF)
            assert door.do(where, "error") == error
            door.do(where, "error", error)
            assert door.do(where, "error") == 0


def test_blocks_and_counters() -> None:
    """The DMA moves between the memory of processor 1 and the blocks; both sides count."""
    words = [0xC0DE_0000 + n for n in range(8)]
    with Door().begin() as door:
        for n, word in enumerate(words):
            assert door.near(DOWN + 4 * n, word) == 0
        assert door.near(DOWN + BLOCK - 4, 0x1AB0) == 0
        assert door.near("down_bytes") == 36
        # Eight words down to 0x100, and six of them from there up, near the end of the block
        down, up, last = 0 << 28, 1 << 28, 1 << 31
        door.poke(LIST, [down | 8, LIST + 0x100, 0, up | last | 6, LIST + 0x100, BLOCK - 32])
        assert door.far("dma_enable", 0xFFFF_FFFF) == 0
        assert door.far("dma_enable") == 1
        assert door.far("dma_list", LIST) == 0
        assert door.far("dma_list", LIST) == 0
        assert door.far("error") == bit(FAR_ERROR, "dma_busy")
        status = door.far("dma_status")
        assert status == bit("dma_status_word", "busy")
        assert not door.seen(FAR).dma_irq
        while not door.seen(FAR).dma_irq:
            door.step()
        assert door.far("dma_status") == bit("dma_status_word", "done")
        assert door.peek(LIST + 0x100, 8) == words
        door.wait(20)
        assert [door.near(UP + BLOCK - 32 + 4 * n) for n in range(6)] == words[:6]
        assert door.near("up_bytes") == 24
        assert (door.far("down_bytes"), door.far("up_bytes")) == (32, 24)
        cycles = door.far("dma_cycles")
        assert cycles == 14 + 2 * 4 + 1
        assert door.near("far_dma") == bit("dma_status_word", "done")
        assert [door.near(f"far_{name}") for name in ("down_bytes", "up_bytes", "dma_cycles")] == [
            32,
            24,
            cycles,
        ]
        assert door.far("dma_crc") != 0
        assert door.far("dma_crc", 5) == 0 and door.far("dma_crc") == 0
        # A list that is none: its error is told, done and error are cleared together.
        door.far("dma_clear", 0)
        assert (door.far("dma_status"), door.seen(FAR).dma_irq) == (0, False)
        door.far("dma_list", LIST + 2)
        door.wait(20)
        wrong = bit("dma_status_word", "done") | SPEC.enums["dma_error"]["list"][0] << 4
        assert (door.far("dma_status"), door.near("far_dma")) == (wrong, wrong)
        assert door.seen(FAR).dma_irq
        door.far("dma_enable", 0)
        assert not door.seen(FAR).dma_irq
        # The next list begins anew.
        door.far("dma_list", LIST)
        assert door.far("dma_status") == bit("dma_status_word", "busy")


def test_bus_errors_of_processor_1() -> None:
    with Door().begin() as door:
        for address, pc in ((0x1000, 0x40), (0xFFFF_FFFC, 0x44)):
            door.pc, door.fault = pc, address
            door.step()
            door.pc = 0
            assert door.seen(FAR).fault_irq
            assert [door.far(f"bus_error{name}") for name in ("", "_address", "_pc")] == [1, address, pc]
        assert door.far("bus_error_clear", 0) == 0
        assert not door.seen(FAR).fault_irq
        assert [door.far(f"bus_error{name}") for name in ("", "_address", "_pc")] == [0, 0xFFFF_FFFC, 0x44]


def test_a_silent_processor_keeps_nobody_waiting() -> None:
    """Its clock stands still: every access of the near side is answered, and what does not fit is told."""
    with Door().begin() as door:
        door.stopped = True
        for n, side in itertools.product(range(20), ("mail_send", "bell_ring", "word0")):
            assert door.near(side, n) == 0
        assert door.near("error") == bit(NEAR_ERROR, "mail_full")
        assert door.near("control", 0) == 0
        door.wait(1000)
        assert door.status() == bit(STATUS, "running")
        door.stopped = False
        door.wait(40)
        assert door.status() == 0
