"""The program in the guide does what the guide says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from coreloom.cli import main
from coreloom.paths import ROOT


@pytest.mark.parametrize("arguments", [[], ["--kernel", "sw", "--cpus", "1"], ["--platform", "smp-economy"]])
def test_program_of_the_guide(
    arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listing = re.search(r"```c\n(.*?)```", (ROOT / "docs" / "guide.md").read_text(), re.DOTALL)
    assert listing is not None
    program = tmp_path / "square.c"
    program.write_text(listing[1])
    assert main(["run", str(program), *arguments]) == 0
    assert capsys.readouterr().out.startswith("1\n4\n9\n16\n25\n")
