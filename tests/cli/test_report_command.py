# SPDX-License-Identifier: Apache-2.0
"""`coreloom report`: results are published with their pages; the rest stays as it is."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from coreloom import paths
from coreloom.benches import front, pages, registry, stale
from coreloom.benches.cluster.bench import FAIRNESS, SWEEP, Result, Row
from coreloom.report import results
from coreloom.report.figure import Figure

from .command import run

LOADS = (SWEEP, FAIRNESS)
BEGIN, END = front.block(pages.PAPERS)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(paths, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    return tmp_path


def _cluster(commit: str = "0123456789ab") -> None:
    rows = [Row(load=load, workers=n, runs=8, seconds=8.0 / n, busy=8.0) for load in LOADS for n in (1, 2)]
    reach = [Figure("speed", 2.5, at_least=3)]
    path = results.save(Result(name="cluster", rows=rows, machine=1.9, reach=reach))
    path.write_text(path.read_text().replace(results.commit(), commit))


def test_pages_of_the_results_that_are_here(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _cluster()
    code, out, err = run(capsys, "report")
    others = [f"coreloom {b.command}" for b in registry.benches().values() if b.name != "cluster"]
    folder = place / "docs" / "results"
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        f"wrote {folder / 'data' / 'cluster.tsv'}",
        f"wrote {folder / 'cluster.md'}",
        f"wrote {folder / 'README.md'}",
        f"wrote {place / 'docs' / 'engineering' / 'targets.md'}",
        f"wrote {folder / 'cluster.svg'}",
        f"wrote {place / 'report.html'}",
        f"unchanged, for lack of results of: {', '.join(others)}",
        "1 of 1 targets are missed: docs/engineering/targets.md",
    ]
    assert (
        "2.00 times as fast as one, where two busy processes reach 1.90."
        in (folder / "cluster.md").read_text()
    )
    run(capsys, "report")
    assert sorted(path.name for path in folder.iterdir()) == [
        "README.md",
        "cluster.md",
        "cluster.svg",
        "data",
    ]
    page = place / "elsewhere.html"
    assert run(capsys, "report", "--html", str(page)) == (0, f"wrote {page}\n", "")
    assert page.read_text() == (place / "report.html").read_text()


def test_items_of_papers(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _cluster()
    folder = place / "docs" / "papers"
    folder.mkdir(parents=True)
    (folder / "README.md").write_text(f"before\n{BEGIN}\n{END}\nafter\n")
    (folder / "dwrr.toml").write_text(
        'tag = "DWRR"\ntitle = "Slides"\nabout = "About."\n[[items]]\nkind = "mechanism"\n'
        'where = "slide 1"\ntext = "Rounds"\nstate = "as the paper"\ncommand = "coreloom bench policies"\n'
    )
    code, out, err = run(capsys, "report")
    assert (code, err) == (0, "")
    wrote = [folder / "dwrr.md", folder / "README.md", place / "results" / "papers.json"]
    assert [f"wrote {path}" for path in wrote if f"wrote {path}" not in out.splitlines()] == []
    assert (folder / "README.md").read_text() == (
        f"before\n{BEGIN}\n**Items of each paper by their state here**\n\n"
        "| paper | as the paper | differs | not here | all |\n| --- | ---: | ---: | ---: | ---: |\n"
        f"| [[DWRR]](dwrr.md) | 1 | 0 | 0 | 1 |\n| all | 1 | 0 | 0 | 1 |\n{END}\nafter\n"
    )
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
    _cluster("0123456789ab+changes")
    line = (
        "coreloom: error: cluster.json was measured with uncommitted changes: commit them, then run "
        "`coreloom bench cluster` again\n"
    )
    assert run(capsys, "report") == (1, "", line)


def test_a_changed_file_that_is_not_committed(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    git = ["git", "-C", str(place), "-c", "user.name=T", "-c", "user.email=t@example.org"]
    (place / "kernel.sv").write_text("old")
    for words in (["init", "-q"], ["add", "kernel.sv"], ["commit", "-q", "-m", "Begin"]):
        subprocess.run([*git, *words], check=True)
    _cluster()
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
    monkeypatch.setattr(stale, "pages", lambda tell: found)
    lines = "smp: coreloom bench smp, about 90 min\nsynth: coreloom synth\n"
    assert run(capsys, "report", "--stale") == (1, lines, "")
    monkeypatch.setattr(stale, "pages", lambda tell: [])
    assert run(capsys, "report", "--stale") == (0, "", "")


def test_nothing_is_measured_where_nothing_is_stale(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stale, "results", lambda tell: [])
    assert run(capsys, "bench", "stale") == (0, "", "")
