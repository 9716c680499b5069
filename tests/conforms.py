# SPDX-License-Identifier: Apache-2.0
"""Conformance tests on any platform: what runs everywhere must pass everywhere."""

from __future__ import annotations

from coreloom.conformance import run, suite
from coreloom.design.platform import Platform


def conforms(group: str, soc: Platform, ground: str) -> None:
    """The group's tests pass, as far as they apply there."""
    rows = run.group(suite.chosen([group]), ground, soc)
    assert len(rows) > 2
    assert [(row.name, row.outcome, row.detail) for row in rows if not row.good] == []
