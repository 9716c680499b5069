# SPDX-License-Identifier: Apache-2.0
"""The Lock Unit under more processors than it can serve, by both orders."""

from __future__ import annotations

from dataclasses import replace

import pytest

from coreloom.benches.smp import locks
from coreloom.design import platform


@pytest.mark.parametrize(
    ("order", "turns", "longest_wait"),
    [("arrival", [861, 862, 862, 861], 123), ("lowest", [1722, 1723, 1, 1], 100_038)],
)
@pytest.mark.runtime
def test_only_by_arrival_does_everyone_get_the_lock(order: str, turns: list[int], longest_wait: int) -> None:
    soc = replace(platform.load("smp-standard", 4), lock_order=order)
    assert locks.measure(soc, hold=20) == locks.Row(
        order=order, cpus=4, hold=20, cycles=100_000, turns=turns, longest_wait=longest_wait
    )
