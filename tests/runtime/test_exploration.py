# SPDX-License-Identifier: Apache-2.0
"""The software kernel as it ships, all interleavings of small programs (docs/decisions/0058).

CORELOOM_SEED changes the random programs; there is one for every 5000 CORELOOM_STEPS.
"""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from coreloom.errors import UserError
from coreloom.toolchain import firmware

from .explore import scenarios
from .explore.__main__ import main
from .explore.machine import Found
from .explore.scenarios import POLICY, THREE, TWO, Scenario, random_program
from .explored import explored

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SEED = int(os.environ.get("CORELOOM_SEED", "1"))
PROGRAMS = int(os.environ.get("CORELOOM_STEPS", "40000")) // 5000


def fine(name: str, scenario: Scenario) -> Found:
    return explored("software kernel", name, scenario)


# What CPUs may use without the lock: runtime/sw/README.md, locking rules 3 to 6; quick_slice sets a timer.
SHARED = {"k_cpus", "k_ports", "quick_slice"}


@pytest.mark.parametrize("name", TWO)
@pytest.mark.test
def test_two_threads(name: str) -> None:
    """Each interleaving that can differ; a search that ends early proves nothing."""
    found = fine(name, TWO[name])
    assert found.exhausted
    assert set(found.shared) <= SHARED
    assert len(found.histories) > 1


# What its rules 3 to 6 let them use besides (runtime/fine/README.md).
SHARED_IN_FINE = SHARED | {"k_mutexes", "k_conditions", "k_threads", "k_buffers", "inside"}


@pytest.mark.parametrize("name", TWO)
@pytest.mark.test("mutex, trylock", "semaphore", "port, room once")
@pytest.mark.nightly("calls that are refused", "mutex, limit")  # minutes
def test_two_threads_of_the_fine_kernel(name: str) -> None:
    found = fine(f"fine, {name}", replace(TWO[name], kernel="fine"))
    assert found.exhausted
    assert set(found.shared) <= SHARED_IN_FINE
    assert len(found.histories) > 1


@pytest.mark.parametrize("name", THREE)
def test_three_threads(name: str) -> None:
    found = fine(name, THREE[name])
    assert found.exhausted or found.executions == THREE[name].limit
    assert len(found.histories) > 1


@pytest.mark.parametrize("name", POLICY)
@pytest.mark.parametrize("policy", [*firmware.policies()[1:], "exclusive:dwrr"])
@pytest.mark.test("dwrr-weights", "exclusive:dwrr-reservation")
def test_policies(policy: str, name: str) -> None:
    assert len(fine(name, scenarios.with_policies()[f"{name}, {policy}"]).histories) > 1


@pytest.mark.parametrize("cpus", (1, 2, 4))
@pytest.mark.parametrize("policy", [*firmware.policies(), "exclusive:dwrr"])
@pytest.mark.nightly(
    but=(
        *("priority-1", "priority-2", "priority-4", "artis-1", "cfs-2", "dwrr-4", "dynamic-1", "eevdf-2"),
        *("exclusive-4", "o1-1", "ring-2", "selective-4", "static-1", "exclusive:dwrr-2"),
    )
)
def test_random_programs(policy: str, cpus: int) -> None:
    histories = sum(
        len(fine(f"random, seed {seed}", random_program(seed, cpus, policy)).histories)
        for seed in range(SEED, SEED + PROGRAMS)
    )
    assert histories > PROGRAMS


def outcomes(found: Found) -> set[object]:
    """What threads were answered, and in which order they had the lock."""
    return {
        (
            tuple(sorted((thread, kind, a, b) for kind, _, thread, a, b in history if kind == 3)),
            tuple(thread for kind, _, thread, _, _ in history if kind == 1),
        )
        for history in found.histories
    }


TINY = {
    "mutex": Scenario("mutex_create", ("mutex_lock 0; mutex_unlock 0",) * 2),
    "port": Scenario("port_open 0 1; port_send 0 1", ("port_receive 0; port_receive 0", "port_send 0 2")),
    "preemption": Scenario(
        "semaphore_create 0 0",
        ("thread_start 1; semaphore_post 0; thread_exit", "6@0: semaphore_wait 0; thread_exit"),
    ),
}


@pytest.mark.parametrize("name", TINY)
@pytest.mark.test
def test_the_reduction_leaves_out_no_outcome(name: str) -> None:
    reduced, all_ = TINY[name].explore(), TINY[name].explore(unreduced=True)
    assert reduced.exhausted and all_.exhausted and not reduced.failure
    assert all_.executions > 20 * reduced.executions
    assert outcomes(reduced) == outcomes(all_)


FAULTS = tomllib.loads((Path(__file__).parent / "explore" / "faults.toml").read_text("utf-8"))


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.test("a sender does not look again", "a slice set while a CPU wakes is lost")
def test_a_planted_fault_is_found(fault: str) -> None:
    change = FAULTS[fault]
    scenario = scenarios.all_scenarios()[change["scenario"]]
    assert scenario.wrong(scenario.explore((change["file"], change["old"], change["new"])))


@pytest.mark.test
def test_an_unknown_scenario_is_one_line() -> None:
    with pytest.raises(UserError, match=r"^unknown scenario 'two-threads': --list prints all$"):
        main(["two-threads"])
