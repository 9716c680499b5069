# SPDX-License-Identifier: Apache-2.0
"""CONTRIBUTING's recipe for a scheduling policy, followed word by word in a copy of the checkout."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from coreloom.paths import ROOT

_COPIED = ("apps", "platforms", "policies", "rtl", "runtime", "src", "pyproject.toml")


def _recipe(title: str) -> list[str]:
    """The commands of the recipe's code block."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    found = re.search(rf"\*\*{title}\*\*\n\n```\n(.*?)```", text, re.DOTALL)
    assert found
    return found.group(1).splitlines()


@pytest.mark.nightly  # its copy builds everything anew
def test_a_policy_by_the_recipe(tmp_path: Path) -> None:
    for name in _COPIED:
        path = ROOT / name
        if path.is_dir():
            shutil.copytree(path, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copyfile(path, tmp_path / name)
    command = tmp_path / "bin" / "coreloom"
    command.parent.mkdir()
    command.write_text(f"#!{sys.executable}\nimport sys\nfrom coreloom.entry import main\nsys.exit(main())\n")
    command.chmod(0o755)
    search = f"{command.parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": search, "PYTHONPATH": str(tmp_path / "src")}
    said = []
    for line in _recipe("A scheduling policy"):
        done = subprocess.run(
            line, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{line}\n{done.stderr}"
        said.append(done.stdout + done.stderr)
    assert re.search(r"^hog +mine +5 +1024 +79\.90 ", said[1], re.MULTILINE)
    assert "output (equal to the host's result): build/output/packets" in said[2]
