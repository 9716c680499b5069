# SPDX-License-Identifier: Apache-2.0
"""Builds a package of outside.toml by its own build files, for one ground or this machine, and runs it."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from coreloom.commands.cc import TOOLCHAIN
from coreloom.conformance.outside import Package
from coreloom.errors import UserError
from coreloom.paths import ROOT
from coreloom.toolchain import cache, debian

HOST = "host"  # this machine, by its own compiler

# What the lines of shell of a package may use: its tools by their names, with whose compiler they work.
_EACH = """\
set -eu
make() { command make -j2 CC="$CC" AR="$AR" RANLIB="$RANLIB" "$@"; }
"""
_COMMANDS = {
    True: """\
export CC=cc AR=ar RANLIB=ranlib
configure() { ./configure "$@"; }
cmake() { command cmake "$@"; }
run() { "$@"; }
""",
    False: f"""\
export CC='coreloom cc' AR='coreloom ar' RANLIB='coreloom ranlib'
configure() {{ ./configure --host=riscv32-unknown-elf "$@"; }}
cmake() {{ command cmake -DCMAKE_TOOLCHAIN_FILE={TOOLCHAIN} "$@"; }}
export RUN='coreloom run --quiet --files .'
run() {{ program=$1; shift; $RUN "$program" -- "$@"; }}
""",
}


def judged(package: Package, ground: str) -> str:
    """What is wrong with a package on a ground; "" if nothing is."""
    done = _ran(package, ground)
    if done.returncode:
        return f"status {done.returncode}: {done.stdout[-1500:]}{done.stderr[-1500:]}"
    if package.host and done.stdout != (wanted := _output_here(package)):
        return f"prints\n{done.stdout[-1500:]}\nnot\n{wanted[-1500:]}"
    return ""


def _output_here(package: Package) -> str:
    """What a package prints that this machine's compiler has built; kept in the cache."""

    def make(work: Path) -> None:
        done = _ran(package, HOST)
        if done.returncode:
            raise UserError(f"{package.source} fails on this machine: {done.stdout}{done.stderr}")
        (work / "output").write_text(done.stdout, encoding="utf-8")

    key = hashlib.sha256(repr(package).encode()).hexdigest()[:16]
    made = cache.made(cache.place("outside") / f"{package.source}-{key}", make)
    return (made / "output").read_text(encoding="utf-8")


def _ran(package: Package, ground: str) -> subprocess.CompletedProcess[str]:
    """How a package's lines of shell end: those that build it, or, if that went well, those that run it."""
    if missing := [tool for tool in ("make", "cmake", "cc") if shutil.which(tool) is None]:
        raise UserError(f"public programs are built with {missing[0]}, which is not installed: install it")
    with tempfile.TemporaryDirectory(prefix="coreloom-") as work:
        with tarfile.open(debian.source(package.source, package.sha256)) as archive:
            archive.extractall(Path(work) / "sources", filter="data")
        (place,) = (Path(work) / "sources").iterdir()
        command = Path(work) / "coreloom"
        command.write_text(
            f'#!/bin/sh\nPYTHONPATH={ROOT / "src"} exec {sys.executable} -m coreloom.entry "$@"\n'
        )
        command.chmod(0o755)
        path = f"{work}:{os.environ['PATH']}"
        for lines in (package.build, package.run):
            done = subprocess.run(
                ["sh", "-c", _EACH + _COMMANDS[ground == HOST] + lines],
                cwd=place,
                env={**os.environ, "PATH": path, "CORELOOM_ON": ground, "LC_ALL": "C"},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                check=False,
            )
            if done.returncode:
                break
    return done
