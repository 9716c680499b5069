# SPDX-License-Identifier: Apache-2.0
"""The units that `coreloom synth` measures, one line each."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from coreloom import uses
from coreloom.design import hardware_threads, keys, manifest, platform, record
from coreloom.design.keys import Platform
from coreloom.errors import UserError, suggest
from coreloom.files import write_atomically
from coreloom.paths import BUILD
from coreloom.toolchain import far, verilate, yosys
from coreloom.toolchain.verilate import Design

Params = Mapping[str, int | str]
Size = tuple[int, int]  # threads, priorities

DEFAULT: Size = (256, 128)  # of the paper
_LIMITS = ((2, 1024), (2, 256))
_SOC_TOP = "cl_soc"
_LARGE = "smp-fast-8-cpus"
# Cores that gain by wide multiplexers, as their logic is deep: the SoC 17 % of its clock, for 4 % more LUT4.
# With the others it is larger and no faster.
_WIDE_CORES = ("standard",)

_HWT_OUTPUTS = (
    *("reg_rdata_o", "reg_err_o", "kernel_req_o", "kernel_we_o", "kernel_addr_o", "kernel_wdata_o"),
    *("bus_req_o", "bus_cmd_o"),
)
_IPC_CPUS = (2, 8)
_PORT_CPUS = (2, 4)  # of all units together: with 8 a placement takes an hour


@dataclass(frozen=True)
class Unit:
    """A module, and how it is to be built. `build` tells units of the same module apart."""

    top: str
    params: Callable[[Size], Params]
    build: str = ""
    sizes: tuple[Size | None, ...] = (DEFAULT,)  # None: the unit has no size
    most_priorities: int = _LIMITS[1][1]
    device: str = "25k"
    seeds: int | None = None  # at most; None: as many as are asked for
    outputs: tuple[str, ...] | None = None  # what leaves the chip; None: every output
    wide: bool = False  # LUTs may be joined by multiplexers: larger, faster
    of: Callable[[], Platform] | None = None  # whose files it needs; None: those of rtl/sources.toml

    @property
    def name(self) -> str:
        return f"{self.top}:{self.build}" if self.build else self.top

    def design(self) -> Design:
        if self.of:
            found = verilate.platform_design(self.of())
        else:
            found = Design(self.top, manifest.files(manifest.unit_of(self.top), ()))
        defines = tuple(dict.fromkeys((*found.defines, "SYNTHESIS")))
        return dataclasses.replace(found, top=self.top, defines=defines)


@dataclass(frozen=True)
class Job:
    """A unit at a size."""

    unit: Unit
    size: Size | None

    @property
    def label(self) -> str:
        """For people and for names of folders."""
        name = self.unit.name.replace(":", "-")
        return name if self.size is None else f"{name}-{self.size[0]}x{self.size[1]}"

    def seeds(self, asked: int) -> range:
        """The seeds of its placements: a whole SoC takes minutes, so it gets one."""
        return range(1, min(asked, self.unit.seeds or asked) + 1)

    def params(self) -> Params:
        return self.unit.params(self.size or DEFAULT)


def _sized(**fixed: int | str) -> Callable[[Size], Params]:
    return lambda size: {**fixed, "Threads": size[0], "Priorities": size[1]}


def _fixed(**fixed: int | str) -> Callable[[Size], Params]:
    return lambda size: fixed


def _most_priorities(build: str) -> int:
    return platform.MAX_HYBRID_PRIORITIES if build == "hybrid" else _LIMITS[1][1]


def _queues() -> list[Unit]:
    """The ready queue by itself, with one queue, as the scheduler has it."""
    return [
        Unit("cl_ready_queue", _sized(Build=number, Queues=1), build)
        for number, build in enumerate(platform.READY_QUEUES[:2])
    ] + [
        Unit(
            "cl_ready_queue",
            # The key, a deadline or a priority, has a width of its own.
            lambda size: {
                "Build": 3,
                "Queues": 1,
                "Threads": size[0],
                "Priorities": 1 << 18,
                "Deadlines": "1'b1",
            },
            "sorted",
            sizes=((16, 128), (64, 128)),
        )
    ]


def _hardware_threads() -> list[Unit]:
    """The wrapper with each module of a user in it; the template's shows the cost of the wrapper.

    As in the SoC, the outputs to the simulation harness are left out.
    """
    return [
        Unit("cl_hw_thread", _fixed(Kind=unit.kind), name, sizes=(None,), outputs=_HWT_OUTPUTS)
        for name, unit in hardware_threads.load().items()
        if name != "script"  # is for tests only
    ]


def _communication() -> list[Unit]:
    """The communication port and its units, each at two numbers of processors."""
    tops = ("cl_ipc", *manifest.units()["cl_ipc"].needs[1:])  # the first one is its package
    pipeline = Unit("cl_ipc", _fixed(Cpus=2, Pipeline=1), "pipeline", sizes=(None,), seeds=1)
    return [
        Unit(
            top,
            _fixed(Cpus=cpus),
            f"{cpus}",
            sizes=(None,),
            device="25k" if cpus == 2 else "85k",
            seeds=None if cpus == 2 else 1,  # large, and much the same
        )
        for top in tops
        for cpus in (_PORT_CPUS if top == "cl_ipc" else _IPC_CPUS)
    ] + [pipeline]


def _seen_by_yosys(file: Path) -> Path:
    """A copy below build/: Yosys, as WebAssembly, sees no temporary folder, where the cache may lie."""
    copy = BUILD / "synth" / f"{file.parent.name}{file.suffix}"
    if not copy.exists() and uses.plan() != uses.SOURCES:
        write_atomically(copy, file.read_bytes())
    return copy


def soc(soc: Platform, build: str, kernel: bool = True) -> Unit:
    """A platform, with memory that fits in block RAM; the outputs to the simulation harness are left out.

    kernel: whether the hardware kernel is in it.
    """

    def params(size: Size) -> Params:
        sized = dataclasses.replace(soc.kernel, threads=size[0], priorities=size[1])
        wanted = dict(keys.rtl_parameters(dataclasses.replace(soc, kernel=sized)))
        wanted |= {} if kernel else {"HasKernel": 0}
        local: dict[str, int | str] = {"LocalBytes": 1 << 14} if soc.local_kib else {}
        if soc.backdoor:
            # With its loader, as nothing is left of a processor with an empty ROM.
            rom = _seen_by_yosys(far.build_loader(soc).with_suffix(".hex"))
            local = {"FarBytes": 1 << 14, "RomInitFile": f'"{yosys.relative([rom])}"'}
        return {**wanted, "RamBytes": 1 << 16, **local}

    return Unit(
        _SOC_TOP,
        params,
        build,
        ((soc.kernel.threads, soc.kernel.priorities),),
        most_priorities=_most_priorities(soc.kernel.ready_queue),
        device="45k",
        seeds=1,
        outputs=("uart_tx_o",),
        wide=soc.core in _WIDE_CORES,
        of=lambda: soc,
    )


def _cores() -> list[Unit]:
    """Each core in its adapter: the bound of the clock of a SoC with it."""

    def unit(core: str, build: str, **key: int) -> Unit:
        return Unit(
            "cl_core",
            _fixed(Core=platform.CORES.index(core), **key),
            build,
            sizes=(None,),
            outputs=("cmd_o", "bus_req_o", "bus_late_o", "priv_cmd_o", "priv_req_o"),
            wide=core in _WIDE_CORES,
            of=partial(platform.load, f"smp-{core}"),
        )

    return [
        *(unit(core, core) for core in platform.CORES),
        unit("standard", "standard-banks", LowJitter=1),
    ]


def _kernels() -> list[Unit]:
    """The kernel's builds and policies: one placement, for its area. Without a name: small."""

    def kernel(build: str, sizes: tuple[Size, ...] = ((64, 32),), wide: bool = False, **key: int) -> Unit:
        return Unit("cl_kernel", _sized(**{"Cpus": 2, **key}), build, sizes, seeds=1, wide=wide)

    return [
        kernel("full", Reserve=1, Timeouts=1, Inheritance=1, EventFlags=1),
        kernel("fast", Pipeline=1),
        kernel("fast-wide", wide=True, Pipeline=1),
        kernel("fast-8-cpus", Cpus=8, Pipeline=1),
        kernel("8-cpus", Cpus=8),
        kernel("words", PortWords=4),
        kernel("dwrr", Policy=1),
        kernel("edf", ((16, 32), (64, 32)), Policy=2),
    ]


