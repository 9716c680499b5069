# SPDX-License-Identifier: Apache-2.0
"""What `coreloom bench linux` runs in its guest: it works, and the same seed gives the same rows."""

from __future__ import annotations

import dataclasses

import pytest

from coreloom.benches.linux import bench as linux
from coreloom.benches.linux.loads import GAP, TESTS
from coreloom.benches.linux.schedulers import DWRR, scheduler
from coreloom.vm import vm

pytestmark = [pytest.mark.linux, pytest.mark.nightly]
_SLICE_MS = 12  # of a round, for nice 0


def test_two_runs_with_a_seed_are_the_same() -> None:
    five = next(test for test in TESTS if test.name == "five")
    test = dataclasses.replace(five, command=five.command.replace("-t 10", "-t 2"))
    loaded = scheduler(DWRR)
    guest, script = linux.guest(test, loaded), linux.script(test, loaded)
    first, second = (
        linux.rows_of(test, loaded, 3, vm.run(guest, script, deterministic=True, seed=3, timeout=600).files)
        for _ in range(2)
    )
    assert first == second
    found = {row.metric: row.value for row in first if row.value is not None}
    # They come one after the other, so one may begin a round later: linux/scx_dwrr/README.md.
    assert found[GAP.name] <= found[linux.BOUND] + _SLICE_MS
