# SPDX-License-Identifier: Apache-2.0
"""The program in the guide does what the guide says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from coreloom.cli import main
from coreloom.paths import ROOT
from coreloom.toolchain import project


def listing(index: int, path: Path) -> Path:
    listings = re.findall(r"```c\n(.*?)```", (ROOT / "docs" / "guide.md").read_text(), re.DOTALL)
    path.write_text(listings[index])
    return path


@pytest.mark.parametrize("arguments", [[], ["--on", "sw", "--cpus", "1"], ["--platform", "smp-economy"]])
@pytest.mark.docs("arguments1", "arguments2")
def test_program_of_the_guide(
    arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = listing(0, tmp_path / "square.c")
    assert main(["run", str(program), *arguments]) == 0
    assert capsys.readouterr().out.startswith("1\n4\n9\n16\n25\n")


@pytest.mark.parametrize("kernel", ["hw", "sw"])
def test_interrupts_of_the_guide(kernel: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = listing(1, tmp_path / "service.c")
    assert main(["run", str(program), "--line", "0,20000,5000,9000,3,1", "--on", kernel]) == 0
    assert capsys.readouterr().out.startswith("interrupt 1\ninterrupt 2\ninterrupt 3\n")


@pytest.mark.parametrize("arguments", [["--on", "sw"], ["--platform", "amp-economy"]])
@pytest.mark.docs("arguments1")
def test_communication_of_the_guide(
    arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = listing(2, tmp_path / "between.c")
    assert main(["run", str(program), *arguments]) == 0
    assert capsys.readouterr().out.startswith("sum 4950\nrang 1\nshared 2\nmessage 3\n")


@pytest.mark.parametrize("arguments", [["--platform", "hthreads"], ["--cpus", "1"]])
@pytest.mark.docs
def test_communication_of_the_guide_says_what_it_needs(
    arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = listing(2, tmp_path / "between.c")
    assert main(["run", str(program), *arguments, "--on", "sw"]) == 1
    assert capsys.readouterr().out.startswith("this needs two processors with a communication port\n")


def test_the_project_file_of_the_guide(tmp_path: Path) -> None:
    (text,) = re.findall(r"```toml\n(sources = .*?)```", (ROOT / "docs" / "guide.md").read_text(), re.DOTALL)
    (tmp_path / "coreloom.toml").write_text(text)
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "main.c").touch()
    found = project.load(tmp_path)
    assert found.sources == (tmp_path / "src" / "main.c",)
    assert found.flags == (f"-I{tmp_path / 'include'}", "-DSIZE=64")
    assert (found.arguments, sorted(found.settings)) == (
        ("--verbose",),
        ["cpus", "kernel", "platform", "policy"],
    )
