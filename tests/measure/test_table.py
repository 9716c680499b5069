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
