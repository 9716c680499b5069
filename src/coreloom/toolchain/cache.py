# SPDX-License-Identifier: Apache-2.0
"""What is built once for all checkouts on a machine: models, firmware, libraries, results of proofs.

Each entry is a folder `<cache>/<kind>/<name>-<key>`. The key is made of the content of all that the entry
depends on, tools and options included, and of no place, so a fresh clone finds what another one has made.
An entry appears whole, by a rename; two processes that want the same one make it once.

The cache is $CORELOOM_CACHE, else coreloom in the user's folder for caches ($XDG_CACHE_HOME, ~/.cache); where
that cannot be written or belongs to somebody else, it is build/cache. It may grow to $CORELOOM_CACHE_MIB MiB
(4096 unless set): beyond, what was not used for longest goes, but nothing that was used within a day.
"""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from coreloom.errors import UserError
from coreloom.locks import file_lock
from coreloom.paths import BUILD, ROOT, user_cache

FOLDER = "CORELOOM_CACHE"
LIMIT = "CORELOOM_CACHE_MIB"
LIMIT_MIB = 4096
KEPT_SECONDS = 24 * 3600  # what was used since then stays: a path that was handed out is good for a day
_TRIM_SECONDS = 3600  # from one look at the size to the next
# What stays: caches that tools keep for themselves, one for each version, and what was downloaded.
_STAY = {"zig", "yowasp", "debian"}


def folder() -> Path:
    """The cache; it is there and can be written."""
    given = os.environ.get(FOLDER)
    return _folder(Path(given).absolute() if given else user_cache())


@functools.lru_cache
def _folder(wanted: Path | None) -> Path:
    if wanted and _ours(wanted):
        return wanted
    inside = BUILD / "cache"
    inside.mkdir(parents=True, exist_ok=True)
    return inside


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
    """How large the cache may grow; a UserError if what is set is no number."""
    given = os.environ.get(LIMIT, str(LIMIT_MIB))
    if not given.isdecimal():
        raise UserError(f"{LIMIT} is '{given}': set it to a number of MiB")
    return int(given) << 20


def placeless(text: str) -> str:
    """A flag without the place of this checkout."""
    return text.replace(f"{ROOT}{os.sep}", "ROOT/").replace(f"{ROOT}=", "ROOT=")


def used(entry: Path) -> bool:
    """Whether the entry is there; if so it counts as used now."""
    try:
        os.utime(entry)
    except FileNotFoundError:
        return False
    except PermissionError:
        return entry.exists()
    return True


def made(entry: Path, make: Callable[[Path], object]) -> Path:
    """The entry, filled by `make` in a folder that becomes it, unless it is there."""
    if used(entry):
        return entry
    with file_lock(entry.with_name(f"{entry.name}.lock")):
        if used(entry):
            return entry
        work = Path(tempfile.mkdtemp(prefix=f".{entry.name}-", dir=entry.parent))
        try:
            make(work)
            work.chmod(0o755)
            work.rename(entry)
        finally:
            shutil.rmtree(work, ignore_errors=True)
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
