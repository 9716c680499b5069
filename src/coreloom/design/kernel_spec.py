# SPDX-License-Identifier: Apache-2.0
"""The kernel's data file: operations, status codes and word layouts (rtl/kernel/data/kernel.toml)."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from coreloom.paths import RTL

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SOURCE = RTL / "kernel" / "data" / "kernel.toml"


@dataclass(frozen=True)
class Field:
    """A bit field: `width` bits from bit `lsb`."""

    lsb: int
    width: int
    text: str = ""

    @property
    def mask(self) -> int:
        return (1 << self.width) - 1

    def get(self, word: int) -> int:
        return word >> self.lsb & self.mask


@dataclass(frozen=True)
class Operation:
    """One operation of the kernel port."""

    name: str
    code: int
    text: str
    kind: str = "load"
    id: str | None = None
    word0: str | None = None
    gives_way: bool = False
    needs_thread: bool = False
    any_time: bool = False
    errors: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Status:
    name: str
    code: int
    text: str


@dataclass(frozen=True)
class Spec:
    """The whole data file, checked."""

    ops: dict[str, Operation]
    status: dict[str, Status]
    layouts: dict[str, dict[str, Field]]
    states: dict[str, int]
    limits: dict[str, int]


def layout(raw: dict[str, dict[str, Any]]) -> dict[str, Field]:
    """The bit fields of one table of a data file."""
    return {
        name: Field(entry.get("lsb", entry.get("bit", 0)), entry.get("width", 1), entry.get("text", ""))
        for name, entry in raw.items()
    }


@lru_cache(maxsize=1)
def load() -> Spec:
    """Read the data file. A defect in it (double code, unknown status) is an AssertionError."""
    raw = tomllib.loads(SOURCE.read_text())
    ops = {entry["name"]: Operation(**entry) for entry in raw["op"]}
    status = {name: Status(name, entry["code"], entry["text"]) for name, entry in raw["status"].items()}
    layouts = {
        name: layout(raw[name])
        for name in ("word", "address", "attributes", "port_flags", "binding", "entry_word", "thread_word")
    }
    assert len({op.code for op in ops.values()}) == len(ops), "two operations share a code"
    for op in ops.values():
        assert 0 < op.code <= layouts["address"]["op"].mask, f"{op.name}: code out of range"
        assert set(op.errors) <= set(status), f"{op.name}: unknown status"
    return Spec(ops, status, layouts, raw["states"], raw["limits"])
