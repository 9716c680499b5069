# SPDX-License-Identifier: Apache-2.0
"""LUT4, block RAM and clock of a configuration, from published results of `coreloom synth` and equal_area.

Nothing is typed here: what was placed whole has its own figures. Any other SoC is the SoC without a kernel
plus the kernel; its clock is the slower of the two, and no more than the share that the nearest SoC with a
kernel has kept of its own. Between measured numbers of CPUs a line is drawn, beyond them LUT4 go on along it.
`error` is the largest difference between this rule and every SoC that was placed.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from coreloom.design.key_costs import Cost
from coreloom.errors import UserError

BLOCK_KIB = 2  # of a block of 18 kbit, without its parity bits
Line = Sequence[tuple[float, float]]


class Area(NamedTuple):
    """measured: the SoC was placed whole; else it is estimated."""

    lut4: int
    mhz: float
    blocks: int  # of 18 kbit, without the shared memory
    measured: bool = False


class Error(NamedTuple):
    """Of an estimate, as a share: the largest that is known."""

    lut4: float
    mhz: float


class Placed(Protocol):
    """A SoC of bench equal_area."""

    core: str
    kernel: str
    cpus: int
    size: str
    lut4: int
    mhz: float


class Unit(Protocol):
    """A row of `coreloom synth`."""

    unit: str
    build: str | None
    threads: int | None
    priorities: int | None
    lut4: int
    bram: int
    fmax_mhz: float


def at(line: Line, x: float) -> float:
    """The value at x: between two points on the line through them, beyond the last on the line through the
    last two, before the first the first. ValueError without points."""
    points = sorted(line)
    if not points:
        raise ValueError("a line without points")
    if x <= points[0][0] or len(points) == 1:
        return points[0][1]
    pairs = list(itertools.pairwise(points))
    low, high = next((pair for pair in pairs if x <= pair[1][0]), pairs[-1])
    return low[1] + (high[1] - low[1]) * (x - low[0]) / (high[0] - low[0])


def held(line: Line, x: float) -> float:
    """As `at`, but beyond the last point its value: of clocks, which do not fall for ever."""
    return at(line, min(x, max(point[0] for point in line)))


@dataclass(frozen=True)
class Model:
    """bare: of a SoC without a kernel, by core, a line over CPUs; kernel: by its build likewise.

    services: what each adds to the kernel `small`. placed: SoCs with their own figures, by core, build of the
    kernel ("" without) and CPUs.
    """

    bare_lut4: Mapping[str, Line]
    bare_mhz: Mapping[str, Line]
    core_blocks: Mapping[str, int]
    kernel_lut4: Mapping[str, Line]
    kernel_mhz: Mapping[str, Line]
    kernel_blocks: int
    services: Mapping[str, int]
    cache: tuple[int, int]  # LUT4 and blocks of a data cache
    placed: Mapping[tuple[str, str, int], tuple[int, float]]

    def of(self, core: str, cpus: int, build: str, services: Sequence[str] = (), cache: bool = False) -> Area:
        """build: of the hardware kernel, "" for none; services: further ones in gates."""
        found = self.estimate(core, cpus, build, services)
        own = None if services or cache else self.placed.get((core, build, cpus))
        if own is not None:
            return Area(*own, found.blocks, True)
        if cache:
            lut4, blocks = self.cache
            return Area(found.lut4 + cpus * lut4, found.mhz, found.blocks + cpus * blocks)
        return found

    def estimate(self, core: str, cpus: int, build: str, services: Sequence[str] = ()) -> Area:
        """By the rule, also of what was placed whole."""
        lut4, mhz = at(self.bare_lut4[core], cpus), held(self.bare_mhz[core], cpus)
        blocks = cpus * self.core_blocks[core]
        if build:
            if build not in self.kernel_lut4 or (missing := set(services) - self.services.keys()):
                what = build if build not in self.kernel_lut4 else ", ".join(sorted(missing))
                raise UserError(f"no area of the kernel's {what} is published: run `coreloom synth`")
            lut4 += at(self.kernel_lut4[build], cpus) + sum(self.services[name] for name in services)
            mhz = min(mhz * self._fit(core, cpus, build), held(self.kernel_mhz[build], cpus))
            blocks += self.kernel_blocks
        return Area(round(lut4), round(mhz, 1), blocks)

    def _fit(self, core: str, cpus: int, build: str) -> float:
        """How much of its clock without a kernel the nearest SoC of that core has kept, itself left out."""
        kept = [
            (abs(n - cpus), own[1] / held(self.bare_mhz[core], n))
            for (its, its_build, n), own in self.placed.items()
            if its == core and its_build and (its_build, n) != (build, cpus)
        ]
        return min(1.0, min(kept)[1]) if kept else 1.0

    @property
    def error(self) -> Error:
        """Over every SoC that was placed."""
        lut4, mhz = [0.0], [0.0]
        for (core, build, cpus), own in self.placed.items():
            said = self.estimate(core, cpus, build)
            lut4.append(abs(said.lut4 / own[0] - 1))
            mhz.append(abs(said.mhz / own[1] - 1))
        return Error(max(lut4), max(mhz))


SERVICES = ("reserve", "timeouts", "inheritance", "events")
# Builds of cl_kernel in `coreloom synth`, with the build of the platform key and the CPUs that each is of.
_BUILDS = {
    None: ("small", 2),
    "8-cpus": ("small", 8),
    "full": ("full", 2),
    "fast": ("fast", 2),
    "fast-8-cpus": ("fast", 8),
}
_LARGE, _OF_LARGE = "smp-fast-8-cpus", ("fast", "fast", 8)  # a whole SoC of `coreloom synth`


def model(
    socs: Iterable[Placed],
    units: Sequence[Unit],
    costs: Iterable[Cost],
    added: Mapping[str, int],
    builds: Mapping[str, str],
    sizes: tuple[int, int],
) -> Model:
    """From published rows.

    costs: of the key cpus, of the kernel `small`; added: LUT4 of services; builds: of the kernel of each
    core's platform; sizes: its threads and priorities. UserError if a row that is needed is missing.
    """
    usual = [soc for soc in socs if soc.size == "usual"]
    bare = {core: [soc for soc in usual if (soc.core, soc.kernel) == (core, "sw")] for core in builds}
    for core, rows in bare.items():
        if not rows:
            raise UserError(f"no area of core {core} is published: run `coreloom bench equal_area`")
    placed = {
        (soc.core, builds[soc.core] if soc.kernel == "hw" else "", soc.cpus): (soc.lut4, soc.mhz)
        for soc in usual
    }
    clocks = {core: [(float(soc.cpus), soc.mhz) for soc in rows] for core, rows in bare.items()}
    for row in units:
        if (row.unit, row.build) == ("cl_soc", _LARGE) and _OF_LARGE[0] in clocks:
            placed[_OF_LARGE] = (row.lut4, row.fmax_mhz)
            clocks[_OF_LARGE[0]].append((_OF_LARGE[2], row.fmax_mhz))  # without its kernel it is not slower
    kernels = _kernels(units, sizes)
    plain = kernels["small"][2]
    services = {**added, **_services(units, plain, sizes)}
    lines = {build: {cpus: float(row.lut4) for cpus, row in rows.items()} for build, rows in kernels.items()}
    lines["small"] |= {int(cost.value): float(cost.lut4) for cost in costs if cost.key == "cpus"}
    mhz = {build: [(cpus, row.fmax_mhz) for cpus, row in rows.items()] for build, rows in kernels.items()}
    if set(SERVICES) <= services.keys():
        lines.setdefault("full", {2: plain.lut4 + sum(services[name] for name in SERVICES)})
        mhz.setdefault("full", mhz["small"])
    for build, line in lines.items():
        more = line[2] - lines["small"][2]  # with 2 CPUs, and as much with any other number
        for cpus, lut4 in lines["small"].items() if build != "small" else ():
            line.setdefault(cpus, lut4 + more)
    cores = {core: _row(units, "cl_core", core) for core in builds}
    cache = _row(units, "cl_dcache")
    return Model(
        {core: [(soc.cpus, soc.lut4) for soc in rows] for core, rows in bare.items()},
        clocks,
        {core: cores[core].bram for core in builds},
        {build: sorted(line.items()) for build, line in lines.items()},
        mhz,
        plain.bram,
        services,
        (cache.lut4, cache.bram),
        placed,
    )


def _row(units: Sequence[Unit], unit: str, build: str | None = None) -> Unit:
    """Of a unit that has no size. UserError if it is missing."""
    for row in units:
        if (row.unit, row.build) == (unit, build):
            return row
    name = unit if build is None else f"{unit}:{build}"
    raise UserError(f"no area of {name} is published: run `coreloom synth`")


def _kernels(units: Sequence[Unit], sizes: tuple[int, int]) -> dict[str, dict[int, Unit]]:
    """By build and CPUs."""
    found: dict[str, dict[int, Unit]] = {}
    for row in units:
        if row.unit == "cl_kernel" and row.build in _BUILDS and (row.threads, row.priorities) == sizes:
            build, cpus = _BUILDS[row.build]
            found.setdefault(build, {})[cpus] = row
    if 2 not in found.get("small", {}):
        raise UserError("no area of cl_kernel is published: run `coreloom synth`")
    return found


def _services(units: Sequence[Unit], plain: Unit, sizes: tuple[int, int]) -> dict[str, int]:
    """LUT4 of each service that a row is of."""
    return {
        row.build: row.lut4 - plain.lut4
        for row in units
        if row.unit == "cl_kernel" and row.build in SERVICES and (row.threads, row.priorities) == sizes
    }
