# SPDX-License-Identifier: Apache-2.0
"""Runs Yosys: the second reader of our RTL, the prover of its properties, and what makes gates of it."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from coreloom.errors import UserError
from coreloom.paths import BUILD
from coreloom.toolchain import yowasp
from coreloom.toolchain.verilate import Design
from coreloom.toolchain.yowasp import relative

__all__ = ["YosysResult", "read_command", "relative", "run"]


@dataclass(frozen=True)
class YosysResult:
    """Exit status and log of one script."""

    status: int
    log: str


def run(script: str, setup: str = "setup-test") -> YosysResult:
    """Run a script; its lines name files as `relative` does. Raises UserError if Yosys is missing."""
    yowasp.find(yowasp.YOSYS, setup)
    BUILD.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="yosys-", dir=BUILD) as name:
        folder = Path(name)
        (folder / "script.ys").write_text(script)
        log = folder / "log.txt"
        # Standard output is lost once ABC has run: the log is what counts.
        arguments = ["-q", "-l", relative([log]), relative([folder / "script.ys"])]
        done = yowasp.run(yowasp.YOSYS, arguments, setup)
        return YosysResult(done.status, log.read_text() if log.exists() else done.said)


def read_command(design: Design, params: Mapping[str, int | str], folder: Path) -> str:
    """The line of a script that reads a design; what must be changed to be readable is copied to `folder`."""
    sources = list(design.sources)
    for library in design.library_dirs:
        if (library / "ibex_top.sv").exists():
            sources.append(_readable_ibex_top(library, folder))
    words = ["read_slang", "--threads 1", f"--top {design.top}"]
    words += [f"-G{name}={value}" for name, value in params.items()]
    words += [f"-D{define}" for define in design.defines]
    words += [f"-I{relative([path])}" for path in design.include_dirs]
    words += [f"-y {relative([path])}" for path in design.library_dirs]
    return " ".join([*words, "-Y .sv", relative(sources)])


def _readable_ibex_top(library: Path, folder: Path) -> Path:
    """A copy of ibex_top.sv in which a variable with an initial value, which slang refuses, is a wire."""
    text = (library / "ibex_top.sv").read_text()
    old = "logic unused_scramble_inputs = "
    if text.count(old) != 1:
        raise UserError(f"ibex_top.sv is not as expected ('{old.strip()}'): install the pinned Ibex wheel")
    copy = folder / "ibex_top.sv"
    copy.write_text(text.replace(old, "wire unused_scramble_inputs = "))
    return copy
