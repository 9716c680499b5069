# SPDX-License-Identifier: Apache-2.0
"""The table of units is edited by users: what is wrong in it is said in one line."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from coreloom.cli import main
from coreloom.design import generate, hardware_threads, platform
from coreloom.errors import UserError
from coreloom.toolchain import verilate

MINE = '[mine]\nkind = 4\nmodule = "cl_hwt_mine"\n'
WRONG = {
    '[my-unit]\nkind = 4\nmodule = "m"\n': "my-unit: a name has lower-case letters, digits and _ only",
    "mine = 4\n": "mine must have kind and module, and nothing else",
    "[mine]\nkind = 4\n": "mine must have kind and module, and nothing else",
    MINE + "size = 3\n": "mine must have kind and module, and nothing else",
    MINE.replace("4", "16"): "mine: kind must be a whole number from 1 to 15, not 16",
    MINE.replace("4", "true"): "mine: kind must be a whole number from 1 to 15, not True",
    MINE.replace("cl_hwt_mine", "mine.sv"): (
        "mine: module must be the name of a SystemVerilog module, not 'mine.sv'"
    ),
    MINE + MINE.replace("[mine]", "[other]"): "mine and other both have kind 4: give one of them another",
}


@pytest.mark.parametrize("text", WRONG, ids=lambda text: WRONG[text][:40])
def test_wrong_table(text: str, tmp_path: Path) -> None:
    path = tmp_path / "units.toml"
    path.write_text(text)
    with pytest.raises(UserError) as error:
        hardware_threads.load(path)
    assert str(error.value) == f"table of units units.toml: {WRONG[text]}"


def test_table_that_is_no_toml(tmp_path: Path) -> None:
    path = tmp_path / "units.toml"
    path.write_text(MINE + "[")
    with pytest.raises(UserError, match=r"^table of units units.toml cannot be read: [^\n]*$"):
        hardware_threads.load(path)


def test_a_table_that_has_changed_without_generate(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Only who uses a unit has to know."""
    old = tmp_path / "cl_hw_unit.sv"
    old.write_text(generate.FILES[hardware_threads.MADE]().replace("Kind == 3", "Kind == 4"))
    monkeypatch.setattr(hardware_threads, "MADE", old)
    machine = platform.load("hthreads")
    with pytest.raises(
        UserError, match=r"^cl_hw_unit.sv does not match units.toml: run `coreloom generate`$"
    ):
        verilate.platform_design(machine)
    kernel = dataclasses.replace(machine.kernel, hardware_threads=())
    assert verilate.platform_design(dataclasses.replace(machine, kernel=kernel)).top == "cl_soc"


def test_help_needs_no_table(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def load() -> None:
        raise UserError("table of units units.toml cannot be read")

    monkeypatch.setattr(hardware_threads, "load", load)
    with pytest.raises(SystemExit):
        main(["synth", "--help"])
    assert "an unknown name lists them" in " ".join(capsys.readouterr().out.split())
