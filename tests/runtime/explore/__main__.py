# SPDX-License-Identifier: Apache-2.0
"""python -m tests.runtime.explore [SCENARIO... | --list]: writes build/results/exploration.json."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence

from coreloom.errors import UserError
from coreloom.paths import RESULTS

from .scenarios import Scenario, all_scenarios

_LIMITS = (
    "Memory is sequentially consistent; caches, the bus and cycles are the RTL's tests' to check.",
    "Time stands still between the rings of timers, and their number is bounded in each scenario.",
    "Not explored: handlers of the communication port, interrupt lines from outside, the wrap of time.",
)


def row(name: str, scenario: Scenario) -> dict[str, object]:
    """What is known of a scenario. UserError if it has found something wrong."""
    start = time.process_time()
    found = scenario.explore()
    if wrong := scenario.wrong(found):
        raise UserError(f"{name}: {wrong}")
    open_ = []
    if not found.exhausted:
        open_.append(f"interleavings beyond {found.executions}")
    if scenario.time_steps:
        open_.append(f"more than {scenario.time_steps} rings of timers")
    return {
        "scenario": name,
        "policy": scenario.policy,
        "cpus": scenario.cpus,
        "threads": len(scenario.threads),
        "executions": found.executions,
        "histories": len(found.histories),
        "how": "exhaustive" if found.exhausted else "random" if scenario.walks else "bounded",
        "used without the lock": list(found.shared),
        "seconds": round(time.process_time() - start, 2),
        "not proved": open_,
    }


def main(names: Sequence[str]) -> int:
    known = all_scenarios()
    if list(names) == ["--list"]:
        sys.stdout.write("".join(f"{name}\n" for name in known))
        return 0
    for name in names:
        if name not in known:
            raise UserError(f"unknown scenario '{name}': --list prints all")
    rows = []
    for name in names or known:
        rows.append(row(name, known[name]))
        sys.stdout.write(f"{name}: {rows[-1]['executions']} executions, {rows[-1]['how']}\n")
    RESULTS.mkdir(parents=True, exist_ok=True)
    place = RESULTS / "exploration.json"
    place.write_text(json.dumps({"limits": _LIMITS, "scenarios": rows}, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except UserError as error:
        sys.exit(f"error: {error}")
