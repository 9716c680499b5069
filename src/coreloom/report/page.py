# SPDX-License-Identifier: Apache-2.0
"""A page of docs/results: how something was measured, of what, and its tables and plots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from coreloom.report.compact import SUFFIX
from coreloom.report.results import Result
from coreloom.report.table import Table


class Plot(NamedTuple):
    """A plot of a page: what it shows, and its SVG."""

    text: str
    svg: str


def page(title: str, content: Result, tables: Sequence[Table], plots: Mapping[str, Plot]) -> str:
    """The text of a page; plots by file name."""
    parts = [f"# {title}", ""]
    parts += [f"<!-- Made by `coreloom report` from data/{content.name}{SUFFIX}; do not edit. -->", ""]
    parts += [content.method, origin(content), ""]
    for file, plot in plots.items():
        parts += [f"![{plot.text}]({file})", ""]
    for table in tables:
        parts += [f"## {table.title}", "", table.markdown(), ""]
    return "\n".join(parts)


def origin(content: Result) -> str:
    """The commit and the versions of the tools that a result was measured with."""
    tools = ", ".join(f"{name} {version}" for name, version in content.tools.items() if name != "coreloom")
    return f"Commit {content.commit}; {tools}."
