# SPDX-License-Identifier: Apache-2.0
"""Policies in the software kernel: the same programs, the same output, whoever decides who runs.

What depends on priorities is in test_programs.py; here is what holds with every policy.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from coreloom import paths
from coreloom.apps import APPS
from coreloom.design import platform
from coreloom.errors import UserError
from coreloom.simulation import simulate
from coreloom.simulation.experiment import Experiment
from coreloom.toolchain import firmware, verilate

PROGRAMS = Path(__file__).with_name("programs")
POLICIES = firmware.policies()[1:]
QUICK = ("dwrr", "cfs")


def programs() -> list[object]:
    """Quick: on two standard cores, with two policies."""
    return [
        pytest.param(
            program,
            core,
            cpus,
            policy,
            marks=() if (core, cpus) == ("standard", 2) and policy in QUICK else pytest.mark.nightly,
        )
        for policy in POLICIES
        for core in ("economy", "standard")
        for cpus in (1, 2, 4)
        for program in ("naps", "stress", "pipeline")
    ]


@pytest.mark.parametrize(("program", "core", "cpus", "policy"), programs())
@pytest.mark.nightly(but=("naps-standard-2-cfs", "stress-standard-2-dwrr"))
def test_program_passes_with_every_policy(program: str, core: str, cpus: int, policy: str) -> None:
    soc = platform.load(f"smp-{core}", cpus)
    elf = firmware.build(str(PROGRAMS / f"{program}.c"), soc, "sw", policy=policy)
    result = simulate.run(verilate.build_model(soc), elf, simulate.Options(max_cycles=40_000_000))
    assert (result.uart, result.exit_status) == ("ok\n", 0)


@pytest.mark.nightly
@pytest.mark.parametrize("cpus", (1, 2))
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("app", ("image", "packets"))
def test_application_has_the_same_output_with_every_policy(app: str, policy: str, cpus: int) -> None:
    data = APPS[app].prepare(None)
    outcome = Experiment(app, platform.load("smp-standard", cpus), "sw", policy=policy).run(data)
    outcome.check_finished()
    APPS[app].check(outcome.result.output, data)


@pytest.mark.parametrize(
    ("kernel", "policy", "cpus", "has"),
    [
        ("hw", "priority", 1, ""),
        ("sw", "priority", 2, ""),
        ("sw", "dwrr", 1, "w"),
        ("sw", "exclusive:dwrr", 1, "wr"),
        ("sw", "exclusive", 2, "wr"),
        ("sw", "exclusive:dwrr", 2, "wr"),
        pytest.param("hw", "dwrr", 2, "w", marks=pytest.mark.nightly),
        pytest.param("hw", "edf", 2, "d", marks=pytest.mark.nightly),
    ],
)
def test_weights_deadlines_and_reservations(kernel: str, policy: str, cpus: int, has: str) -> None:
    soc = Experiment("image", platform.load("smp-standard", cpus), kernel, policy=policy).soc()
    program = str(PROGRAMS / "rights.c")
    elf = firmware.build(program, soc, kernel, policy=policy if kernel == "sw" else firmware.PRIORITY)
    result = simulate.run(verilate.build_model(soc), elf, simulate.Options(max_cycles=4_000_000))
    printed = [f"{has}\nok\n"]
    if kernel == "hw":
        printed.append(f"{has}r\nok\n")  # where it reserves CPUs, it does so with every policy
    assert result.uart in printed


@pytest.mark.nightly
def test_a_program_on_a_kernel_that_reserves() -> None:
    soc = platform.load("smp-standard", 2, changes={"kernel.build": "full"})
    elf = firmware.build(str(PROGRAMS / "rights.c"), soc, "hw")
    result = simulate.run(verilate.build_model(soc), elf, simulate.Options(max_cycles=4_000_000))
    assert (result.uart, result.exit_status) == ("r\nok\n", 0)


def test_an_unknown_policy_lists_those_there_are() -> None:
    with pytest.raises(UserError) as error:
        firmware.policy_files("lottery")
    known = ", ".join(["priority", *POLICIES])
    assert str(error.value) == (
        f"unknown policy 'lottery' of the software kernel: choose one of {known}, "
        "or give a path that ends in .c"
    )


def test_a_policy_stands_on_no_other() -> None:
    with pytest.raises(UserError) as error:
        firmware.policy_files("ring:cfs")
    assert str(error.value) == "policy 'ring' has no base policy: leave out ':cfs'"


@pytest.mark.parametrize(
    ("policy", "sizes"),
    [
        ("dynamic", "5008 bytes for each CPU and 24 for all of them"),
        ("exclusive:dynamic", "5028 bytes for each CPU and 80 for all of them"),
    ],
)
def test_a_policy_that_is_too_large_is_told_the_limit(
    policy: str, sizes: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(paths.POLICIES, tmp_path / "policies")
    file = tmp_path / "policies" / "dynamic.c"
    file.write_text(file.read_text().replace("sizeof(struct cl_rr_cpu)", "sizeof(struct cl_rr_cpu) + 5000"))
    monkeypatch.setattr(firmware, "POLICIES", tmp_path / "policies")
    with pytest.raises(UserError) as error:
        firmware.build(str(PROGRAMS / "naps.c"), platform.load("smp-standard"), "sw", policy=policy)
    assert str(error.value) == (
        f"policy {policy} is too large for the software kernel: it keeps {sizes}, at most 4096 of either "
        "fit; make cpu_size or shared_size smaller in policies/dynamic.c"
    )


@pytest.mark.parametrize(
    ("kernel", "policy", "name"),
    [("hw", None, "smp-standard"), ("sw", "dwrr", "smp-standard"), ("hw", None, "amp-economy")],
)
def test_a_program_that_is_too_large_is_told_the_limit(
    kernel: str, policy: str | None, name: str, tmp_path: Path
) -> None:
    program = tmp_path / "big.c"
    program.write_text(
        "static char room[33 << 20];\n"
        "int main(void) {\n"
        "  for (unsigned i = 0; i < sizeof room; i++) room[i]++;\n"
        "  return room[1];\n"
        "}\n"
    )
    with pytest.raises(UserError) as error:
        Experiment(str(program), platform.load(name), kernel, policy=policy).program()
    said = re.fullmatch(
        rf"big does not fit into the memory of {name}: its code and data are (\d+) bytes, (\d+) more than "
        r"there are; make its arrays smaller, or memory.ram_mib larger",
        str(error.value),
    )
    assert said is not None, error.value
    size, over = map(int, said.groups())
    assert size - over == 32 << 20 < 33 << 20 < size


def test_the_hardware_kernel_has_policies_of_its_own() -> None:
    with pytest.raises(UserError) as error:
        Experiment("image", platform.load("smp-standard"), "hw", policy="cfs")
    built = ", ".join(platform.BUILT_POLICIES)
    assert str(error.value) == f"the policy of the hardware kernel is 'cfs': choose one of {built}"
