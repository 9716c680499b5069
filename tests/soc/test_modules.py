# SPDX-License-Identifier: Apache-2.0
"""What the simulator shows of the kernel's scheduling modules and of the Lock Unit, cycle by cycle."""

from __future__ import annotations

import json
from typing import Any

from coreloom.simulation.measure import waits
from coreloom.simulation.trace import chrome_trace

from .conftest import Run
from .test_programs import ALL_DONE

# In cycles 3000, 6000 and 9000 both CPUs ask the kernel for SELF, then the Lock Unit for the same address.
_BOTH = f"""
  li a4, 0xF0004000  // kernel: SELF
  li s5, 3
  li s6, 3000
  li s7, 0
.balign 64
again:
  add s7, s7, s6
1: lw t0, CYCLE(s1)
  bltu t0, s7, 1b
  lw t0, 0(a4)
  addi t0, t0, 1
  sw s2, LOCK_ADDRESS(s1)
  lw t0, LOCK_ACQUIRE(s1)
  addi t0, t0, 1
  sw zero, LOCK_RELEASE(s1)
  addi s5, s5, -1
  bnez s5, again
{ALL_DONE}
"""


def _rows(trace: str) -> dict[str, list[tuple[str, int, int]]]:
    """The slices of each row of the modules and the Lock Unit: what, since when, how long."""
    records: list[dict[str, Any]] = json.loads(trace)["traceEvents"]
    titles = {(r["pid"], r.get("tid")): r["args"]["name"] for r in records if r["ph"] == "M"}
    rows: dict[str, list[tuple[str, int, int]]] = {}
    for r in records:
        if r["ph"] == "X" and r["pid"] in (4, 5):
            row = f"{titles[r['pid'], None]}, {titles[r['pid'], r['tid']]}"
            rows.setdefault(row, []).append((r["name"], r["ts"], r["dur"]))
    return rows


def test_rows_of_the_modules_and_the_lock_unit(run: Run) -> None:
    result = run("standard", 2, _BOTH, modules=True)
    rows = _rows(chrome_trace(result.events, 2, result.cycles, []))
    lock = "0x40100000"
    assert rows == {
        "Scheduling modules, CPU 0": [
            ("operation", 3006, 2),
            ("waits", 6007, 1),
            ("operation", 6008, 2),
            ("operation", 9006, 2),
        ],
        "Scheduling modules, CPU 1": [
            ("waits", 3007, 1),
            ("operation", 3008, 2),
            ("operation", 6006, 2),
            ("waits", 9007, 1),
            ("operation", 9008, 2),
        ],
        "Lock Unit, CPU 0": [
            (f"waits for {lock}", 3011, 1),
            (f"holds {lock}", 3012, 3),
            (f"waits for {lock}", 6013, 2),
            (f"holds {lock}", 6015, 3),
            (f"waits for {lock}", 9011, 1),
            (f"holds {lock}", 9012, 3),
        ],
        "Lock Unit, CPU 1": [
            (f"waits for {lock}", 3013, 2),
            (f"holds {lock}", 3015, 3),
            (f"waits for {lock}", 6011, 1),
            (f"holds {lock}", 6012, 3),
            (f"waits for {lock}", 9013, 2),
            (f"holds {lock}", 9015, 3),
        ],
    }
    assert waits(result.events, 0, result.cycles) == [0, 1, 0, 1, 0, 1]


def test_without_modules_there_are_no_such_rows(run: Run) -> None:
    result = run("standard", 2, _BOTH)
    assert _rows(chrome_trace(result.events, 2, result.cycles, [])) == {}
