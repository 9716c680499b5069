# SPDX-License-Identifier: Apache-2.0
"""The keys of a platform file: the one place that names each, bounds it, and says what follows from it.

A key is a field of one of the dataclasses below with a Key. From it follow parsing and checks (platform.py),
the field of the record of parameters of cl_soc (record.py) and the checks of rules between those, the macro
that programs are compiled with, and docs/reference/platforms.md. A new key is one field here, and the RTL
that uses it.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, get_type_hints

from coreloom.design import address_map, hardware_threads
from coreloom.design.key import Entry, Key, Param, Section
from coreloom.design.rules import AtMost, Excludes, Needs, Rule

CORES = ("economy", "standard", "fast")  # in the order of cl_soc_pkg's numbers
INTERCONNECTS = ("smp-bus", "amp", "backdoor")
POLICIES = ("priority", "dwrr", "edf")  # in the order of cl_sched_pkg's numbers
READY_QUEUES = ("linear", "bitmap", "hybrid")  # in the order of cl_ready_queue_pkg's numbers
BUILDS: dict[str, tuple[str, ...]] = {  # of the hardware kernel, with the services of each
    "small": (),
    "full": ("reserve", "timeouts", "inheritance", "events"),
    "fast": (),
    "linear": (),
}
MEMORIES = ("sram", "sdram")  # in the order of cl_soc's Sdram
LOCK_ORDERS = ("lowest", "arrival")  # in the order of cl_lock_unit's Fair
FAULTS = ("program", "thread")
MAX_CLIENTS = 16  # of the kernel: processors and hardware threads
MAX_IPC_CPUS = 8  # bits in its masks of processors (rtl/ipc/port/data/ipc.toml)
MAX_HYBRID_PRIORITIES = 128  # from 128 on, a scheduling parameter names a hardware thread
MAX_RAM_MIB = 256
MAX_LOCAL_KIB = 1024
_KIB, _MIB = 1 << 10, 1 << 20
_TIMING = "none: only the timing of a memory and its controller"
_PROGRAMS = "none: only programs know it"
_IN_ORDER = Needs("core=economy|standard")


@dataclass(frozen=True)
class Service:
    """What the hardware kernel can have besides threads, semaphores, mutexes, conditions and ports."""

    text: str
    rtl: str  # the parameter of cl_soc that is 1 with it
    c: str = ""  # and the macro
    rules: tuple[Needs, ...] = ()


SERVICES = {
    "reserve": Service("CPUs can be reserved", "Reserve", rules=(Needs("kernel.policy=priority"),)),
    "timeouts": Service(
        "it ends waits with a time limit (else the timer's interrupt does)", "Timeouts", "CL_TIMEOUTS"
    ),
    "inheritance": Service(
        "inheritance and ceilings of mutexes (else the runtime sets priorities)",
        "Inheritance", "CL_INHERITANCE", (Needs("kernel.policy=priority"), Needs("kernel.mutexes")),
    ),
    "events": Service(
        "condition variables serve as event flags (else those live in memory)",
        "EventFlags", "CL_EVENT_FLAGS", (Excludes("kernel.build=fast"),),
    ),
    "monitors": Service(
        "unlock, wait for a condition and lock again are one operation (else three, and a ticket)",
        "Monitors", "CL_MONITORS",
        (Needs("kernel.mutexes"), Excludes("kernel.build=fast"), Excludes("kernel.services=inheritance")),
    ),
    "scheduler": Service(
        "[HT]'s scheduler on the shared bus, next to the kernel; it starts hardware threads by a store",
        "Scheduler", "CL_SCHEDULER", (Needs("kernel.hardware_threads"), _IN_ORDER),
    ),
}  # fmt: skip


def _kinds(platform: Platform, units: tuple[str, ...]) -> Param:
    known = hardware_threads.chosen(units, platform.home)
    return sum(known[unit].kind << 4 * n for n, unit in enumerate(units))


def _has(service: str) -> Callable[[Platform, Any], int]:
    return lambda platform, _: int(service in platform.kernel.gates)


# What the key's entry has of all of them; comprehensions in an annotation do not see the module.
_SERVICES_RTL = {service.rtl: _has(name) for name, service in SERVICES.items()}
_SERVICES_C = {service.c: _has(name) for name, service in SERVICES.items() if service.c}
_SERVICES_RULES = tuple(
    dataclasses.replace(rule, value=name) for name, service in SERVICES.items() for rule in service.rules
)


def _inside_of_braces(_: Platform, units: tuple[str, ...]) -> Param:
    return ", ".join(f'"{unit}"' for unit in units)


def _room(c: str, text: str) -> Key:
    return Key(text, 0, MAX_RAM_MIB << 10, unit=_KIB, c=c, section="memory", optional=True, area=_PROGRAMS)


def _data_offset(_: Platform, core: str) -> Param:
    """The fast core's data cache does not see what others write: data are where it does not cache."""
    return address_map.UNCACHED_BASE - address_map.RAM_BASE if core == "fast" else 0


