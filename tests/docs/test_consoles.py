# SPDX-License-Identifier: Apache-2.0
"""What documents show of a console is what the commands print; cycles within a quarter, as they move."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from coreloom.cli import main
from coreloom.paths import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs" / "class").glob("*.md"))]
_NUMBER = re.compile(r"\d+(?: \d{3})*(?:\.\d+)?")


def consoles(page: Path) -> Iterator[tuple[str, str]]:
    """Every command of ours in the page's consoles, and what stands below it."""
    for console in re.findall(r"```console\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
        for part in console.split("$ ")[1:]:
            command, _, output = part.partition("\n")
            if command.startswith("coreloom "):
                yield command, output


def alike(shown: str, printed: str) -> bool:
    """The same words, numbers within a quarter."""
    if [*map(str.strip, _NUMBER.split(shown))] != [*map(str.strip, _NUMBER.split(printed))]:
        return False
    pairs = zip(_NUMBER.findall(shown), _NUMBER.findall(printed), strict=True)
    values = [tuple(float(text.replace(" ", "")) for text in pair) for pair in pairs]
    return all(abs(one - two) <= max(abs(one) / 4, 5) for one, two in values)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
@pytest.mark.docs
def test_the_commands_print_what_is_shown(
    page: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    for command, output in consoles(page):
        assert main(shlex.split(command)[1:]) == 0
        printed = [line for line in capfd.readouterr().out.splitlines() if line.strip()]
        for line in filter(str.strip, output.splitlines()):
            near = [each for each in printed if alike(line, each)]
            assert near, f"{page.name}: `{command}` does not print `{line}`, but {printed}"


def test_alike() -> None:
    assert alike("hardware kernel  111 675 *", "hardware kernel   99 000 *")
    assert not alike("hardware kernel  111 675 *", "hardware kernel  199 000 *")
    assert not alike("hardware kernel  111 675 *", "hardware kernel  111 675")
