"""Proves the assertions in a unit behind the ports, for every access and for every sequence of them."""

from __future__ import annotations

from collections.abc import Mapping

from coreloom import verilate
from soc.formal import proves

from .harness import IPC


def unit_proves(unit: str, params: Mapping[str, int], old: str = "", new: str = "") -> bool:
    """Whether the properties of cl_<unit> hold, with `old` replaced by `new` in it."""
    text = (IPC / unit / "rtl" / f"cl_{unit}.sv").read_text()
    if old:
        assert text.count(old) == 1
        text = text.replace(old, new)
    packages = [path for path in verilate.in_order(IPC / "port" / "rtl") if path.stem.endswith("_pkg")]
    values = " ".join(f"-G{name}={value}" for name, value in params.items())
    return proves(f"cl_{unit}", text, values, packages)
