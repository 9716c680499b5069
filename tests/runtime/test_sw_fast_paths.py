# SPDX-License-Identifier: Apache-2.0
"""The software kernel's fast paths, compiled for this machine, against its long way, from random states.

CORELOOM_SEED changes the seed, CORELOOM_STEPS the number of steps for each configuration.
"""

from __future__ import annotations

import ctypes
from pathlib import Path

import pytest

from coreloom.reference.kernel import Config

from .test_sw_kernel_vs_model import SEED, STEPS, library

PATHS = ("yield", "line", "start", "post", "slice")
CONFIGS = {
    "1 cpu": Config(1, 12, 4, ports=2, port_depth=2, mutexes=1, semaphores=3, conditions=1, lines=3),
    "2 cpus": Config(2, 16, 6, ports=2, port_depth=2, mutexes=1, semaphores=4, conditions=1, lines=4),
    "4 cpus": Config(4, 32, 40, ports=2, port_depth=2, mutexes=1, semaphores=4, conditions=1, lines=8),
}


@pytest.mark.parametrize("name", CONFIGS)
@pytest.mark.test
def test_fast_paths_do_what_the_long_way_does(name: str, tmp_path: Path) -> None:
    run = library(CONFIGS[name], tmp_path, "sw_fast_host.c").sw_fast
    run.restype = ctypes.c_uint32
    taken = (ctypes.c_uint32 * len(PATHS))()
    assert run(ctypes.c_uint32(SEED), ctypes.c_uint32(STEPS), taken) == STEPS
    assert {path for path, times in zip(PATHS, taken, strict=True) if not times} == set()
