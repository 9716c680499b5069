# SPDX-License-Identifier: Apache-2.0
"""What is published is what `coreloom report` makes of the published results, and short enough to be read."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

import pytest

from coreloom.benches import front, pages, registry
from coreloom.paths import ROOT
from coreloom.report.page import ROWS

PUBLISHED = [bench.name for bench in registry.benches().values() if bench.published.exists()]
_WORDS, _ALL_WORDS = 700, 25_000  # of a page, which takes three minutes; of all


@lru_cache(maxsize=1)
def _found() -> dict[str, Any]:
    found, _ = pages.read()
    return found


def _page(name: str) -> str:
    return (ROOT / "docs" / "results" / f"{name}.md").read_text(encoding="utf-8")


def test_pages_are_what_the_published_results_make() -> None:
    for path, text in pages.pages(_found()).items():
        assert (ROOT / path).read_text() == text, f"{path}: run `coreloom report` and commit what it writes"


def test_pictures_are_what_the_published_results_make() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    if not matplotlib.__version__.startswith("3.11."):
        pytest.skip("another matplotlib, for an older Python, draws other bytes")
    made = pages.pictures(_found())
    for path, svg in made.items():
        assert (ROOT / path).read_text() == svg, f"{path}: run `coreloom report` and commit what it writes"
    there = {str(path.relative_to(ROOT)) for path in (ROOT / "docs" / "results").glob("*.svg")}
    assert there <= {*made}, "a picture that nothing makes any more"


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_page_is_read_in_three_minutes(name: str) -> None:
    text, summary = _page(name), registry.get(name).summary(_found()[name])
    assert len(text.split()) <= _WORDS
    assert len(summary.table.rows) <= ROWS and {*map(len, summary.table.rows)} == {len(summary.table.columns)}
    assert len(re.findall(r"[.?!](?: |$)", summary.answer)) == 2, "the answer has two sentences"
    assert summary.chart, "a page has a picture"
    assert re.findall(r"^## (.*)$", text, re.MULTILINE)[1:] == [
        "What limits it",
        "How it is measured",
        "Data",
    ]
    assert not re.search(r"to reach|not reached|\btargets?\b", text), "a user's page has no private targets"


def test_all_pages_together_are_short() -> None:
    assert sum(len(_page(name).split()) for name in PUBLISHED) < _ALL_WORDS


def test_every_missed_target_has_its_reason() -> None:
    page = (ROOT / "docs" / "engineering" / "targets.md").read_text()
    missed = [
        (registry.get(name), f) for name, content in _found().items() for f in content.reach if not f.reached
    ]
    assert missed and pages.noted()
    for bench, figure in missed:
        heading = pages.reason(bench, figure)
        assert heading, f"{bench.name}: not_reached.md has no heading that begins `{figure.what}`"
        _, _, after = page.partition(f"\n### {heading}\n")
        assert after.strip() and not after.strip().startswith("#"), f"{heading}: no reason below it"


def test_the_report_has_every_table_once_and_needs_no_other_file() -> None:
    pytest.importorskip("matplotlib")
    found = {name: _found()[name] for name in ("grain", "cluster")}
    text = pages.html(found)
    tables = [table for name in found for table in registry.get(name).tables(found[name])]
    assert text.count("<table>") == len(tables) + len(found)
    assert not re.findall(r"(?:src|href)=\"(?!#|data:)", text)
    assert "`" not in text.partition("<script>")[0]


def test_the_readme_has_at_most_six_rows_and_needs_both_results() -> None:
    assert len(front.figures(_found()).rows) <= 6
    assert "figures" not in front.blocks({"smp": None})
