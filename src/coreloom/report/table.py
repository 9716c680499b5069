# SPDX-License-Identifier: Apache-2.0
"""Tables of results as rows of text; the command line and the pages print the same ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

_EMPTY = ("", "-")
_TEXT = 20  # characters to which a text may be broken
_FOLDED = 4  # and where there is no room, within words


@dataclass(frozen=True)
class Table:
    """A titled table; numbers are formatted, the first `text_columns` columns are left-aligned."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    text_columns: int = 1
    first: tuple[str, ...] = ()  # columns that stay longest where there is little room; then from the left

    def markdown(self) -> str:
        marks = ["---" if i < self.text_columns else "---:" for i in range(len(self.columns))]
        lines = [" | ".join(row) for row in (self.columns, tuple(marks), *self.rows)]
        return "\n".join(f"| {line} |" for line in lines)

    def records(self) -> list[dict[str, str]]:
        """Its rows with the names of the columns."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

    def filled(self) -> Table:
        """Without columns of figures that are empty in every row."""
        text = self.text_columns
        return self._only(
            [
                i
                for i in range(len(self.columns))
                if i < text or any(row[i] not in _EMPTY for row in self.rows)
            ]
        )

    def fitted(self, room: int, between: int) -> Table:
        """With the columns that matter most, as many as fit into `room` characters, in their order.

        The text columns and one of figures always stay. Headers and long texts may break between words,
        figures nowhere. between: characters between columns.
        """
        widths = self._least(room, between, max)
        text = range(self.text_columns)
        left = room - sum(widths[i] + between for i in text)
        kept = [*text]
        figures = range(self.text_columns, len(self.columns))
        for i in sorted(figures, key=lambda i: (self.columns[i] not in self.first, i)):
            left -= widths[i] + between
            if left < 0 and len(kept) > self.text_columns:
                break
            kept.append(i)
        return self._only(sorted(kept))

    def _only(self, kept: Sequence[int]) -> Table:
        columns, *rows = (tuple(row[i] for i in kept) for row in (self.columns, *self.rows))
        return Table(self.title, columns, tuple(rows), self.text_columns, self.first)

    def widths(self, room: int, between: int) -> list[int]:
        """Characters of each column of a fitted table: at least what it needs, at most what it can use."""
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
