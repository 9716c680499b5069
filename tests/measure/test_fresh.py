# SPDX-License-Identifier: Apache-2.0
"""What makes a published result stale."""

from __future__ import annotations

from pathlib import Path

import pytest

from coreloom.report import fresh


@pytest.mark.parametrize(
    ("file", "stale"),
    [
        ("rtl/unit/rtl/unit.sv", True),
        ("rtl/unit/tb/bench.cpp", True),
        ("rtl/unit/formal/properties.sv", False),
        ("rtl/unit/README.md", False),
    ],
)
def test_a_change_of_a_file(file: str, stale: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fresh, "ROOT", tmp_path)
    path = tmp_path / file
    path.parent.mkdir(parents=True)
    path.write_text("before")
    before = fresh.digest(["rtl"], ())
    path.write_text("after")
    assert (fresh.digest(["rtl"], ()) != before) == stale
