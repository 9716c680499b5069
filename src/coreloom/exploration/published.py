# SPDX-License-Identifier: Apache-2.0
"""What explore takes from published results: the area model, and the map of grain."""

from __future__ import annotations

import functools

from coreloom.benches import registry
from coreloom.benches.grain import page
from coreloom.design import key_costs, platform
from coreloom.design.keys import CORES
from coreloom.exploration import area
from coreloom.exploration.area import Model
from coreloom.exploration.grain import Map, Place

_CALLS = 2  # of a meeting by semaphores: each thread gives the other's and takes its own


@functools.cache
def areas() -> Model:
    """UserError if something is not published."""
    usual = {core: platform.load(f"smp-{core}").kernel for core in CORES}
    prefix = "kernel.services = "
    return area.model(
        registry.get("equal_area").read().socs,
        registry.get("synth").read().rows,
        key_costs.read().of("cpus"),
        {
            row.key.removeprefix(prefix): row.with_it - row.without
            for row in registry.get("placement").read().area
            if row.key.startswith(prefix)
        },
        {core: size.build for core, size in usual.items()},
        (usual["standard"].threads, usual["standard"].priorities),
    )


@functools.cache
def grain() -> Map:
    """Where the hardware kernel is ahead of its best rival, and by how much: bench grain, semaphores."""
    return Map(
        tuple(
            sorted(
                Place(cpus, between / _CALLS, each.gain)
                for cpus, found in page.semaphores(registry.get("grain").read().rows).items()
                for between, each in found.items()
            )
        )
    )
