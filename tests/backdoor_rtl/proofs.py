# SPDX-License-Identifier: Apache-2.0
"""Proves assertions for any two clocks: each is a free input, so a step has an edge of any, both or none."""

from __future__ import annotations

import os
import shutil

from coreloom.paths import BUILD
from coreloom.toolchain import yosys

from .harness import BACKDOOR, sources


def proves(
    unit: str, params: str = "", old: str = "", new: str = "", *, steps: int = 2, where: str = ""
) -> bool:
    """Whether the assertions of cl_<unit>_formal hold always, with `old` in cl_<where or unit> made `new`.

    steps: how many steps the induction may look back.
    """
    top = f"cl_{unit}_formal"
    path = BACKDOOR / "rtl" / f"cl_{where or unit}.sv"
    text = path.read_text()
    assert not old or text.count(old) == 1, old
    folder = BUILD / "tests" / "formal" / f"{top}-{os.getpid()}"
    folder.mkdir(parents=True)
    try:
        file = folder / path.name
        file.write_text(text.replace(old, new) if old else text)
        others = [other for other in sources() if other != path]
        files = [*others, file, BACKDOOR / "formal" / f"{top}.sv"]
        result = yosys.run(
            f"read_slang --threads 1 --top {top} -DFORMAL -DCL_SYNC_LATE {params} {yosys.relative(files)}\n"
            f"hierarchy -top {top}\nproc\nflatten\nopt_clean\nsetundef -undriven -expose\nmemory_map\nopt\n"
            "clk2fflogic\nchformal -lower\nopt -full\nselect -assert-min 1 t:$assert\n"
            f"sat -verify -tempinduct -maxsteps {steps} -prove-asserts -set-assumes -set-init-zero "
            "-set-at 1 rst_ni 0\n"
        )
    finally:
        shutil.rmtree(folder)
    assert (result.status == 0) == ("Induction step proven: SUCCESS!" in result.log), result.log[-2000:]
    assert result.status == 0 or "proof did fail" in result.log, result.log[-2000:]
    return result.status == 0
