# SPDX-License-Identifier: Apache-2.0
"""A new bench is one folder: command, result, page, targets and reasons follow from it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import coreloom.benches
from coreloom import paths
from coreloom.benches import pages, registry, stale
from coreloom.benches.bench import Bench
from coreloom.cli import main
from coreloom.report import papers, results

_INIT = """
import msgspec

from coreloom.benches.bench import Bench
from coreloom.jobs.job import Job, whole
from coreloom.report import papers, results
from coreloom.report.figure import Figure
from coreloom.report.page import Summary
from coreloom.report.table import Table


class Row(msgspec.Struct, frozen=True):
    number: int
    square: int


class Result(results.Result, kw_only=True):
    rows: list[Row]


class Squares(Bench[Result]):
    name = "squares"
    paper = ""
    help = "squares of small numbers"
    title = "Squares"
    order = 1000
    result = Result
    inputs = ()

    def options(self, parser):
        parser.add_argument("--quick", action="store_true", help="one number")

    def measure(self, options, work):
        jobs = [Job(f"{n}", whole(lambda n=n: [Row(n, n * n)])) for n in range(1 if options.quick else 3)]
        rows = work.jobs([], jobs)
        reach = [Figure("largest square", rows[-1].square, at_least=9)]
        return Result(name=self.name, rows=rows, reach=reach)

    def summary(self, content):
        return Summary(f"{len(content.rows)} squares. No more.", self.tables(content)[0])

    def tables(self, content):
        return [Table("Squares", ("n", "n^2"), tuple((str(r.number), str(r.square)) for r in content.rows))]


BENCH = Squares()
"""


@pytest.fixture
def squares(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench[results.Result]]:
    folder = tmp_path / "benches" / "squares"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text(_INIT)
    (folder / "method.md").write_text("## How it is measured\n\nNumbers are multiplied.\n")
    (folder / "not_reached.md").write_text("### Largest square\n\nThere were too few numbers.\n")
    monkeypatch.setattr(coreloom.benches, "__path__", [*coreloom.benches.__path__, str(folder.parent)])
    monkeypatch.setattr(paths, "RESULTS", tmp_path / "results")
    yield registry.get("squares")


def test_a_bench_is_a_folder(
    squares: Bench[results.Result], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert list(registry.benches())[-1] == "squares"
    assert main(["bench", "squares"]) == 0
    out = capsys.readouterr().out
    assert "\n2    4\n" in out
    content = squares.read()
    assert stale.current(squares, content)
    made = pages.pages({"squares": content})
    assert list(made) == [
        "docs/results/squares.md",
        "docs/results/README.md",
        "docs/engineering/targets.md",
        *(f"docs/papers/{name}.md" for name in papers.load()),
        "docs/papers/README.md",
    ]
    assert made["docs/results/squares.md"].partition("\n\n## Data\n\n")[0] == (
        "# Squares\n\n<!-- Made by `coreloom report` from data/squares.tsv; do not edit. -->\n\n"
        "3 squares. No more.\n\n## Squares\n\n"
        "| n | n^2 |\n| --- | ---: |\n| 0 | 0 |\n| 1 | 1 |\n| 2 | 4 |\n\n"
        "## How it is measured\n\nNumbers are multiplied."
    )
    assert made["docs/results/README.md"].endswith("\n- **[Squares](squares.md)** 3 squares. No more.\n")
    _, _, targets = made["docs/engineering/targets.md"].partition("## [Squares](../results/squares.md)\n\n")
    assert targets.startswith(
        "| target | met or missed | wanted | measured | bound |\n| --- | --- | ---: | ---: | ---: |\n"
        "| largest square | missed: [why](#largest-square) | at least 9 | 4 | - |\n\n"
        "### Largest square\n\nThere were too few numbers.\n"
    )


def test_a_quick_run_leaves_the_whole_one_alone(
    squares: Bench[results.Result], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", "squares"]) == 0
    before = (tmp_path / "results" / "squares.json").read_bytes()
    assert main(["bench", "squares", "--quick"]) == 0
    assert (tmp_path / "results" / "squares.json").read_bytes() == before
    assert sorted(path.name for path in (tmp_path / "results").iterdir()) == [
        "squares-some.json",
        "squares.json",
    ]
    assert "squares-some.json" in capsys.readouterr().out
