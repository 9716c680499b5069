# SPDX-License-Identifier: Apache-2.0
"""The tests of programs/*.c: a file is a group, compiled apart from the others."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from coreloom.errors import UserError

PROGRAMS = Path(__file__).parent / "programs"
_TEST = re.compile(r'^(?:TEST|FRESH\w*)\((\w+), (\w+),\s*((?:"(?:[^"\\]|\\.)*"\s*)+)\) \{', re.MULTILINE)


class Test(msgspec.Struct, frozen=True):
    """One requirement of a function."""

    group: str
    function: str
    short: str
    requirement: str

    @property
    def name(self) -> str:
        return f"{self.function}_{self.short}"


def program(group: str) -> Path:
    return PROGRAMS / f"{group}.c"


def tests() -> list[Test]:
    """All, by group and in the order of their files."""
    found = []
    for path in sorted(PROGRAMS.glob("*.c")):
        for function, short, text in _TEST.findall(path.read_text(encoding="utf-8")):
            requirement = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', text))
            found.append(Test(path.stem, function, short, requirement))
    return found


def chosen(only: Sequence[str] | None) -> list[Test]:
    """The tests whose group, function or name is in `only`; UserError for an unknown word."""
    everything = tests()
    if only is None:
        return everything
    for word in only:
        if not any(word in (test.group, test.function, test.name) for test in everything):
            groups = ", ".join(dict.fromkeys(test.group for test in everything))
            raise UserError(
                f"there is no test '{word}': give a test, a function, or one of the groups {groups}"
            )
    return [test for test in everything if {test.group, test.function, test.name} & set(only)]
