# SPDX-License-Identifier: Apache-2.0
"""rtl/sources.toml lists every file of rtl/ once, and with each unit all that it needs."""

from __future__ import annotations

import dataclasses

import pytest

from coreloom.design import manifest, platform
from coreloom.paths import RTL
from coreloom.toolchain import verilate

UNITS = manifest.units()


def test_every_file_is_in_one_unit() -> None:
    parts = [part for unit in UNITS.values() for part in (unit, *unit.parts.values())]
    files = [path for part in parts for path in part.files]
    assert sorted(files) == sorted(RTL.glob("**/rtl/*.sv"))


@pytest.mark.parametrize("unit", [name for name, unit in UNITS.items() if not unit.parts])
def test_a_unit_is_clean_and_needs_no_other_file(unit: str) -> None:
    """As its FuseSoC core is linted; a platform is the business of test_lint.py."""
    assert verilate.lint(verilate.Design(unit, manifest.files(unit))) == []


def test_the_top_that_fusesoc_lints() -> None:
    design = verilate.platform_design(platform.load("smp-economy"))
    assert verilate.lint(dataclasses.replace(design, top=UNITS["cl_soc"].lint["top"])) == []


def test_a_part_is_there_only_if_it_is_wanted() -> None:
    names = {path.stem for path in manifest.files("cl_soc", ["fast"])}
    assert {"cl_core_fast", "cl_soc", "cl_kernel"} < names
    assert not names & {"cl_core_economy", "cl_ibex", "cl_far_side", "cl_backdoor", "cl_ipc", "cl_mailbox"}


def test_packages_come_before_what_imports_them() -> None:
    names = [path.stem for path in manifest.files("cl_soc")]
    packages = [name for name in names if name.endswith("_pkg")]
    assert names[: len(packages)] == packages
    assert packages.index("cl_kernel_pkg") < packages.index("cl_soc_cfg_pkg")


def test_parameters_of_a_core_are_those_of_its_module() -> None:
    made = [(each.name, each.number, each.text) for each in UNITS["cl_mailbox"].parameters()]
    assert made == [
        ("Cpus", True, "1..8; with 1 there is no mailbox"),
        ("Depth", True, "words in each: a power of two, 2..256"),
    ]
    assert [each.name for each in UNITS["cl_soc"].parameters()] == [
        "RomInitFile",
        "User",
        "UserWaits",
        "Outside",
        "Debug",
    ]
