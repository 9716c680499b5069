# SPDX-License-Identifier: Apache-2.0
"""What docs/scheduling.md shows runs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from coreloom.cli import main
from coreloom.paths import ROOT

PAGE = (ROOT / "docs" / "scheduling.md").read_text()


def listing(language: str) -> str:
    (text,) = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    return str(text)


def test_workload(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "player.toml"
    path.write_text(listing("toml"))
    assert main(["model", str(path), "--policy", "cfs", "--policy", "dwrr"]) == 0
    said = capsys.readouterr().out
    assert "player: 4 threads on 2 CPUs, 20 s, slice 5 ms" in said


def test_python() -> None:
    done = subprocess.run([sys.executable, "-c", listing("python")], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(r"[0-9.]+ \d+ [0-9.]+\n", done.stdout)


def test_policies_are_all_there() -> None:
    named = {path.stem for path in (ROOT / "policies").glob("*.c")}
    table = PAGE.split("## Which policy")[1].split("## ")[0]
    assert {name for name in named if not re.search(rf"\b{name}\b", table)} == set()