def _modules() -> list[Unit]:
    """Every unit but the whole SoCs, in the order of the table."""
    return [
        *_queues(),
        *(
            Unit(
                "cl_scheduler",
                _sized(Build=number),
                build,
                most_priorities=_most_priorities(build),
            )
            for number, build in enumerate(platform.READY_QUEUES)
        ),
        Unit("cl_kernel", _sized(Cpus=2), sizes=((64, 32), DEFAULT)),
        *_kernels(),
        *_hardware_threads(),
        Unit("cl_lock_unit", _fixed(Clients=2), sizes=(None,)),
        *_communication(),
        Unit("cl_backdoor", _fixed(), sizes=(None,)),
        Unit("cl_bus", _fixed(Masters=2), sizes=(None,)),
        Unit("cl_bus", _fixed(Masters=2, First=1), "first", sizes=(None,)),
        Unit("cl_first", _fixed(), sizes=(None,)),
        Unit("cl_dcache", _fixed(), sizes=(None,)),
        Unit("cl_debug", _fixed(Harts=2), sizes=(None,)),
        *_cores(),
    ]


def _large() -> list[Unit]:
    """SoCs with 8 processors, without the communication port: with it a placement takes hours."""
    found = soc(platform.load("smp-fast", 8, changes={"bus_pipeline": True}, ipc=False), _LARGE)
    return [dataclasses.replace(found, device="85k")]


