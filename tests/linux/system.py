"""Makes the program that calls irq.c and systemd.c without the rest of the tool."""

from __future__ import annotations

from pathlib import Path

from coreloom.linux import native
from coreloom.paths import LINUX

_NAMES = ("irq", "systemd", "dbus", "change", "journal", "say", "tasks", "files", "cpus")


def build() -> Path:
    sources = [LINUX / "exclusive" / f"{name}.c" for name in _NAMES]
    return native.static("system_driver", [*sources, Path(__file__).parent / "system_driver.c"])
