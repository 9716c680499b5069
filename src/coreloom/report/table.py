# SPDX-License-Identifier: Apache-2.0
"""Tables of results as rows of text; the command line and the pages print the same ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from coreloom.report.figure import Figure

_TEXT = 20  # characters to which a text may be broken
_FOLDED = 4  # and where there is no room, within words


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

    def records(self) -> list[dict[str, str]]:
        """Its rows with the names of the columns."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

    def parts(self, room: int, between: int) -> list[Table]:
        """Tables of as many of its columns as fit into `room` characters; each begins with the text columns.

        Headers and long texts may break between words, figures nowhere. between: characters between columns.
        """
        widths = self._least(room, between, max)
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

    def widths(self, room: int, between: int) -> list[int]:
        """Characters of each column of one of parts(): at least what it needs, at most what it can use."""
        widths = self._least(room, between, sum)
        most = [max(self._longest(i), len(header)) for i, header in enumerate(self.columns)]
        for _ in range(room - sum(widths) - between * len(widths)):
            narrow = [i for i, width in enumerate(widths) if width < most[i]]
            if not narrow:
                break
            widths[min(narrow, key=widths.__getitem__)] += 1
        return widths

    def _longest(self, column: int) -> int:
        return max((len(row[column]) for row in self.rows), default=0)

    def _least(self, room: int, between: int, of: Callable[[list[int]], int]) -> list[int]:
        """Characters that each column needs; beside the text columns fits the widest figure (max), or all."""
        words = [
            max(
                len(word) for text in (header, *(row[i] for row in self.rows)) for word in [*text.split(), ""]
            )
            for i, header in enumerate(self.columns)
        ]
        text = range(self.text_columns)
        widths = [
            max(words[i], min(self._longest(i), _TEXT) if i in text else self._longest(i))
            for i in range(len(self.columns))
        ]
        figures = of([0, *(width + between for width in widths[self.text_columns :])])
        over = sum(widths[i] + between for i in text) + figures - room
        for least in (words, [_FOLDED] * len(words)):
            while over > 0 and (wide := [i for i in text if widths[i] > least[i]]):
                widths[max(wide, key=widths.__getitem__)] -= 1
                over -= 1
        return widths


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
