# SPDX-License-Identifier: Apache-2.0
"""The cost in LUT4 of a platform file's keys: the unit that has a key is built with several values of it.

`coreloom synth --keys` keeps it where design/key_costs.py reads it for the reference page. All other keys
have the values of BASE; a hardware thread brings the ready queue that it needs.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from coreloom.design import keys
from coreloom.design.key import Entry
from coreloom.design.key_costs import Cost
from coreloom.design.keys import READY_QUEUES, BackdoorSize, IpcSize, Platform
from coreloom.jobs.job import Job as Work
from coreloom.jobs.job import whole
from coreloom.jobs.local import Local
from coreloom.synthesis import synth, units
from coreloom.synthesis.units import Job

BASE = Platform("base", "standard", 2, ipc=IpcSize(), backdoor=BackdoorSize())
_FACTOR = 4  # from the base value of a number to the other one

_KERNEL = (
    *("Cpus", "HwThreads", "Threads", "Priorities", "Ports", "PortDepth", "Mutexes", "Semaphores"),
    "Conditions",
    *("Policy", "Reserve", "Timeouts", "Inheritance", "PortWords", "EventFlags", "Monitors", "Pipeline"),
)
# The unit that has the keys of a section, and what its parameters are called in cl_soc.
_UNITS = {
    "": ("cl_kernel:dwrr", {name: name for name in _KERNEL}),
    "kernel": ("cl_kernel:dwrr", {name: name for name in _KERNEL}),
    "ipc": (
        "cl_ipc:2",
        {"Cpus": "Cpus", "MailboxDepth": "MailboxDepth", "CpuMutexes": "Mutexes", "Barriers": "Barriers"},
    ),
    "backdoor": (
        "cl_backdoor",
        {"BlockBytes": "BlockBytes", "MailDepth": "MailDepth", "FarBytes": "MemoryBytes"},
    ),
}
_UNIT = ("sort",)
# Values that do not follow from the type.
_VALUES: dict[str, tuple[Any, ...]] = {
    "cpus": (1, 4),
    "kernel.hardware_threads": (_UNIT,),
}


@dataclass(frozen=True)
class Point:
    """A key with a value, in the unit that has it."""

    entry: Entry
    value: Any
    soc: Platform

    @property
    def job(self) -> Job:
        name, parameters = _UNITS[self.entry.section]
        (unit, *_) = (job.unit for job in units.choose([name]))
        made = keys.rtl_parameters(self.soc)
        params = {parameters[name]: value for name, value in made.items() if name in parameters}
        if self.entry.section in ("", "kernel"):
            params["ReadyQueue"] = READY_QUEUES.index(self.soc.kernel.ready_queue)
        # A folder's name: at most 255 characters, so without those that are 0.
        label = "-".join(f"{name}={value}" for name, value in sorted(params.items()) if value)
        return Job(dataclasses.replace(unit, build=label, params=lambda size: params), None)


def point(name: str, value: Any) -> Point:
    """The key of that name with a value, all others as in BASE."""
    entry = keys.entry(name)
    return Point(entry, value, _set(BASE, entry, value))


def points() -> list[Point]:
    """The measurements: each key at its base value and at others."""
    found = []
    for entry in keys.table():
        if entry.key.area:
            continue
        base = _with(BASE, entry.only) if entry.only and entry.only[0].startswith("kernel") else BASE
        usual = _value(base, entry)
        found += [Point(entry, value, _set(base, entry, value)) for value in (usual, *_others(entry, usual))]
    return found


def lut4(name: str, value: Any) -> Work[int]:
    """The work of synthesising the hardware kernel with a value of the key of that name; its row is LUT4."""
    return _lut4(point(name, value).job, f"synthesise cl_kernel, {name} = {value}")


def _lut4(job: Job, text: str) -> Work[int]:
    return Work(text, whole(lambda: [synth.lut4(job)]))


def measure(
    wanted: Sequence[Point],
    on_start: Callable[[str], None] | None = None,
    on_done: Callable[[], None] | None = None,
) -> list[Cost]:
    """LUT4 of the unit at each point, several at a time; raises UserError as synth.lut4."""
    jobs = [point.job for point in wanted]
    once = {job.label: _lut4(job, f"synthesise {job.unit.top}") for job in jobs}
    counts = dict(zip(once, Local().run([], list(once.values()), on_start, on_done), strict=True))
    return [
        Cost(key=point.entry.place, unit=job.unit.top, value=_shown(point.value), lut4=counts[job.label])
        for point, job in zip(wanted, jobs, strict=True)
    ]


def builds(wanted: Sequence[Point]) -> int:
    """How often `measure` calls on_done."""
    return len({point.job.label for point in wanted})


def _others(entry: Entry, usual: Any) -> tuple[Any, ...]:
    if entry.name in _VALUES:
        return _VALUES[entry.name]
    if entry.key.choices:
        return tuple(choice for choice in entry.key.choices if choice != usual)
    if entry.type is bool:
        return (not usual,)
    return (min(usual * _FACTOR, entry.key.most or usual * _FACTOR),)


def _value(soc: Platform, entry: Entry) -> Any:
    value = getattr(getattr(soc, entry.section) if entry.section else soc, entry.attribute)
    return soc.kernel.priorities // 2 if value is None else value


def _set(soc: Platform, entry: Entry, value: Any) -> Platform:
    if not entry.section:
        return dataclasses.replace(soc, **{entry.attribute: value})
    part = dataclasses.replace(getattr(soc, entry.section), **{entry.attribute: value})
    return dataclasses.replace(soc, **{entry.section: part})


def _with(soc: Platform, only: tuple[str, str]) -> Platform:
    return _set(soc, keys.entry(only[0]), only[1])


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return ", ".join(value) or "none" if isinstance(value, tuple) else str(value)
