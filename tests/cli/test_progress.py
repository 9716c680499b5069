# SPDX-License-Identifier: Apache-2.0
"""Long work tells what it does where there is no terminal, and short work says nothing."""

from __future__ import annotations

import re
import time

import pytest

from coreloom.commands import console


def test_long_work_is_told_line_by_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(console, "FIRST_LINE_S", 0.01)
    monkeypatch.setattr(console, "LINE_S", 0.01)
    with console.doing("measure", 4) as task:
        task.advance()
        task.say("measure [more]")
        seen = ""
        for _ in range(1000):
            seen += capsys.readouterr().err
            if "more" in seen:
                break
            time.sleep(0.01)
    assert re.search(r"^coreloom: measure \[more\]: 0 s, 25 %, about \d+ s left$", seen, re.MULTILINE)


def test_short_work_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with console.doing("build") as task:
        task.say("link")
    assert capsys.readouterr() == ("", "")