def known() -> list[str]:
    """The units' names, in the order of the table: modules, and builds of them. No platform file is read."""
    names = [unit.name for unit in _modules()]
    names += [f"{_SOC_TOP}:{name}" for name in (*platform.names(), _LARGE)]
    return list(dict.fromkeys(each for name in names for each in (name.split(":")[0], name)))


def of_smp() -> list[Job]:
    """[SMP]'s additions to two processors: the kernel, of it the ports once more, the Lock Unit."""
    kernel, lock_unit = (choose([name])[0] for name in ("cl_kernel", "cl_lock_unit"))
    ports = Unit("cl_kernel_port_ops", _fixed())
    return [kernel, Job(ports, None), lock_unit]


def of_platform(found: Platform, names: Sequence[str]) -> list[Job]:
    """The SoC of a platform, or with the name cl_kernel its kernel. A UserError for other names."""
    for name in names:
        if name not in ("cl_kernel", _SOC_TOP):
            raise UserError(f"{name} has no keys of a platform: with --platform name cl_kernel, or no unit")
    size = (found.kernel.threads, found.kernel.priorities)
    params = record.kernels_own(found)
    kernel = Unit("cl_kernel", lambda _: params, found.name, (size,), seeds=1)
    units = {"cl_kernel": kernel, _SOC_TOP: soc(found, found.name)}
    return [Job(units[name], size) for name in names or (_SOC_TOP,)]


def choose(names: Sequence[str], threads: int | None = None, priorities: int | None = None) -> list[Job]:
    """The units with these names (module:build, or module), at their sizes or at the given one.

    A module's name is that of its usual build, or of all builds if it has none. None: all units, and of the
    SoCs those of smp-*.
    Raises UserError for a unit or a size that does not exist, and for the wrong file of a platform that is
    asked for.
    """
    everything = known()
    for name in names:
        if name not in everything:
            raise UserError(f"unknown unit '{name}': {suggest(name, everything)}")
    for what, value, (low, high) in zip(
        ("threads", "priorities"), (threads, priorities), _LIMITS, strict=True
    ):
        if value is not None and not low <= value <= high:
            raise UserError(f"--{what} must be from {low} to {high}, not {value}")

    modules = _modules()
    plain = {unit.name for unit in modules}

    def wanted(top: str, name: str) -> bool:
        return not names or name in names or (top in names and top not in plain)

    units = [unit for unit in modules if wanted(unit.top, unit.name)]
    # Without names one platform of each core: a placement takes minutes, and the others have the same paths.
    usual = [name for name in platform.names() if names or name.startswith("smp-")]
    socs = [name for name in usual if wanted(_SOC_TOP, f"{_SOC_TOP}:{name}")]
    units += [soc(platform.load(name), name) for name in socs]
    units += _large() if wanted(_SOC_TOP, f"{_SOC_TOP}:{_LARGE}") else []
    jobs = []
    for unit in units:
        for size in unit.sizes:
            if size is not None and (threads is not None or priorities is not None):
                size = (threads or DEFAULT[0], priorities or DEFAULT[1])
                if size[1] > unit.most_priorities:
                    raise UserError(
                        f"{unit.name} has at most {unit.most_priorities} priorities, not {size[1]}: "
                        "name the units to measure, or another size"
                    )
            jobs.append(Job(unit, size))
    return list(dict.fromkeys(jobs))