@dataclass(frozen=True)
class KernelSize:
    """Sizes and services of the hardware kernel."""

    threads: Annotated[int, Key("threads", 2, 1024, True, rtl="Threads", c="CL_THREADS")] = 64
    priorities: Annotated[
        int,
        Key(
            "priorities", 2, 256, True, rtl="Priorities", c="CL_PRIORITIES",
            rules=(AtMost(str(MAX_HYBRID_PRIORITIES), when="kernel.hardware_threads"),),
        ),
    ] = 32  # fmt: skip
    ports: Annotated[int, Key("message ports", 1, 256, rtl="Ports", c="CL_PORTS")] = 32
    port_depth: Annotated[int, Key("messages of a port", 1, 64, rtl="PortDepth", c="CL_PORT_DEPTH")] = 8
    mutexes: Annotated[
        int, Key("mutexes; those beyond live in memory", 0, 256, rtl="Mutexes", c="CL_MUTEXES")
    ] = 32
    semaphores: Annotated[
        int, Key("semaphores; those beyond live in memory", 0, 256, rtl="Semaphores", c="CL_SEMAPHORES")
    ] = 32
    conditions: Annotated[
        int,
        Key(
            "condition variables, the last of them for waits in memory: with 1 all others live in memory",
            1, 256, rtl="Conditions", c="CL_CONDITIONS", optional=True, area="`coreloom bench placement`",
        ),
    ] = 32  # fmt: skip
    hardware_threads: Annotated[
        tuple[str, ...],
        Key(
            "hardware threads, by their units' names: from rtl/hwt/data/units.toml, or units/NAME.sv "
            "next to the file",
            rtl={"HwThreads": lambda _, units: len(units), "HwKinds": _kinds}, optional=True,
            c={"CL_HW_THREADS": lambda _, units: len(units), "CL_HW_NAMES": _inside_of_braces},
            rules=(Excludes("kernel.build=linear"),),
        ),
    ] = ()  # fmt: skip
    policy: Annotated[str, Key("scheduling policy", choices=POLICIES, rtl="Policy", optional=True)] = (
        "priority"
    )
    build: Annotated[
        str,
        Key(
            "small: the fewest gates; full: with the services reserve, timeouts, inheritance and events; "
            "fast: more cycles an operation, and an access to the communication port, at a higher clock; "
            "linear: [HT]'s first ready queue, in one cycle a thread",
            choices=tuple(BUILDS), optional=True,
            area="cl_kernel, cl_kernel:full, cl_kernel:fast of `coreloom synth`",
            rtl={
                "Pipeline": lambda _, build: int(build == "fast"),
                "LinearQueue": lambda _, build: int(build == "linear"),
            },
            rules=(Needs("kernel.policy=priority", "fast"),),
        ),
    ] = "small"  # fmt: skip
    services: Annotated[
        tuple[str, ...],
        Key(
            "services in gates besides those of the build: [what each is](#services)",
            choices=tuple(SERVICES), optional=True, area="`coreloom bench placement`",
            rtl=_SERVICES_RTL, c=_SERVICES_C, rules=_SERVICES_RULES,
        ),
    ] = ()  # fmt: skip
    port_words: Annotated[
        int,
        Key(
            "words of a port's message after its first; a block of at most that many travels in them, "
            "without the pool of messages",
            0, 8, rtl="PortWords", c="CL_PORT_WORDS", optional=True, area="`coreloom synth cl_kernel:words`",
        ),
    ] = 0  # fmt: skip

    @property
    def ready_queue(self) -> str:
        """Its build in the hardware kernel, of READY_QUEUES."""
        return "hybrid" if self.hardware_threads else "linear" if self.build == "linear" else "bitmap"

    @property
    def gates(self) -> tuple[str, ...]:
        """The services that it has, of its build and besides."""
        return tuple(name for name in SERVICES if name in (*BUILDS[self.build], *self.services))


