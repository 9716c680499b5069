# SPDX-License-Identifier: Apache-2.0
"""The interface of every application to the commands that run it."""

from __future__ import annotations

import abc
from pathlib import Path

from coreloom.errors import UserError
from coreloom.paths import APPS

_FILE_MOST = 256 << 20  # bytes; a picture may be longer than its pixels that fit


class App(abc.ABC):
    """An application: its program, its input, and what must come out."""

    name: str
    unit: str  # what cl_done() counts
    suffix: str  # of the file that save() writes

    @property
    def sources(self) -> Path:
        """The folder of the program."""
        return APPS / self.name

    @abc.abstractmethod
    def prepare(self, input: Path | None) -> bytes:
        """Content of the INPUT region for the user's file, or for the default input.

        Raises UserError for a file that the application cannot use.
        """

    @abc.abstractmethod
    def expected(self, data: bytes) -> bytes:
        """Content of the OUTPUT region for prepared input, computed on the host by other means."""

    @abc.abstractmethod
    def check(self, output: bytes, data: bytes) -> None:
        """Raise WrongOutput, which says where, unless `output` is what `data` must give."""

    @abc.abstractmethod
    def save(self, output: bytes, path: Path) -> None:
        """Write the result for the user; whole or not at all."""


def read_file(path: Path) -> bytes:
    """The bytes of the user's file; not of one that could never be used."""
    try:
        with path.open("rb") as file:
            data = file.read(_FILE_MOST + 1)
    except FileNotFoundError:
        raise UserError(f"{path}: no such file, check the path") from None
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}") from None
    if len(data) > _FILE_MOST:
        raise UserError(f"{path} is longer than {_FILE_MOST >> 20} MiB: give a smaller file")
    return data
