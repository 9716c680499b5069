# SPDX-License-Identifier: Apache-2.0
"""Tables of results as rows of text; the command line and the pages print the same ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from coreloom.report.figure import Figure

_TEXT = 20  # characters to which a text may be broken


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

    def _least(self) -> list[int]:
        """Of each column the characters that it needs."""
        widths = []
        for index, header in enumerate(self.columns):
            cells = [row[index] for row in self.rows]
            longest = max(map(len, cells), default=0)
            if index < self.text_columns:
                longest = min(longest, max([_TEXT, *(len(word) for cell in cells for word in cell.split())]))
            widths.append(max([longest, *map(len, header.split())]))
        return widths

    def widths(self, room: int, between: int) -> list[int]:
        """Of each column of a part its characters: what it needs, and as much of the rest as it can use."""
        widths = self._least()
        left = room - sum(width + between for width in widths)
        for index, column in enumerate(zip(self.columns, *self.rows, strict=True)):
            more = max(0, min(left, max(map(len, column)) - widths[index]))
            widths[index] += more
            left -= more
        return widths

    def parts(self, room: int, between: int) -> list[Table]:
        """Tables of as many of its columns as fit into `room` characters; each begins with the text columns.

        Headers and long texts may break between words, figures nowhere. between: characters between columns.
        """
        widths = self._least()
        text = list(range(self.text_columns))
        left = room - sum(widths[i] + between for i in text)
        groups: list[list[int]] = []
        free = 0
        for column in range(self.text_columns, len(self.columns)):
            needed = widths[column] + between
            if not groups or needed > free:
                groups.append([])
                free = left
            groups[-1].append(column)
            free -= needed
        return [
            Table(
                self.title if number == 0 else f"{self.title}, continued",
                tuple(self.columns[i] for i in text + group),
                tuple(tuple(row[i] for i in text + group) for row in self.rows),
                self.text_columns,
            )
            for number, group in enumerate(groups or [[]])
        ]


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
