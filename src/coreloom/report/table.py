# SPDX-License-Identifier: Apache-2.0
"""Tables of results as rows of text; the command line and the pages print the same ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from coreloom.report.figure import Figure


@dataclass(frozen=True)
class Table:
    """A titled table; numbers are formatted, the first `text_columns` columns are left-aligned."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    text_columns: int = 1

    def markdown(self) -> str:
        marks = ["---" if i < self.text_columns else "---:" for i in range(len(self.columns))]
        lines = [" | ".join(row) for row in (self.columns, tuple(marks), *self.rows)]
        return "\n".join(f"| {line} |" for line in lines)


def number(value: float | int | None, digits: int = 0) -> str:
    """1 234 567; a dash for what was not measured."""
    return "-" if value is None else f"{value:,.{digits}f}".replace(",", " ")


def reach(figures: Sequence[Figure], of: str = "standard core") -> Table:
    """What was to be reached beside what is."""
    return Table(
        f"Figures to reach ({of})",
        ("figure", "to reach", "measured", "bound", "reached"),
        tuple(
            (
                *(f.what, f.target, f"{f.measured:g}"),
                "-" if f.bound is None else f"{f.bound:g}",
                "yes" if f.reached else "no",
            )
            for f in figures
        ),
    )
