# SPDX-License-Identifier: Apache-2.0
"""A sweep file: what is combined with what, in TOML (docs/sweep.md)."""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coreloom.apps import APPS
from coreloom.design import keys, platform
from coreloom.errors import UserError, suggest
from coreloom.simulation.experiment import PLACEMENTS
from coreloom.toolchain import firmware

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

Value = int | str | bool | tuple[str, ...]
MAX_CYCLES = 500_000_000

_Wrong = Callable[[str, str], UserError]  # of a key: what is wrong with it
_DEFINE = re.compile(r"[A-Za-z_]\w*")
_KEYS = {
    "apps": "a list of applications or paths of C files",
    "platforms": "a list of platforms or paths of TOML files",
    "kernels": f"a list from {', '.join(firmware.GROUNDS)}",
    "placements": f"a list from {', '.join(PLACEMENTS)}",
    "policies": "a list of scheduling policies",
    "window": "cycles measured from the program's initialisation on",
    "max_cycles": "the cycle limit of a run",
    "parameters": "a table of platform keys, each with a list of values",
    "defines": "a table of macros for the program, each with a list of values",
    "exclude": "tables of what is left out",
}
# Names of a point's values, and the list of the file that each is from.
_AXES = {
    "app": "apps",
    "platform": "platforms",
    "kernel": "kernels",
    "placement": "placements",
    "policy": "policies",
}


@dataclass(frozen=True)
class Setting:
    """One point of a sweep: everything that a person chose. policy None: the platform's own."""

    app: str
    platform: str
    kernel: str
    placement: str
    policy: str | None
    parameters: tuple[tuple[str, Value], ...]  # platform keys
    defines: tuple[tuple[str, int | str], ...]  # macros

    @property
    def axes(self) -> dict[str, Value | None]:
        """All of it by name."""
        named: dict[str, Value | None] = {axis: getattr(self, axis) for axis in _AXES}
        return named | dict(self.parameters) | dict(self.defines)

    @property
    def text(self) -> str:
        """It in words."""
        policy = [] if self.policy is None else [f"policy {self.policy}"]
        more = [f"{key} = {shown(value)}" for key, value in (*self.parameters, *self.defines)]
        parts = [f"{self.app} on {self.platform}", f"{self.kernel} kernel", self.placement, *policy, *more]
        return ", ".join(parts)


@dataclass(frozen=True)
class Sweep:
    """The sweep that a file asks for. folder: the base of its paths; window None: each run to its end."""

    name: str
    folder: Path
    settings: tuple[Setting, ...]
    excluded: int  # points that [[exclude]] leaves out
    window: int | None
    max_cycles: int

    def place(self, name: str) -> str:
        """A name of the file; a path is made one of this process."""
        return str(self.folder / name) if name.endswith((".toml", ".c")) else name


def shown(value: Value | None) -> str:
    """A value as the file has it."""
    if isinstance(value, tuple):
        return "+".join(value) or "none"
    return str(value).lower() if isinstance(value, bool) else str(value)


def load(path: Path) -> Sweep:
    """The sweep of a file. UserError, with the line, for the first thing that is wrong in it."""
    try:
        text = path.read_text(encoding="utf-8")
        data = tomllib.loads(text)
    except FileNotFoundError:
        raise UserError(f"sweep file {path} does not exist: check the path") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise UserError(f"sweep file {path.name} cannot be read: {error}") from error

    def wrong(key: str, said: str) -> UserError:
        line = platform.line_of(text, key)
        return UserError(f"sweep file {path.name}{f', line {line}' if line else ''}: {said}")

    for key in data:
        if key not in _KEYS:
            raise wrong(key, f"unknown key '{key}': did you mean {platform.nearest(key, _KEYS)}?")
    lists = {
        "apps": _texts(data, "apps", None, wrong),
        "platforms": _texts(data, "platforms", None, wrong),
        "kernels": _texts(data, "kernels", ["hw"], wrong),
        "placements": _texts(data, "placements", ["dynamic"], wrong),
        "policies": _texts(data, "policies", [], wrong) or [None],
    }
    for name, known, suffix in (
        ("apps", list(APPS), ".c"),
        ("platforms", platform.names(), ".toml"),
        ("kernels", list(firmware.GROUNDS), None),
        ("placements", list(PLACEMENTS), None),
    ):
        for value in lists[name]:
            if value not in known and not (suffix and str(value).endswith(suffix)):
                other = f", or give a path that ends in {suffix}" if suffix else ""
                raise wrong(name, f"unknown value '{value}' in {name}: {suggest(value, known, other)}")
    parameters = _parameters(data.get("parameters", {}), wrong)
    defines = _defines(data.get("defines", {}), wrong)
    settings = [
        Setting(
            *(app, soc, kernel, placement, policy),
            tuple(zip(parameters, values, strict=True)),
            tuple(zip(defines, macros, strict=True)),
        )
        for app, soc, kernel, placement, policy in itertools.product(*lists.values())
        for values in itertools.product(*parameters.values())
        for macros in itertools.product(*defines.values())
    ]
    left = _left(settings, data.get("exclude", []), wrong)
    window = None if "window" not in data else _number(data, "window", wrong)
    most = MAX_CYCLES if "max_cycles" not in data else _number(data, "max_cycles", wrong)
    return Sweep(path.stem, path.parent, tuple(left), len(settings) - len(left), window, most)


