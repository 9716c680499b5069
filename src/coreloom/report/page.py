# SPDX-License-Identifier: Apache-2.0
"""A page of docs/results: the answer, one picture, one table, limits and method, and where all rows are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from coreloom.report.compact import SUFFIX
from coreloom.report.plots import Chart
from coreloom.report.results import Result
from coreloom.report.table import Table, number

ROWS = 8  # of a page's table, at most

T = TypeVar("T")


class Summary(NamedTuple):
    """What a person reads of a result. answer: two sentences, in Markdown."""

    answer: str
    table: Table
    chart: Chart | None = None


def page(title: str, content: Result, summary: Summary, text: str, links: Sequence[str]) -> str:
    """The text of a page. text: limits and method; links: to what belongs to it."""
    parts = [
        f"# {title}",
        f"<!-- Made by `coreloom report` from data/{content.name}{SUFFIX}; do not edit. -->",
    ]
    parts.append(summary.answer)
    if summary.chart is not None:
        parts.append(f"![{summary.chart.text}]({picture(content.name)})")
    parts += [f"## {summary.table.title}", summary.table.markdown()]
    parts += [text.strip(), "## Data", "\n".join([*links, origin(content)])]
    return "\n\n".join(parts) + "\n"


def picture(name: str) -> str:
    """The file of a page's picture, beside it."""
    return f"{name}.svg"


def origin(content: Result) -> str:
    """The commit and the versions of the tools that a result was measured with."""
    tools = ", ".join(f"{name} {version}" for name, version in content.tools.items() if name != "coreloom")
    return f"Commit {content.commit}; {tools}."


def one(rows: Sequence[T], **fields: object) -> T:
    """The first row with these fields. LookupError if there is none."""
    for row in rows:
        if all(getattr(row, name, None) == value for name, value in fields.items()):
            return row
    raise LookupError(f"no row has {fields}")


def prose(value: float, digits: int = 0) -> str:
    """A figure within a sentence: it does not break over two lines."""
    return number(value, digits).replace(" ", "\N{NO-BREAK SPACE}")


def times(more: float, less: float) -> str:
    """How many times as much: 1.05, 2.3, 16."""
    ratio = more / less
    return prose(ratio, 2 if ratio < 2 else 1 if ratio < 10 else 0)


def listed(words: Sequence[str], last: str = "and") -> str:
    """a, b and c."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"
