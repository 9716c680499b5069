# SPDX-License-Identifier: Apache-2.0
"""The cost in LUT4 of the keys of a platform file, as measured by `coreloom synth --keys`."""

from __future__ import annotations

import msgspec

from coreloom.paths import ROOT

PATH = ROOT / "docs" / "results" / "data" / "key_costs.json"
COMMAND = "coreloom synth --keys"


class Cost(msgspec.Struct, frozen=True, kw_only=True):
    """LUT4 of a unit with one value of a key, all others as usual."""

    key: str  # Entry.place
    unit: str
    value: str
    lut4: int


class Costs(msgspec.Struct, frozen=True, kw_only=True):
    """The file: how it was made, and what was measured."""

    command: str
    commit: str
    tools: dict[str, str]
    costs: list[Cost]

    def of(self, place: str) -> list[Cost]:
        """Those of the key at Entry.place, its usual value first."""
        return [cost for cost in self.costs if cost.key == place]


def read() -> Costs:
    """The latest measurement."""
    return msgspec.json.decode(PATH.read_bytes(), type=Costs)


def text(costs: list[Cost]) -> str:
    """Of one key: the unit, and its LUT4 with each value."""
    if not costs:
        return f"not measured yet: `{COMMAND}`"
    values = ", ".join(f"{f'{cost.lut4:,}'.replace(',', ' ')} ({cost.value})" for cost in costs)
    return f"{costs[0].unit}: {values}"
