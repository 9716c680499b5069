# SPDX-License-Identifier: Apache-2.0
"""Every user-visible text has been read, and every table of a page has a title."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from coreloom.paths import ROOT

from . import strings
from .test_links import PAGES


def test_no_text_is_unread() -> None:
    found = [f"{place}: {text}" for text, place in strings.unread().items()]
    assert found == [], "read them, mend them, then `python -m tests.docs.strings --read`"


def test_the_list_sees_texts_of_all_kinds() -> None:
    places = strings.listed()
    for text in (
        "unknown bench '{}': choose one of {}",  # an f-string of two parts
        "needs root (CAP_BPF and CAP_PERFMON): ",
        "give a program its own CPUs",
    ):
        assert any(found.startswith(text) for found in places), text


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_table_has_a_title(page: Path) -> None:
    """A heading, a bold line or a sentence right above it."""
    lines = re.sub(r"^```.*?^```$", "```", page.read_text(), flags=re.DOTALL | re.MULTILINE).splitlines()
    for number, line in enumerate(lines):
        if line.startswith("|") and not lines[number - 1].startswith("|"):
            above = next((text for text in reversed(lines[:number]) if text), "|")
            assert not above.startswith(("|", "```")), line
