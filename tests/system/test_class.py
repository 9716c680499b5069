# SPDX-License-Identifier: Apache-2.0
"""One installation serves a class: a teacher builds, students read it and write nothing there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from coreloom.paths import ROOT

# A root that runs the tests becomes another user, who may still read this Python, wherever it is.
_CAPABILITY = "+dac_read_search"
_STUDENT = [
    *("setpriv", "--reuid", "65534", "--clear-groups"),
    *("--inh-caps", _CAPABILITY, "--ambient-caps", _CAPABILITY, "--"),
]
_HELLO = '#include <stdio.h>\nint main(void) {{ puts("{}"); return 0; }}\n'


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that other users reach, which those of pytest are not."""
    with tempfile.TemporaryDirectory(prefix="class-") as name:
        top = Path(name)
        top.chmod(0o755)
        yield top
        for folder, _, _ in os.walk(top):
            Path(folder).chmod(0o755)


def coreloom(place: Path, home: str, before: list[str], *arguments: str) -> str:
    """What `coreloom ARGUMENTS` prints with a home folder of that name and umask 022."""
    environment = {
        **{key: value for key, value in os.environ.items() if key != "XDG_CACHE_HOME"},
        "PYTHONPATH": str(ROOT / "src"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "HOME": str(place / home),
        "CORELOOM_CACHE": str(place / "cache"),
        "CORELOOM_BUILD_DIR": str(place / home / "build"),
    }
    done = subprocess.run(
        [*before, sys.executable, "-m", "coreloom.entry", *arguments],
        cwd=place / home, env=environment, capture_output=True, text=True, check=False, umask=0o022,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def kinds(cache: Path) -> dict[str, int]:
    """How many entries a cache has of each kind, without the folders that tools keep for themselves."""
    found = {
        kind.name: sum(entry.suffix != ".lock" for entry in kind.iterdir())
        for kind in cache.iterdir()
        if kind.is_dir() and kind.name != "zig"
    }
    return {kind: count for kind, count in found.items() if count}


def state(cache: Path) -> dict[Path, tuple[int, float]]:
    return {path: (path.stat().st_mode, path.stat().st_mtime) for path in [cache, *cache.rglob("*")]}


@pytest.mark.nightly  # it builds everything anew
def test_students_use_what_their_teacher_built(place: Path) -> None:
    root = os.geteuid() == 0
    if root and shutil.which("setpriv") is None:
        pytest.skip("a root needs setpriv (util-linux) to become another user")
    for who in ("teacher", "student"):
        (place / who).mkdir()
        (place / who / "hello.c").write_text(_HELLO.format("hello"))
    (place / "student" / "mine.c").write_text(_HELLO.format("mine"))
    cache, own = place / "cache", place / "student" / ".cache" / "coreloom"

    run = ("run", "hello.c", "--platform", "smp-economy", "--cpus", "1")
    assert coreloom(place, "teacher", [], *run).startswith("hello\n")
    built = [cache, *cache.rglob("*"), place / "teacher" / "build", *(place / "teacher" / "build").rglob("*")]
    closed = [path for path in built if not path.is_symlink() and ~path.stat().st_mode & _needed(path)]
    assert closed == []
    assert kinds(cache).keys() == {"firmware", "libc", "verilated", "verilator"}

    if root:
        for path in [place / "student", *(place / "student").iterdir()]:
            os.chown(path, 65534, 65534)
    else:
        for path in [*cache.rglob("*"), cache]:
            path.chmod(path.stat().st_mode & ~0o222)
    before = state(cache)
    student = _STUDENT if root else []
    assert coreloom(place, "student", student, *run).startswith("hello\n")
    assert kinds(own) == {}
    assert coreloom(place, "student", student, "run", "mine.c", *run[2:]).startswith("mine\n")
    assert kinds(own) == {"firmware": 1}
    assert state(cache) == before


def _needed(path: Path) -> int:
    """What others need of a file or a folder."""
    return 0o005 if path.is_dir() else 0o004
