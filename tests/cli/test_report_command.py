# SPDX-License-Identifier: Apache-2.0
"""`coreloom report`: results are published with their pages; the rest stays as it is."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from coreloom import paths
from coreloom.benches import pages, registry, stale
from coreloom.benches.policies.bench import Result
from coreloom.report import results
from coreloom.report.figure import Figure

from .command import run


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(paths, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    return tmp_path


def _policies(commit: str = "0123456789ab") -> None:
    reach = [Figure("gap (B)", 2.5, at_most=2.05)]
    path = results.save(Result(name="policies", method="How it was measured.", rows=[], area=[], reach=reach))
    path.write_text(path.read_text().replace(results.commit(), commit))


def test_pages_of_the_results_that_are_here(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _policies()
    (place / "README.md").write_text(f"before\n{pages.BEGIN}\nold\n{pages.END}\nafter\n")
    code, out, err = run(capsys, "report")
    others = [f"coreloom {b.command}" for b in registry.benches().values() if b.name != "policies"]
    folder = place / "docs" / "results"
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        f"wrote {folder / 'data' / 'policies.tsv'}",
        f"wrote {folder / 'policies.md'}",
        f"wrote {place / 'docs' / 'not-reached.md'}",
        f"wrote {folder / 'README.md'}",
        f"wrote {place / 'README.md'}",
        f"unchanged, for lack of results of: {', '.join(others)}",
    ]
    assert (folder / "policies.md").read_text().splitlines()[:5] == [
        "# Scheduling policies on the SoC: decisions, shares, moves, area",
        "",
        "<!-- Made by `coreloom report` from data/policies.tsv; do not edit. -->",
        "",
        "How it was measured.",
    ]
    title = "Scheduling policies on the SoC: decisions, shares, moves, area"
    why = "[why](docs/not-reached.md#scheduling-policies-on-the-soc-decisions-shares-moves-area)"
    line = (
        "| [DWRR](docs/papers/README.md) | gap (B) | 2.5 | at most 2.05 | - | 0 of 1 "
        f"| gap (B): 2.5 (to reach: at most 2.05) ({why}) |"
    )
    head, _, table = (
        (place / "README.md")
        .read_text()
        .partition(f"{pages.BEGIN}\n**Headline figures**\n\n| result | paper |")
    )
    assert head == "before\n"
    assert table.endswith(f"\n| [{title}](docs/results/policies.md) {line}\n{pages.END}\nafter\n")
    run(capsys, "report")
    assert sorted(path.name for path in folder.iterdir()) == ["README.md", "data", "policies.md"]


def test_items_of_papers(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _policies()
    (place / "README.md").write_text(f"{pages.BEGIN}\n{pages.END}\n")
    folder = place / "docs" / "papers"
    folder.mkdir(parents=True)
    (folder / "README.md").write_text(f"before\n{pages.PAPERS[0]}\n{pages.PAPERS[1]}\nafter\n")
    (folder / "dwrr.toml").write_text(
        'tag = "DWRR"\ntitle = "Slides"\nabout = "About."\n[[items]]\nkind = "mechanism"\n'
        'where = "slide 1"\ntext = "Rounds"\nstate = "as the paper"\ncommand = "coreloom bench policies"\n'
    )
    code, out, err = run(capsys, "report")
    assert (code, err) == (0, "")
    assert out.splitlines()[-4:-1] == [
        f"wrote {folder / 'dwrr.md'}",
        f"wrote {folder / 'README.md'}",
        f"wrote {place / 'results' / 'papers.json'}",
    ]
    assert (folder / "README.md").read_text() == (
        f"before\n{pages.PAPERS[0]}\n**Items of each paper by their state here**\n\n"
        "| paper | as the paper | differs | not here | all |\n| --- | ---: | ---: | ---: | ---: |\n"
        f"| [[DWRR]](dwrr.md) | 1 | 0 | 0 | 1 |\n| all | 1 | 0 | 0 | 1 |\n{pages.PAPERS[1]}\nafter\n"
    )
    assert "[DWRR](docs/papers/dwrr.md)" in (place / "README.md").read_text()
    (row,) = json.loads((place / "results" / "papers.json").read_text())["rows"]
    assert row == {
        **{"paper": "DWRR", "number": 1, "kind": "mechanism", "where": "slide 1", "text": "Rounds"},
        **{"state": "as the paper", "reason": "", "places": [], "command": "coreloom bench policies"},
        "figures": [],
    }


@pytest.mark.usefixtures("place")
def test_no_results(capsys: pytest.CaptureFixture[str]) -> None:
    line = "coreloom: error: no results yet: run a benchmark first, for example `coreloom bench smp`\n"
    assert run(capsys, "report") == (1, "", line)


@pytest.mark.usefixtures("place")
def test_results_of_no_commit_are_not_published(capsys: pytest.CaptureFixture[str]) -> None:
    _policies("0123456789ab+changes")
    line = (
        "coreloom: error: policies.json was measured with uncommitted changes: commit them, then run "
        "`coreloom bench policies` again\n"
    )
    assert run(capsys, "report") == (1, "", line)


def test_a_changed_file_that_is_not_committed(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    git = ["git", "-C", str(place), "-c", "user.name=T", "-c", "user.email=t@example.org"]
    (place / "kernel.sv").write_text("old")
    for words in (["init", "-q"], ["add", "kernel.sv"], ["commit", "-q", "-m", "Begin"]):
        subprocess.run([*git, *words], check=True)
    _policies()
    (place / "kernel.sv").write_text("new")
    line = (
        "coreloom: error: kernel.sv has uncommitted changes: commit it first, so that pages show what "
        "their commit has\n"
    )
    assert run(capsys, "report") == (1, "", line)
    assert not (place / "docs").exists()


def test_what_is_stale_and_how_long_it_takes(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [stale.Stale(registry.get("smp"), 5400), stale.Stale(registry.get("synth"), None)]
    monkeypatch.setattr(stale, "pages", lambda: found)
    lines = "smp: coreloom bench smp, about 90 min\nsynth: coreloom synth\n"
    assert run(capsys, "report", "--stale") == (1, lines, "")
    monkeypatch.setattr(stale, "pages", list)
    assert run(capsys, "report", "--stale") == (0, "", "")


def test_nothing_is_measured_where_nothing_is_stale(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stale, "results", list)
    assert run(capsys, "bench", "stale") == (0, "", "")
