# SPDX-License-Identifier: Apache-2.0
"""`coreloom bench NAME --against REV`: the same measurement of another revision, and what has moved since."""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from coreloom import paths
from coreloom.commands.console import doing, out, show
from coreloom.errors import UserError
from coreloom.report import moved
from coreloom.report.table import Table, number

OPTION = "--against"
_START = "import sys; from coreloom.entry import main; sys.exit(main())"
_SHOWN = 40  # figures at most: the first tell what the others are


def option(parser: argparse.ArgumentParser) -> None:
    text = "also measure that revision (git), and print which figures differ by more than 1 %%"
    parser.add_argument(OPTION, metavar="REV", help=text)


def resolved(revision: str) -> str:
    """The commit of a revision. UserError if there is none, or no checkout."""
    if paths.INSTALLED:
        raise UserError(f"{OPTION} needs a checkout with its history: `git clone` the project")
    found = _git("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    if found is None:
        raise UserError(f"there is no revision '{revision}' here: give a commit, branch or tag")
    return found.decode().strip()


def _git(*words: str) -> bytes | None:
    """What git prints; None if it fails. UserError if it is missing."""
    try:
        done = subprocess.run(["git", "-C", paths.ROOT, *words], capture_output=True, check=False)
    except FileNotFoundError:
        raise UserError(f"{OPTION} needs git: install it") from None
    return None if done.returncode else done.stdout


def measured(commit: str, words: Sequence[str], name: str) -> dict[str, Any]:
    """The result file NAME of a commit, as `coreloom WORDS` makes it there. UserError if it makes none."""
    with _sources(commit) as folder:
        process = subprocess.Popen(
            [sys.executable, "-c", _START, *words],
            cwd=folder,
            env={
                **os.environ,
                "PYTHONPATH": str(folder / "src"),
                paths.BUILD_DIR: str(folder / "build"),
            },
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        last = ""
        with process, doing(f"{commit[:12]}: {' '.join(words)}") as task:
            try:
                for line in process.stderr or ():
                    last = line.strip().removeprefix("coreloom: ").removeprefix("error: ") or last
                    task.say(last)
            except KeyboardInterrupt:  # or SIGTERM, which it has not got
                process.terminate()
                raise
        path = folder / "build" / "results" / f"{name}.json"
        if process.returncode or not path.is_file():
            raise UserError(f"{commit[:12]} cannot be measured: {last or f'status {process.returncode}'}")
        content: dict[str, Any] = json.loads(path.read_bytes())
        return content


@contextlib.contextmanager
def _sources(commit: str) -> Iterator[Path]:
    """A folder with the files of a commit, for the block."""
    with tempfile.TemporaryDirectory(prefix="coreloom-") as name:
        packed = _git("archive", "--format=tar", commit)
        if packed is None:
            raise UserError(f"git cannot give the files of {commit[:12]}: fetch it whole")
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            archive.extractall(name, filter="data")
        yield Path(name)


def words(given: Sequence[str]) -> list[str]:
    """Those of a command line without the option."""
    left: list[str] = []
    rest = iter(given)
    for word in rest:
        if word == OPTION:
            next(rest, None)
        elif not word.startswith(f"{OPTION}="):
            left.append(word)
    return left


def tell(revision: str, before: dict[str, Any], now: dict[str, Any], wide: bool) -> None:
    """Print what has moved."""
    found = moved.difference(before, now)
    rows = [
        (one.row, one.figure, _text(one.before), _text(one.now), _percent(one.change))
        for one in found.moved[:_SHOWN]
    ]
    if rows:
        title = f"Moved since {revision} by more than {moved.LEAST:.0%}"
        show(Table(title, ("row", "figure", revision, "now", "change"), tuple(rows), 2), wide)
    if more := len(found.moved) - len(rows):
        out.print(f"and {more} more")
    out.print(f"since {revision} moved: {len(found.moved)} figures, not moved: {found.alike}")
    for text, names in ((f"only at {revision}", found.gone), ("only here", found.new)):
        if names:
            out.print(f"{text}: {names[0]}" + (f" and {len(names) - 1} more" if len(names) > 1 else ""))


def _text(value: float) -> str:
    return number(value, 0 if value == int(value) else 2)


def _percent(change: float | None) -> str:
    return "-" if change is None else f"{change:+.1%}"
