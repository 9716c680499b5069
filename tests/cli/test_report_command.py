# SPDX-License-Identifier: Apache-2.0
"""`coreloom report`: results are published with their pages; the rest stays as it is."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from coreloom import paths
from coreloom.benches import registry
from coreloom.benches.smp.bench import Result
from coreloom.report import results

from .command import run


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(paths, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    return tmp_path


def _grain(commit: str = "0123456789ab") -> None:
    path = results.save(Result(name="grain", method="How it was measured.", rows=[]))
    path.write_text(path.read_text().replace(results.commit(), commit))


def test_pages_of_the_results_that_are_here(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _grain()
    (place / "README.md").write_text("as it was")
    code, out, err = run(capsys, "report")
    others = [f"coreloom {b.command}" for b in registry.benches().values() if b.name != "grain"]
    folder = place / "docs" / "results"
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        f"wrote {folder / 'data' / 'grain.json'}",
        f"wrote {folder / 'grain.md'}",
        f"wrote {place / 'docs' / 'not-reached.md'}",
        f"all else stays as it is, for want of results of: {', '.join(others)}",
    ]
    assert (folder / "grain.md").read_text().splitlines()[:7] == [
        "*Measured at 0123456789ab; inputs changed since.*",
        "",
        "# What a message costs: the image filter by pixels a message",
        "",
        "<!-- Made by `coreloom report` from data/grain.json; do not edit. -->",
        "",
        "How it was measured.",
    ]
    assert (place / "README.md").read_text() == "as it was"
    run(capsys, "report")
    assert sorted(path.name for path in folder.iterdir()) == ["data", "grain.md"]


@pytest.mark.usefixtures("place")
def test_no_results(capsys: pytest.CaptureFixture[str]) -> None:
    line = "coreloom: error: no results yet: run a benchmark first, as `coreloom bench smp`\n"
    assert run(capsys, "report") == (1, "", line)


@pytest.mark.usefixtures("place")
def test_results_of_no_commit_are_not_published(capsys: pytest.CaptureFixture[str]) -> None:
    _grain("0123456789ab+changes")
    line = (
        "coreloom: error: grain.json was measured with changes that no commit has: commit them, and run "
        "`coreloom bench grain` again\n"
    )
    assert run(capsys, "report") == (1, "", line)


def test_a_changed_file_that_is_not_committed(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    git = ["git", "-C", str(place), "-c", "user.name=T", "-c", "user.email=t@example.org"]
    (place / "kernel.sv").write_text("old")
    for words in (["init", "-q"], ["add", "kernel.sv"], ["commit", "-q", "-m", "Begin"]):
        subprocess.run([*git, *words], check=True)
    _grain()
    (place / "kernel.sv").write_text("new")
    line = (
        "coreloom: error: kernel.sv is changed and not committed: commit it first, so that pages show what "
        "their commit has\n"
    )
    assert run(capsys, "report") == (1, "", line)
    assert not (place / "docs").exists()
