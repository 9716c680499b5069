# SPDX-License-Identifier: Apache-2.0
"""Rows of jobs as they come: one line each in a file, so that work that is cut short goes on."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Generic, Protocol, TypeVar

import msgspec

from coreloom.errors import UserError
from coreloom.files import file_lock


class Keyed(Protocol):
    """key: of all that decides the row; error: why it has no figures."""

    @property
    def key(self) -> str: ...
    @property
    def error(self) -> str | None: ...


T = TypeVar("T", bound=Keyed)


class Kept(Generic[T]):
    """The file of rows of one class, for one process at a time. busy: what to tell another one."""

    def __init__(self, path: Path, row: type[T], busy: str) -> None:
        self.path = path
        self._row, self._busy = row, busy

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """UserError if another process has this file."""
        with contextlib.ExitStack() as held:
            try:
                held.enter_context(file_lock(self.path.with_suffix(".lock"), wait=False))
            except BlockingIOError:
                raise UserError(self._busy) from None
            yield

    def clear(self) -> None:
        """Forget all rows."""
        self.path.unlink(missing_ok=True)

    def done(self, keys: Iterable[str]) -> dict[str, T]:
        """The rows with figures of these keys; what a kill left half written is none."""
        wanted = set(keys)
        found: dict[str, T] = {}
        lines = self.path.read_bytes().splitlines() if self.path.exists() else []
        for line in lines:
            with contextlib.suppress(msgspec.DecodeError):
                row = msgspec.json.decode(line, type=self._row)
                if row.key in wanted and row.error is None:
                    found[row.key] = row
        return found

    def add(self, row: T) -> None:
        """Append a row; on its own line also behind a half one."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab+") as file:
            if file.tell():
                file.seek(-1, 2)
                if file.read(1) != b"\n":
                    file.write(b"\n")
            file.write(msgspec.json.encode(row) + b"\n")
