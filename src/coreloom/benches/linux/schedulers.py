# SPDX-License-Identifier: Apache-2.0
"""The schedulers of `coreloom bench linux`: the kernel's own, ours, and others of sched_ext."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from coreloom.errors import UserError
from coreloom.programs import bpf

EEVDF, DWRR = "eevdf", "scx_dwrr"
# [DWRR]'s settings: its three granularities of CFS as base slices, and its round slice (name -> ns, us).
BASE_SLICES = {f"{EEVDF}-{ms:g}ms": round(1e6 * ms) for ms in (0.75, 0.5, 0.25)}
ROUND_SLICE = {f"{DWRR}-25ms": 25_000}
SETTINGS = (*BASE_SLICES, *ROUND_SLICE)
OWN = (EEVDF, DWRR, *SETTINGS)  # these must come through
PEERS = ("scx_flash", "scx_bpfland", "scx_rusty", "scx_rlfifo")


@dataclass(frozen=True)
class Scheduler:
    """What is loaded in the guest; command: none for the kernel's own. before: what is set first."""

    name: str
    command: str = ""
    before: str = ""
    files: Mapping[str, Path | bytes] = field(default_factory=dict)


def find(name: str) -> Path | None:
    """An installed executable, for example by `cargo install`."""
    places = f"{os.environ.get('PATH', os.defpath)}{os.pathsep}{Path.home() / '.cargo' / 'bin'}"
    found = shutil.which(name, path=places)
    return Path(found) if found else None


def known(names: Sequence[str] | None) -> tuple[list[str], list[str]]:
    """The schedulers to measure and those not found; names: those requested, which must be installed."""
    if names is None:
        there = [name for name in PEERS if find(name)]
        return [EEVDF, DWRR, *there, *SETTINGS], [name for name in PEERS if name not in there]
    for name in names:
        if name not in OWN and (not re.fullmatch(r"scx_\w+", name) or find(name) is None):
            raise UserError(
                f"unknown scheduler '{name}': choose {', '.join(OWN)} or one in PATH or ~/.cargo/bin "
                f"(such as by `cargo install {PEERS[0]}`)"
            )
    return list(dict.fromkeys(names)), []


def scheduler(name: str) -> Scheduler:
    """One of `known`, ready for the guest."""
    if name == EEVDF:
        return Scheduler(name)
    if name in BASE_SLICES:
        return Scheduler(name, before=f"echo {BASE_SLICES[name]} >/sys/kernel/debug/sched/base_slice_ns")
    if name == DWRR or name in ROUND_SLICE:
        command = f"{DWRR} --slice-us {ROUND_SLICE[name]}" if name in ROUND_SLICE else DWRR
        return Scheduler(name, command, files={f"/usr/bin/{DWRR}": bpf.program(DWRR)})
    path = find(name)
    assert path is not None
    # Beside the guest's own libraries, which may be of another release.
    place = f"/peer/{name}"
    files: dict[str, Path | bytes] = {f"{place}/{name}": path}
    files |= {f"{place}/lib/{library.name}": library for library in _libraries(path)}
    loader = next((file for file in files if Path(file).name.startswith("ld-linux")), None)
    command = f"{place}/{name}" if loader is None else f"{loader} --library-path {place}/lib {place}/{name}"
    return Scheduler(name, command, files=files)


def _libraries(path: Path) -> list[Path]:
    listed = subprocess.run(["ldd", str(path)], capture_output=True, text=True, check=False).stdout
    return [Path(found) for found in re.findall(r"(/\S+) \(0x", listed)]


def version(name: str) -> str:
    """The version of a peer."""
    said = subprocess.run([str(find(name)), "--version"], capture_output=True, text=True, check=False).stdout
    return said.strip().removeprefix(name).strip() or "unknown"
