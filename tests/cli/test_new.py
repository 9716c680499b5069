# SPDX-License-Identifier: Apache-2.0
"""`coreloom new`, and platforms, units and policies outside of Coreloom."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from coreloom.cli import main, parser
from coreloom.commands.held import PORT
from coreloom.design import hardware_threads, platform
from coreloom.entry import build_dir
from coreloom.errors import UserError
from coreloom.toolchain import firmware

FILES = [
    ".vscode/launch.json",
    ".vscode/tasks.json",
    "README.md",
    "coreloom.toml",
    "main.c",
    "mysoc.toml",
    "policies/fifo.c",
    "tests/test_project.py",
    "units/total.sv",
]


@pytest.fixture
def project(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    folder = tmp_path / "mysoc"
    assert main(["new", str(folder)]) == 0
    capsys.readouterr()
    return folder


def _fails(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(list(words)) == (125 if words[0] == "run" else 1)
    printed = capsys.readouterr()
    assert printed.out == ""
    return printed.err.removeprefix("coreloom: error: ").rstrip("\n")


def _units(project: Path, *names: str) -> str:
    """A further platform with these hardware threads; its path."""
    text = (project / "mysoc.toml").read_text().replace('"mysoc"', '"other"')
    listed = ", ".join(f'"{name}"' for name in names)
    (project / "other.toml").write_text(text.replace('["total"]', f"[{listed}]"))
    return str(project / "other.toml")


def _copy_unit(project: Path, name: str) -> None:
    text = (project / "units" / "total.sv").read_text()
    (project / "units" / f"{name}.sv").write_text(text.replace("module total", f"module {name}"))


def test_what_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["new", "mysoc"]) == 0
    made = [path for path in Path("mysoc").absolute().rglob("*") if path.is_file()]
    assert sorted(str(path.relative_to(tmp_path / "mysoc")) for path in made) == FILES
    assert not [path for path in made if "NAME" in path.read_text()]
    lines = capsys.readouterr().out.splitlines()
    assert sorted(lines[:9]) == [f"made mysoc/{name}" for name in FILES]
    assert lines[9:] == [
        "",
        "Now: cd mysoc, then coreloom run .",
        "README.md there says what each file is, and what else to try.",
    ]


def test_nothing_is_overwritten(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "main.c").write_text("mine")
    said = _fails(capsys, "new", str(project))
    assert said == f"{project} exists: choose another name, or remove it"
    assert (project / "main.c").read_text() == "mine"


def test_its_debugger_waits_where_it_is_looked_for(project: Path) -> None:
    launch = json.loads((project / ".vscode" / "launch.json").read_text())["configurations"][0]
    (task,) = json.loads((project / ".vscode" / "tasks.json").read_text())["tasks"]
    assert launch["preLaunchTask"] == task["label"] == "main.c on mysoc, waiting for gdb"
    assert launch["miDebuggerServerAddress"] == f"localhost:{task['args'][-1]}"
    folder, words = build_dir(task["args"])
    parsed = parser().parse_args(words)
    assert (parsed.command, parsed.app, parsed.platform) == ("run", ["main.c"], "./mysoc.toml")
    assert parsed.gdb == PORT
    assert launch["program"] == f"${{workspaceFolder}}/{folder}/output/main.elf"


def test_a_name_is_one_that_files_can_have(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = _fails(capsys, "new", str(tmp_path / "My SoC"))
    assert said == "a project's name has lower-case letters, digits, - and _ only, not 'My SoC'"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.runtime
def test_its_own_tests_pass(project: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    clean = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    done = subprocess.run(command, cwd=project, env=clean, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 passed" in done.stdout


def test_units_of_both_kinds_go_together(project: Path) -> None:
    """Own ones get the kinds that the table leaves free, in the order of the platform's list."""
    _copy_unit(project, "mine")
    soc = platform.load(_units(project, "total", "crc32", "mine", "total"))
    assert soc.home == project
    units = hardware_threads.chosen(soc.kernel.hardware_threads, soc.home)
    assert {name: unit.kind for name, unit in units.items()} == {"total": 4, "crc32": 1, "mine": 5}
    assert platform.load("hthreads").home is None


def test_a_unit_that_there_is_not(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = _units(project, "sum")
    assert _fails(capsys, "run", str(project / "main.c"), "--platform", path) == (
        "platform file other.toml, line 8: unknown unit 'sum' in kernel.hardware_threads: choose from "
        "crc32, convolution, sort, template, script, total, or write units/sum.sv next to the file"
    )


def test_a_unit_that_takes_a_name(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _copy_unit(project, "crc32")
    assert _fails(capsys, "run", str(project / "main.c"), "--platform", _units(project, "crc32")) == (
        "units/crc32.sv has the name of a built-in unit: rename it, and its module"
    )


def test_a_unit_without_its_module(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "units" / "half.sv").write_text("module whole;\nendmodule\n")
    assert _fails(capsys, "run", str(project / "main.c"), "--platform", _units(project, "half")) == (
        "units/half.sv has no module half: a unit has the name of its file"
    )


def test_more_units_than_kinds(project: Path) -> None:
    names = [f"unit{number}" for number in range(11)]
    for name in names:
        _copy_unit(project, name)
    with pytest.raises(UserError) as error:
        hardware_threads.chosen(names, project)
    assert str(error.value) == "a platform has at most 10 units of its own: leave out unit10"


def test_a_policy_by_its_path_or_by_its_name(project: Path) -> None:
    path = project / "policies" / "fifo.c"
    assert firmware.policy_files(str(path)) == firmware.policy_files("fifo", project) == [path]


@pytest.mark.parametrize("command", ["run", "model"])
def test_a_policy_file_that_is_none(project: Path, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    run = ["run", str(project / "main.c"), "--on", "sw"]
    words = run if command == "run" else ["model", "five-on-four"]
    policies = project / "policies"
    text = (policies / "fifo.c").read_text()
    (policies / "lifo.c").write_text(text)
    (policies / "dwrr.c").write_text(text.replace("cl_fifo", "cl_dwrr"))
    for name, said in (
        ("lifo", "does not define `const struct cl_policy cl_lifo`: its policy has the file's name"),
        ("dwrr", "has the name of a policy of Coreloom's: rename it"),
    ):
        path = policies / f"{name}.c"
        assert _fails(capsys, *words, "--policy", str(path)) == f"policy file {path} {said}"
    path = policies / "none.c"
    assert _fails(capsys, *words, "--policy", str(path)) == f"there is no policy file {path}: check the path"


def test_the_model_names_a_policy_as_its_file(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = project / "policies" / "lifo.c"
    path.write_text((project / "policies" / "fifo.c").read_text().replace("cl_fifo", "cl_lifo"))
    assert main(["model", "five-on-four", "--policy", str(path)]) == 1
    said = capsys.readouterr().err.splitlines()[-1]
    assert said == f'coreloom: error: policy file {path}: make its .name "lifo", as the file'
