# SPDX-License-Identifier: Apache-2.0
"""The rules between parameters, in the RTL: each refuses what the rule between keys refuses, and no more.

The keys of a rule have all values that rules tell apart, each with each. All these configurations are
elaborated in one run, each with copies of the modules that have its number in their names.
"""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from coreloom.design import keys, platform, record
from coreloom.design.rules import Needs
from coreloom.paths import RTL
from coreloom.toolchain import verilate

MODULES = {"cl_kernel": RTL / "kernel" / "rtl", "cl_soc": RTL / "soc" / "rtl"}
PACKAGES = (MODULES["cl_kernel"] / "cl_kernel_pkg.sv", MODULES["cl_soc"] / "cl_soc_cfg_pkg.sv")
BASE = platform.load("smp-standard")  # which keeps all rules
VALUES: dict[str, tuple[Any, ...]] = {
    "core": keys.CORES,
    "cpus": (1, 2, 8, 9),
    "interconnect": keys.INTERCONNECTS,
    "low_jitter": (False, True),
    "bus_pipeline": (False, True),
    "memory.model": keys.MEMORIES,
    "kernel.priorities": (2, 128, 129),
    "kernel.mutexes": (0, 1, 2),
    "kernel.hardware_threads": tuple(("sort",) * number for number in (0, 1, 2, 14, 15)),
    "kernel.policy": keys.POLICIES,
    "kernel.build": tuple(keys.BUILDS),
    "kernel.services": ((), *((each,) for each in keys.SERVICES), ("inheritance", "monitors")),
    "[ipc]": (None, keys.IpcSize()),
    "[dcache]": (None, keys.DcacheSize()),
}


def changed(soc: platform.Platform, key: str, value: Any) -> platform.Platform:
    """A platform with another value of a key or section, whether it may have that or not."""
    if key == "interconnect":
        backdoor = keys.BackdoorSize() if value == "backdoor" else None
        return dataclasses.replace(
            soc, interconnect=value, backdoor=backdoor, local_kib=16 * (value == "amp")
        )
    if key.startswith("kernel."):
        kernel = dataclasses.replace(soc.kernel, **{key.removeprefix("kernel."): value})
        return dataclasses.replace(soc, kernel=kernel)
    return dataclasses.replace(soc, **{key.removeprefix("memory.").strip("[]"): value})


def configurations() -> Iterator[platform.Platform]:
    for own, rule in keys.rules():
        about = dict.fromkeys(rule.keys(own))
        for chosen in itertools.product(*(VALUES[key] for key in about)):
            soc = BASE
            for key, value in zip(about, chosen, strict=True):
                soc = changed(soc, key, value)
            yield soc


def refused(socs: list[platform.Platform], folder: Path) -> dict[str, set[int]]:
    """The numbers of the configurations that are refused, by the message."""
    sources, top = [], ["module configurations;"]
    for module, place in MODULES.items():
        name = f"{module}_rules"
        text = (place / f"{name}.sv").read_text()
        for number, soc in enumerate(socs):
            own = f"{name}_{number}"
            sources.append(folder / f"{own}.sv")
            sources[-1].write_text(re.sub(rf"\bmodule {name}\b", f"module {own}", text))
            value = record.made(module, keys.rtl_parameters(soc))[record.NAME]
            top.append(f"  {own} #(.Cfg({value})) u_{own} ();")
    sources.append(folder / "configurations.sv")
    sources[-1].write_text("\n".join([*top, "endmodule", ""]))
    found: dict[str, set[int]] = defaultdict(set)
    for each in verilate.lint(verilate.Design("configurations", (*PACKAGES, *sources))):
        refusal = re.search(r"_rules_(\d+)\.sv:\d+:\d+: (cl_.*)", each)
        assert refusal, each
        found[refusal[2]].add(int(refusal[1]))
    return found


@pytest.mark.test
def test_each_rule_refuses_what_it_is_for(tmp_path: Path) -> None:
    """Nothing else, and its message names the parameters of its keys."""
    socs = list(dict.fromkeys(configurations()))
    values = [keys.values(soc) for soc in socs]
    wanted = {
        frozenset(n for n, soc in enumerate(values) if rule.broken(own, soc)): (own, rule)
        for own, rule in keys.rules()
    }
    assert len(wanted) == len(list(keys.rules()))  # the configurations tell all of them apart
    told = {frozenset(numbers): said for said, numbers in refused(socs, tmp_path).items()}
    assert told.keys() == wanted.keys()
    names = keys.parameters()
    for numbers, (own, rule) in wanted.items():
        term = f"{own}={rule.value}" if isinstance(rule, Needs) else own
        for key in (term if term in names else own, rule.keys(own)[1]):
            known = {name or key for each, name in names.items() if each.startswith(key)}
            assert any(name in told[numbers] for name in known), (own, key)
