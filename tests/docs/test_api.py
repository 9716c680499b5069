# SPDX-License-Identifier: Apache-2.0
"""The page of the Python API: its names are there and explained, its example prints what it says."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import io
import re
from pathlib import Path

import pytest

import coreloom
from coreloom import cli
from coreloom.paths import ROOT

PAGE = (ROOT / "docs" / "api.md").read_text()
ROWS = re.findall(r"^\| `(coreloom[\w.]*)` \| (.*?) \|", PAGE, re.MULTILINE)
NAMES = [(module, name) for module, names in ROWS for name in re.findall(r"`(\w+)`", names)]


@pytest.mark.parametrize(("module", "name"), NAMES)
def test_each_name_is_there_and_explained(module: str, name: str) -> None:
    found = getattr(importlib.import_module(module), name)
    text = inspect.getdoc(found) or ""
    assert text.split()[1:], f"{module}.{name} has no docstring"
    assert not text.startswith(f"{name}("), "that is what dataclasses write of themselves"


@pytest.mark.docs
def test_the_example_prints_what_the_page_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    (printed,) = re.findall(r"It prints:\n\n```\n(.*?)```", PAGE, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(code, "docs/api.md", "exec"), {})
    assert said.getvalue() == printed


def test_the_version_stands_in_one_place(capsys: pytest.CaptureFixture[str]) -> None:
    """pyproject.toml reads it there; the changelog's first heading is of it."""
    assert 'dynamic = ["version"]' in (ROOT / "pyproject.toml").read_text()
    first = re.search(r"^## ([\d.]+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert first is not None and first[1] == coreloom.__version__
    with pytest.raises(SystemExit) as ended:
        cli.main(["--version"])
    assert (ended.value.code, capsys.readouterr().out) == (0, f"coreloom {coreloom.__version__}\n")
