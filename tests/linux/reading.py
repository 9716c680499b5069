# SPDX-License-Identifier: Apache-2.0
"""Runs one function of the reading part of linux/exclusive on a tree of files."""

from __future__ import annotations

import functools
import subprocess
import tempfile
from pathlib import Path

from linux import system

_MOST = 1 << 20  # bytes of output


@functools.cache
def _driver() -> Path:
    return system.driver("read")


def read(root: Path, *options: str) -> tuple[int, str, str]:
    """Exit status, output, lines for the user."""
    command = [str(_driver()), str(root), *options]
    with (
        tempfile.TemporaryFile() as err,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=err) as done,
    ):
        assert done.stdout is not None
        out = done.stdout.read(_MOST)
        done.stdout.close()  # so that it ends, by a signal, even if it prints for ever
        status = done.wait(60)
        err.seek(0)
        return status, out.decode(errors="replace"), err.read().decode(errors="replace")


def start(root: Path, *options: str) -> subprocess.Popen[str]:
    return subprocess.Popen([_driver(), root, *options], stdout=subprocess.PIPE, text=True)