@dataclass(frozen=True)
class IpcSize:
    """Units of the communication port."""

    mailbox_depth: Annotated[
        int, Key("words of a mailbox", 2, 256, True, rtl="MailboxDepth", c="CL_MAILBOX_DEPTH")
    ] = 16
    mutexes: Annotated[int, Key("mutexes", 1, 64, rtl="CpuMutexes", c="CL_CPU_MUTEXES")] = 16
    barriers: Annotated[int, Key("barriers", 1, 16, rtl="Barriers", c="CL_BARRIERS")] = 4


@dataclass(frozen=True)
class DcacheSize:
    """The data cache of each processor."""

    kib: Annotated[
        int,
        Key(
            "size of each processor's data cache", 1, 64, True, unit=_KIB, rtl="CacheBytes",
            area="none: block RAM; of the cache: cl_dcache of `coreloom synth`",
        ),
    ] = 4  # fmt: skip
    line_words: Annotated[
        int,
        Key(
            "words of a line, which a miss brings", 1, 8, True, rtl="CacheLineWords", optional=True,
            area="a counter and a comparison",
        ),
    ] = 1  # fmt: skip


@dataclass(frozen=True)
class BackdoorSize:
    """Processor 1 behind the Back-Door."""

    local_kib: Annotated[
        int,
        Key(
            "local memory of processor 1", 16, MAX_LOCAL_KIB, True, unit=_KIB, section="memory",
            rtl="FarBytes", c="CL_BACKDOOR_MEMORY_BYTES",
        ),
    ] = 256  # fmt: skip
    block_kib: Annotated[
        int,
        Key(
            "each of the two blocks", 4, 1024, True, unit=_KIB, rtl="BlockBytes", c="CL_BACKDOOR_BLOCK_BYTES"
        ),
    ] = 32
    mail_depth: Annotated[
        int, Key("words of a mailbox", 2, 128, True, rtl="MailDepth", c="CL_BACKDOOR_MAIL_DEPTH")
    ] = 16

    @property
    def memory_bytes(self) -> int:
        return self.local_kib * _KIB

    @property
    def block_bytes(self) -> int:
        return self.block_kib * _KIB


