# SPDX-License-Identifier: Apache-2.0
"""Files and folders that are there whole or not at all, and locks between processes that use one checkout."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from coreloom.errors import UserError


@contextlib.contextmanager
def file_lock(path: Path, *, wait: bool = True) -> Iterator[None]:
    """Holds a lock file, so that two processes do not do the same work twice.

    wait: until others release it; else BlockingIOError if one has it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        yield


@contextlib.contextmanager
def whole_folder(path: Path, *, replace: bool = False) -> Iterator[Path]:
    """A folder beside `path` to fill, which becomes `path` when the block ends and vanishes if it fails.

    replace: an earlier one goes then. Raises UserError if nothing can be written there.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix=f".{path.name}-", dir=path.parent))
    except OSError as error:
        raise _unwritable(path, error) from error
    try:
        yield work
        work.chmod(0o755)
        if replace and path.exists():
            shutil.rmtree(path)
        work.rename(path)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def made_once(folder: Path, make: Callable[[Path], None]) -> bool:
    """Have one process at a time `make` a folder that is not there; whether this one did."""
    if folder.exists():
        return False
    with file_lock(folder.with_suffix(".lock")):
        if folder.exists():
            return False
        with whole_folder(folder) as work:
            make(work)
    return True


def digest(*parts: bytes) -> str:
    """Of a list of contents: enough of SHA-256 to name what is made of them."""
    made = hashlib.sha256()
    for part in parts:
        made.update(len(part).to_bytes(8, "little") + part)
    return made.hexdigest()[:16]


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
