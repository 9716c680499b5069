"""Every register of both sides of the Back-Door, and every wrong access."""

from __future__ import annotations

from .harness import FAR, Door


def started(depth: int = 16) -> Door:
    """A door whose processor 1 runs."""
    door = Door(depth=depth)
    assert door.near(0x08, 1) == 0
    for _ in range(100):
        door.step()
        if door.seen(FAR).live:
            return door
    raise AssertionError("processor 1 does not start")


def test_words_and_bells_come_to_the_other_side() -> None:
    with started() as door:
        assert door.far(0x60, 77) == 0
        assert door.far(0x20, 5) == 0
        door.wait(10)
        assert (door.near(0x70), door.near(0x24)) == (77, 5)
        assert door.near(0x6C, 78) == 0
        assert door.near(0x20, 0x8000_0000) == 0
        door.wait(10)
        assert (door.far(0x7C), door.far(0x24)) == (78, 0x8000_0000)
