# SPDX-License-Identifier: Apache-2.0
"""Proves the assertions in a unit behind the ports, for every access and for every sequence of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from soc.formal import proves

from .harness import IPC

PACKAGES = tuple(IPC / "port" / "rtl" / f"{name}.sv" for name in ("cl_ipc_pkg", "cl_ipc_port_pkg"))


def planted(path: Path, old: str, new: str) -> str:
    """The text of a file with a bug in it."""
    text = path.read_text()
    assert text.count(old) == 1, old
    return text.replace(old, new)


def unit_proves(unit: str, params: Mapping[str, int], old: str = "", new: str = "") -> bool:
    """Whether the properties of cl_<unit> hold, with `old` replaced by `new` in it."""
    path = IPC / unit / "rtl" / f"cl_{unit}.sv"
    values = " ".join(f"-G{name}={value}" for name, value in params.items())
    return proves(f"cl_{unit}", planted(path, old, new) if old else path.read_text(), values, PACKAGES)
