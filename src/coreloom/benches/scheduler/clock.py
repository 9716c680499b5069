# SPDX-License-Identifier: Apache-2.0
"""The clock that each platform of [HT]'s builds reaches on the FPGA, from the published `coreloom synth`."""

from __future__ import annotations

from coreloom import paths
from coreloom.benches.scheduler.delays import PLATFORMS
from coreloom.report import results
from coreloom.synthesis.synth import Row

PUBLISHED = ("docs", "results", "data", "synth.json")


class _Synth(results.Result, kw_only=True):
    rows: list[Row]


def clocks() -> dict[str, Row]:
    """Build -> area and clock of its platform; nothing of a platform that has no published figure."""
    path = paths.ROOT.joinpath(*PUBLISHED)
    rows = results.read(_Synth, path, "synth").rows if path.exists() else []
    placed = {row.build: row for row in rows if row.unit == "cl_soc"}
    return {build: placed[name] for build, name in PLATFORMS.items() if name in placed}
