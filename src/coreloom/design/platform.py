# SPDX-License-Identifier: Apache-2.0
"""Platforms: which SoC is built, read from platforms/NAME.toml."""

from __future__ import annotations

import dataclasses
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coreloom.design import hardware_threads
from coreloom.errors import UserError
from coreloom.paths import PLATFORMS

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

CORES = ("economy", "standard")
INTERCONNECTS = ("smp-bus", "amp", "backdoor")
READY_QUEUES = ("linear", "bitmap", "hybrid")  # in the order of cl_ready_queue_pkg's numbers
POLICIES = ("priority", "dwrr", "partitioned", "edf")  # in the order of cl_sched_pkg's numbers
BUILT_POLICIES = POLICIES  # those that the hardware kernel has
MAX_CPUS = 8
MAX_RAM_MIB = 256
MAX_LOCAL_KIB = 1024
MAX_CLIENTS = 16  # of the kernel: processors and hardware threads
MAX_HYBRID_PRIORITIES = 128  # from 128 on, a scheduling parameter names a hardware thread
LINES = 8  # interrupt lines of cl_soc
LINE_PINS = 4  # of them: lines 0 to 3
CONDITIONS = 32  # condition variables of every kernel
RAM_BASE = 0x4000_0000
LOCAL_BASE = 0x2000_0000  # the local memory of a processor
ROM_BYTES = 16 << 10  # of processor 1 behind a Back-Door: its loader


@dataclass(frozen=True)
class KernelSize:
    """What the hardware kernel holds: numbers of objects of each kind (port_depth in words), its ready queue,
    the hardware threads by their units' names, its scheduling policy, and whether it can reserve CPUs."""

    threads: int = 64
    priorities: int = 32
    ports: int = 32
    port_depth: int = 8
    mutexes: int = 32
    semaphores: int = 32
    ready_queue: str = "bitmap"
    hardware_threads: tuple[str, ...] = ()
    policy: str = "priority"
    reserve: bool = False
    rt_cpus: int = 1  # policy partitioned: real-time CPUs,
    rt_priority: int | None = None  # and the least priority of a real-time thread; None: the upper half


@dataclass(frozen=True)
class IpcSize:
    """What the communication port holds: words of a mailbox, numbers of mutexes and barriers."""

    mailbox_depth: int = 16
    mutexes: int = 16
    barriers: int = 4


@dataclass(frozen=True)
class BackdoorSize:
    """Processor 1 behind the Back-Door: its local memory, each of the two blocks, words of a mailbox."""

    local_kib: int = 256
    block_kib: int = 32
    mail_depth: int = 16

    @property
    def memory_bytes(self) -> int:
        return self.local_kib << 10

    @property
    def block_bytes(self) -> int:
        return self.block_kib << 10


@dataclass(frozen=True)
class Platform:
    """One SoC: everything that its RTL parameters follow from.

    ipc None: it has no communication port. backdoor None: there is no further processor behind a Back-Door;
    cpus never counts that one.
    """

    name: str
    core: str
    cpus: int
    interconnect: str = "smp-bus"
    tick_cycles: int = 1000
    kernel: KernelSize = KernelSize()
    ram_mib: int = 32
    ipc: IpcSize | None = None
    local_kib: int = 0  # local memory of each processor; 0: none
    backdoor: BackdoorSize | None = None

    @property
    def ram_bytes(self) -> int:
        return self.ram_mib << 20

    @property
    def local_bytes(self) -> int:
        return self.local_kib << 10


# Bounds, inclusive: ten id bits of the kernel port bound the objects, eight bits the priorities.
_RANGES = {
    "cpus": (1, MAX_CPUS),
    "tick_cycles": (100, 1_000_000_000),
    "kernel.threads": (2, 1024),
    "kernel.priorities": (2, 256),
    "kernel.ports": (1, 256),
    "kernel.port_depth": (1, 64),
    "kernel.mutexes": (1, 256),
    "kernel.semaphores": (1, 256),
    "memory.ram_mib": (32, MAX_RAM_MIB),
}
_IPC_RANGES = {
    "ipc.mailbox_depth": (2, 256),
    "ipc.mutexes": (1, 64),
    "ipc.barriers": (1, 16),
}
_LOCAL_RANGE = {"memory.local_kib": (16, MAX_LOCAL_KIB)}
_BACKDOOR_RANGES = {
    "backdoor.block_kib": (4, 1024),
    "backdoor.mail_depth": (2, 128),
}
_ALL_RANGES = _RANGES | _IPC_RANGES | _LOCAL_RANGE | _BACKDOOR_RANGES
# Address decoding by bits and packed object numbers: only powers of two.
_POWERS_OF_TWO = (
    "kernel.threads",
    "kernel.priorities",
    "memory.ram_mib",
    "memory.local_kib",
    "ipc.mailbox_depth",
    *_BACKDOOR_RANGES,
)