def _number(data: Mapping[str, Any], key: str, wrong: _Wrong) -> int:
    value = data[key]
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise wrong(key, f"{key} must be a whole number from 1, not {value!r}")
    return value


def _list(key: str, value: Any, what: str, wrong: _Wrong, named: str = "") -> list[Any]:
    """A list with something in it, and nothing twice."""
    named = named or key
    if not isinstance(value, list):
        raise wrong(key, f"{named} must be {what}, not {value!r}")
    if not value:
        raise wrong(key, f"{named} is empty: give {what}")
    for n, one in enumerate(value):
        if one in value[:n]:
            raise wrong(key, f"{named} has {one!r} twice: remove one")
    return value


def _texts(data: Mapping[str, Any], key: str, default: list[Any] | None, wrong: _Wrong) -> list[Any]:
    if key not in data:
        if default is None:
            raise wrong(key, f"'{key}' is missing: give {_KEYS[key]}")
        return default
    value = _list(key, data[key], _KEYS[key], wrong)
    for one in value:
        if not isinstance(one, str):
            raise wrong(key, f"each value of {key} must be a text, not {one!r}")
    return value


def _table(data: Any, key: str, wrong: _Wrong) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise wrong(key, f"{key} must be {_KEYS[key]}, not {data!r}")
    return data


def _parameters(data: Any, wrong: _Wrong) -> dict[str, list[Value]]:
    """Values of platform keys, each checked by itself."""
    known = {entry.name: entry for entry in keys.table() if entry.name != "name"}
    found: dict[str, list[Value]] = {}
    for key, value in platform.flattened(_table(data, "parameters", wrong), known).items():
        where = f"parameters.{key}"
        if key not in known:
            meant = platform.nearest(key, {name: entry.describe() for name, entry in known.items()})
            raise wrong(where, f"unknown platform key '{key}' in [parameters]: did you mean {meant}?")
        found[key] = []
        for one in _list(where, value, f"a list of values, each {known[key].describe()}", wrong, key):
            if said := known[key].wrong(one):
                raise wrong(where, said)
            found[key].append(tuple(one) if isinstance(one, list) else one)
    return found


def _defines(data: Any, wrong: _Wrong) -> dict[str, list[int | str]]:
    found: dict[str, list[int | str]] = {}
    for key, value in _table(data, "defines", wrong).items():
        where = f"defines.{key}"
        if not _DEFINE.fullmatch(key):
            raise wrong(where, f"'{key}' in [defines] is not a C macro name: use letters, digits and _")
        if key == "CL_PLACEMENT":
            raise wrong(where, "CL_PLACEMENT follows from placements: set it there")
        found[key] = _list(where, value, "a list of whole numbers or texts", wrong, key)
        for one in found[key]:
            if isinstance(one, bool) or not isinstance(one, int | str):
                raise wrong(where, f"each value of {key} must be a whole number or a text, not {one!r}")
    return found


def _left(settings: list[Setting], excludes: Any, wrong: _Wrong) -> list[Setting]:
    """The points that no [[exclude]] leaves out."""
    if not isinstance(excludes, list) or not all(isinstance(one, dict) for one in excludes):
        raise wrong("exclude", "exclude must be tables, each under a line [[exclude]]")
    axes = {axis: {setting.axes[axis] for setting in settings} for axis in settings[0].axes}
    rules = []
    for number, exclude in enumerate(excludes, 1):
        rule: dict[str, list[Any]] = {}
        for axis, value in platform.flattened(exclude, axes).items():
            if axis not in axes:
                meant = platform.nearest(axis, dict.fromkeys(axes, "a value or a list of values"))
                raise wrong("exclude", f"unknown key '{axis}' in [[exclude]] {number}: did you mean {meant}?")
            rule[axis] = [
                tuple(one) if isinstance(one, list) else one
                for one in (value if isinstance(value, list) else [value])
            ]
            for one in rule[axis]:
                if all(one != had for had in axes[axis]):  # a table has no hash
                    raise wrong(
                        "exclude", f"[[exclude]] {number} has {axis} = {one!r}, which no point has: remove it"
                    )
        if not rule or not any(_matches(setting, rule) for setting in settings):
            raise wrong("exclude", f"[[exclude]] {number} leaves out no point: remove it")
        rules.append(rule)
    left = [setting for setting in settings if not any(_matches(setting, rule) for rule in rules)]
    if not left:
        raise wrong("exclude", "[[exclude]] leaves out every point: remove one of them")
    return left


def _matches(setting: Setting, rule: Mapping[str, list[Any]]) -> bool:
    return all(setting.axes[axis] in values for axis, values in rule.items())
