# SPDX-License-Identifier: Apache-2.0
"""Tables on terminals of several widths: what they look like, and that no figure is cut."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

from coreloom.benches import registry
from coreloom.commands import console
from coreloom.commands.console import draw, show
from coreloom.report import results
from coreloom.report.table import Table

PUBLISHED = [bench.name for bench in registry.benches().values() if bench.published.exists()]

MORE = "--wide shows them"


def drawn(table: Table, width: int, framed: bool = True) -> str:
    text = io.StringIO()
    shown = Console(file=text, width=width, force_terminal=framed, color_system=None, highlight=False)
    draw(table, shown, shown, MORE)
    return text.getvalue()


def test_a_table_that_is_too_wide_says_what_it_leaves_out() -> None:
    table = Table("Figures", ("of", "a", "b"), (("one", "1 000 000", "2"), ("two", "3", "4 000 000")))
    lines = [line.rstrip() for line in drawn(table, 24).splitlines()]
    assert [line for line in lines if line.startswith(("│", "F"))] == [
        *("Figures", "│ one │ 1 000 000 │", "│ two │         3 │"),
    ]
    assert " ".join(lines[-2:]) == "(1 column left out: --wide shows them)"


def test_wide_shows_every_column(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(console, "_PIPED", 40)
    columns = [f"column-{n}" for n in range(40)]
    table = Table("Many", ("of", *columns), (("one", *map(str, range(39)), "-"),))
    show(table, wide=True)
    found = capsys.readouterr().out.split()
    assert [column for column in columns if column not in found] == []


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
        part = table.fitted(width - framed, 3 if framed else 2)
        wanted = [row[i] for row in part.rows for i in range(part.text_columns, len(part.columns))]
        rest = iter(cells)
        missing = [figure for figure in wanted if figure not in rest]
        assert missing == [], table.title


def _framed(lines: list[str]) -> list[str]:
    """The cells of the rows, in their order."""
    return [cell.strip() for line in lines if line.startswith("│") for cell in line.split("│")[1:-1]]


def _plain(lines: list[str]) -> list[str]:
    """The same; two spaces or more are between them."""
    return [cell for line in lines for cell in re.split(r"  +", line.strip())]
