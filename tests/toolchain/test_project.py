# SPDX-License-Identifier: Apache-2.0
"""coreloom.toml of a folder with a program."""

from __future__ import annotations

from pathlib import Path

import pytest

from coreloom.errors import UserError
from coreloom.toolchain import project


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "mine"
    (made / "src").mkdir(parents=True)
    for name in ("b.c", "a.c", "src/c.c"):
        (made / name).touch()
    return made


def load(folder: Path, text: str) -> project.Project:
    (folder / "coreloom.toml").write_text(text)
    return project.load(folder)


def test_without_sources_they_are_the_folder_s(folder: Path) -> None:
    found = load(folder, "")
    assert (found.name, found.sources) == ("mine", (folder / "a.c", folder / "b.c"))
    assert (found.flags, found.arguments, found.settings) == ((), (), {})


def test_paths_are_of_the_folder(folder: Path) -> None:
    found = load(
        folder,
        'sources = ["src/*.c", "b.c"]\nflags = ["-Iinc", "-I", "more", "-DX=1", "-lm"]\narguments = ["-v"]\n'
        'platform = "mine.toml"\nkernel = "sw"\npolicy = "dwrr"\ncpus = 3\ninput = "data"\n',
    )
    assert found.sources == (folder / "src" / "c.c", folder / "b.c")
    assert found.flags == (f"-I{folder / 'inc'}", "-I", str(folder / "more"), "-DX=1", "-lm")
    assert found.arguments == ("-v",)
    assert found.settings == {
        **{"platform": str(folder / "mine.toml"), "kernel": "sw", "policy": "dwrr", "cpus": 3},
        "input": str(folder / "data"),
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('source = ["a.c"]', "unknown key 'source': did you mean sources?"),
        ('zzz = "a.c"', "unknown key 'zzz': choose one of sources, flags, arguments, platform, kernel, "
         "policy, cpus, placement, input"),
        ('sources = "a.c"', 'sources must be a list of texts, such as ["a", "b"]'),
        ('sources = ["x*.c"]', "there is no file x*.c: correct sources"),
        ("cpus = 0", "cpus must be a whole number from 1"),
        ("kernel = 1", "kernel must be a text"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_one_line(folder: Path, text: str, said: str) -> None:
    with pytest.raises(UserError) as error:
        load(folder, text)
    assert str(error.value) == f"{folder / 'coreloom.toml'}: {said}"


def test_the_name_of_a_folder_that_is_not_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "below").mkdir()
    (folder / "coreloom.toml").write_text("")
    (folder / "main.c").write_text("")
    monkeypatch.chdir(folder / "below")
    assert project.load(Path("..")).name == folder.name


def test_a_folder_without_it(folder: Path) -> None:
    with pytest.raises(UserError) as error:
        project.load(folder)
    assert str(error.value) == (
        f"{folder} has no coreloom.toml, which describes its program: write one (docs/guide.md), "
        "or give its sources"
    )
