# SPDX-License-Identifier: Apache-2.0
"""`coreloom report`: pages of the results that are here; the rest stays as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from coreloom.benches import pages as report
from coreloom.report import results

from .command import run

_OTHERS = [
    "smp",
    "scheduler",
    "policies",
    "ipc",
    "backdoor",
    "synth",
    "fairness",
    "model",
    "exclusive",
    "linux",
]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(results, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(report, "ROOT", tmp_path)
    return tmp_path


def test_pages_of_the_results_that_are_here(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    results.write("grain", [], method="How it was measured.")
    (place / "README.md").write_text("as it was")
    code, out, err = run(capsys, "report")
    commands = ", ".join(f"coreloom {'' if name == 'synth' else 'bench '}{name}" for name in _OTHERS)
    page = place / "docs" / "results" / "grain.md"
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        f"wrote {page}",
        f"all else stays as it is, for want of results of: {commands}",
    ]
    lines = page.read_text().splitlines()
    assert lines[0] == "# What a message costs: the image filter by pixels a message"
    assert lines[4] == "How it was measured."
    assert [path.name for path in page.parent.iterdir()] == ["grain.md"]
    assert (place / "README.md").read_text() == "as it was"


@pytest.mark.usefixtures("place")
def test_no_results(capsys: pytest.CaptureFixture[str]) -> None:
    line = "coreloom: error: no results yet: run a benchmark first, as `coreloom bench smp`\n"
    assert run(capsys, "report") == (1, "", line)
