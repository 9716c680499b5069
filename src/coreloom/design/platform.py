# SPDX-License-Identifier: Apache-2.0
"""Platforms: which SoC is built, read from platforms/NAME.toml by the table of keys (keys.py)."""

from __future__ import annotations

import dataclasses
import difflib
import math
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from coreloom import licence
from coreloom.design import hardware_threads, keys
from coreloom.design.address_map import (
    LINE_PINS,
    LINES,
    LOCAL_BASE,
    RAM_BASE,
    ROM_BYTES,
    SDRAM_INTERVAL,
    TICK_CYCLES,
)
from coreloom.design.key import condition
from coreloom.design.keys import (
    CORES,
    MAX_CLIENTS,
    MAX_HYBRID_PRIORITIES,
    MAX_IPC_CPUS,
    MAX_LOCAL_KIB,
    MAX_RAM_MIB,
    POLICIES,
    READY_QUEUES,
    BackdoorSize,
    DcacheSize,
    IpcSize,
    KernelSize,
    Platform,
)
from coreloom.design.rules import Needs
from coreloom.errors import UserError, suggest
from coreloom.paths import PLATFORMS

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

__all__ = [
    "BUILT_POLICIES", "CORES", "LINES", "LINE_PINS", "LOCAL_BASE", "MAX_CLIENTS", "MAX_HYBRID_PRIORITIES",
    "MAX_IPC_CPUS", "MAX_LOCAL_KIB", "MAX_RAM_MIB", "POLICIES", "RAM_BASE", "READY_QUEUES", "ROM_BYTES",
    "BackdoorSize", "DcacheSize", "IpcSize", "KernelSize", "Platform", "flattened", "line_of", "load",
    "names", "nearest", "with_policy",
]  # fmt: skip

BUILT_POLICIES = POLICIES  # those that the hardware kernel has

_Wrong = Callable[[Sequence[str], str], UserError]  # of keys, the first that is there: what is wrong with it


def names(folder: Path = PLATFORMS) -> list[str]:
    """Names of the platforms that exist, sorted."""
    return sorted(path.stem for path in folder.glob("*.toml"))


def load(
    name: str,
    cpus: int | None = None,
    folder: Path = PLATFORMS,
    changes: Mapping[str, Any] | None = None,
    ipc: bool = True,
) -> Platform:
    """The platform `name`, or of a file whose path ends in .toml, with `cpus` processors if given.

    changes: values of keys, by their names with section, as if they stood in the file. ipc: with the
    communication port, if the file has one.
    Raises UserError for a name or file that does not exist, a file that is not TOML, and every missing,
    unknown or wrong value in it, with its line.
    """
    known = names(folder)
    if name.endswith(".toml"):
        path = Path(name)
        if not path.exists():
            raise UserError(f"platform file {name} does not exist: check the path")
    elif name in known:
        path = folder / f"{name}.toml"
    else:
        raise UserError(
            f"unknown platform '{name}': {suggest(name, known, ', or give a path that ends in .toml')}"
        )
    try:
        text = path.read_text(encoding="utf-8")
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise UserError(f"platform file {path.name} cannot be read: {error}") from error

    def wrong(of: Sequence[str], said: str) -> UserError:
        if changes:
            return UserError(f"platform {name}: {said}")
        line = next((line for key in of if (line := line_of(text, key.strip("[]")))), None)
        return UserError(f"platform file {path.name}{f', line {line}' if line else ''}: {said}")

    for key, value in (changes or {}).items():
        section, _, attribute = key.rpartition(".")
        (data.setdefault(section, {}) if section else data)[attribute] = value
    if not ipc:
        data.pop("ipc", None)
    home = path.absolute().parent
    platform = _parse(path.stem, data, wrong, None if home == PLATFORMS else home)
    hardware_threads.chosen(platform.kernel.hardware_threads, platform.home)
    if cpus is not None:
        if said := keys.entry("cpus").wrong(cpus):
            raise UserError(f"platform {name}: {said}")
        platform = dataclasses.replace(platform, cpus=cpus)
        _check_together(platform, lambda _, said: UserError(f"platform {name}: {said}"))
    return platform


def text(platform: Platform, said: str) -> str:
    """A file of the platform, with what it says of itself in the second line; load() reads the same one."""
    parts: dict[str, list[str]] = {name: [] for name in keys.SECTIONS}
    for entry in keys.table():
        part = getattr(platform, entry.section) if entry.section else platform
        value = None if part is None else getattr(part, entry.attribute)
        if value is None or (entry.key.optional and value == entry.default):
            continue
        if entry.only and getattr(platform, entry.only[0]) != entry.only[1]:
            continue
        section, _, key = entry.name.rpartition(".")
        parts.setdefault(section, []).append(f"{key} = {_toml(value)}")
    lines = [f"# {licence.tag('Apache-2.0')}", f"# {said}"]
    for section, own in parts.items():
        if own:
            lines += [*(["", f"[{section}]"] if section else []), *own]
    return "\n".join(lines) + "\n"


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return f"[{', '.join(map(_toml, value))}]"
    return f'"{value}"' if isinstance(value, str) else str(value)


