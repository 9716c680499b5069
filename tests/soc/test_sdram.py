# SPDX-License-Identifier: Apache-2.0
"""A shared memory that is an SDRAM: each access of a program takes the cycles that a small model says."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from cases import nightly_but
from coreloom.design import spec

from .conftest import Run
from .test_programs import ALL_DONE

LIMITS = spec.soc().limits

# 200 loads, each after the last one has answered; of each the cycle before it, and how many it took
_LOADS = """
  lui s6, 0x40100
  li s5, 200
  la s10, strides
again:
  lw s7, CYCLE(s1)
  lw t0, 0(s6)
  addi t0, t0, 1
  lw s8, CYCLE(s1)
  sub s9, s8, s7
  sw s7, MARK(s1)
  sw s9, MARK(s1)
  andi t1, s5, 7
  slli t1, t1, 2
  add t1, t1, s10
  lw t1, 0(t1)
  add s6, s6, t1
  addi s5, s5, -1
  bnez s5, again
  j done
.balign 4
strides: .word STRIDES
done:
"""
_STRIDES = (4, 1024, 1024, 4, 4096, -4096, 4, 8192)
# Cycles from the reading of CYCLE to the request of the load, and of all if it is answered in the next cycle
_AROUND = {"economy": (5, 13), "standard": (1, 4)}


@dataclass
class Sdram:
    """Rows of 1 KiB in 4 banks; a refresh begins in each cycle that is a multiple of `interval`, or once the
    access under way has ended."""

    hit: int = LIMITS["sdram_hit"]
    miss: int = LIMITS["sdram_miss"]
    refresh: int = LIMITS["sdram_refresh"]
    interval: int = LIMITS["sdram_interval"]
    open: dict[int, int] = field(default_factory=dict)
    refreshed: int = 0
    end: int = 0

    def load(self, cycle: int, address: int) -> int:
        """Cycles from a request in `cycle` to its answer."""
        due = cycle // self.interval * self.interval
        begin = cycle
        if due > self.refreshed:
            self.open.clear()
            self.refreshed = due
            begin = max(cycle, max(due, self.end) + self.refresh)
        row, bank = divmod(address // 1024, 4)
        self.end = begin + (self.hit if self.open.get(bank) == row else self.miss)
        self.open[bank] = row
        return self.end - cycle


@pytest.mark.parametrize("core", nightly_but(["economy", "standard"], ["standard"]))
def test_loads(run: Run, core: str) -> None:
    changes = {"memory.model": "sdram"}
    source = _LOADS.replace("STRIDES", ", ".join(map(str, _STRIDES)))
    result = run(core, 1, source + ALL_DONE, local=True, changes=changes)
    values = [event.value for event in result.events]
    moments, found = values[::2], values[1::2]
    to_request, around = _AROUND[core]
    model, address, expected = Sdram(), 0x4010_0000, []
    for left, cycle in zip(range(200, 0, -1), moments, strict=True):
        expected.append(around - 1 + model.load(cycle + to_request, address))
        address += _STRIDES[left % 8]
    assert found[1:] == expected[1:]  # what was before the first one is not known
    hit, miss = (around - 1 + each for each in (model.hit, model.miss))
    assert {hit, miss} < set(found) and max(found) > miss