def names(folder: Path = PLATFORMS) -> list[str]:
    """Names of the platforms that exist, sorted."""
    return sorted(path.stem for path in folder.glob("*.toml"))


def load(name: str, cpus: int | None = None, folder: Path = PLATFORMS) -> Platform:
    """The platform `name`, with `cpus` processors if given.

    Raises UserError for a name that does not exist, a file that is not TOML, and every missing, unknown or
    wrong value in it.
    """
    known = names(folder)
    if name not in known:
        raise UserError(f"unknown platform '{name}': choose one of {', '.join(known) or '(none)'}")
    path = folder / f"{name}.toml"
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise UserError(f"platform file {path.name} cannot be read: {error}") from error
    platform = _parse(data, path.name)
    if platform.name != name:
        raise UserError(f"platform file {path.name}: name is '{platform.name}', make it '{name}'")
    if cpus is not None:
        _check_range("cpus", cpus, f"platform {name}")
        platform = dataclasses.replace(platform, cpus=cpus)
        _check_together(platform, f"platform {name}")
    return platform


def _parse(data: dict[str, Any], where: str) -> Platform:
    flat: dict[str, Any] = {}
    for key, value in data.items():
        if isinstance(value, dict):
            flat.update({f"{key}.{inner}": inner_value for inner, inner_value in value.items()})
        else:
            flat[key] = value
    texts = {
        "name": None,
        "core": CORES,
        "interconnect": INTERCONNECTS,
        "kernel.ready_queue": READY_QUEUES,
    }
    named = flat.pop("kernel.hardware_threads", [])
    policy = flat.pop("kernel.policy", POLICIES[0])
    groups = {key: flat.pop(f"kernel.{key}") for key in ("rt_cpus", "rt_priority") if f"kernel.{key}" in flat}
    reserve = flat.pop("kernel.reserve", False)
    if not isinstance(reserve, bool):
        raise UserError(f"platform file {where}: kernel.reserve must be true or false, not {reserve!r}")
    for key in flat:
        if key not in texts and key not in _ALL_RANGES:
            raise UserError(f"platform file {where}: unknown setting '{key}', remove it")
    amp = flat.get("interconnect") == "amp"
    behind = flat.get("interconnect") == "backdoor"
    ranges = (
        _RANGES
        | (_IPC_RANGES if "ipc" in data else {})
        | (_LOCAL_RANGE if amp or behind else {})
        | (_BACKDOOR_RANGES if behind else {})
    )
    for key in (*texts, *ranges):
        if key not in flat:
            raise UserError(f"platform file {where}: '{key}' is missing")
    for key, choices in texts.items():
        value = flat[key]
        if not isinstance(value, str):
            raise UserError(f"platform file {where}: {key} must be a text, not {value!r}")
        if choices and value not in choices:
            raise UserError(f"platform file {where}: {key} is '{value}', choose one of {', '.join(choices)}")
    if "memory.local_kib" in flat and not (amp or behind):
        raise UserError(
            f"platform file {where}: memory.local_kib is for interconnect = 'amp' or 'backdoor' only, "
            "remove it"
        )
    if "backdoor" in data and not behind:
        raise UserError(f"platform file {where}: [backdoor] is for interconnect = 'backdoor' only, remove it")
    for key in ranges:
        _check_range(key, flat[key], f"platform file {where}")
    sizes = {key.removeprefix("kernel."): value for key, value in flat.items() if key.startswith("kernel.")}
    sizes["hardware_threads"] = _hardware_threads(named, where)
    sizes["policy"] = check_policy(policy, f"platform file {where}: kernel.policy")
    if reserve and sizes["policy"] != "priority":
        raise UserError(
            f"platform file {where}: kernel.reserve is for policy = 'priority' only, not '{sizes['policy']}'"
        )
    sizes["reserve"] = reserve
    for key, value in groups.items():
        if sizes["policy"] != "partitioned":
            raise UserError(
                f"platform file {where}: kernel.{key} is for policy = 'partitioned' only, remove it"
            )
        if isinstance(value, bool) or not isinstance(value, int):
            raise UserError(f"platform file {where}: kernel.{key} must be a whole number, not {value!r}")
    sizes |= groups
    platform = Platform(
        name=flat["name"],
        core=flat["core"],
        cpus=flat["cpus"],
        interconnect=flat["interconnect"],
        tick_cycles=flat["tick_cycles"],
        kernel=KernelSize(**sizes),
        ram_mib=flat["memory.ram_mib"],
        ipc=IpcSize(*(flat[key] for key in _IPC_RANGES)) if "ipc" in data else None,
        local_kib=flat["memory.local_kib"] if amp else 0,
        backdoor=BackdoorSize(*(flat[key] for key in (*_LOCAL_RANGE, *_BACKDOOR_RANGES))) if behind else None,
    )
    _check_together(platform, f"platform file {where}")
    return platform


