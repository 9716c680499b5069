# SPDX-License-Identifier: Apache-2.0
"""Every decision says its status, its date and what has superseded it, if anything."""

from __future__ import annotations

import re

from coreloom.paths import ROOT

FOLDER = ROOT / "docs" / "decisions"
_LINK = r"\[(\d+)\]\((\d{4})-[a-z0-9-]+\.md\)"
_HEAD = re.compile(
    r"# (\d+)\. \S.*\n\n"
    r"\*Status: (proposed|accepted|superseded)\. Date: (\d{4}-\d\d-\d\d)\. "
    rf"Superseded by: (-|{_LINK}(?:, in part)?)\.\*\n\n\S"
)


def test_each_decision_has_its_head() -> None:
    pages = sorted(FOLDER.glob("*.md"))
    assert len(pages) > 40
    heads = {page.name: _HEAD.match(page.read_text(encoding="utf-8")) for page in pages}
    assert [name for name, head in heads.items() if head is None] == []
    wrong = []
    for name, head in heads.items():
        assert head is not None
        number, status, _, by, shown, linked = head.groups()
        whole = by != "-" and not by.endswith(", in part")
        later = by == "-" or (int(shown) == int(linked) > int(number))
        if int(number) != int(name[:4]) or not later or (status == "superseded") != whole:
            wrong.append(name)
    assert wrong == []