@dataclass(frozen=True)
class Platform:
    """One SoC: everything that its RTL parameters follow from.

    ipc None: it has no communication port. backdoor None: there is no further processor behind a Back-Door;
    cpus never counts that one.
    """

    name: str  # of the file, without .toml
    core: Annotated[
        str,
        Key(
            "economy: PicoRV32, standard: Ibex, fast: VexRiscv", choices=CORES, rtl="Core",
            rules=(Needs("interconnect=smp-bus", "fast"),),
            c={"CL_CORE_*": lambda *_: 1, "CL_DATA_OFFSET": _data_offset},
            area="the core's: whole platforms in results/synth.md",
        ),
    ]  # fmt: skip
    cpus: Annotated[
        int,
        Key(
            "processors", 1, MAX_CLIENTS, rtl="Cpus", c="CL_CPUS",
            rules=(
                AtMost(str(MAX_IPC_CPUS), when="[ipc]"),
                AtMost(str(MAX_CLIENTS), plus="kernel.hardware_threads"),
            ),
        ),
    ]  # fmt: skip
    interconnect: Annotated[
        str,
        Key(
            "amp: with local memories; backdoor: processor 1 behind a Back-Door", choices=INTERCONNECTS,
            c={"CL_AMP": lambda _, value: int(value == "amp")}, area="its units'",
            rules=(Needs("cpus=1", "backdoor", "it adds processor 1 by itself"),),
        ),
    ] = "smp-bus"  # fmt: skip
    clock_hz: Annotated[
        int,
        Key(
            "nominal frequency of the processors: what the clocks of programs count by", 1, 10**9,
            c="CL_CLOCK_HZ", optional=True, area=_PROGRAMS,
        ),
    ] = 10_000_000  # fmt: skip
    fault: Annotated[
        str,
        Key(
            "what a fault of a thread ends: the program, or the thread alone, which pthread_join tells",
            choices=FAULTS, c="CL_FAULT_ENDS_THREAD", optional=True, area=_PROGRAMS,
        ),
    ] = "program"  # fmt: skip
    lock_order: Annotated[
        str,
        Key(
            "which CPU the Lock Unit serves next: the first to ask, or the lowest as in [SMP], where others "
            "may wait for ever",
            choices=LOCK_ORDERS, rtl="LockFair", optional=True,
            area="lowest has no ages: n (n - 1) flip-flops less",
        ),
    ] = "arrival"  # fmt: skip
    low_jitter: Annotated[
        bool,
        Key(
            "for a short time from interrupt to thread, always the same: a second bank of registers (core "
            f"standard), {address_map.CONTEXT_BYTES >> 10} KiB of local memory for the code of traps, "
            "CL_LOCAL_CODE and CL_LOCAL_DATA, the bus to the interrupted processor first",
            rtl="LowJitter", optional=True,
            area="`coreloom synth cl_core:standard cl_core:standard-banks cl_bus:first cl_first`",
            c={
                "CL_REGISTER_BANKS": lambda platform, _: platform.register_banks,
                "CL_CONTEXT_BYTES": lambda platform, _: platform.context_kib << 10,
            },
            rules=(
                _IN_ORDER, Needs("interconnect=smp-bus"), Excludes("memory.model=sdram"),
                Excludes("kernel.services=scheduler"),
            ),
        ),
    ] = False  # fmt: skip
    bus_pipeline: Annotated[
        bool,
        Key(
            "a register between each processor and the shared bus: an access takes a cycle more, at a higher "
            "clock with many processors",
            rtl="BusPipeline", optional=True, area="for each processor some 80 flip-flops",
            rules=(Needs("core=fast"), Excludes("memory.model=sdram"), Excludes("kernel.hardware_threads")),
        ),
    ] = False  # fmt: skip
    kernel: KernelSize = KernelSize()
    ram_mib: Annotated[
        int,
        Key(
            "shared memory", 32, MAX_RAM_MIB, True, unit=_MIB, rtl="RamBytes", c="CL_RAM_BYTES",
            section="memory", area="none: memory",
        ),
    ] = 32  # fmt: skip
    stack_kib: Annotated[int, _room("CL_STACK_BYTES", "stack of main; 0: a quarter of the memory")] = 0
    thread_stack_kib: Annotated[int, _room("CL_THREAD_STACK_BYTES", "stack of a thread; 0: 64 KiB")] = 0
    heap_kib: Annotated[int, _room("CL_HEAP_BYTES", "memory for malloc; 0: all that is left")] = 0
    model: Annotated[
        str,
        Key(
            "sram: the shared memory answers in the next cycle; sdram: as a Micron MT48LC16M16A2-75 at 50 "
            "MHz, in 5 cycles in an open row, else in 7",
            choices=MEMORIES, rtl="Sdram", section="memory", optional=True, area=_TIMING,
        ),
    ] = "sram"  # fmt: skip
    ipc: IpcSize | None = None
    dcache: DcacheSize | None = None
    local_kib: Annotated[
        int,
        Key(
            "local memory of each processor", 16, MAX_LOCAL_KIB, True, unit=_KIB, section="memory",
            rtl="LocalBytes", c="CL_LOCAL_MEMORY_BYTES", only=("interconnect", "amp"),
            area="none: block RAM",
        ),
    ] = 0  # fmt: skip
    backdoor: BackdoorSize | None = None
    home: Path | None = None  # where a file of the user's lies; units/ and policies/ are next to it

    @property
    def ram_bytes(self) -> int:
        return self.ram_mib * _MIB

    @property
    def register_banks(self) -> int:
        """Of each processor: a preempted thread's registers are stored while it goes on with the other."""
        return 2 if self.low_jitter and self.core == "standard" else 1

    @property
    def context_kib(self) -> int:
        """A local memory of each processor for the code of traps and switches."""
        return address_map.CONTEXT_BYTES // _KIB if self.low_jitter else 0

    @property
    def experimental(self) -> tuple[str, ...]:
        """Services chosen one by one; what is proved and measured whole are the builds of the kernel."""
        return tuple(name for name in self.kernel.services if name not in BUILDS[self.kernel.build])

    @property
    def local_bytes(self) -> int:
        return (self.local_kib + self.context_kib) * _KIB


