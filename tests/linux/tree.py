# SPDX-License-Identifier: Apache-2.0
"""A tree of /proc, /sys and /run files, as a machine would show them, below a folder."""

from __future__ import annotations

import fcntl
import os
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

BOOT = "01234567-89ab-cdef-0123-456789abcdef"
_F_OFD_SETLK = 37  # Linux: a lock of the open file, not of the process
_KTHREAD, _NO_SETAFFINITY = 0x00200000, 0x04000000


@dataclass(frozen=True)
class Task:
    pid: int
    name: str
    cpu: int
    allowed: str
    tid: int = 0  # of a thread that is not its process's first
    kernel: bool = False
    fixed: bool = False
    born: int = 500
    used: int = 0
    parent: int = 1
    voluntary: int = 0
    involuntary: int = 0
    schedstat: str = "0 0 0"
    group: str = "/"


@dataclass
class Machine:
    """Counters of a CPU are since boot, `uptime_s` ago; when nothing is sampled, 1 s of 100 is 1 %."""

    root: Path
    cpus: int = 4
    siblings: Mapping[int, str] = field(default_factory=dict)
    caches: Mapping[int, str] = field(default_factory=dict)
    tasks: Sequence[Task] = ()
    wait_s: Mapping[int, float] = field(default_factory=dict)
    busy_s: Mapping[int, float] = field(default_factory=dict)
    irqs: Mapping[int, str] = field(default_factory=dict)  # number: effective CPUs
    uptime_s: int = 100
    marks: dict[str, int] = field(default_factory=dict)  # open files whose locks say who lives

    def write(self, path: str, text: str) -> None:
        real = self.root / path.lstrip("/")
        real.parent.mkdir(parents=True, exist_ok=True)
        real.write_text(text)

    def layer(
        self,
        tool: int,
        cpus: str,
        command: str,
        *entries: str,
        alive: bool = True,
        mechanism: str = "isolated",
    ) -> None:
        """A reservation; `alive`: its tool and its watcher live, as their locks tell."""
        self.write("/proc/sys/kernel/random/boot_id", f"{BOOT}\n")
        lines = [f"coreloom-exclusive 3\t{BOOT}\t{tool}\t500\t{cpus}\t{command}"]
        lines += [f"note\tmechanism\t{mechanism}"] * (mechanism != "")
        path = f"/run/coreloom-exclusive/{tool}.layer"
        self.write(path, "".join(f"{line}\n" for line in (*lines, *entries)))
        self.mark(path, *((0, 1) if alive else ()))

    def mark(self, path: str, *bytes_of: int) -> None:
        """Locks these bytes of a file, and no others: 0 as its tool does, 1 as its watcher."""
        if path in self.marks:
            os.close(self.marks.pop(path))
        if bytes_of:
            self.marks[path] = os.open(self.root / path.lstrip("/"), os.O_RDWR | os.O_CLOEXEC)
        for byte in bytes_of:
            lock = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, byte, 1, 0)
            fcntl.fcntl(self.marks[path], _F_OFD_SETLK, lock)

    def end(self) -> None:
        """Takes back all marks."""
        for path in tuple(self.marks):
            self.mark(path)

    def baseline(self, held: str, *known: str, taken: int = 400) -> None:
        """What the machine was; a task that is not listed and is older than `taken` had every CPU."""
        self.write("/proc/sys/kernel/random/boot_id", f"{BOOT}\n")
        lines = [f"coreloom-baseline 2\t{BOOT}\t{taken}\t-", f"held\t{held}", *known]
        self.write("/run/coreloom-exclusive/baseline", "".join(f"{line}\n" for line in lines))

    def remove(self, path: str) -> None:
        (self.root / path.lstrip("/")).unlink()

    def make(self) -> Path:
        cpu = "/sys/devices/system/cpu"
        self.write(f"{cpu}/online", f"0-{self.cpus - 1}\n" if self.cpus > 1 else "0\n")
        self.write("/proc/uptime", f"{self.uptime_s}.00 200.00\n")
        for at, text in self.siblings.items():
            self.write(f"{cpu}/cpu{at}/topology/thread_siblings_list", f"{text}\n")
        for at, text in self.caches.items():
            self.write(f"{cpu}/cpu{at}/cache/index3/shared_cpu_list", f"{text}\n")
        for irq, text in self.irqs.items():
            self.write(f"/proc/irq/{irq}/effective_affinity_list", f"{text}\n")
        self.write("/proc/stat", self.stat())
        self.write("/proc/schedstat", self.schedstat())
        for task in self.tasks:
            self.task(task)
        return self.root

    def stat(self) -> str:
        lines = ["cpu  0 0 0 0 0 0 0 0 0 0\n"]
        for cpu in range(self.cpus):
            ticks = round(self.busy_s.get(cpu, 0) * 100)
            lines.append(f"cpu{cpu} {ticks} 0 0 {self.uptime_s * 100 - ticks - 7} 7 0 0 5 0 0\n")
        return "".join([*lines, "intr 0\nctxt 0\n"])

    def schedstat(self) -> str:
        lines = ["version 17\ntimestamp 4294892296\n"]
        for cpu in range(self.cpus):
            lines.append(f"cpu{cpu} 0 0 5 5 5 5 1 {round(self.wait_s.get(cpu, 0) * 1e9)} 40\n")
            lines.append("domain0 MC 3 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24\n")
        return "".join(lines)

    def task(self, task: Task) -> None:
        tid = task.tid or task.pid
        flags = (_KTHREAD if task.kernel else 0) | (_NO_SETAFFINITY if task.fixed else 0)
        values = ["0"] * 52
        values[3], values[8] = str(task.parent), str(flags)
        values[13], values[21], values[38] = str(task.used), str(task.born), str(task.cpu)
        stat = f"{tid} ({task.name}) S {' '.join(values[3:])}\n"
        status = (
            f"Name:\t{task.name}\nTgid:\t{task.pid}\nPid:\t{tid}\nCpus_allowed_list:\t{task.allowed}\n"
            f"voluntary_ctxt_switches:\t{task.voluntary}\nnonvoluntary_ctxt_switches:\t{task.involuntary}\n"
        )
        # as in a real /proc, a thread can be opened by its tid, but only processes have a folder `task`
        for folder in (f"/proc/{tid}", f"/proc/{task.pid}/task/{tid}"):
            self.write(f"{folder}/stat", stat)
            self.write(f"{folder}/status", status)
            self.write(f"{folder}/schedstat", f"{task.schedstat}\n")
            self.write(f"{folder}/cgroup", f"0::{task.group}\n")
