# SPDX-License-Identifier: Apache-2.0
"""Every link in a page leads to a file, and every table has a title."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from coreloom.paths import APPS, LINUX, PLATFORMS, ROOT, RTL, RUNTIME

FOLDERS = (ROOT / "docs", RTL, RUNTIME, APPS, PLATFORMS, LINUX)
PAGES = sorted([*ROOT.glob("*.md"), *(page for folder in FOLDERS for page in folder.rglob("*.md"))])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#\s]+)", page.read_text())
    assert [link for link in links if "://" not in link and not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_table_has_a_title(page: Path) -> None:
    """A heading, a bold line or a sentence right above it."""
    lines = re.sub(r"^```.*?^```$", "```", page.read_text(), flags=re.DOTALL | re.MULTILINE).splitlines()
    for number, line in enumerate(lines):
        if line.startswith("|") and not lines[number - 1].startswith("|"):
            above = next((text for text in reversed(lines[:number]) if text), "|")
            assert not above.startswith(("|", "```")), line
