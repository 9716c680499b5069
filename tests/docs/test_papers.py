# SPDX-License-Identifier: Apache-2.0
"""Every item of every paper: its command and places exist, its state has a reason, its figures are there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from coreloom import paths
from coreloom.apps import APPS
from coreloom.benches import registry
from coreloom.cli import parser
from coreloom.design import platform
from coreloom.errors import UserError
from coreloom.paths import ROOT
from coreloom.programs import usage
from coreloom.report import cited, compact, papers
from coreloom.synthesis import units

PAPERS = papers.load()
ITEMS = [
    pytest.param(item, id=f"{paper.tag}-{number}")
    for paper in PAPERS.values()
    for number, item in enumerate(paper.items, 1)
]


def check(command: str) -> None:
    """Raise unless this is a command that there is: of coreloom, a target of make, or tests for pytest."""
    verb, *words = shlex.split(command)
    if verb == "make":
        rules = re.findall(r"^([a-z][\w -]*):", (ROOT / "Makefile").read_text(), re.MULTILINE)
        assert words and set(words) <= {target for rule in rules for target in rule.split()}, command
    elif verb == "pytest":
        assert words and all((ROOT / word).exists() for word in words), command
    elif verb == "coreloom" and words[0] in usage.PROGRAMS:
        commands = {found.name for found in usage.load(words[0]).commands}
        assert words[1] in commands if commands else words[1:], command
    else:
        assert verb == "coreloom", command
        args = parser().parse_args(words)
        if args.command == "run":
            assert all(app in APPS or Path(app).exists() for app in args.app), command
        if args.command in ("run", "doctor") and args.platform:
            platform.load(args.platform)
        if args.command == "synth":
            units.choose(args.unit, args.threads, args.priorities)


def test_all_works_have_a_page() -> None:
    assert {paper.tag for paper in PAPERS.values()} == {"SMP", "HT", "IPC", "GF", "DWRR"}
    assert {bench.paper for bench in registry.benches().values() if bench.paper} <= {
        paper.tag for paper in PAPERS.values()
    }


@pytest.mark.parametrize("item", ITEMS)
def test_an_item(item: papers.Item) -> None:
    if item.command:
        check(item.command)
    assert [place for place in item.places if not (ROOT / place).exists()] == []
    assert item.reason or item.state == papers.AS_THE_PAPER
    assert item.state == "not here" or item.places, "where is it?"
    assert item.command or item.state == "not here" or item.kind == "figure", "how is it run?"
    assert "|" not in item.text + item.reason + item.where, "it would end a cell of the table"
    assert [shown for shown in item.figures if cited.value(shown) is None] == [], cited.MISSING


@pytest.mark.parametrize(
    "command",
    [
        "make nothing",
        "pytest tests/nothing.py",
        "pytest",
        "coreloom bench nothing",
        "coreloom run nothing",
        "coreloom run image --platform nothing",
        "coreloom exclusive nothing",
        "coreloom synth nothing",
        "ls",
    ],
)
def test_a_command_that_there_is_not(command: str) -> None:
    with pytest.raises((AssertionError, SystemExit, UserError)):
        check(command)


def test_pages_are_made_of_the_items() -> None:
    for path, text in papers.pages().items():
        assert (ROOT / path).read_text() == text, f"{path}: run `coreloom report` and commit what it writes"


def test_what_items_cite_is_in_the_data() -> None:
    assert papers.wrong() == []


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    monkeypatch.setattr(paths, "RESULTS", tmp_path / "results")
    (tmp_path / "docs" / "papers").mkdir(parents=True)
    (tmp_path / "docs" / "results" / "data").mkdir(parents=True)
    return tmp_path


_ONE = """
tag = "ONE"
title = "A work"
about = "About it."
[[items]]
kind = "table"
where = "Table 1"
text = "Pixels"
state = "differs"
reason = "another picture"
places = ["apps"]
command = "coreloom bench smp"
figures = [
  { text = "fast", data = "some", where = { cpus = 2 }, field = "done", paper = "340" },
  { text = "both", data = "some", field = "done" },
]
[[items]]
kind = "future work"
where = "section 5"
text = "More"
state = "not here"
reason = "no time"
"""


def test_a_page(place: Path) -> None:
    (place / "docs" / "papers" / "one.toml").write_text(_ONE)
    data = {"rows": [{"cpus": 1, "done": 5}, {"cpus": 2, "done": 20759}]}
    (place / "docs" / "results" / "data" / "some.tsv").write_bytes(compact.encode(data))
    (text,) = papers.pages().values()
    columns = "| no. | item | in the paper | state | what differs, or why | where | run | figures |\n"
    rule = "| --- | --- | --- | --- | --- | --- | --- | --- |\n"
    assert text == (
        "# [ONE] A work, item by item\n\n"
        "<!-- Made by `coreloom report` from one.toml and docs/results/data; do not edit. -->\n\n"
        "About it.\n\n2 items; as the paper: 0; differs: 1; not here: 1. [All papers](README.md).\n\n"
        f"## Tables\n\n{columns}{rule}"
        "| 1 | Pixels | Table 1 | differs | another picture | [apps](../../apps) | `coreloom bench smp` "
        "| fast: 20 759 (paper: 340)<br>both: not in the published data |\n\n"
        f"## Future work\n\n{columns}{rule}"
        "| 2 | More | section 5 | not here | no time | - | - | - |\n"
    )
    assert papers.summary().rows == (("[[ONE]](one.md)", "0", "1", "1", "2"), ("all", "0", "1", "1", "2"))
    rows: list[dict[str, Any]] = papers.rows()
    assert [(row["paper"], row["number"], row["state"], row["command"]) for row in rows] == [
        ("ONE", 1, "differs", "coreloom bench smp"),
        ("ONE", 2, "not here", ""),
    ]
    assert rows[0]["figures"] == [
        {"text": "fast", "paper": "340", "measured": 20759},
        {"text": "both", "paper": "", "measured": None},
    ]


_CITED = _ONE.replace('reason = "another picture"', 'reason = "another picture, 20 759 of them"')
_FAST = '{ text = "fast", data = "some", where = { cpus = 2 }, field = "done", paper = "340"'
_BOTH = '{ text = "both", data = "some", field = "done" }'


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        (_CITED, 0, ""),
        (_CITED.replace(_FAST, f'{_FAST}, says = "20 759"'), 0, ""),
        (
            _CITED.replace("cpus = 2", "cpus = 3"),
            14,
            "figure 'fast': 0 rows of some (rows) fit, not one: correct data, list, where or field",
        ),
        (
            _CITED.replace("340", "278"),
            14,
            "figure 'fast': the item says that the paper has 278, some has 340: "
            "correct the one that is wrong",
        ),
        (
            _CITED.replace(_FAST, f'{_FAST}, says = "20 758"').replace("20 759 of", "20 758 of"),
            14,
            "figure 'fast': the item says 20 758, some has 20 759: correct the item",
        ),
        (
            _ONE.replace(_FAST, f'{_FAST}, says = "20 759"'),
            14,
            "figure 'fast': the item does not say 20 759: say it there, or remove says",
        ),
    ],
)
def test_a_figure_that_the_data_do_not_have(place: Path, text: str, line: int, what: str) -> None:
    text = text.replace(_BOTH, '{ text = "slow", data = "some", where = { cpus = 1 }, field = "done" }')
    (place / "docs" / "papers" / "one.toml").write_text(text)
    data = {"rows": [{"cpus": 1, "done": 5}, {"cpus": 2, "done": 20759, "paper_done": 340}]}
    (place / "docs" / "results" / "data" / "some.tsv").write_bytes(compact.encode(data))
    if not what:
        papers.check()
        return
    with pytest.raises(UserError) as error:
        papers.check()
    assert str(error.value) == f"docs/papers/one.toml:{line}: {what}"


@pytest.mark.parametrize(
    ("wrong", "what"),
    [
        ('tag = "ONE"', "Object missing required field `title`"),
        (_ONE.replace('"differs"', '"perhaps"'), "Invalid enum value 'perhaps' - at `$.items[0].state`"),
        (_ONE.replace("reason", "reasons"), "Object contains unknown field `reasons` - at `$.items[0]`"),
    ],
)
def test_a_file_that_is_wrong(place: Path, wrong: str, what: str) -> None:
    (place / "docs" / "papers" / "one.toml").write_text(wrong)
    with pytest.raises(UserError) as error:
        papers.load()
    assert str(error.value) == f"docs/papers/one.toml is wrong ({what}): correct it there"


def test_readme_has_at_most_120_lines() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 120


def test_the_median_of_seeds_is_cited(place: Path) -> None:
    rows = [{"job": "a", "seed": seed, "done": done} for seed, done in ((1, 7), (2, 5), (3, 6))]
    data = {"rows": [*rows, {"job": "b", "seed": 4, "done": 1}]}
    (place / "docs" / "results" / "data" / "some.tsv").write_bytes(compact.encode(data))
    assert cited.value(cited.Place(data="some", field="done", where={"job": "a"})) == 6
    assert cited.value(cited.Place(data="some", field="done", where={"job": "b"})) == 1
    assert cited.value(cited.Place(data="some", field="done")) is None  # of two jobs
