# SPDX-License-Identifier: Apache-2.0
"""The named configurations that are tried: core, CPUs, kernel, services in gates, memory."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from coreloom.design import platform
from coreloom.design.keys import BUILDS, CORES, Platform
from coreloom.errors import UserError
from coreloom.exploration.area import Area, Model

CPUS = (1, 2, 4, 8, 16)
SOFTWARE = "sw"
KERNELS = (SOFTWARE, "small", "full", "fast")
MEMORIES: dict[str, dict[str, object]] = {  # changes of keys
    "sram": {},
    "sdram": {"memory.model": "sdram"},
    "cached": {"memory.model": "sdram", "dcache.kib": 4, "dcache.line_words": 4},
}
NOTHING: Mapping[str, object] = {}
_PIPELINED = 4  # CPUs with the fast core from which on its bus has a register, as in smp-fast-8-cpus


@dataclass(frozen=True)
class Config:
    """One configuration; services: in gates besides those of the kernel's build."""

    core: str
    cpus: int
    kernel: str = SOFTWARE
    services: tuple[str, ...] = ()
    memory: str = "sram"

    @property
    def name(self) -> str:
        return self._named(self.kernel)

    @property
    def platform(self) -> str:
        """The name of its platform; the software kernel runs on the one with the kernel `small`."""
        return self._named(self.build or "small")

    def _named(self, kernel: str) -> str:
        memory = () if self.memory == "sram" else (self.memory,)
        return "-".join((self.core, str(self.cpus), kernel, *self.services, *memory))

    @property
    def on(self) -> str:
        """The ground, as of `coreloom run --on`."""
        return "sw" if self.kernel == SOFTWARE else "hw"

    @property
    def build(self) -> str:
        """Of the hardware kernel; "" without."""
        return "" if self.kernel == SOFTWARE else self.kernel

    def soc(self, base: str, communicates: bool, given: Mapping[str, object] = NOTHING) -> Platform:
        """The platform, with the sizes of `base` and the keys `given`.

        communicates: with the communication port, if it has one. UserError if its keys do not go together.
        """
        changes = {**given, "core": self.core, "kernel.build": self.build or "small"}
        changes["kernel.services"] = list(self.services)
        if self.core == "fast" and self.cpus >= _PIPELINED and self.memory == "sram":
            changes["bus_pipeline"] = True
        changes |= MEMORIES[self.memory]
        made = platform.load(base, self.cpus, changes=changes, ipc=communicates)
        return dataclasses.replace(made, name=self.platform, home=None)

    def area(self, model: Model) -> Area:
        return model.of(self.core, self.cpus, self.build, self.services, self.memory == "cached")


def check(base: Platform) -> None:
    """UserError unless the platform is one that can be varied."""
    if base.interconnect != "smp-bus":
        raise UserError(f"{base.name} is an {base.interconnect} platform: explore varies those with smp-bus")
    if base.kernel.hardware_threads:
        raise UserError(f"{base.name} has hardware threads, of which explore knows no area: leave them out")
    if base.kernel.policy != "priority":
        raise UserError(f"{base.name} has policy {base.kernel.policy}: explore knows the area of priority")


def configs(
    threads: int,
    services: Sequence[str],
    memories: Sequence[str],
    cores: Sequence[str] = CORES,
    most_cpus: int = CPUS[-1],
) -> list[Config]:
    """Those that make sense for a program, those of the fewest CPUs first.

    No more CPUs than threads; `full` and single services only for what the program uses; without a second
    thread there is nothing to schedule, so the software kernel alone.
    """
    counts = [n for n in CPUS if n <= most_cpus and (n == 1 or n < 2 * threads)]
    kernels = [(SOFTWARE, ())] if threads == 1 else _kernels(services)
    return [
        Config(core, n, kernel, own, memory)
        for n in counts
        for memory in memories
        for core in cores
        if not (memory == "cached" and core == "fast")  # which has caches of its own
        for kernel, own in kernels
    ]


def _kernels(services: Sequence[str]) -> list[tuple[str, tuple[str, ...]]]:
    """Builds, and `small` with one service each; `full` where a program uses one of its services."""
    found: list[tuple[str, tuple[str, ...]]] = [(name, ()) for name in KERNELS if not BUILDS.get(name)]
    for name in KERNELS:
        if set(BUILDS.get(name, ())) & set(services):
            found.append((name, ()))
    if services:
        found += [("small", (service,)) for service in services]
    return found
