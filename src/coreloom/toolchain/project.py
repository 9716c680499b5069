# SPDX-License-Identifier: Apache-2.0
"""A folder with a program of the user's: coreloom.toml says what it is made of and where it runs."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coreloom.errors import UserError, suggest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FILE = "coreloom.toml"
_TEXTS = ("sources", "flags", "arguments")  # lists of texts
_KEYS = (*_TEXTS, "platform", "kernel", "policy", "cpus", "placement", "input")
_PATHS = ("-I", "-L", "-isystem", "-include")  # flags that name a place


@dataclass(frozen=True)
class Project:
    """The contents of coreloom.toml; of the settings only those that it has."""

    name: str
    sources: tuple[Path, ...]
    flags: tuple[str, ...]
    arguments: tuple[str, ...]
    settings: dict[str, Any]  # platform, kernel, policy, cpus, placement, input


def load(folder: Path) -> Project:
    """The program in a folder. UserError for what is missing or wrong in its coreloom.toml."""
    path = folder / FILE
    if not path.is_file():
        raise UserError(
            f"{folder} has no {FILE}, which describes its program: write one (docs/guide.md), or "
            "give its sources"
        )
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise UserError(f"{path} cannot be read: {error}") from error
    for key, value in data.items():
        _check(path, key, value)
    sources: list[Path] = []
    for pattern in data.get("sources", ["*.c"]):
        found = sorted(folder.glob(pattern))
        if not found:
            raise UserError(f"{path}: there is no file {pattern}: correct sources")
        sources += [file for file in found if file not in sources]
    settings = {key: data[key] for key in _KEYS if key in data and key not in _TEXTS}
    for key, suffix in (("platform", ".toml"), ("policy", ".c"), ("input", "")):
        if key in settings and str(settings[key]).endswith(suffix):
            settings[key] = str(folder / settings[key])
    return Project(
        folder.resolve().name,
        tuple(sources),
        tuple(_placed(data.get("flags", []), folder)),
        tuple(data.get("arguments", [])),
        settings,
    )


def _check(path: Path, key: str, value: object) -> None:
    if key not in _KEYS:
        raise UserError(f"{path}: unknown key '{key}': {suggest(key, _KEYS)}")
    if key in _TEXTS and not (isinstance(value, list) and all(isinstance(each, str) for each in value)):
        raise UserError(f'{path}: {key} must be a list of texts, such as ["a", "b"]')
    if key == "cpus" and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
        raise UserError(f"{path}: cpus must be a whole number from 1")
    if key not in (*_TEXTS, "cpus") and not isinstance(value, str):
        raise UserError(f"{path}: {key} must be a text")


def _placed(flags: list[str], folder: Path) -> list[str]:
    """The flags as they are meant in the folder."""
    made: list[str] = []
    follows = False  # the flag before is for this place
    for flag in flags:
        name = next((name for name in _PATHS if flag.startswith(name) and flag != name), "")
        if follows:
            made.append(str(folder / flag))
        elif name:
            made.append(f"{name}{folder / flag.removeprefix(name)}")
        else:
            made.append(flag)
        follows = flag in _PATHS
    return made
