# SPDX-License-Identifier: Apache-2.0
"""Tables that are wider than the place for them: every figure is whole."""

from __future__ import annotations

from dataclasses import replace

import pytest

from coreloom.report.table import Table

WIDE = Table(
    "Cycles",
    ("core", "least cycles", "most", "mean of all"),
    (("standard", "1 000", "2 000 000", "1 500.5"), ("economy", "7", "8", "7.5")),
)


@pytest.mark.parametrize(
    ("table", "room", "columns"),
    [
        (WIDE, 8 + 2 + 6 + 2 + 9 + 2 + 7 + 2, WIDE.columns),
        (WIDE, 8 + 2 + 6 + 2 + 9 + 2 + 7 + 1, ("core", "least cycles", "most")),
        (WIDE, 1, ("core", "least cycles")),
        (replace(WIDE, first=("most",)), 1, ("core", "most")),
        (
            replace(WIDE, first=("mean of all",)),
            8 + 2 + 6 + 2 + 7 + 2,
            ("core", "least cycles", "mean of all"),
        ),
        (replace(WIDE, text_columns=4), 1, WIDE.columns),
    ],
)
def test_the_columns_that_matter_stay(table: Table, room: int, columns: tuple[str, ...]) -> None:
    assert table.fitted(room, 2).columns == columns


def test_empty_columns_are_left_out_but_not_those_of_text() -> None:
    table = Table("Cycles", ("core", "keys", "min", "max"), (("a", "-", "-", "1"), ("b", "", "", "-")), 2)
    assert table.filled().columns == ("core", "keys", "max")


def test_columns_share_what_is_left_but_take_no_more_than_they_can_use() -> None:
    assert WIDE.widths(100, 2) == [8, 12, 9, 11]
    assert WIDE.widths(8 + 6 + 9 + 7 + 4 * 2, 2) == [8, 6, 9, 7]
    assert WIDE.widths(8 + 6 + 9 + 7 + 4 * 2 + 3, 2) == [8, 8, 9, 8]


def test_a_text_gives_way_to_the_widest_figure() -> None:
    table = Table("Operations", ("what it is", "cycles"), (("set_sched_param_queued", "12 345 678"),))
    assert table.widths(40, 2) == [22, 10]
    assert table.fitted(20, 2).widths(20, 2) == [6, 10]
