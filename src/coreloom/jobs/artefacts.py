# SPDX-License-Identifier: Apache-2.0
"""Entries of the cache as bytes: what was built once travels to where it is lacking, by its name.

A name has the key of its content (toolchain/cache.py), so an entry of that name is the same everywhere.
"""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

from coreloom.toolchain import cache


def pack(name: str) -> bytes:
    """The entry of that name, a compressed archive. OSError if it is not there."""
    folder = cache.folder() / name
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz", compresslevel=1) as archive:
        for path in sorted(folder.rglob("*")):
            archive.add(path, path.relative_to(folder), recursive=False)
    return made.getvalue()


def unpack(name: str, packed: bytes) -> Path:
    """The entry of that name in this machine's cache, made of what pack gave unless it is there."""

    def make(work: Path) -> None:
        with tarfile.open(fileobj=io.BytesIO(packed), mode="r:gz") as archive:
            archive.extractall(work, filter="data")

    entry = cache.folder() / name
    entry.parent.mkdir(exist_ok=True)
    return cache.made(entry, make)
