# SPDX-License-Identifier: Apache-2.0
"""Tables that are wider than the place for them: every figure is whole."""

from __future__ import annotations

from coreloom.report.table import Table

WIDE = Table(
    "Cycles",
    ("core", "least cycles", "most", "mean of all"),
    (("standard", "1 000", "2 000 000", "1 500.5"), ("economy", "7", "8", "7.5")),
)


def test_a_table_that_fits_is_itself() -> None:
    assert WIDE.parts(8 + 2 + 6 + 2 + 9 + 2 + 7 + 2, 2) == [WIDE]


def test_columns_that_do_not_fit_follow_beside_the_text() -> None:
    first, second = WIDE.parts(8 + 2 + 6 + 2 + 9 + 2 + 7 + 1, 2)
    assert first.title == "Cycles"
    assert first.columns == ("core", "least cycles", "most")
    assert second.title == "Cycles, continued"
    assert second.columns == ("core", "mean of all")
    assert second.rows == (("standard", "1 500.5"), ("economy", "7.5"))


def test_each_figure_has_its_room_however_narrow_it_is() -> None:
    assert [part.columns[1:] for part in WIDE.parts(1, 2)] == [("least cycles",), ("most",), ("mean of all",)]


def test_texts_alone_are_one_table() -> None:
    texts = Table("Names", ("a", "b"), (("x", "y"),), text_columns=2)
    assert texts.parts(1, 2) == [texts]


def test_columns_share_what_is_left_but_take_no_more_than_they_can_use() -> None:
    assert WIDE.widths(100, 2) == [8, 12, 9, 11]
    assert WIDE.widths(8 + 6 + 9 + 7 + 4 * 2, 2) == [8, 6, 9, 7]
    assert WIDE.widths(8 + 6 + 9 + 7 + 4 * 2 + 3, 2) == [8, 8, 9, 8]


def test_a_text_gives_way_to_the_widest_figure() -> None:
    table = Table("Operations", ("what it is", "cycles"), (("set_sched_param_queued", "12 345 678"),))
    assert table.widths(40, 2) == [22, 10]
    (part,) = table.parts(20, 2)
    assert part.widths(20, 2) == [6, 10]
