# SPDX-License-Identifier: Apache-2.0
"""Debian's kernels for the guest: two with sched_ext, and 6.1 with cgroup v1 cpusets."""

from __future__ import annotations

import io
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from elftools.elf.elffile import ELFFile

from coreloom.errors import UserError, suggest
from coreloom.files import file_lock
from coreloom.toolchain import debian


@dataclass(frozen=True)
class _Source:
    """A package of a suite; the highest version is used."""

    suite: str
    prefix: str  # of its name, before the release
    release: str  # as a pattern
    config: str  # name of the package with the kernel's configuration, from the release


_SEVEN = _Source("trixie-backports", "linux-binary-", r"7\.[\d.]+\+deb13-cloud-amd64", "linux-base-{}")
_SIX_18 = _Source("trixie-backports", "linux-image-", r"6\.18[\d.]*\+deb13-cloud-amd64", "linux-image-{}")
_SIX_1 = _Source("bookworm", "linux-image-", r"6\.1\.0-\d+-cloud-amd64", "linux-image-{}")
# The first of them that its suite has.
CHOICES = {"7": (_SEVEN, _SIX_18), "6.18": (_SIX_18,), "6.1": (_SIX_1,)}
USUAL = ("7", "6.1")


@dataclass(frozen=True)
class Kernel:
    release: str  # as uname -r says
    vmlinux: Path  # an ELF file, which QEMU starts without a boot loader
    config: Path
    modules: tuple[Path, ...]  # what the guest's channels need beyond it, in the order of loading


def get(choice: str = "7") -> Kernel:
    """A kernel of CHOICES, fetched once."""
    if choice not in CHOICES:
        raise UserError(f"unknown guest kernel '{choice}': {suggest(choice, CHOICES)}")
    sources = CHOICES[choice]
    mark = _mark(choice)
    with file_lock(debian.folder() / "kernel.lock"):
        release = chosen(choice)
        if release is None:
            source, release = newest(sources)
        else:
            source = next(source for source in sources if re.fullmatch(source.release, release))
        names = [f"{source.prefix}{release}", source.config.format(release)]
        folders = debian.packages(sorted(set(names)), source.suite, closure=False)
        vmlinux = debian.folder() / "kernels" / release / "vmlinux"
        if not vmlinux.exists():
            vmlinux.parent.mkdir(parents=True, exist_ok=True)
            partial = vmlinux.with_suffix(".partial")
            partial.write_bytes(extract(_find(folders, "vmlinuz", release).read_bytes()))
            partial.replace(vmlinux)
        mark.write_text(release)
        return Kernel(release, vmlinux, _find(folders, "config", release), _modules(folders))


def chosen(choice: str) -> str | None:
    """The fetched release of a choice."""
    mark = _mark(choice)
    return mark.read_text() if mark.exists() else None


def _mark(choice: str) -> Path:
    return debian.folder() / "chosen" / f"kernel-{choice}"


def newest(sources: Sequence[_Source]) -> tuple[_Source, str]:
    """The first available source, and its newest release."""
    for source in sources:
        names = debian.known_names(source.prefix, source.suite)
        found = [
            name.removeprefix(source.prefix)
            for name in names
            if re.fullmatch(source.prefix + source.release, name)
        ]
        if found:
            return source, max(found, key=lambda release: [int(part) for part in re.findall(r"\d+", release)])
    raise UserError(
        f"the mirror has no package {sources[0].prefix}{sources[0].release}: "
        f"set {debian.MIRROR} to another mirror"
    )


_MODULES = (
    "virtio",
    "virtio_ring",
    "virtio_pci_modern_dev",
    "virtio_pci_legacy_dev",
    "virtio_pci",
    "virtio_console",
)


def _modules(folders: list[Path]) -> tuple[Path, ...]:
    """A kernel that has its modules in the same package has no virtio built in."""
    drivers = "lib/modules/*/kernel/drivers/**/virtio*.ko"
    found = {path.stem: path for folder in folders for path in folder.glob(drivers)}
    return tuple(found[name] for name in _MODULES if name in found)


def _find(folders: list[Path], name: str, release: str) -> Path:
    """A file that new packages have next to the modules, old ones in /boot."""
    for folder in folders:
        for path in (folder / f"usr/lib/modules/{release}/{name}", folder / f"boot/{name}-{release}"):
            if path.exists():
                return path
    raise UserError(f"Debian's kernel {release} has no {name}: {debian.again()}")


_UNPACK = {b"\x28\xb5\x2f\xfd": "zstd", b"\x02\x21\x4c\x18": "lz4"}


def extract(image: bytes) -> bytes:
    """The ELF file inside a bzImage."""
    setup_sectors = image[0x1F1] or 4
    offset = int.from_bytes(image[0x248:0x24C], "little") + (setup_sectors + 1) * 512
    length = int.from_bytes(image[0x24C:0x250], "little")
    payload = image[offset : offset + length]
    elf = b""
    for magic, tool in _UNPACK.items():
        if payload.startswith(magic):
            command = debian.program(f"usr/bin/{tool}", debian.tree([tool]))
            # The last word is the length of what is inside, which is not the tool's.
            done = subprocess.run([*command, "-dc"], input=payload[:-4], capture_output=True, check=False)
            elf = done.stdout
    if not elf.startswith(b"\x7fELF"):
        raise UserError(f"the kernel's image cannot be unpacked: {debian.again()}")
    return elf


_IDLE_LOOP = "cpu_idle_poll"  # what an idle CPU does with idle=poll
# Prints where the loop begins and the next symbol, in a guest: the image has no table of symbols.
FIND_IDLE_LOOP = rf"awk '$3 ~ /^{_IDLE_LOOP}(\.|$)/ {{ print $1; getline; print $1 }}' /proc/kallsyms"
_PAUSE, _NOP = b"\xf3\x90", b"\x90\x90"


def without_pause(elf: bytes, found: str) -> bytes:
    """The kernel whose idle CPUs poll without PAUSE; found: what FIND_IDLE_LOOP printed."""
    lines = found.split()
    if len(lines) == 2:
        start, end = (int(line, 16) for line in lines)
        for segment in ELFFile(io.BytesIO(elf)).iter_segments("PT_LOAD"):
            at = start - segment["p_vaddr"]
            if 0 <= at < segment["p_filesz"]:
                loop = elf[segment["p_offset"] + at :][: end - start]
                if loop.count(_PAUSE) == 1:
                    place = segment["p_offset"] + at + loop.index(_PAUSE)
                    return elf[:place] + _NOP + elf[place + len(_PAUSE) :]
    raise UserError(f"a constant rate needs a kernel with one PAUSE in {_IDLE_LOOP}: choose another kernel")