def check_policy(policy: Any, what: str) -> str:
    """The policy, if the hardware kernel has it."""
    if not isinstance(policy, str):
        raise UserError(f"{what} must be a text, not {policy!r}")
    if policy in POLICIES and policy not in BUILT_POLICIES:
        raise UserError(
            f"{what} is '{policy}', which is not built yet: choose of {', '.join(BUILT_POLICIES)}"
        )
    if policy not in POLICIES:
        raise UserError(f"{what} is '{policy}', choose one of {', '.join(BUILT_POLICIES)}")
    return policy


def _hardware_threads(named: Any, where: str) -> tuple[str, ...]:
    known = hardware_threads.load()
    if not isinstance(named, list):
        raise UserError(
            f"platform file {where}: kernel.hardware_threads must be a list of units, not {named!r}"
        )
    for unit in named:
        if not isinstance(unit, str) or unit not in known:
            raise UserError(
                f"platform file {where}: unknown unit {unit!r} in kernel.hardware_threads: "
                f"choose of {', '.join(known)}"
            )
    return tuple(named)


def _check_together(platform: Platform, where: str) -> None:
    """Hardware threads and the ready queue for them go together, and fit beside the processors; a Back-Door
    has one processor on either side."""
    if platform.backdoor and platform.cpus != 1:
        raise UserError(
            f"{where}: cpus must be 1 with interconnect = 'backdoor', which adds processor 1 by itself, "
            f"not {platform.cpus}"
        )
    kernel = platform.kernel
    if kernel.ready_queue == "hybrid" and not kernel.hardware_threads:
        raise UserError(
            f"{where}: kernel.ready_queue is 'hybrid' without kernel.hardware_threads: "
            "name units there, or choose 'bitmap'"
        )
    if kernel.hardware_threads and kernel.ready_queue != "hybrid":
        raise UserError(f"{where}: kernel.hardware_threads need kernel.ready_queue = 'hybrid'")
    if kernel.hardware_threads and kernel.priorities > MAX_HYBRID_PRIORITIES:
        raise UserError(
            f"{where}: kernel.priorities must be at most {MAX_HYBRID_PRIORITIES} with hardware threads, "
            f"not {kernel.priorities}"
        )
    if kernel.policy == "partitioned" and not 1 <= kernel.rt_cpus <= platform.cpus:
        raise UserError(
            f"{where}: kernel.rt_cpus must be from 1 to cpus = {platform.cpus}, not {kernel.rt_cpus}"
        )
    if not 0 <= (kernel.rt_priority or 0) < kernel.priorities:
        raise UserError(
            f"{where}: kernel.rt_priority must be below kernel.priorities = {kernel.priorities}, "
            f"not {kernel.rt_priority}"
        )
    clients = platform.cpus + len(kernel.hardware_threads)
    if clients > MAX_CLIENTS:
        raise UserError(
            f"{where}: cpus = {platform.cpus} and {len(kernel.hardware_threads)} hardware threads are "
            f"{clients} together, at most {MAX_CLIENTS} fit"
        )


def _check_range(key: str, value: Any, where: str) -> None:
    low, high = _ALL_RANGES[key]
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise UserError(f"{where}: {key} must be a whole number from {low} to {high}, not {value!r}")
    if key in _POWERS_OF_TWO and value & (value - 1):
        raise UserError(f"{where}: {key} must be a power of two, not {value}")
