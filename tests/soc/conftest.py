# SPDX-License-Identifier: Apache-2.0
"""Runs assembly programs on simulated platforms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from coreloom.design import platform
from coreloom.simulation import simulate
from coreloom.simulation.simulate import SimResult
from coreloom.toolchain import verilate

from .asm import assemble

Run = Callable[..., SimResult]


@pytest.fixture(scope="session")
def run() -> Run:
    """run(core, cpus, source, icache=True, local=False, **options): assemble, build a model, simulate.

    local: on platform amp, from the local memories. changes: of the platform's keys.
    options: of simulate.run.
    """

    def run_(
        core: str,
        cpus: int,
        source: str,
        icache: bool = True,
        local: bool = False,
        changes: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> SimResult:
        soc = platform.load(f"{'amp' if local else 'smp'}-{core}", cpus, changes=changes)
        model = verilate.build_model(soc)
        options.setdefault("max_cycles", 1_000_000)
        return simulate.run(model, assemble(source, core, icache, local), simulate.Options(**options))

    return run_
