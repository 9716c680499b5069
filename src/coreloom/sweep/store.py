# SPDX-License-Identifier: Apache-2.0
"""Rows of a sweep as they come: one line each in points.jsonl, so that a run that is cut short goes on."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from coreloom import paths
from coreloom.errors import UserError
from coreloom.files import file_lock
from coreloom.sweep.point import Row


def folder(name: str) -> Path:
    """Where the rows of the sweep of that name are."""
    return paths.BUILD / "sweeps" / name


class Store:
    """The file of rows of one sweep, for one process at a time."""

    def __init__(self, name: str) -> None:
        self.path = folder(name) / "points.jsonl"
        self.name = name

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """UserError if another process has this sweep."""
        with contextlib.ExitStack() as held:
            try:
                held.enter_context(file_lock(self.path.with_suffix(".lock"), wait=False))
            except BlockingIOError:
                raise UserError(
                    f"another process is running the sweep {self.name}: wait for its end, or rename the file"
                ) from None
            yield

    def clear(self) -> None:
        """Forget all rows."""
        self.path.unlink(missing_ok=True)

    def done(self, keys: Iterable[str]) -> dict[str, Row]:
        """The rows with figures of these keys; what a kill left half written is none."""
        wanted = set(keys)
        found: dict[str, Row] = {}
        lines = self.path.read_bytes().splitlines() if self.path.exists() else []
        for line in lines:
            with contextlib.suppress(msgspec.DecodeError):
                row = msgspec.json.decode(line, type=Row)
                if row.key in wanted and row.error is None:
                    found[row.key] = row
        return found

    def add(self, row: Row) -> None:
        """Append a row; on its own line also behind a half one."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab+") as file:
            if file.tell():
                file.seek(-1, 2)
                if file.read(1) != b"\n":
                    file.write(b"\n")
            file.write(msgspec.json.encode(row) + b"\n")
