# SPDX-License-Identifier: Apache-2.0
"""Runs one function of the reading part of linux/exclusive on a tree of files."""

from __future__ import annotations

import functools
import subprocess
from pathlib import Path

from linux import system


@functools.cache
def _driver() -> Path:
    return system.driver("read")


def read(root: Path, *options: str) -> tuple[int, str, str]:
    """Exit status, output, lines for the user."""
    done = subprocess.run([_driver(), root, *options], capture_output=True, timeout=60)
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def start(root: Path, *options: str) -> subprocess.Popen[str]:
    return subprocess.Popen([_driver(), root, *options], stdout=subprocess.PIPE, text=True)
