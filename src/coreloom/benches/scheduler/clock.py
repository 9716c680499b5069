# SPDX-License-Identifier: Apache-2.0
"""The clock that each platform of [HT]'s builds reaches on the FPGA, from the published `coreloom synth`."""

from __future__ import annotations

from coreloom.benches.scheduler.delays import PLATFORMS
from coreloom.benches.synth import BENCH as SYNTH
from coreloom.synthesis.synth import Row


def clocks() -> dict[str, Row]:
    """Build -> area and clock of its platform; nothing of a platform that has no published figure."""
    published = SYNTH.read_published()
    placed = {row.build: row for row in published.rows if row.unit == "cl_soc"} if published else {}
    return {build: placed[name] for build, name in PLATFORMS.items() if name in placed}
