"""Proves the assertions in a module for every input, by induction with yosys' own solver."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from coreloom import yosys
from coreloom.paths import BUILD


def proves(top: str, source: str, params: str, packages: tuple[Path, ...] = ()) -> bool:
    """Whether the assertions of module `top` in the text `source` hold always."""
    folder = BUILD / "tests" / "formal" / f"{top}-{os.getpid()}"
    folder.mkdir(parents=True)
    try:
        file = folder / f"{top}.sv"
        file.write_text(source)
        result = yosys.run(
            f"read_slang --threads 1 --top {top} -DFORMAL {params} {yosys.relative([*packages, file])}\n"
            f"prep -top {top}\nasync2sync\ndffunmap\nchformal -lower\nmemory_map\nopt -full\n"
            "select -assert-min 1 t:$assert\n"
            "sat -verify -tempinduct -maxsteps 4 -prove-asserts -set-assumes -set-init-zero "
            "-set-at 1 rst_ni 0\n"
        )
    finally:
        shutil.rmtree(folder)
    assert (result.status == 0) == ("Induction step proven: SUCCESS!" in result.log), result.log[-2000:]
    assert result.status == 0 or "proof did fail" in result.log or "FAIL" in result.log, result.log[-2000:]
    return result.status == 0
