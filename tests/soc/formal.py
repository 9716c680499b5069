# SPDX-License-Identifier: Apache-2.0
"""Proves the assertions in a module for every input, by induction with yosys' own solver."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from coreloom.paths import BUILD
from coreloom.toolchain import yosys


def proves(
    top: str, source: str, params: str, packages: Sequence[Path] = (), steps: int = 4, flags: str = ""
) -> bool:
    """Whether the assertions of module `top` hold always, in the text `source` and the files `packages`.

    steps: how many cycles the induction may look back. flags: more of them for read_slang.
    """
    folder = BUILD / "tests" / "formal" / f"{top}-{os.getpid()}"
    folder.mkdir(parents=True)
    try:
        file = folder / f"{top}.sv"
        file.write_text(source)
        result = yosys.run(
            f"read_slang --threads 1 {flags} --top {top} -DFORMAL {params} "
            f"{yosys.relative([*packages, file])}\n"
            f"prep -top {top}\nasync2sync\ndffunmap\nchformal -lower\nmemory_map\nopt -full\n"
            "select -assert-min 1 t:$assert\n"
            f"sat -verify -tempinduct -maxsteps {steps} -prove-asserts -set-assumes -set-init-zero "
            "-set-at 1 rst_ni 0\n"
        )
    finally:
        shutil.rmtree(folder)
    assert (result.status == 0) == ("Induction step proven: SUCCESS!" in result.log), result.log[-2000:]
    assert result.status == 0 or "proof did fail" in result.log or "FAIL" in result.log, result.log[-2000:]
    return result.status == 0
