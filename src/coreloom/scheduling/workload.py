# SPDX-License-Identifier: Apache-2.0
"""The input of the scheduling model: threads with their programs, the machine, and the costs of switching."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from coreloom.errors import UserError

MAX_WEIGHT = 1 << 20
MAX_CPUS = 4096
MAX_THREADS = 1_000_000
MAX_US = 1e12  # eleven days
PRIORITIES = 140  # 0 to 99 real time, 120 + nice others; 0 is the most urgent
WEIGHT_NICE_0 = 1024
_MOST_UNTIMED = 1_000_000  # repetitions of steps that take no time
DISTRIBUTIONS = ("fixed", "exponential")
COSTS = Path(__file__).with_name("costs.json")  # written by `coreloom bench policies`

# Linux's weights of nice -20 to 19: a step is a factor of 1.25.
_NICE_WEIGHTS = (
    *(88761, 71755, 56483, 46273, 36291, 29154, 23254, 18705, 14949, 11916),
    *(9548, 7620, 6100, 4904, 3906, 3121, 2501, 1991, 1586, 1277),
    *(1024, 820, 655, 526, 423, 335, 272, 215, 172, 137),
    *(110, 87, 70, 56, 45, 36, 29, 23, 18, 15),
)


def nice_weight(nice: int) -> int:
    """The weight of a nice value, by Linux's table."""
    if not _whole(nice, -20, 19):
        raise UserError(f"nice must be a whole number from -20 to 19, not {nice!r}")
    return _NICE_WEIGHTS[nice + 20]


