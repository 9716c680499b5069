# SPDX-License-Identifier: Apache-2.0
"""Runs of measurements, kept in the cache: a model does the same with an image whenever it runs it.

So a measurement that was stopped goes on where it was, and after a change only what runs differently is run.
The key of a run is that of its model's content with the bytes of all that the model reads and its options.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import msgspec

from coreloom.toolchain import cache

_KIND = "runs"
_MODELS = "verilator"
_OUTCOME = "outcome"


class Outcome(msgspec.Struct, frozen=True):
    """How the model ended, and what it printed."""

    status: int
    uart: bytes
    said: list[str]


class NotKept(Exception):
    """Raised by what executes a run that did not come to its end."""


def known(model: Path) -> bool:
    """Whether it is an entry of the cache, so that its name has the key of its content."""
    return model.parent.parent.name == _MODELS


def key(model: Path, reads: Iterable[bytes], words: Iterable[str]) -> str:
    """Of a run. model: one that is known. reads: the content of all that it reads. words: no places."""
    made = hashlib.sha256(cache.name(model.parent).encode())
    for part in (*reads, *(word.encode() for word in words)):
        made.update(len(part).to_bytes(8, "little") + part)
    return f"{model.parent.name.rpartition('-')[0]}-{made.hexdigest()[:16]}"


def run(name: str, files: Mapping[str, Path], execute: Callable[[], Outcome]) -> Outcome:
    """The outcome of the run of this key, which left `files`, by the names of the model's options."""

    def make(work: Path) -> None:
        outcome = execute()
        for file, path in files.items():
            if path.is_file():
                (work / file).write_bytes(zlib.compress(path.read_bytes(), 1))
        (work / _OUTCOME).write_bytes(msgspec.msgpack.encode(outcome))

    entry = cache.made(cache.place(_KIND) / name, make)
    for file, path in files.items():
        if (entry / file).is_file():
            path.write_bytes(zlib.decompress((entry / file).read_bytes()))
    return msgspec.msgpack.decode((entry / _OUTCOME).read_bytes(), type=Outcome)
