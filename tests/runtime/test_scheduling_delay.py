# SPDX-License-Identifier: Apache-2.0
"""[HT]'s scheduling delay, in short: 250 threads ready, interrupts at random phases, standard core."""

from __future__ import annotations

import pytest

from coreloom.benches.scheduler.delays import delay_rows

COUNT = 150


# Mean and jitter (most - mean) at most, from the interrupt until the new context is about to be loaded; and
# mean until the thread's first instruction.
# To be reached are 100 and 30; with a cold instruction cache every instruction of the path has to be fetched.
@pytest.mark.parametrize(
    ("kernel", "load", "mean", "jitter", "thread"),
    [
        ("hw", "loop", 65, 3, 80),
        ("hw", "cache", 95, 30, 105),
        ("sw", "loop", 130, 30, 150),
        ("sw", "cache", 165, 50, 190),
    ],
)
def test_end_to_end_delay(kernel: str, load: str, mean: int, jitter: int, thread: int) -> None:
    rows = {row.operation: row for row in delay_rows("hybrid", kernel, load, COUNT)}
    assert rows["end_to_end"].interrupts == COUNT
    assert rows["end_to_end"].mean <= mean
    assert rows["end_to_end"].jitter <= jitter
    assert rows["thread"].mean <= thread
    assert rows["raw"].most <= 20
    if kernel == "hw":  # the unit's own delay is fixed
        assert (rows["unit"].least, rows["unit"].most) == (5, 5)
