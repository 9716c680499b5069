# SPDX-License-Identifier: Apache-2.0
"""What `--json` prints has the keys that docs/reference/json.md names."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from coreloom.paths import ROOT

from .command import run

PAGE = (ROOT / "docs" / "reference" / "json.md").read_text(encoding="utf-8")


def _keys(verb: str) -> set[str]:
    row = next(line for line in PAGE.splitlines() if line.startswith(f"| `{verb}` |"))
    return set(re.findall(r"`(\w+)`", row.split("|", 2)[2]))


@pytest.mark.parametrize(
    "words",
    [
        ("compare", f"{ROOT}/examples/pingpong.c", "--cpus", "2"),
        ("run", f"{ROOT}/examples/pingpong.c"),
        ("doctor",),
        ("advise", "ipc", "--signal"),
    ],
    ids=lambda words: words[0],
)
def test_the_keys_are_those_of_the_page(capsys: pytest.CaptureFixture[str], words: tuple[str, ...]) -> None:
    _, out, err = run(capsys, *words, "--json")
    value = json.loads(err.splitlines()[-1] if words[0] == "run" else out)
    found: dict[str, Any] = value[0] if isinstance(value, list) else value
    assert found.keys() <= _keys(words[0])
    if "runs" in found:
        assert found["runs"][0].keys() | found["runs"][0]["where"].keys() <= _keys(words[0])


def test_lists_are_tables(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "list", "platforms", "apps", "--json")
    found = json.loads(out)
    assert (code, list(found)) == (0, ["platforms", "apps"])
    assert found["apps"][0] == {"name": "image", "unit of work": "pixels"}
