# SPDX-License-Identifier: Apache-2.0
"""Models that start from garbage: registers without a reset, memories and values of no assignment are random.

Others start from 0. What is random follows from the seed that the harness gives (`VerilatedContext`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock

from coreloom.toolchain import verilate

_FLAGS = ("--x-initial", "unique", "--x-assign", "unique")
_SOC_FLAGS = (*_FLAGS, "-CFLAGS", "-DCORELOOM_GARBAGE=20261127")  # whose harness fills the memory, too


@contextmanager
def from_garbage(garbage: bool = True, soc: bool = False) -> Iterator[None]:
    """Models that are built meanwhile, units or with `soc` whole SoCs, start from garbage."""
    flags = (*verilate._VERILATOR_FLAGS, *((_SOC_FLAGS if soc else _FLAGS) if garbage else ()))
    with mock.patch.object(verilate, "_VERILATOR_FLAGS", flags):
        yield
