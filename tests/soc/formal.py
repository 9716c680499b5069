# SPDX-License-Identifier: Apache-2.0
"""Proves the assertions in a module for every input, by induction with yosys' own solver.

A proof may hold because nothing happens. So covers in the module at the top, `CoverName: cover (...)`, say
what must happen, and are reached from reset under the same assumptions.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from coreloom.design import manifest, record
from coreloom.paths import BUILD
from coreloom.toolchain import yosys
from proofs import Proof, note

SOC_PACKAGES = manifest.files("cl_soc_pkg")
_REACHED = Path(__file__).with_name("reached.v")
_COVER = re.compile(r"^\s*(Cover\w+):\s*cover\b", re.MULTILINE)
_REQUIREMENT = re.compile(r"\bREQ(?:-[a-z]+)+(?:-\d+)?")
_NOT_PROVED = re.compile(r"^ *// Not proved: (.*(?:\n *//(?! REQ| Why) .*)*)", re.MULTILINE)


def planted(text: str, old: str, new: str) -> str:
    """A source with a fault: `new` instead of `old`, which stands there once. As it is, if `old` is empty."""
    assert not old or text.count(old) == 1, old
    return text.replace(old, new) if old else text


def proves(
    top: str,
    source: str,
    params: str,
    packages: Sequence[Path] = (),
    steps: int = 4,
    flags: str = "",
    reach: int = 12,
) -> bool:
    """Whether the assertions of module `top` hold always, in the text `source` and the files `packages`.

    If they do, the covers in these must be reached. steps: how many cycles the induction may look back.
    flags: more of them for read_slang. reach: within how many cycles from reset a cover must be reached.
    """
    folder = BUILD / "tests" / "formal" / f"{top}-{os.getpid()}"
    folder.mkdir(parents=True)
    try:
        file = folder / f"{top}.sv"
        file.write_text(source)
        text = "\n".join([source, *(path.read_text() for path in packages)])
        result = yosys.run(
            f"read_slang --threads 1 {flags} --top {top} -DFORMAL {params} "
            f"{yosys.relative([*packages, file])}\n"
            # Outputs of a module without content are free. Equal covers stay apart.
            "proc\nsetundef -undriven -anyseq\nsetattr -set keep 1 t:$check\n"
            f"prep -top {top}\nasync2sync\ndffunmap\nchformal -lower\nmemory_map\nopt -full\n"
            "select -assert-min 1 t:$assert\nselect -count t:$assert\ndesign -save all\ndelete t:$cover\n"
            f"sat -verify -tempinduct -maxsteps {steps} -prove-asserts {_FROM_RESET}\n"
            + _covers(_COVER.findall(text), reach)
        )
    finally:
        shutil.rmtree(folder)
    proven = "Induction step proven: SUCCESS!" in result.log
    if proven and result.status:
        raise AssertionError(f"{top} {params}: {_unreached(result.log)}")
    assert proven == (result.status == 0), result.log[-2000:]
    assert proven or "proof did fail" in result.log or "FAIL" in result.log, result.log[-2000:]
    if proven:
        _note(top, params, text, result.log)
    return proven


_FROM_RESET = "-set-assumes -set-init-zero -set-at 1 rst_ni 0"


def _covers(names: Sequence[str], reach: int) -> str:
    """The part of a script in which each of them must be reached, from the design `all`."""
    script = ""
    for name in names:
        script += (
            f"log reaches {name}\ndesign -load all\nselect -assert-count 1 t:$cover n:{name} %i\n"
            f"delete t:$assert\ndelete t:$cover n:{name} %d\n"
            f"techmap -map {yosys.relative([_REACHED])} t:$cover\n"
            f"sat -falsify -tempinduct-baseonly -maxsteps {reach} -prove-asserts {_FROM_RESET} -show rst_ni\n"
        )
    return script


def _unreached(log: str) -> str:
    name = re.findall(r"reaches (Cover\w+)", log)[-1]
    return f"{name} is not reached: {log[-300:]}"


def _note(top: str, params: str, text: str, log: str) -> None:
    proof, *reached = log.split("reaches Cover")
    covers = {cover.split(None, 1)[0]: _last(r"base case (\d+)", cover) for cover in reached}
    note(
        Proof(
            unit=top.removesuffix("_formal"),
            properties=sorted(set(_REQUIREMENT.findall(text))),
            method="temporal induction over cycles (yosys sat)",
            size=record.readable(params),
            depth=_last(r"induction step (\d+)", proof),
            assertions=_last(r"^(\d+) objects", proof),
            covers={f"Cover{name}": depth for name, depth in covers.items()},
            seconds=float(re.findall(r"user: ([\d.]+)s", log)[-1]),
            not_proved=[" ".join(re.split(r"\s*\n *// *", each)) for each in _NOT_PROVED.findall(text)],
        )
    )


def _last(pattern: str, text: str) -> int:
    return int(re.findall(pattern, text, re.MULTILINE)[-1])
