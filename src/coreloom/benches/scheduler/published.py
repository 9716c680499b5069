# SPDX-License-Identifier: Apache-2.0
"""What this page takes from others that are published: clocks on the FPGA, and cycles of a switch."""

from __future__ import annotations

from coreloom.benches.scheduler.delays import PLATFORMS
from coreloom.benches.smp import BENCH as SMP
from coreloom.benches.synth import BENCH as SYNTH
from coreloom.synthesis.synth import Row


def clocks() -> dict[str, Row]:
    """Build -> area and clock of its platform; nothing of a platform that has no published figure."""
    published = SYNTH.read_published()
    placed = {row.build: row for row in published.rows if row.unit == "cl_soc"} if published else {}
    return {build: placed[name] for build, name in PLATFORMS.items() if name in placed}


def switches() -> dict[str, int]:
    """Kind of a switch of the hardware kernel -> its median cycles; nothing if smp is not published."""
    published = SMP.read_published()
    return {
        row.kind: row.cycles_median
        for row in (published.stages if published else ())
        if (row.core, row.kernel) == ("standard", "hw")
    }
