# SPDX-License-Identifier: Apache-2.0
"""What the papers describe, item by item (docs/papers/NAME.toml), and the page of each, docs/papers/NAME.md.

An item is a mechanism, call, figure, table, experiment or piece of future work of a paper: its state here,
where it is, which command shows it, and what differs. Figures come from docs/results/data.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import msgspec

from coreloom import paths
from coreloom.errors import UserError
from coreloom.report import cited
from coreloom.report.table import Table

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

State = Literal["as the paper", "differs", "not here"]
AS_THE_PAPER: State = "as the paper"
STATES: tuple[State, ...] = (AS_THE_PAPER, "differs", "not here")
# Kinds of items and the titles of their tables, in the order of a page.
KINDS = {
    "mechanism": "Mechanisms",
    "call": "Calls and operations",
    "figure": "Drawings and plots",
    "table": "Tables",
    "experiment": "Experiments",
    "future work": "Future work",
}
Kind = Literal["mechanism", "call", "figure", "table", "experiment", "future work"]
_COLUMNS = ("no.", "item", "in the paper", "state", "what differs, or why", "where", "run", "figures")


class Shown(cited.Place, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A figure of an item."""

    text: str
    paper: str = ""  # what the paper has
    says: str = ""  # the figure as the item's own words have it


class Item(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    kind: Kind
    where: str  # in the paper
    text: str
    state: State
    places: list[str] = []  # files and folders of the checkout
    command: str = ""  # coreloom, make or pytest
    reason: str = ""  # what differs, or why it is not here
    figures: list[Shown] = []


class Paper(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    tag: str
    title: str
    about: str
    items: list[Item]


@dataclass(frozen=True)
class Wrong:
    """A cited figure that the published data do not have."""

    file: str  # of docs/papers
    line: int
    what: str

    def __str__(self) -> str:
        return f"docs/papers/{self.file}:{self.line}: {self.what}"


def folder() -> Path:
    return paths.ROOT / "docs" / "papers"


def load() -> dict[str, Paper]:
    """All papers by the name of their file; a UserError names the file that is wrong."""
    return {path.stem: _read(path) for path in sorted(folder().glob("*.toml"))}


def _read(path: Path) -> Paper:
    try:
        return msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), Paper)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise UserError(f"docs/papers/{path.name} is wrong ({error}): correct it there") from None


def counts(items: Sequence[Item]) -> dict[State, int]:
    """How many items are in each state."""
    return {state: sum(item.state == state for item in items) for state in STATES}


def pages() -> dict[str, str]:
    """Path in the checkout -> text, of each paper's page."""
    return {f"docs/papers/{name}.md": _page(name, paper) for name, paper in load().items()}


def summary() -> Table:
    """A line for each paper: how many of its items are in which state."""
    found = load()
    lines = [
        (f"[[{paper.tag}]]({name}.md)", *map(str, counts(paper.items).values()), str(len(paper.items)))
        for name, paper in found.items()
    ]
    every = [item for paper in found.values() for item in paper.items]
    return Table(
        "Items of each paper by their state here",
        ("paper", *STATES, "all"),
        (*lines, ("all", *map(str, counts(every).values()), str(len(every)))),
    )


def rows() -> list[dict[str, Any]]:
    """Every item of every paper as build/results/papers.json has it."""
    return [
        {
            "paper": paper.tag,
            "number": count,
            **{name: getattr(item, name) for name in ("kind", "where", "text", "state", "reason")},
            **{"places": item.places, "command": item.command},
            "figures": [
                {"text": shown.text, "paper": shown.paper, "measured": cited.value(shown)}
                for shown in item.figures
            ],
        }
        for paper in load().values()
        for count, item in enumerate(paper.items, 1)
    ]


def check() -> None:
    """Raise a UserError for each figure that an item cites and the data it names do not have."""
    if found := wrong():
        raise UserError("\n".join(map(str, found)))


def wrong() -> list[Wrong]:
    """Figures without a row or with several, and what an item says of its figure or of the paper's."""
    found = []
    for name, paper in load().items():
        lines = (folder() / f"{name}.toml").read_text(encoding="utf-8").splitlines()
        begins = [number for number, line in enumerate(lines, 1) if line.strip() == "[[items]]"]
        for item, begin in zip(paper.items, begins, strict=True):
            for shown in item.figures:
                if what := _defect(item, shown):
                    found.append(Wrong(f"{name}.toml", _line_of(shown, lines, begin), what))
    return found


def _line_of(shown: Shown, lines: Sequence[str], begin: int) -> int:
    """Where a figure of the item that begins there stands; its first line if that cannot be found."""
    quoted = json.dumps(shown.text, ensure_ascii=False)
    return next((n for n, line in enumerate(lines[begin:], begin + 1) if f"text = {quoted}" in line), begin)


def _defect(item: Item, shown: Shown) -> str:
    """What is wrong with a figure, and what to do; empty: nothing."""
    name, rows = f"figure '{shown.text}'", cited.rows(shown)
    if len(rows) != 1:
        return (
            f"{name}: {len(rows)} rows of {shown.data} ({shown.list}) fit, not one: "
            "correct data, list, where or field"
        )
    (row,) = rows
    here = row[shown.field]
    if shown.says and shown.says not in f"{item.text} {item.reason}":
        return f"{name}: the item does not say {shown.says}: say it there, or remove says"
    if shown.says and not cited.agree(shown.says, here):
        return f"{name}: the item says {shown.says}, {shown.data} has {cited.words(here)}: correct the item"
    theirs = row.get(_OF_THE_PAPER.get(shown.field, ""))
    if shown.paper and theirs is not None and not cited.agree(shown.paper.split()[0], theirs):
        return (
            f"{name}: the item says that the paper has {shown.paper}, {shown.data} has "
            f"{cited.words(theirs)}: correct the one that is wrong"
        )
    return ""


# Where a row has the paper's figure beside its own.
_OF_THE_PAPER = {"done": "paper_done", "cycles": "paper_cycles", "speedup": "paper"}


def _page(name: str, paper: Paper) -> str:
    states = "; ".join(f"{state}: {many}" for state, many in counts(paper.items).items())
    parts = [
        f"# [{paper.tag}] {paper.title}, item by item",
        f"<!-- Made by `coreloom report` from {name}.toml and docs/results/data; do not edit. -->",
        paper.about.strip(),
        f"{len(paper.items)} items; {states}. [All papers](README.md).",
    ]
    for kind, title in KINDS.items():
        lines = [_line(count, item) for count, item in enumerate(paper.items, 1) if item.kind == kind]
        if lines:
            table = Table(title, _COLUMNS, tuple(lines), text_columns=len(_COLUMNS))
            parts += [f"## {title}", table.markdown()]
    return "\n\n".join(parts) + "\n"


def _line(count: int, item: Item) -> tuple[str, ...]:
    return (
        str(count),
        item.text,
        item.where,
        item.state,
        item.reason or "-",
        "<br>".join(f"[{place}](../../{place})" for place in item.places) or "-",
        f"`{item.command}`" if item.command else "-",
        "<br>".join(map(_figure, item.figures)) or "-",
    )


def _figure(shown: Shown) -> str:
    beside = f" (paper: {shown.paper})" if shown.paper else ""
    return f"{shown.text}: {cited.words(cited.value(shown))}{beside}"
