# SPDX-License-Identifier: Apache-2.0
"""A workload with the machine and the time it is meant for: from a TOML file."""

from __future__ import annotations

import dataclasses
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coreloom.errors import UserError, suggest
from coreloom.scheduling.workload import (
    Compute,
    Costs,
    Exit,
    Lock,
    Machine,
    Receive,
    Send,
    Sleep,
    Step,
    Thread,
    Unlock,
    Workload,
    Yield,
    nice_weight,
)

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SECONDS = 10.0


@dataclass(frozen=True)
class Case:
    """What to simulate, where, how long. costs: those of the workload itself; None: what was measured."""

    workload: Workload
    machine: Machine
    seconds: float = SECONDS
    text: str = ""
    costs: Costs | None = None


def load(path: Path) -> Case:
    """The case of a TOML file (README.md has the format). UserError: one line with the file and the key."""
    try:
        text = path.read_text(encoding="utf-8")
        data = tomllib.loads(text)
    except FileNotFoundError:
        raise UserError(f"workload file {path} does not exist") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise UserError(f"workload file {path} cannot be read: {error}") from None
    try:
        return _case(data, path.stem)
    except UserError as error:
        raise UserError(f"workload file {path}{_line(text, data, str(error))}: {error}") from None


def _line(text: str, data: dict[str, Any], error: str) -> str:
    """Where the table begins that an error names, as ", line 3"; nothing if it names none."""
    named = re.search(r"\b(?:thread (?:'(?P<name>[^']+)'|(?P<thread>\d+))|reserve (?P<reserve>\d+))", error)
    if named is None:
        return ""
    if named["name"] is not None:
        number = next((n for n, t in enumerate(data["thread"], 1) if t.get("name") == named["name"]), 0)
    else:
        number = int(named["thread"] or named["reserve"])
    key = "reserve" if named["reserve"] else "thread"
    begins = [n for n, line in enumerate(text.splitlines(), 1) if re.match(rf"\s*\[\[\s*{key}\s*\]\]", line)]
    return f", line {begins[number - 1]}" if 0 < number <= len(begins) else ""


def _case(data: dict[str, Any], name: str) -> Case:
    _check_keys(data, ("name", "text", "seconds", "machine", "costs", "thread", "reserve"), "")
    machine = _made(Machine, data, "machine")
    costs = _made(Costs, data, "costs") if "costs" in data else None
    seconds = _typed(data, "seconds", (int, float), SECONDS)
    text = _typed(data, "text", str, "")
    workload = Workload(
        name=_typed(data, "name", str, name),
        threads=tuple(_thread(entry, n) for n, entry in enumerate(_tables(data, "thread"), 1)),
        reserve=tuple(_reserve(entry, n) for n, entry in enumerate(_tables(data, "reserve"), 1)),
    )
    return Case(workload, machine, seconds, text, costs)


def _check_keys(data: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    for key in data:
        if key not in known:
            raise UserError(f"{where}unknown key '{key}': {suggest(key, known)}")


def _typed(data: Mapping[str, Any], key: str, kind: type | tuple[type, ...], default: Any) -> Any:
    value = data.get(key, default)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise UserError(f"{key} must be a {'string' if kind is str else 'number'}, not {value!r}")
    return value


def _tables(data: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    value = data.get(key, [])
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise UserError(f"{key} must be tables: write [[{key}]]")
    return value


def _made(kind: Callable[..., Any], data: Mapping[str, Any], key: str) -> Any:
    """A dataclass from the table of that key; it checks its values."""
    value = data.get(key, {})
    if not isinstance(value, dict):
        raise UserError(f"{key} must be a table: write [{key}]")
    known = tuple(f.name for f in dataclasses.fields(kind) if f.name != "costs")  # type: ignore[arg-type]
    _check_keys(value, known, f"{key}: ")
    return kind(**value)


_THREAD_KEYS = (
    *("name", "count", "weight", "nice", "priority", "cpu", "realtime"),
    *("start_us", "gap_us", "steps", "times"),
)


def _thread(entry: dict[str, Any], number: int) -> Thread:
    if "name" not in entry:
        raise UserError(f"thread {number}: 'name' is missing")
    where = f"thread {entry['name']!r}: "
    _check_keys(entry, _THREAD_KEYS, where)
    given = dict(entry)
    if "nice" in given:
        if "weight" in given:
            raise UserError(f"{where}both weight and nice are given: remove one")
        nice = given.pop("nice")
        try:
            given["weight"] = nice_weight(nice)
        except UserError as error:
            raise UserError(f"{where}{error}") from None
        given.setdefault("priority", 120 + nice)
    if not isinstance(given.get("realtime", False), bool):
        raise UserError(f"{where}realtime must be true or false, not {given['realtime']!r}")
    if "steps" in given:
        if not isinstance(given["steps"], list):
            raise UserError(f"{where}steps must be a list, not {given['steps']!r}")
        given["steps"] = tuple(_step(step, f"{where}step {n}: ") for n, step in enumerate(given["steps"], 1))
    return Thread(**given)


# Of each step: what makes it, the name of its first value, and what may be given with it.
_STEPS: dict[str, tuple[Callable[..., Step], str, tuple[str, ...]]] = {
    "compute": (Compute, "us", ("spread",)),
    "sleep": (Sleep, "us", ("spread", "dist")),
    "lock": (Lock, "name", ()),
    "unlock": (Unlock, "name", ()),
    "send": (Send, "port", ("count",)),
    "receive": (Receive, "port", ()),
}
_WORDS: dict[str, Callable[[], Step]] = {"yield": Yield, "exit": Exit}


def _step(step: Any, where: str) -> Step:
    if isinstance(step, str) and step in _WORDS:
        return _WORDS[step]()
    named = [key for key in _STEPS if key in step] if isinstance(step, dict) else []
    if len(named) != 1:
        tables = ", ".join(f"{{ {key} = ... }}" for key in _STEPS)
        raise UserError(f'{where}must be one of {tables}, "yield", "exit", not {step!r}')
    make, first, others = _STEPS[named[0]]
    _check_keys(step, (named[0], *others), where)
    try:
        return make(**{first if key == named[0] else key: value for key, value in step.items()})
    except UserError as error:
        raise UserError(f"{where}{error}") from None


def _reserve(entry: dict[str, Any], number: int) -> tuple[int, str]:
    where = f"reserve {number}: "
    _check_keys(entry, ("cpu", "thread"), where)
    for key in ("cpu", "thread"):
        if key not in entry:
            raise UserError(f"{where}'{key}' is missing")
    return entry["cpu"], entry["thread"]