SECTIONS = {
    "": Section("Platform", Platform),
    "kernel": Section("[kernel]: the hardware kernel", KernelSize),
    "ipc": Section(
        "[ipc]: the communication port; left out: no port",
        IpcSize, {"Ipc": 1}, "CL_IPC", needed=False,
    ),
    "dcache": Section(
        "[dcache]: a data cache in each processor; left out: no cache", DcacheSize, needed=False,
        rules=(_IN_ORDER, Excludes("kernel.services=scheduler")),
    ),
    "backdoor": Section(
        "[backdoor]: processor 1 behind a Back-Door",
        BackdoorSize, {"BackDoor": 1, "RomBytes": address_map.ROM_BYTES}, "CL_BACKDOOR",
        only=("interconnect", "backdoor"),
    ),
}  # fmt: skip


@functools.cache
def table() -> tuple[Entry, ...]:
    """Every key, in the order of the file's sections."""
    entries = []
    for name, section in SECTIONS.items():
        hints = get_type_hints(section.made, include_extras=True)
        for field in dataclasses.fields(section.made):
            for key in getattr(hints[field.name], "__metadata__", ()):
                kind = hints[field.name].__origin__
                kind = next(iter(getattr(kind, "__args__", ())), kind) if kind == int | None else kind
                only = key.only or section.only
                entries.append(Entry(name, field.name, kind, field.default, key, only))
    return tuple(entries)


def entry(name: str) -> Entry:
    """The key of a name."""
    return next(entry for entry in table() if entry.name == name)


def rules() -> Iterable[tuple[str, Rule]]:
    """Every rule between keys, with the key that it stands at."""
    for entry in table():
        yield from ((entry.name, rule) for rule in entry.key.rules)
    for name, section in SECTIONS.items():
        yield from ((f"[{name}]", rule) for rule in section.rules)


def parameters() -> dict[str, str]:
    """The parameter of cl_soc of each key, and of a key with one value that has its own (`key=value`); of a
    section that which says that it is there.
    """
    names: dict[str, str] = {}
    for entry in table():
        made = entry.key.rtl
        names[entry.name] = own = made if isinstance(made, str) else next(iter(made))
        names.setdefault(f"[{entry.section}]", next(iter(SECTIONS[entry.section].rtl), own))
    names |= {f"kernel.services={name}": service.rtl for name, service in SERVICES.items()}
    return names | {"kernel.build=fast": "Pipeline", "kernel.build=linear": "LinearQueue"}


def bits() -> set[str]:
    """The parameters that are 0 or 1."""
    of_keys = {entry.key.rtl for entry in table() if entry.type is bool or len(entry.key.choices) == 2}
    of_sections = {next(iter(section.rtl)) for section in SECTIONS.values() if section.rtl}
    of_values = {name for key, name in parameters().items() if "=" in key}
    return of_sections | of_values | {name for name in of_keys if isinstance(name, str)}


def values(platform: Platform) -> dict[str, Any]:
    """What rules look at: the value of each key, and whether each section is there."""
    parts = _parts(platform)
    own = {e.name: getattr(part, e.attribute) for e in table() if (part := parts[e.section]) is not None}
    own["kernel.services"] = platform.kernel.gates
    return {**own, **{f"[{name}]": part is not None for name, part in parts.items() if name}}


def _parts(platform: Platform) -> dict[str, Any]:
    return {name: getattr(platform, name) if name else platform for name in SECTIONS}


def rtl_parameters(platform: Platform) -> dict[str, Param]:
    """The parameters of cl_soc for a platform."""
    parts = _parts(platform)
    made: dict[str, Param] = {}
    for name, section in SECTIONS.items():
        made |= section.rtl if parts[name] is not None else {}
    for entry in table():
        if (part := parts[entry.section]) is not None:
            made |= entry.made(entry.key.rtl, platform, getattr(part, entry.attribute))
    return made


def macros(platform: Platform) -> dict[str, Param]:
    """Macros that describe the platform to programs; 0 for what it lacks."""
    parts = _parts(platform)
    made: dict[str, Param] = {"CL_LINES": address_map.LINES}
    made |= {section.c: int(parts[name] is not None) for name, section in SECTIONS.items() if section.c}
    for entry in table():
        part = parts[entry.section]
        if part is not None:
            made |= entry.made(entry.key.c, platform, getattr(part, entry.attribute))
        elif isinstance(entry.key.c, str) and entry.key.c:
            made[entry.key.c] = 0
    return made
