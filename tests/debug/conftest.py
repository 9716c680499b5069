# SPDX-License-Identifier: Apache-2.0
"""A gdb that knows RISC-V, and a run that it holds."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from coreloom.errors import UserError
from coreloom.paths import PLATFORMS
from coreloom.simulation.gdb import debugger
from coreloom.toolchain import debian

PROGRAMS = Path(__file__).parent / "programs"
_VARIANTS = {  # of a platform: the keys that it has more, before its first section and in the last ones
    "low-jitter": ("smp-standard", "low_jitter = true", ""),
    "dcache-economy": ("smp-economy", "", "[dcache]\nkib = 1"),
    "dcache-standard": ("smp-standard", "", "[dcache]\nkib = 4\nline_words = 4"),
}
COMMAND = [sys.executable, "-c", "import sys; from coreloom.entry import main; sys.exit(main())"]
_FIRST = re.compile(r"(?m)^\(gdb\) ")


@pytest.fixture(scope="session")
def gdb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One of this machine, or Debian's; skipped where neither is to be had."""
    try:
        return Path(debugger.find())
    except UserError:
        pass
    try:
        tree = debian.tree([debugger.USUAL])
    except UserError as missing:
        pytest.skip(str(missing))
    command = debian.program(f"usr/bin/{debugger.USUAL}", tree)
    made = tmp_path_factory.mktemp("gdb") / debugger.USUAL
    data = f"--data-directory={tree}/usr/share/gdb"
    made.write_text(f'#!/bin/sh\nPYTHONHOME={tree}/usr exec {" ".join(command)} {data} "$@"\n')
    made.chmod(0o755)
    return made


class Session(NamedTuple):
    """What gdb printed from its first command on, and what the run it held printed and exited with."""

    transcript: str
    out: str
    err: str
    status: int


def free_port() -> int:
    with socket.socket() as there:
        there.bind(("127.0.0.1", 0))
        return int(there.getsockname()[1])


Debug = Callable[..., Session]


def start(program: Path, work: Path, *options: str) -> tuple[subprocess.Popen[str], str, Path]:
    """A run that waits for gdb, what it has said, and gdb's commands for it."""
    shutil.copy(program, work)
    port = str(free_port())
    command = [*COMMAND, "--build-dir", str(work), "run", program.name, *options, "--gdb", port]
    held = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=work)
    assert held.stderr is not None
    said = ""
    while not said.rpartition("\n")[2].startswith("waiting for gdb"):
        line = held.stderr.readline()
        if not line:
            pytest.fail(said)
        said += line.removesuffix("\n") if line.startswith("waiting") else line
    return held, f"{said}\n", work / "output" / f"{program.stem}.gdb"


def platform(name: str, place: Path) -> str:
    """A platform by its name, or the file of a variant, which is written to `place`."""
    if name not in _VARIANTS:
        return name
    base, first, last = _VARIANTS[name]
    text = (PLATFORMS / f"{base}.toml").read_text()
    made = place / f"{name}.toml"
    made.write_text(text.replace(f'name = "{base}"', f'name = "{name}"\n{first}') + f"{last}\n")
    return str(made)


@pytest.fixture
def debug(gdb: Path, tmp_path: Path) -> Debug:
    """Runs a program on a platform, held by gdb, which is given commands one by one."""

    def run(program: Path, commands: Sequence[str], *options: str, on: str = "smp-standard") -> Session:
        held, said, script = start(program, tmp_path, "--platform", platform(on, tmp_path), *options)
        words = [word for each in commands for word in ("-ex", f"echo (gdb) {each}\\n", "-ex", each)]
        done = subprocess.run(
            [gdb, "-nx", "-q", "-batch", "-x", script, *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "LC_ALL": "C"},
        )
        out, err = held.communicate()
        found = _FIRST.search(done.stdout)
        return Session(done.stdout[found.start() if found else 0 :], out, said + err, held.returncode)

    return run
