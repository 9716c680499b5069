# SPDX-License-Identifier: Apache-2.0
"""The communication port's data file: operations, errors and word layouts (rtl/ipc/port/data/ipc.toml)."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import lru_cache

from coreloom.design.kernel_spec import Field, layout
from coreloom.paths import RTL

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SOURCE = RTL / "ipc" / "port" / "data" / "ipc.toml"
LAYOUTS = (
    "address", "word", "state_word", "wires_word", "wire_index", "enable_word", "mutex_value",
    "mutex_register", "members_word",
)  # fmt: skip


@dataclass(frozen=True)
class Operation:
    """One operation of the communication port. `waits`: it takes as long as its patience allows."""

    name: str
    code: int
    text: str
    kind: str = "load"  # load, store or both
    index: str | None = None
    waits: bool = False


@dataclass(frozen=True)
class Spec:
    """The whole data file, checked. errors: name -> (code, text)."""

    ops: dict[str, Operation]
    errors: dict[str, tuple[int, str]]
    layouts: dict[str, dict[str, Field]]
    limits: dict[str, int]


@lru_cache(maxsize=1)
def load() -> Spec:
    """Read the data file. A defect in it (double code, code out of range) is an AssertionError."""
    raw = tomllib.loads(SOURCE.read_text())
    ops = {entry["name"]: Operation(**entry) for entry in raw["op"]}
    layouts = {name: layout(raw[name]) for name in LAYOUTS}
    assert len({op.code for op in ops.values()}) == len(ops), "two operations share a code"
    for op in ops.values():
        assert 0 <= op.code <= layouts["address"]["op"].mask, f"{op.name}: code out of range"
        assert op.kind in ("load", "store", "both"), f"{op.name}: unknown kind"
    errors = {name: (entry["code"], entry["text"]) for name, entry in raw["error"].items()}
    return Spec(ops, errors, layouts, raw["limits"])