def _whole(value: Any, low: int, high: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def _check_whole(what: str, value: Any, low: int, high: int) -> None:
    if not _whole(value, low, high):
        raise UserError(f"{what} must be a whole number from {low} to {high}, not {value!r}")


def _check_us(what: str, value: Any, *, least: str = "0", endless: bool = False) -> None:
    """A time: from 0, or above it; infinite only where that has a meaning."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if number and endless and value == math.inf:
        return
    if not number or not 0 <= value <= MAX_US or (least == "above 0" and value == 0):
        raise UserError(f"{what} must be a time from {least} to {MAX_US:g} us, not {value!r}")


def _check_name(what: str, value: Any) -> None:
    if not isinstance(value, str) or not value.strip() or not value.isprintable():
        raise UserError(f"{what} must be a printable text, not {value!r}")


# --- steps -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Compute:
    """Use the CPU for that long; each time between us x (1 - spread) and us x (1 + spread), all alike."""

    us: float
    spread: float = 0.0

    def __post_init__(self) -> None:
        _check_us("compute", self.us, endless=True)
        _check_spread("compute", self.spread)


@dataclass(frozen=True)
class Sleep:
    """Block for that long: fixed (with a spread as in Compute), or exponential with this mean."""

    us: float
    spread: float = 0.0
    dist: str = "fixed"

    def __post_init__(self) -> None:
        _check_us("sleep", self.us)
        _check_spread("sleep", self.spread)
        if self.dist not in DISTRIBUTIONS:
            raise UserError(f"sleep: dist is {self.dist!r}, choose one of {', '.join(DISTRIBUTIONS)}")


@dataclass(frozen=True)
class Lock:
    """Take a lock; wait in order of arrival while another thread has it."""

    name: str

    def __post_init__(self) -> None:
        _check_name("lock", self.name)


@dataclass(frozen=True)
class Unlock:
    """Give a lock to the thread that waits longest for it, or back."""

    name: str

    def __post_init__(self) -> None:
        _check_name("unlock", self.name)


@dataclass(frozen=True)
class Send:
    """Put messages into a port; never waits."""

    port: str
    count: int = 1

    def __post_init__(self) -> None:
        _check_name("send", self.port)
        _check_whole("send: count", self.count, 1, 1_000_000)


@dataclass(frozen=True)
class Receive:
    """Take one message out of a port; wait in order of arrival while there is none."""

    port: str

    def __post_init__(self) -> None:
        _check_name("receive", self.port)


@dataclass(frozen=True)
class Yield:
    """Let others run first."""


@dataclass(frozen=True)
class Exit:
    """End the thread."""


Step = Compute | Sleep | Lock | Unlock | Send | Receive | Yield | Exit


def _check_spread(what: str, spread: Any) -> None:
    if not isinstance(spread, (int, float)) or isinstance(spread, bool) or not 0 <= spread <= 1:
        raise UserError(f"{what}: spread must be a number from 0 to 1, not {spread!r}")


# --- threads -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Thread:
    """One kind of thread; there are `count` of them. Its steps are repeated `times`, None: for ever."""

    name: str
    count: int = 1
    weight: int = WEIGHT_NICE_0
    priority: int = 120
    cpu: int | None = None  # placed there
    realtime: bool = False  # of ARTiS' RT group
    start_us: float = 0.0
    gap_us: float = (
        0.0  # above 0: the first, and each after the one before, comes so much later, exponentially
    )
    steps: tuple[Step, ...] = (Compute(math.inf),)
    times: int | None = None

    def __post_init__(self) -> None:
        _check_name("thread: name", self.name)
        try:
            self._check()
        except UserError as error:
            raise UserError(f"thread '{self.name}': {error}") from None

    def _check(self) -> None:
        _check_whole("count", self.count, 1, MAX_THREADS)
        _check_whole("weight", self.weight, 1, MAX_WEIGHT)
        _check_whole("priority", self.priority, 0, PRIORITIES - 1)
        if self.cpu is not None:
            _check_whole("cpu", self.cpu, 0, MAX_CPUS - 1)
        _check_us("start_us", self.start_us)
        _check_us("gap_us", self.gap_us)
        if self.times is not None:
            _check_whole("times", self.times, 1, 1 << 62)
        if not self.steps:
            raise UserError("there are no steps: leave them out for a thread that computes for ever")
        if any(isinstance(step, Exit) for step in self.steps[:-1]):
            raise UserError("exit must be the last step")
        self._check_locks()
        endless = self.times is None and not isinstance(self.steps[-1], Exit)
        timed = any(isinstance(step, (Compute, Sleep)) and step.us > 0 for step in self.steps)
        if not timed and (endless or (self.times or 1) > _MOST_UNTIMED):
            raise UserError("the steps take no time and never end: add a compute or a sleep")

    def _check_locks(self) -> None:
        held: list[str] = []
        for step in self.steps:
            if isinstance(step, Lock):
                if step.name in held:
                    raise UserError(f"lock '{step.name}' is taken twice")
                held.append(step.name)
            elif isinstance(step, Unlock):
                if step.name not in held:
                    raise UserError(f"unlock of '{step.name}' without its lock")
                held.remove(step.name)
        if held:
            raise UserError(f"lock '{held[0]}' is not unlocked at the end of the steps")

    def names(self) -> Iterator[str]:
        """The name of each of them."""
        return iter([self.name] if self.count == 1 else [f"{self.name}.{n + 1}" for n in range(self.count)])


@dataclass(frozen=True)
class Workload:
    """A set of threads. reserve: (CPU, name of the thread that has it alone), for policy exclusive."""

    name: str
    threads: tuple[Thread, ...]
    reserve: tuple[tuple[int, str], ...] = ()

    def __post_init__(self) -> None:
        _check_name("workload: name", self.name)
        try:
            self._check()
        except UserError as error:
            raise UserError(f"workload '{self.name}': {error}") from None

    @property
    def count(self) -> int:
        """How many threads there are."""
        return sum(thread.count for thread in self.threads)

    def _check(self) -> None:
        if not self.threads:
            raise UserError("there are no threads")
        if self.count > MAX_THREADS:
            raise UserError(f"there are {self.count} threads, at most {MAX_THREADS} fit")
        again = [name for name, times in Counter(thread.name for thread in self.threads).items() if times > 1]
        if again:
            raise UserError(f"two threads are named '{again[0]}'")
        steps = [(thread.name, step) for thread in self.threads for step in thread.steps]
        sent = {step.port for _, step in steps if isinstance(step, Send)}
        received = {step.port for _, step in steps if isinstance(step, Receive)}
        for name, step in steps:
            if isinstance(step, Receive) and step.port not in sent:
                raise UserError(f"thread '{name}': unknown port '{step.port}', no thread sends to it")
            if isinstance(step, Send) and step.port not in received:
                raise UserError(f"thread '{name}': unknown port '{step.port}', no thread receives from it")
        self._check_reserve()

    def _check_reserve(self) -> None:
        by_name = {thread.name: thread for thread in self.threads}
        owners: dict[int, str] = {}
        for cpu, name in self.reserve:
            _check_whole("reserve: cpu", cpu, 0, MAX_CPUS - 1)
            if name not in by_name:
                raise UserError(f"reserve: unknown thread {name!r}: choose one of {', '.join(by_name)}")
            if by_name[name].count > 1:
                raise UserError(
                    f"reserve: there are {by_name[name].count} threads '{name}', only one can own"
                )
            if cpu in owners:
                raise UserError(f"reserve: CPU {cpu} is given to '{owners[cpu]}' and to '{name}'")
            if name in owners.values():
                raise UserError(f"reserve: thread '{name}' is given two CPUs")
            owners[cpu] = name
        for thread in self.threads:
            if thread.cpu is None:
                continue
            owner = owners.get(thread.cpu, thread.name)
            if owner != thread.name:
                raise UserError(
                    f"thread '{thread.name}' is placed on CPU {thread.cpu}, which is reserved for '{owner}'"
                )
            given = next((cpu for cpu, name in owners.items() if name == thread.name), thread.cpu)
            if given != thread.cpu:
                raise UserError(
                    f"thread '{thread.name}' is placed on CPU {thread.cpu}, but given CPU {given}"
                )

    def check(self, machine: Machine) -> None:
        """Raise a UserError unless it fits the machine."""
        for thread in self.threads:
            if thread.cpu is not None and thread.cpu >= machine.cpus:
                raise UserError(
                    f"workload '{self.name}': thread '{thread.name}': there is no CPU {thread.cpu}, "
                    f"the machine has CPUs 0 to {machine.cpus - 1}"
                )
        for cpu, name in self.reserve:
            if cpu >= machine.cpus:
                raise UserError(
                    f"workload '{self.name}': reserve: there is no CPU {cpu} for '{name}', "
                    f"the machine has CPUs 0 to {machine.cpus - 1}"
                )
        if len(self.reserve) > machine.cpus - 1:
            raise UserError(
                f"workload '{self.name}': {len(self.reserve)} CPUs are reserved of {machine.cpus}: "
                "leave one unreserved"
            )


# --- machine -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Costs:
    """Time that a CPU loses: at each switch, by a thread from another CPU, and until its cache is warm."""

    switch_us: float = 0.0
    migrate_us: float = 0.0
    warm_us: float = 0.0

    def __post_init__(self) -> None:
        for name in ("switch_us", "migrate_us", "warm_us"):
            _check_us(f"costs: {name}", getattr(self, name))

    @property
    def ideal(self) -> bool:
        return self == Costs()

    @classmethod
    def measured(cls, path: Path | None = None) -> Costs:
        """The costs that `coreloom bench policies` has measured on the SoC; ideal if it has not run."""
        path = path or COSTS
        try:
            content = json.loads(path.read_text())
            return cls(*(float(content[name]) for name in ("switch_us", "migrate_us", "warm_us")))
        except FileNotFoundError:
            return cls()
        except (ValueError, KeyError, TypeError) as defect:
            raise UserError(
                f"{path.name} is damaged ({defect!r}): run `coreloom bench policies` again"
            ) from None


@dataclass(frozen=True)
class Machine:
    """The CPUs, the policies' tuning, and what switching costs. Times in us.

    The defaults are [DWRR]'s 25 ms for a round slice, and Linux's for cfs at 4 CPUs.
    """

    cpus: int = 4
    tick_us: float = 0.0  # slices end at multiples of it, each CPU's own; 0: exactly
    slice_us: float = 25_000.0  # time slice, of nice 0 where it depends on the weight
    latency_us: float = 18_000.0  # cfs
    granularity_us: float = 2_250.0  # cfs
    balance_us: float = 4_000.0  # how often each CPU evens out the queues, if the policy does
    stay_us: float = 2_000.0  # selective: how long a cache stays warm
    realtime_cpus: int = 1  # artis
    costs: Costs = field(default_factory=Costs)
    latency_threads: int = 0  # cfs: threads that share a latency; 0: as many as the granularity allows

    def __post_init__(self) -> None:
        _check_whole("machine: cpus", self.cpus, 1, MAX_CPUS)
        for name in ("tick_us", "stay_us"):
            _check_us(f"machine: {name}", getattr(self, name))
        for name in ("slice_us", "latency_us", "granularity_us", "balance_us"):
            _check_us(f"machine: {name}", getattr(self, name), least="above 0")
        _check_whole("machine: latency_threads", self.latency_threads, 0, MAX_THREADS)
        _check_whole("machine: realtime_cpus", self.realtime_cpus, 0, MAX_CPUS)
