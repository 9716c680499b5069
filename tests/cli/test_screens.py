# SPDX-License-Identifier: Apache-2.0
"""Tables on terminals of several widths: what they look like, and that no figure is cut."""

from __future__ import annotations

import re

import pytest

from coreloom.benches import registry

from . import screens

PUBLISHED = [bench.name for bench in registry.benches().values() if bench.published.exists()]


@pytest.mark.parametrize("width", screens.WIDTHS)
@pytest.mark.parametrize("name", screens.SHOWN)
def test_screen_is_as_committed(name: str, width: int) -> None:
    """If it should be otherwise now: python -m tests.cli.screens."""
    assert screens.screen(name, width) == screens.file(name, width).read_text(encoding="utf-8")


@pytest.mark.parametrize("framed", [True, False], ids=["terminal", "pipe"])
@pytest.mark.parametrize("width", [60, 80, 120, 160])
@pytest.mark.parametrize("name", PUBLISHED)
def test_no_line_is_too_wide_and_no_figure_cut(name: str, width: int, framed: bool) -> None:
    for table in screens.tables(name):
        lines = screens.drawn(table, width, framed).splitlines()
        assert max(len(line.rstrip()) for line in lines) <= width, table.title
        cells = _framed(lines) if framed else _plain(lines)
        wanted = [
            row[i]
            for part in table.parts(width - framed, 3 if framed else 2)
            for row in part.rows
            for i in range(part.text_columns, len(part.columns))
        ]
        rest = iter(cells)
        missing = [figure for figure in wanted if figure not in rest]
        assert missing == [], table.title


def _framed(lines: list[str]) -> list[str]:
    """The cells of the rows, in their order."""
    return [cell.strip() for line in lines if line.startswith("│") for cell in line.split("│")[1:-1]]


def _plain(lines: list[str]) -> list[str]:
    """The same; two spaces or more are between them."""
    return [cell for line in lines for cell in re.split(r"  +", line.strip())]
