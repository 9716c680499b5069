# SPDX-License-Identifier: Apache-2.0
"""The kernel of FreeRTOS: its unmodified sources, never part of this repository.

They come from a crate that has them whole, by cargo, or from a folder of the user's. Either way they must be
those of one version, byte by byte but for line ends, so that figures are of one kernel.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from coreloom.errors import UserError
from coreloom.toolchain import cache

VERSION = "V11.2.0"
PORT = Path("portable/GCC/RISC-V")
HEAP = Path("portable/MemMang/heap_4.c")
_DIGEST = "457969aded866d38365aba2ff6cdfbae908db46f3eb204ad755d1ffce86ef78b"
_CRATE = "freertos-next"
_CRATE_VERSION = "0.12.0"
_TASK_H = Path("include/task.h")
_NUMBER = re.compile(r'^#define tskKERNEL_VERSION_NUMBER\s+"([^"]+)"', re.MULTILINE)
_TEXT = "--freertos"


class Missing(UserError):
    """FreeRTOS cannot be had on this machine; what else there is works without it."""


def label() -> str:
    """Version and content, as a result file names them."""
    return f"{VERSION}, sources {_DIGEST[:12]}"


def kernel(given: Path | None = None) -> Path:
    """The folder with the sources in the cache: made once, from `given` or else from the crate.

    Missing if there is neither; UserError for a folder that has not exactly these sources.
    """
    if given is not None:
        _check(given)
    return cache.made(_entry(), lambda work: _copy(given or _fetched(), work))


def found() -> str | None:
    """Whether it is here, or what will fetch it; None if neither. Fetches nothing."""
    if cache.found(_entry()):
        return VERSION
    return f"cargo fetches {VERSION} when it is needed" if shutil.which("cargo") else None


def _entry() -> Path:
    return cache.place("freertos") / f"{VERSION}-{_DIGEST[:16]}"


def _files(folder: Path) -> list[Path]:
    """The files used from a kernel's folder, by their paths in it."""
    found = [*folder.glob("*.c"), *folder.glob("include/*.h"), folder / HEAP]
    found += [*(folder / PORT).glob("*.[chS]")]
    return sorted(path.relative_to(folder) for path in found if path.is_file())


def _content(path: Path) -> bytes:
    """With the line ends of Unix: the crate has DOS's."""
    return path.read_bytes().replace(b"\r\n", b"\n")


def _digest(folder: Path) -> str:
    made = hashlib.sha256()
    for name in _files(folder):
        made.update(f"{name.as_posix()}\0".encode() + _content(folder / name) + b"\0")
    return made.hexdigest()


def _check(folder: Path) -> None:
    """Raise a UserError unless the folder has the sources."""
    header = folder / _TASK_H
    found = _NUMBER.search(header.read_text("utf-8", "replace")) if header.is_file() else None
    if found is None:
        raise UserError(
            f"{folder} is not a FreeRTOS kernel: give the folder FreeRTOS-Kernel, with {_TASK_H}, to {_TEXT}"
        )
    if found[1] != VERSION:
        raise UserError(
            f"{folder} is FreeRTOS {found[1]}: give {VERSION}, which the figures are of, to {_TEXT}"
        )
    for name in (PORT, HEAP):
        if not (folder / name).exists():
            raise UserError(f"{folder} has no {name}: give the whole kernel of FreeRTOS {VERSION} to {_TEXT}")
    if _digest(folder) != _DIGEST:
        raise UserError(
            f"{folder} is not FreeRTOS {VERSION} as released: give its unmodified sources to {_TEXT}"
        )


def _copy(folder: Path, work: Path) -> None:
    for name in _files(folder):
        target = work / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(_content(folder / name))


def _fetched() -> Path:
    """The kernel's folder in cargo's registry, downloaded if need be."""
    cargo = shutil.which("cargo")
    if cargo is None:
        raise Missing(
            f"FreeRTOS {VERSION} is missing: install cargo, which fetches it, or give its folder to {_TEXT}"
        )
    with tempfile.TemporaryDirectory(prefix="coreloom-") as made:
        empty = Path(made)
        (empty / "lib.rs").touch()
        (empty / "Cargo.toml").write_text(
            '[package]\nname = "empty"\nversion = "0.0.0"\nedition = "2021"\n[lib]\npath = "lib.rs"\n'
            f'[dependencies]\n{_CRATE} = "={_CRATE_VERSION}"\n'
        )
        env = {**os.environ, "CARGO_TERM_COLOR": "never"}
        for words in (["fetch"], ["metadata", "--format-version", "1", "--offline"]):
            done = subprocess.run(
                [cargo, *words], cwd=empty, env=env, capture_output=True, text=True, check=False
            )
            if done.returncode:
                lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
                errors = [line for line in lines if line.startswith("error")]  # what follows explains it
                said = (errors or lines or ["no reason given"])[-1]
                raise Missing(
                    f"FreeRTOS {VERSION} is missing: cargo cannot fetch {_CRATE} {_CRATE_VERSION} ({said}); "
                    f"give its folder to {_TEXT}"
                )
    packages = json.loads(done.stdout)["packages"]
    crate = next(Path(each["manifest_path"]).parent for each in packages if each["name"] == _CRATE)
    folder = crate / "FreeRTOS-Kernel"
    _check(folder)
    return folder
