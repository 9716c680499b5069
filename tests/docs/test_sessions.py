# SPDX-License-Identifier: Apache-2.0
"""What a page shows of a terminal is what the commands print.

A block `console` has commands behind `$ ` and their output; a block `c` after a sentence with "as `NAME`" is
saved under that name first. All of a page runs in one folder. Figures of cycles may differ, all else may not.

    python tests/docs/test_sessions.py [PAGE...]     writes the output into the pages
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from coreloom.paths import ROOT

PAGES = ("tutorial", "errors")
_COMMAND = "import sys; sys.argv[0] = 'coreloom'; from coreloom.entry import main; sys.exit(main())"
_BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)


def _text(page: str) -> str:
    return (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")


def _run(command: str, folder: Path, home: Path) -> str:
    """What a terminal shows, but for how far long work is and where the ELF file of a program is."""
    environment = {**os.environ, "PATH": f"{home}:{os.environ['PATH']}", "COLUMNS": "140"}
    environment["PYTHONPATH"] = str(ROOT / "src")
    done = subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=900,
    )
    shown = re.sub(r"^(program: .*|coreloom: .*: \d+ s(, \d+ %)?)\n", "", done.stdout, flags=re.MULTILINE)
    shown = shown.replace(f"{folder}/", "")
    return "\n".join(line.rstrip() for line in shown.strip("\n").splitlines())


def _blocks(text: str, home: Path) -> Iterator[tuple[str, str]]:
    """Each console block, and the same with what its commands print."""
    home.joinpath("coreloom").write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "{_COMMAND}" "$@"\n')
    home.joinpath("coreloom").chmod(0o755)
    folder = home / "first"
    folder.mkdir()
    for block in _BLOCK.finditer(text):
        language, content = block.groups()
        if language == "c":
            name = re.findall(r"as `([\w.]+)`", text[: block.start()])[-1]
            (folder / name).write_text(content)
        if language != "console":
            continue
        printed = []
        for command in re.findall(r"^\$ (.*)", content, re.MULTILINE):
            printed.append(f"$ {command}")
            if command.startswith("cd "):
                folder = folder / command.removeprefix("cd ")
            elif said := _run(command, folder, home):
                printed.append(said)
        yield content, "\n".join([*printed, ""])


def _without_figures(session: str) -> list[str]:
    """Lines; where cycles, shares or addresses are told, one number stands for all."""
    told = re.compile(r"cycles|kernel|switch|ran |fault")
    return [
        re.sub(r"0x\w+|\d+(?:[.\N{NO-BREAK SPACE} ]\d+)*", "1", re.sub(" +", " ", line))
        if told.search(line)
        else line
        for line in session.splitlines()
    ]


@pytest.mark.docs
@pytest.mark.parametrize("page", PAGES)
def test_what_the_page_shows_is_printed(page: str, tmp_path: Path) -> None:
    for shown, printed in _blocks(_text(page), tmp_path):
        assert _without_figures(shown) == _without_figures(printed)


def write(pages: Iterable[str]) -> None:
    for page in pages:
        text = _text(page)
        with tempfile.TemporaryDirectory() as home:
            for shown, printed in _blocks(text, Path(home)):
                text = text.replace(f"```console\n{shown}```", f"```console\n{printed}```", 1)
        (ROOT / "docs" / f"{page}.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(sys.argv[1:] or PAGES)
