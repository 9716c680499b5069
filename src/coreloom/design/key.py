# SPDX-License-Identifier: Apache-2.0
"""What a key of a platform file is, and a section of keys; keys.py has all that there are."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coreloom.design import hardware_threads
from coreloom.design.rules import Rule
from coreloom.errors import suggest


class Literal(str):
    """The value of a parameter as it is written in SystemVerilog; any other str is a string there, too."""


Param = int | str
Makers = Mapping[str, Callable[[Any, Any], Param]]  # name -> its value, of the platform and the key's value


@dataclass(frozen=True)
class Key:
    """The values that a key may have, and everything derived from it.

    rtl, c: the field of cl_soc's record of parameters and the C macro that have its value (of choices: the
    number), or several with how each is made; * in a name stands for the value.
    """

    text: str
    least: int = 0
    most: int = 0
    power_of_two: bool = False  # addresses are decoded by bits, numbers of objects packed
    choices: tuple[str, ...] = ()
    unit: int = 1  # number of bytes in one unit of the file
    rtl: str | Makers = ""
    c: str | Makers = ""
    optional: bool = False
    only: tuple[str, str] | None = None  # another key, and the value of it that this one is for
    rules: tuple[Rule, ...] = ()  # between this key and others
    section: str | None = None  # in the file, if not its dataclass's
    area: str = ""  # why it has no figure in LUT4 of its own; else `coreloom synth --keys` measures it


@dataclass(frozen=True)
class Section:
    """A table of the file: the dataclass of its keys.

    rtl, c: what says that a platform has it, with what is fixed in it. needed: each platform must have it.
    """

    title: str
    made: type
    rtl: Mapping[str, Param] = dataclasses.field(default_factory=dict)
    c: str = ""
    needed: bool = True
    only: tuple[str, str] | None = None
    rules: tuple[Rule, ...] = ()


@dataclass(frozen=True)
class Entry:
    """A key of the table, and where it is: field `attribute` of the dataclass of `section`.

    only: another key, and the value of it that this one is for.
    """

    section: str
    attribute: str
    type: type
    default: Any
    key: Key
    only: tuple[str, str] | None = None

    @property
    def name(self) -> str:
        """In the file, with its section."""
        section = self.section if self.key.section is None else self.key.section
        return f"{section}.{self.attribute}" if section else self.attribute

    @property
    def place(self) -> str:
        """Its dataclass and field, which no other key has."""
        return f"{self.section}.{self.attribute}" if self.section else self.attribute

    def meaning(self) -> str:
        """What it is, and what it asks of other keys."""
        only = [f"for {condition(self.only)} only"] if self.only else []
        return "; ".join([self.key.text, *(rule.brief() for rule in self.key.rules), *only])

    def describe(self) -> str:
        """The values that it may have."""
        if self.key.choices:
            list_of = "" if self.type is str else "a list, each "
            return f"{list_of}one of {', '.join(self.key.choices)}"
        if self.type is int:
            number = "a power of two" if self.key.power_of_two else "a whole number"
            return f"{number} from {self.key.least} to {self.key.most}"
        return {bool: "true or false", str: "a text"}.get(self.type, "a list of units")

    def shown_default(self) -> str:
        if not self.key.optional or self.default is None:
            return ""
        return str(self.default).lower() if self.default != () else "none"

    def wrong(self, value: Any, name: str = "", home: Path | None = None) -> str:
        """The error in a value, in words; nothing if it is right. home: Platform's."""
        key, name = self.key, name or self.name
        if self.type is str:
            if not isinstance(value, str):
                return f"{name} must be a string, not {value!r}"
            if key.choices and value not in key.choices:
                return f"{name} is '{value}': {suggest(value, key.choices)}"
        elif self.type is bool:
            if not isinstance(value, bool):
                return f"{name} must be true or false, not {value!r}"
        elif self.type is int:
            if isinstance(value, bool) or not isinstance(value, int) or not key.least <= value <= key.most:
                return f"{name} must be a whole number from {key.least} to {key.most}, not {value!r}"
            if key.power_of_two and value & (value - 1):
                return f"{name} must be a power of two, not {value}"
        elif not isinstance(value, list):
            return f"{name} must be a list of {'names' if key.choices else 'units'}, not {value!r}"
        elif key.choices:
            for each in value:
                if each not in key.choices:
                    return f"{name} has {each!r}: {suggest(str(each), key.choices)}"
        else:
            known = hardware_threads.known(home)
            for unit in value:
                if not isinstance(unit, str) or unit not in known:
                    add = "" if home is None else f", or write units/{unit}.sv next to the file"
                    return f"unknown unit {unit!r} in {name}: choose from {', '.join(known)}{add}"
        return ""

    def made(self, makers: str | Makers, platform: Any, value: Any) -> dict[str, Param]:
        """Parameters or macros that follow from a value."""
        if isinstance(makers, str):
            if not makers:
                return {}
            number = self.key.choices.index(value) if self.key.choices else int(value) * self.key.unit
            return {makers: number}
        return {name.replace("*", str(value).upper()): make(platform, value) for name, make in makers.items()}


def condition(*only: tuple[str, str]) -> str:
    """Another key and its values, in words."""
    return f"{only[0][0].rpartition('.')[2]} = " + " or ".join(f"'{value}'" for _, value in only)