def line_of(text: str, key: str) -> int | None:
    """Where a key, or a section, is in a file; None if it is not there."""
    section = ""
    for number, line in enumerate(text.splitlines(), 1):
        if found := re.match(r"\s*\[\s*([^\[\]]+?)\s*\]", line):
            here = section = found[1]
        elif found := re.match(r"\s*([\w.\"'-]+)\s*=", line):
            here = f"{section}.{found[1]}".lstrip(".")
        else:
            continue
        if here.replace('"', "").replace("'", "") == key:
            return number
    return None


def _parse(name: str, data: dict[str, Any], wrong: _Wrong, home: Path | None = None) -> Platform:
    table = keys.table()
    known = {entry.name: entry for entry in table}
    flat = flattened(data, known)
    for key in flat:
        if key not in known:
            described = {key: known[key].describe() for key in known}
            raise wrong([key], f"unknown key '{key}': did you mean {nearest(key, described)}?")
    made: dict[str, dict[str, Any]] = {section: {} for section in keys.SECTIONS}
    taken = set()
    for entry in table:
        if entry.only and flat.get(entry.only[0], known[entry.only[0]].default) != entry.only[1]:
            continue
        if not keys.SECTIONS[entry.section].needed and entry.section not in data:
            continue
        if entry.name in flat:
            value = flat[entry.name]
            if said := entry.wrong(value, home=home):
                raise wrong([entry.name], said)
            made[entry.section][entry.attribute] = tuple(value) if isinstance(value, list) else value
            taken.add(entry.name)
        elif not entry.key.optional:
            raise wrong([entry.name], f"'{entry.name}' is missing")
    parts = {of: keys.SECTIONS[of].made(**own) for of, own in made.items() if of and own}
    platform = Platform(name, **made[""], **parts, home=home)
    _check_needless(data, flat.keys() - taken, platform, wrong)
    _check_together(platform, wrong)
    return platform


def flattened(data: dict[str, Any], known: Iterable[str]) -> dict[str, Any]:
    """Everything in a file, by its name with its section."""
    sections = {name.partition(".")[0] for name in known if "." in name}
    flat: dict[str, Any] = {}
    for key, value in data.items():
        if isinstance(value, dict) and (value or key in sections):
            flat |= {f"{key}.{inner}": inner_value for inner, inner_value in value.items()}
        else:
            flat[key] = value
    return flat


def nearest(key: str, known: Mapping[str, str]) -> str:
    """The key that was meant, and what it may be. known: what each key may be."""

    def like(name: str) -> float:
        whole, last = (
            difflib.SequenceMatcher(None, *pair).ratio()
            for pair in ((key, name), (key.rpartition(".")[2], name.rpartition(".")[2]))
        )
        return max(whole, last)

    meant = max(known, key=like)
    return f"'{meant}' ({known[meant]})"


def _check_needless(data: Mapping[str, Any], left: Iterable[str], platform: Platform, wrong: _Wrong) -> None:
    """Reject sections and keys (those in `left`) that belong to other platforms."""
    for name, section in keys.SECTIONS.items():
        if name in data and section.only and getattr(platform, name) is None:
            raise wrong([name], f"[{name}] is for {condition(section.only)} only: remove it")
    for key in left:
        only = [entry.only for entry in keys.table() if entry.name == key and entry.only]
        raise wrong([key], f"{key} is for {condition(*only)} only: remove it")


def period(platform: Platform) -> int:
    """A multiple of all periods in the hardware, in cycles, at least 1000."""
    period = math.lcm(TICK_CYCLES, SDRAM_INTERVAL if platform.model == "sdram" else 1)
    return period * -(-1000 // period)


def with_policy(platform: Platform, policy: str) -> Platform:
    """The platform with a policy of its hardware kernel, small instead of fast if that cannot have it.

    Raises UserError for a policy that there is not, and for other keys that it cannot have.
    """
    if said := keys.entry("kernel.policy").wrong(policy, "the policy of the hardware kernel"):
        raise UserError(said)
    fast = platform.kernel.build == "fast" and policy != "priority"
    kernel = dataclasses.replace(platform.kernel, policy=policy)
    kernel = dataclasses.replace(kernel, build="small") if fast else kernel
    made = dataclasses.replace(platform, kernel=kernel)
    _check_together(made, lambda _, said: UserError(said))
    return made


def _check_together(platform: Platform, wrong: _Wrong) -> None:
    values, kernel = keys.values(platform), platform.kernel
    for key, rule in keys.rules():
        if rule.broken(key, values):
            of, said = rule.keys(key), rule.sentence(key, values)
            if isinstance(rule, Needs) and key == "kernel.services" and rule.value not in kernel.services:
                of = ("kernel.build", *of[1:])
                said = said.replace(str(rule.own(key)), f"kernel.build = '{kernel.build}' ({rule.value})")
                said = said.replace(key, "kernel.build")
            raise wrong(of, said)
