# SPDX-License-Identifier: Apache-2.0
"""Files built once for all checkouts on a machine: models, firmware, libraries, results of proofs.

Each entry is a folder `<cache>/<kind>/<name>-<key>`. The key is made of the content of all that the entry
depends on, tools and options included, and of no place, so a fresh clone finds what another one has made.
An entry appears whole, by a rename; two processes that want the same one make it once.

The cache is $CORELOOM_CACHE, else coreloom in the user's folder for caches ($XDG_CACHE_HOME, ~/.cache), else
build/cache: the first that is this user's own. It may grow to $CORELOOM_CACHE_MIB MiB (4096 unless set):
beyond, what was not used for longest goes, but nothing that was used within a day.

A $CORELOOM_CACHE that belongs to somebody else, or cannot be written, is a shared cache: what it has is used
from there, and anything missing is made in the user's own. Nothing is ever written to it.
"""

from __future__ import annotations

import contextlib
import contextvars
import functools
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from coreloom import paths, uses
from coreloom.errors import UserError
from coreloom.files import file_lock, whole_folder
from coreloom.paths import BUILD, ROOT, user_cache

FOLDER = "CORELOOM_CACHE"
LIMIT = "CORELOOM_CACHE_MIB"
LIMIT_MIB = 4096
KEPT_SECONDS = 24 * 3600  # what was used since then stays: a path that was handed out is good for a day
_TRIM_SECONDS = 3600  # from one look at the size to the next
# Entries that stay: caches that tools keep for themselves, one for each version, and what was downloaded.
_STAY = {"zig", "yowasp", "debian", "freertos"}


def folder() -> Path:
    """The user's own cache; it is there and can be written."""
    return _folder(_given(), user_cache())


def check_room() -> None:
    """Raise a UserError if what is built cannot be written because a disk is full."""
    for place in (folder(), BUILD):
        if place.exists() and shutil.disk_usage(place).free < 1 << 20:
            raise UserError(
                f"{place} cannot be written: No space left on device; make room, or choose another place "
                f"by {FOLDER} (what is built) and {paths.BUILD_DIR} (results and output)"
            )


def _given() -> Path | None:
    given = os.environ.get(FOLDER)
    return Path(given).absolute() if given else None


@functools.lru_cache
def _folder(*wanted: Path | None) -> Path:
    for path in wanted:
        if path and _ours(path):
            return path
    inside = BUILD / "cache"
    inside.mkdir(parents=True, exist_ok=True)
    return inside


def shared() -> Path | None:
    """The cache of somebody else that $CORELOOM_CACHE names, or None. It is read only."""
    given = _given()
    return given if given and given != folder() and _trusted(given) else None


@functools.lru_cache
def _trusted(path: Path) -> bool:
    """Whether it is a folder that only its owner can write, whom the user trusts; root trusts only root."""
    try:
        status = path.stat()
    except OSError:
        return False
    if os.geteuid() == 0 and status.st_uid != 0:
        return False
    return stat.S_ISDIR(status.st_mode) and not status.st_mode & 0o022 and os.access(path, os.R_OK | os.X_OK)


def _ours(path: Path) -> bool:
    """Whether it is a folder of this user that can be written; programs are run from it."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            status = path.stat()
            return status.st_uid == os.geteuid() and not status.st_mode & 0o002
    except OSError:
        return False


def place(kind: str) -> Path:
    """The folder of one kind of entries."""
    made = folder() / kind
    made.mkdir(exist_ok=True)
    return made


def limit_bytes() -> int:
    """How large the cache may grow; a UserError if the setting is not a number."""
    given = os.environ.get(LIMIT, str(LIMIT_MIB))
    if not given.isdecimal():
        raise UserError(f"{LIMIT} is '{given}': set it to a number of MiB")
    return int(given) << 20


def placeless(text: str) -> str:
    """A flag without the place of this checkout."""
    return text.replace(f"{ROOT}{os.sep}", "ROOT/").replace(f"{ROOT}=", "ROOT=")


def found(entry: Path) -> Path | None:
    """Where the entry is: in the user's own cache, where it counts as used now, or in the shared one."""
    try:
        os.utime(entry)
        return entry
    except FileNotFoundError:
        pass
    except PermissionError:
        return entry
    other = shared()
    there = other / entry.relative_to(folder()) if other else None
    return there if there and there.exists() else None


_asked: contextvars.ContextVar[set[str] | None] = contextvars.ContextVar("asked", default=None)


def name(entry: Path) -> str:
    """How an entry is called in every cache: KIND/NAME-KEY."""
    return f"{entry.parent.name}/{entry.name}"


@contextlib.contextmanager
def recorded() -> Iterator[set[str]]:
    """The names of the entries that this thread asks for in the block."""
    names: set[str] = set()
    before = _asked.set(names)
    try:
        yield names
    finally:
        _asked.reset(before)


def made(entry: Path, make: Callable[[Path], object]) -> Path:
    """Where the entry is; unless it is there, `make` fills a folder that becomes it."""
    if (names := _asked.get()) is not None:
        names.add(name(entry))
    if (there := found(entry)) or uses.plan() == uses.SOURCES:
        return there or entry
    with file_lock(entry.with_name(f"{entry.name}.lock")):
        if there := found(entry):
            return there
        try:
            with whole_folder(entry) as work:
                make(work)
        except Exception:
            check_room()  # on a full disk a tool fails with any text, or with none
            raise
    trim()
    return entry


def trim(now: float | None = None) -> None:
    """Remove what was not used for longest, if the cache is too large; looks at most once an hour."""
    top = folder()
    stamp = top / "trimmed"
    now = time.time() if now is None else now
    with contextlib.suppress(FileNotFoundError):
        if now - stamp.stat().st_mtime < _TRIM_SECONDS:
            return
    with file_lock(top / "trim.lock"):
        stamp.touch()
        os.utime(stamp, (now, now))
        entries = []
        for kind in top.iterdir():
            if kind.is_dir() and kind.name not in _STAY:
                entries += [(*_looked_at(path), path) for path in kind.iterdir()]
        left = sum(size for _, size, _ in entries)
        limit = limit_bytes()
        for when, size, path in sorted(entries):
            if now - when < KEPT_SECONDS:
                break
            unfinished = path.name.startswith(".") or path.suffix == ".lock"
            if unfinished or left > limit:
                _remove(path)
                left -= size


def _looked_at(path: Path) -> tuple[float, int]:
    """When an entry was last used, and its bytes."""
    try:
        when = path.lstat().st_mtime
        files = path.rglob("*") if path.is_dir() else [path]
        return when, sum(file.lstat().st_size for file in files)
    except OSError:  # another process has just finished or removed it
        return time.time(), 0


def _remove(path: Path) -> None:
    if not path.is_dir():
        path.unlink(missing_ok=True)
        return
    gone = path.with_name(f".gone-{path.name.lstrip('.')}")
    with contextlib.suppress(OSError):
        path.rename(gone)  # at once: nobody sees half of it
        path = gone
    shutil.rmtree(path, ignore_errors=True)
