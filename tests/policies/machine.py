# SPDX-License-Identifier: Apache-2.0
"""Any policy of policies/, driven step by step: a Python face of harness.c, and random runs that check it."""

from __future__ import annotations

import ctypes
import functools
import random
import re
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from coreloom.paths import ROOT
from coreloom.toolchain import zig

POLICIES = ROOT / "policies"
HERE = Path(__file__).parent
FLAGS = [
    *("-std=c11", "-O1", "-g", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-shared", "-fPIC"),
    *("-fsanitize=undefined", "-fsanitize-trap=undefined"),
]
ANY_CPU = -1
_DEFINES = re.compile(r"^const struct cl_policy (cl_\w+) =", re.MULTILINE)


class View(ctypes.Structure):
    """A thread: what its policy keeps of it, and what it has got."""

    _fields_ = (
        *((name, ctypes.c_uint64) for name in ("service", "vtime", "deadline", "key")),
        ("left", ctypes.c_int64),
        *((name, ctypes.c_uint32) for name in ("round", "seen")),
        ("cpu", ctypes.c_int32),
        *((name, ctypes.c_uint8) for name in ("queued", "current", "runnable")),
    )
    service: int
    vtime: int
    deadline: int
    key: int
    left: int
    round: int
    seen: int
    cpu: int
    queued: int
    current: int
    runnable: int


def build(sources: Sequence[Path], *flags: str) -> ctypes.CDLL:
    """A library of C sources, warnings as errors, undefined behaviour a trap."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "library.so"
        command = [
            *zig.cc(),
            *FLAGS,
            *flags,
            f"-I{POLICIES}",
            *map(str, sources),
            "-o",
            str(path),
        ]
        done = subprocess.run(command, capture_output=True, text=True, env=zig.environment(), check=False)
        assert done.returncode == 0, done.stderr
        return ctypes.CDLL(str(path))


@functools.cache
def _library() -> ctypes.CDLL:
    """The harness with every policy there is."""
    sources = sorted(POLICIES.glob("*.c"))
    names = [name for source in sources for name in _DEFINES.findall(source.read_text())]
    known = " ".join(f"POLICY({name})" for name in names)
    library = build([HERE / "harness.c", *sources], f"-DPOLICIES={known}")
    for name in ("now", "moved", "held", "switches", "migrations", "load"):
        getattr(library, f"host_{name}").restype = ctypes.c_uint64
    for name in ("step", "need_resched"):
        getattr(library, f"host_{name}").restype = ctypes.c_bool
    for name in ("new", "shared", "state"):
        getattr(library, f"host_{name}").restype = ctypes.c_void_p
    library.host_error.restype = ctypes.c_char_p
    return library


class Machine:
    """CPUs under one policy, at time 0, without threads. A call fails with what the harness finds wrong."""

    def __init__(
        self,
        policy: str,
        cpus: int = 1,
        *,
        slice: int = 1000,
        latency: int = 0,
        granularity: int = 0,
        warm: int = 0,
        realtime_cpus: int = 0,
        latency_threads: int = 0,
        grain: int = 0,
        threads: int = 64,
    ) -> None:
        self.cpus = cpus
        self.threads = 0
        self.homes: list[int] = []
        self.weights: list[int] = []
        self._room = threads
        self._c = _library()
        tuning = (ctypes.c_uint64 * 6)(slice, latency, granularity, warm, realtime_cpus, latency_threads)
        host = self._c.host_new(policy.encode(), cpus, threads, ctypes.byref(tuning), ctypes.c_uint64(grain))
        assert host is not None, f"no policy {policy}"
        self._host = ctypes.c_void_p(host)

    def __del__(self) -> None:
        if hasattr(self, "_host"):
            self._c.host_free(self._host)

    def _call(self, name: str, *values: object) -> int:
        answer: int = getattr(self._c, f"host_{name}")(self._host, *values)
        error = self._c.host_error(self._host)
        assert not error, error.decode()
        return answer

    # --- what happens

    def thread(
        self, weight: int = 1024, *, priority: int = 120, home: int = ANY_CPU, realtime: bool = False
    ) -> int:
        """A new thread, not runnable yet: its number."""
        assert self.threads < self._room
        self._call("thread", self.threads, weight, priority, home, realtime)
        self.homes.append(home)
        self.weights.append(weight)
        self.threads += 1
        return self.threads - 1

    def start(self, weight: int = 1024, *, priority: int = 120, home: int = ANY_CPU) -> int:
        """A new thread, runnable."""
        thread = self.thread(weight, priority=priority, home=home)
        self.wake(thread)
        return thread

    def home(self, thread: int, cpu: int) -> None:
        """From now on only this CPU may run it, or any."""
        self._call("home", thread, cpu)
        self.homes[thread] = cpu

    def slice(self, slice: int) -> None:
        """Slices that begin from now on are so long."""
        self._call("slice", ctypes.c_uint64(slice))

    def wake(self, thread: int, *, settle: bool = True) -> None:
        """Make it runnable. Without `settle` the CPUs in `need_resched` have not decided again yet."""
        self._call("wake", thread)
        if settle:
            self.settle()

    def block(self, thread: int, *, settle: bool = True) -> None:
        """The thread stops being runnable. Its CPU picks at once, those in `need_resched` with `settle`."""
        self._call("block", thread)
        if settle:
            self.settle()

    def yield_(self, cpu: int, *, settle: bool = True) -> None:
        """The current thread of a CPU gives way."""
        self._call("yield", cpu)
        if settle:
            self.settle()

    def settle(self) -> None:
        """Let the CPUs in `need_resched` decide again."""
        self._call("settle")

    def resched(self, cpu: int) -> None:
        """Have a CPU look."""
        self._call("resched", cpu)
        self.settle()

    def clear_resched(self) -> None:
        """Clear `need_resched` of all CPUs."""
        self._call("clear_resched")

    def step(self, until: int) -> bool:
        """On to the next end of a slice, if it comes by then; else to that time."""
        return bool(self._call("step", ctypes.c_uint64(until)))

    def run(self, until: int) -> None:
        """On to that time."""
        while self.step(until):
            pass

    def balance(self, cpu: int) -> int:
        """Have a CPU balance: how many threads have moved."""
        moved = self._call("balance", cpu)
        self.settle()
        return moved

    def reserve(self, cpu: int, thread: int | None, *, settle: bool = True) -> int:
        """exclusive: 0 or the error number. None gives the CPU back."""
        error = self._call("reserve", cpu, -1 if thread is None else thread)
        if settle:
            self.settle()
        return error

    def own(self, cpu: int, thread: int | None) -> None:
        """Reserve an empty CPU by hand, under a policy that only respects it."""
        self._call("own", cpu, -1 if thread is None else thread)

    # --- what there is

    @property
    def now(self) -> int:
        return self._call("now")

    @property
    def moved(self) -> int:
        return self._call("moved")

    @property
    def held(self) -> int:
        return self._call("held")

    @property
    def switches(self) -> int:
        return self._call("switches")

    @property
    def migrations(self) -> int:
        return self._call("migrations")

    @property
    def need_resched(self) -> set[int]:
        return {cpu for cpu in range(self.cpus) if self._call("need_resched", cpu)}

    def current(self, cpu: int) -> int | None:
        thread = self._call("current", cpu)
        return None if thread < 0 else thread

    @property
    def running(self) -> list[int | None]:
        """The current thread of each CPU."""
        return [self.current(cpu) for cpu in range(self.cpus)]

    def order(self, cpu: int) -> list[int]:
        """The current thread of a CPU, and those it would pick after it, if each blocked at once."""
        order = (ctypes.c_int32 * self._room)()
        return list(order[: self._call("order", cpu, order)])

    def load(self, cpu: int) -> int:
        return self._call("load", cpu)

    def queued(self, cpu: int) -> int:
        return self._call("queued", cpu)

    def view(self, thread: int) -> View:
        view = View()
        self._call("view", thread, ctypes.byref(view))
        return view

    def services(self) -> list[int]:
        """The time that each thread has run."""
        services = (ctypes.c_uint64 * self._room)()
        self._call("services", services)
        return list(services[: self.threads])

    def check(self, *, busy: bool = False) -> None:
        """What every policy must keep: each runnable thread is current or in just one queue, counts and loads
        are right, nobody runs where it may not. busy: no CPU is idle while a thread that it may run waits."""
        self._call("check", busy)


def storm(
    machine: Machine,
    seed: int,
    steps: int,
    *,
    busy: bool = False,
    check: Callable[[Machine], None] | None = None,
    pinned: bool = True,
    weights: Sequence[int] = (1, 15, 335, 1024, 1024, 1024, 9548, 88761, 1 << 20),
    priorities: Sequence[int] = (0, 10, 99, 100, 110, 120, 120, 120, 130, 139),
    threads: int = 24,
) -> None:
    """Random threads that wake, block, yield and run, and CPUs that balance. After every step the
    machine's check, or the one that is given."""
    rng = random.Random(seed)
    for _ in range(threads):
        home = rng.randrange(machine.cpus) if pinned and rng.random() < 0.2 else ANY_CPU
        machine.thread(
            rng.choice(weights), priority=rng.choice(priorities), home=home, realtime=rng.random() < 0.3
        )
    for _ in range(steps):
        what = rng.random()
        thread = rng.randrange(machine.threads)
        if what < 0.25:
            machine.wake(thread)
        elif what < 0.4:
            machine.block(thread)
        elif what < 0.5:
            machine.yield_(rng.randrange(machine.cpus))
        elif what < 0.6:
            machine.balance(rng.randrange(machine.cpus))
        elif what < 0.7:
            machine.run(machine.now + rng.randrange(3000))
        else:
            machine.step(machine.now + rng.randrange(3000))
        if check:
            check(machine)
        else:
            machine.check(busy=busy)
