# SPDX-License-Identifier: Apache-2.0
"""Tables on terminals of several widths: what they look like, and that no figure is cut."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

from coreloom.benches import registry
from coreloom.commands.console import draw
from coreloom.report import results
from coreloom.report.table import Table

PUBLISHED = [bench.name for bench in registry.benches().values() if bench.published.exists()]


def drawn(table: Table, width: int, framed: bool = True) -> str:
    text = io.StringIO()
    console = Console(file=text, width=width, force_terminal=framed, color_system=None, highlight=False)
    draw(table, console, console)
    return text.getvalue()


def test_a_table_that_is_too_wide_goes_on_below() -> None:
    table = Table("Figures", ("of", "a", "b"), (("one", "1 000 000", "2"), ("two", "3", "4 000 000")))
    lines = (line.rstrip() for line in drawn(table, 24).splitlines())
    assert [line for line in lines if line.startswith(("│", "F"))] == [
        *("Figures", "│ one │ 1 000 000 │", "│ two │         3 │"),
        *("Figures, continued", "│ one │         2 │", "│ two │ 4 000 000 │"),
    ]


@pytest.mark.parametrize("framed", [True, False], ids=["terminal", "pipe"])
@pytest.mark.parametrize("width", [60, 80, 120, 160])
@pytest.mark.parametrize("name", PUBLISHED)
@pytest.mark.docs
def test_no_line_is_too_wide_and_no_figure_cut(name: str, width: int, framed: bool) -> None:
    bench = registry.get(name)
    content = results.read(bench.result, bench.published, bench.command)
    for table in [*bench.tables(content), *bench.details(content)]:
        lines = drawn(table, width, framed).splitlines()
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
