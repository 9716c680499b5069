# SPDX-License-Identifier: Apache-2.0
"""`coreloom synth`: area and clock of units."""

from __future__ import annotations

from functools import partial

from coreloom.benches import registry
from coreloom.commands.bench import measure, options
from coreloom.commands.console import Command

_BENCH = registry.get("synth")
COMMAND = Command("synth", _BENCH.help, lambda args: measure(_BENCH, args), partial(options, _BENCH))
