# SPDX-License-Identifier: Apache-2.0
"""`coreloom demo`, which `make demo` runs: short, right, and honest about where hardware does not pay."""

from __future__ import annotations

import re

import pytest

from coreloom.paths import BUILD

from .command import run


@pytest.mark.runtime
def test_the_story_in_forty_lines(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "demo")
    lines = out.splitlines()
    assert (code, err) == (0, "")
    assert len(lines) <= 40 and max(map(len, lines)) <= 110
    times = [float(found) for found in re.findall(r"The hardware kernel is ([\d.]+) times as fast: ", out)]
    assert len(times) == 4
    assert min(times[:3]) > 2 > times[3]
    text = (BUILD / "demo.html").read_text(encoding="utf-8")
    assert text.count("<section") == 4 and len(text.encode()) < 2_000_000
