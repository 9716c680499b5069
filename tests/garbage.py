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


@contextmanager
def from_garbage(garbage: bool = True) -> Iterator[None]:
    """Models that are built meanwhile start from garbage."""
    flags = (*verilate._VERILATOR_FLAGS, *(_FLAGS if garbage else ()))
    with mock.patch.object(verilate, "_VERILATOR_FLAGS", flags):
        yield
