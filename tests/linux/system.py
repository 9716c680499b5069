"""Makes the program that calls irq.c and systemd.c without the rest of the tool."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

from coreloom.linux import native
from coreloom.paths import LINUX
from linux.tree import Machine, Task

_NAMES = ("irq", "systemd", "dbus", "change", "journal", "undo", "say", "tasks", "files", "cpus")


def build() -> Path:
    sources = [LINUX / "exclusive" / f"{name}.c" for name in _NAMES]
    return native.static("system_driver", [*sources, Path(__file__).parent / "system_driver.c"])


@contextlib.contextmanager
def machine_of(tasks: list[Task]) -> Iterator[Machine]:
    """A tree with these tasks at a short path, as the address of a socket has room for 107 characters."""
    with tempfile.TemporaryDirectory(prefix="cl-") as name:
        machine = Machine(Path(name), tasks=tasks)
        machine.make()
        machine.write("/proc/sys/kernel/random/boot_id", "c0de100d-c0de-100d-c0de-100dc0de100d\n")
        yield machine
