# SPDX-License-Identifier: Apache-2.0
"""What decides the figures of a deterministic guest, so that an unchanged run need not be repeated."""

from __future__ import annotations

import hashlib
from pathlib import Path

from coreloom.toolchain import debian
from coreloom.vm import kernel as linux_kernel
from coreloom.vm import qemu, vm


def made_of(
    guest: vm.Guest, script: str, *, cpus: int, seed: int, constant_rate: bool = False, kernel: str = "7"
) -> list[str]:
    """For results.once: the machine, the script, and what is in the guest, with digests."""
    rate = constant_rate and _digest(qemu.TURNS)
    machine = f"{cpus} {rate} {seed} {linux_kernel.get(kernel).release} {qemu.get().version}"
    names = [*guest.packages, *guest.programs]
    packages = [folder.name for name in names for folder in debian.packages([name])]
    files = {"init": vm.INIT, "work": vm.WORK, **guest.files}
    return [
        machine,
        script,
        *packages,
        *(f"{place} {_digest(source)}" for place, source in sorted(files.items())),
    ]


def _digest(source: Path | bytes) -> str:
    if isinstance(source, bytes):
        return hashlib.sha256(source).hexdigest()
    inside = sorted(path for path in source.rglob("*") if path.is_file()) if source.is_dir() else [source]
    return " ".join(f"{path.name} {_digest(path.read_bytes())}" for path in inside)
