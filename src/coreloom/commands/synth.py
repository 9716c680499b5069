# SPDX-License-Identifier: Apache-2.0
"""`coreloom synth`: area and clock of units."""

from __future__ import annotations

from coreloom.benches import registry
from coreloom.commands.bench import measure
from coreloom.commands.console import Command

_BENCH = registry.get("synth")
COMMAND = Command("synth", _BENCH.help, lambda args: measure(_BENCH, args), _BENCH.options)
