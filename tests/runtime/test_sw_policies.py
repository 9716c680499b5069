# SPDX-License-Identifier: Apache-2.0
"""The software kernel with every policy, compiled for this machine: random operations, and nobody is lost.

CORELOOM_SEED changes the seed, CORELOOM_STEPS the number of steps.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
from pathlib import Path

import pytest

from coreloom.paths import POLICIES, RUNTIME
from coreloom.toolchain import firmware, link, zig

SEED = int(os.environ.get("CORELOOM_SEED", "1"))
STEPS = int(os.environ.get("CORELOOM_STEPS", "40000"))
SIZES = {
    "CL_THREADS": 16,
    "CL_PRIORITIES": 32,
    "CL_PORTS": 2,
    "CL_PORT_DEPTH": 2,
    "CL_PORT_WORDS": 0,
    "CL_MUTEXES": 2,
    "CL_SEMAPHORES": 4,
    "CL_CONDITIONS": 2,
    "CL_LINES": 2,
}
# Least numbers in 10 000 steps, in the order of sw_policy_host.c: accepted operations, and what followed.
OPERATIONS = {
    "wait": 1000, "post": 1000, "start": 100, "create": 80, "resume": 100, "remove": 40, "priority": 200,
    "weight": 200, "reserve": 60, "release": 50, "exit": 150, "yield": 500,
}  # fmt: skip
REACHED = OPERATIONS | {"blocked": 150, "woken": 150, "preempted": 15, "idled": 1, "owner ended": 10}
RESERVATIONS = {"reserve", "release", "owner ended"}


@pytest.mark.parametrize("cpus", (1, 2, 4))
@pytest.mark.parametrize("policy", [*firmware.policies()[1:], "exclusive:dwrr"])
@pytest.mark.nightly(
    but=(
        "artis-1",
        "cfs-2",
        "dwrr-4",
        "dynamic-1",
        "eevdf-2",
        "exclusive-4",
        "o1-1",
        "ring-2",
        "selective-4",
        "static-1",
        "exclusive:dwrr-2",
    )
)
@pytest.mark.test("cfs-2", "dwrr-4", "static-1")
def test_no_thread_is_lost(policy: str, cpus: int, tmp_path: Path) -> None:
    files = firmware.policy_files(policy)
    # Pointers have twice the bytes that they have on the SoC.
    room = 2 * link.POLICY_ROOM
    macros: dict[str, int | str] = {**SIZES, "CL_CPUS": cpus, "CL_CPUS_MAX": cpus, "CL_POLICY_ROOM": room}
    macros |= zip(("CL_POLICY", "CL_POLICY_BASE"), (path.stem for path in files), strict=False)
    path = tmp_path / "sw.so"
    subprocess.run(
        [
            *zig.cc(), "-std=gnu11", "-O2", "-flto", "-shared", "-fPIC",
            *("-Wall", "-Wextra", "-Werror"),
            *(f"-D{name}={value}" for name, value in macros.items()),
            *(f"-I{folder}" for folder in (RUNTIME / "include", RUNTIME / "sw", POLICIES)),
            str(Path(__file__).with_name("sw_policy_host.c")),
            *map(str, files), "-o", str(path),
        ],
        check=True,
        env=zig.environment(),
    )  # fmt: skip
    run = ctypes.CDLL(str(path)).sw_policy_run
    at, counts = ctypes.c_uint32(), (ctypes.c_uint32 * len(REACHED))()
    wrong = run(ctypes.c_uint64(SEED), ctypes.c_uint32(STEPS), ctypes.byref(at), counts)
    assert wrong == 0, f"seed {SEED}, step {at.value}: sw_policy_host.c, line {wrong}"
    reached = dict(zip(REACHED, counts, strict=True))
    assert sum(reached[name] for name in OPERATIONS) >= STEPS // 2, reached
    reserves = cpus > 1 and policy.startswith("exclusive")
    expected = {name: least for name, least in REACHED.items() if reserves or name not in RESERVATIONS}
    assert {n: reached[n] for n, least in expected.items() if reached[n] < STEPS * least // 10_000} == {}
