# SPDX-License-Identifier: Apache-2.0
"""What is published is what `coreloom report` makes of the published results and this tree."""

from __future__ import annotations

from functools import lru_cache

import pytest

from coreloom.benches import pages, registry
from coreloom.paths import ROOT
from coreloom.report import results


@lru_cache(maxsize=1)
def _made() -> dict[str, str]:
    benches = registry.benches().values()
    there = [bench for bench in benches if bench.published.exists()]
    return pages.pages({b.name: results.read(b.result, b.published, b.command) for b in there})


@pytest.mark.parametrize("name", registry.benches())
def test_a_page_is_what_its_published_result_makes(name: str) -> None:
    made = _made().get(f"docs/results/{name}.md")
    if made is None:
        pytest.skip("its result is not published")
    page = ROOT / "docs" / "results" / f"{name}.md"
    assert page.read_text() == made, "run `coreloom report` and commit what it writes"


def test_what_is_made_of_all_results() -> None:
    for path, text in _made().items():
        assert (ROOT / path).read_text() == text, f"{path}: run `coreloom report` and commit what it writes"


def test_every_figure_that_is_not_reached_has_a_reason() -> None:
    for bench in registry.benches().values():
        if bench.published.exists():
            content = results.read(bench.result, bench.published, bench.command)
            missed = [figure.what for figure in content.reach if not figure.reached]
            assert not missed or bench.text("not_reached.md"), missed
