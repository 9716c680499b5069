# SPDX-License-Identifier: Apache-2.0
"""What `make test` leaves to `make test-all`: of a test's cases each value of each parameter stays, once."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import NamedTuple

import pytest

from coreloom.paths import ROOT
from sampling import each_value_once

CORES, KERNELS, CPUS = ("economy", "standard", "fast"), ("hw", "sw"), (1, 2, 4, 8)


class Machine(NamedTuple):
    core: str
    cpus: int


def test_each_value_is_there_and_the_most_new_ones_come_first() -> None:
    combinations = list(product(CORES, KERNELS, CPUS))
    cases = [{"core": core, "kernel": kernel, "cpus": cpus} for core, kernel, cpus in combinations]
    assert [combinations[number] for number in each_value_once(cases)] == [
        ("economy", "hw", 1),
        ("standard", "sw", 2),
        ("fast", "hw", 4),
        ("economy", "sw", 8),
    ]


def test_a_parameter_with_fields_is_several() -> None:
    machines = [Machine(core, cpus) for core, cpus in product(CORES, CPUS)]
    chosen = [machines[number] for number in each_value_once([{"machine": machine} for machine in machines])]
    assert chosen == [("economy", 1), ("standard", 2), ("fast", 4), ("economy", 8)]


def test_values_that_are_all_others_are_all_there() -> None:
    assert each_value_once([{"text": text} for text in "abc"]) == [0, 1, 2]
    assert each_value_once([{"flag": flag} for flag in (True, 1, "1", True)]) == [0, 1, 2]
    assert each_value_once([{}, {}]) == []


TESTS = """
import pytest

cores = pytest.mark.parametrize("core", ["economy", "standard", "fast"])


@cores
@pytest.mark.parametrize("kernel", ["hw", pytest.param("sw", marks=pytest.mark.slow), "freertos"])
def test_combinations(core, kernel): ...


@pytest.mark.quick(2)
@cores
def test_two_are_enough(core): ...


@cores
def test_the_proof_notices(core): ...


@cores
def test_a_planted_fault_is_found(core): ...


@pytest.mark.slow
@cores
def test_long(core): ...


def test_alone(): ...
"""
QUICK = [
    *("test_combinations[hw-economy]", "test_combinations[freertos-standard]", "test_combinations[hw-fast]"),
    *("test_two_are_enough[economy]", "test_two_are_enough[standard]"),
    *("test_the_proof_notices[economy]", "test_the_proof_notices[standard]"),
    *("test_a_planted_fault_is_found[economy]", "test_a_planted_fault_is_found[standard]"),
    "test_alone",
]


Collect = Callable[..., list[str]]


@pytest.fixture
def collect(tmp_path: Path) -> Collect:
    """The tests of TESTS that pytest would run, in a folder with our conftest.py and our settings."""
    for name in ("conftest.py", "sampling.py"):
        shutil.copy(ROOT / "tests" / name, tmp_path)
    settings = (ROOT / "pyproject.toml").read_text()
    (tmp_path / "pyproject.toml").write_text(settings.replace('["tests"]', '["."]'))
    (tmp_path / "test_them.py").write_text(TESTS)

    def collected(*options: str, seed: int = 0) -> list[str]:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "--collect-only", "-p", "no:cacheprovider", *options],
            cwd=tmp_path,
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout
        return [line.partition("::")[2] for line in done.stdout.splitlines() if "::" in line]

    return collected


@pytest.mark.parametrize("seed", [0, 1])
def test_make_test_runs_them_whatever_the_order_of_sets(collect: Collect, seed: int) -> None:
    assert sorted(collect("-m", "not slow", seed=seed)) == sorted(QUICK)


def test_make_test_all_runs_all(collect: Collect) -> None:
    assert len(collect()) == 9 + 4 * 3 + 1
    recipes = (ROOT / "Makefile").read_text()
    assert recipes.partition("\ntest-all:")[2].splitlines()[1] == "\t$(BIN)/pytest -n auto --dist worksteal"


def test_one_case_that_is_asked_for_runs(collect: Collect) -> None:
    case = "test_two_are_enough[fast]"
    assert collect("-m", "not slow", f"test_them.py::{case}") == [case]
