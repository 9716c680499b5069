# SPDX-License-Identifier: Apache-2.0
"""QEMU: the host's if it is new enough, else Debian's, run from its package without root."""

from __future__ import annotations

import functools
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from coreloom.paths import LINUX
from coreloom.toolchain import debian, native

_EXECUTABLE = "qemu-system-x86_64"
# Preloaded into a deterministic QEMU, and at a constant rate.
STEADY, TURNS = (LINUX / "vm" / "host" / f"{name}.c" for name in ("steady", "turns"))
_LIBRARY = ("-shared", "-fPIC", "-nostdlib", "-s")  # of this host; it needs no other
_LEAST = 10  # older ones are not exact in deterministic mode


@dataclass(frozen=True)
class Qemu:
    command: tuple[str, ...]
    version: str
    environment: dict[str, str] = field(default_factory=dict)


def parse_version(text: str) -> tuple[int, ...]:
    """The version in the first line of `qemu --version`; empty if there is none."""
    found = re.match(r"QEMU emulator version ([\d.]+)", text)
    return tuple(int(part) for part in found.group(1).split(".")) if found else ()


@functools.cache
def get() -> Qemu:
    """The QEMU to use; UserError when Debian's is needed and cannot be fetched."""
    if (own := shutil.which(_EXECUTABLE)) and (version := _version([own])) >= (_LEAST,):
        return Qemu((own,), _text(version))
    root = debian.tree(["qemu-system-x86"])
    folders = [option for name in ("qemu", "seabios") for option in ("-L", str(root / "usr/share" / name))]
    command = debian.program(f"usr/bin/{_EXECUTABLE}", root)
    modules = {"QEMU_MODULE_DIR": str(root / "usr/lib/x86_64-linux-gnu/qemu")}
    return Qemu((*command, *folders), _text(_version(command)), modules)


def _version(command: Sequence[str]) -> tuple[int, ...]:
    said = subprocess.run([*command, "--version"], capture_output=True, text=True, check=False)
    return parse_version(said.stdout)


def _text(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


@dataclass(frozen=True)
class Machine:
    """The guest to boot, and the files that the guest's channels are written to."""

    vmlinux: Path
    initrd: Path
    kernel_log: Path
    output: Path
    result: Path
    cpus: int = 4
    memory_mb: int = 1024
    smt: bool = False
    deterministic: bool = False
    constant_rate: bool = False  # of a deterministic one
    seed: int = 1
    parameters: tuple[str, ...] = ()  # of the kernel's command line


def arguments(machine: Machine) -> list[str]:
    """QEMU's options for a machine."""
    threads = 2 if machine.smt else 1
    topology = f"{machine.cpus},sockets=1,cores={machine.cpus // threads},threads={threads}"
    # tsc=reliable: else some boots stop in a comparison of clocks that TCG cannot win.
    kernel = [
        *("console=ttyS0", "panic=-1", "nokaslr", "mitigations=off", "random.trust_cpu=1"),
        *("quiet", "loglevel=4", "tsc=reliable"),
        *(("norandmaps",) if machine.deterministic else ()),
        *(("idle=poll",) if machine.constant_rate else ()),
        *machine.parameters,
    ]
    if machine.deterministic:
        clock = [
            *("-accel", "tcg,thread=single", "-icount", "shift=0,sleep=off", "-seed", str(machine.seed)),
            *("-rtc", "base=2026-01-01,clock=vm"),
            *("-machine", "q35,sata=off,smbus=off,usb=off,vmport=off,i8042=off"),
        ]
        channels = ["-serial", f"file:{machine.output}", "-serial", f"file:{machine.result}"]
    else:
        clock = ["-accel", "tcg,thread=multi", "-machine", "q35"]
        channels = ["-device", "virtio-serial-pci", *_port("output", machine.output)]
        channels += _port("result", machine.result)
    return [
        *clock,
        *("-cpu", "max,topoext=on" if machine.smt else "max", "-smp", topology, "-m", str(machine.memory_mb)),
        *("-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"),
        *("-kernel", str(machine.vmlinux), "-initrd", str(machine.initrd), "-append", " ".join(kernel)),
        *("-serial", f"file:{machine.kernel_log}"),
        *channels,
    ]


def environment(machine: Machine) -> dict[str, str]:
    """The environment QEMU needs for a machine besides the caller's."""
    own = get().environment
    if not machine.deterministic:
        return own
    sources = [STEADY, TURNS] if machine.constant_rate else [STEADY]
    return {**own, "LD_PRELOAD": ":".join(str(preloaded(source)) for source in sources)}


def preloaded(source: Path) -> Path:
    """The library of STEADY or TURNS."""
    return native.executable(f"{source.stem}.so", [source], _LIBRARY)


def _port(name: str, path: Path) -> list[str]:
    """A channel of the guest that is written to a file."""
    options = (
        "-chardev",
        f"file,id={name},path={path}",
        "-device",
        f"virtserialport,chardev={name},name={name}",
    )
    return list(options)
