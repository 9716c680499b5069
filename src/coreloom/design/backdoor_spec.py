# SPDX-License-Identifier: Apache-2.0
"""The Back-Door's data file: registers, words and codes (rtl/ipc/backdoor/data/backdoor.toml)."""

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

SOURCE = RTL / "ipc" / "backdoor" / "data" / "backdoor.toml"
ACCESSES = ("ro", "wo", "rw", "rc")


@dataclass(frozen=True)
class Register:
    """A register of one side, or `count` of them one behind the other; offset in bytes."""

    name: str
    offset: int
    access: str
    text: str
    count: int = 1


@dataclass(frozen=True)
class Spec:
    """The whole data file, checked. enums: enum -> name -> (code, text); records: record -> word -> text."""

    near: dict[str, Register]
    far: dict[str, Register]
    layouts: dict[str, dict[str, Field]]
    enums: dict[str, dict[str, tuple[int, str]]]
    records: dict[str, dict[str, str]]
    limits: dict[str, int]


def _side(entries: list[dict[str, str | int]]) -> dict[str, Register]:
    registers = [Register(**entry) for entry in entries]  # type: ignore[arg-type]
    taken = [offset for r in registers for offset in range(r.offset, r.offset + 4 * r.count, 4)]
    assert len(set(taken)) == len(taken), "two registers share an offset"
    assert all(offset % 4 == 0 and offset < 256 for offset in taken), "an offset is out of range"
    assert all(r.access in ACCESSES for r in registers), "unknown access"
    return {r.name: r for r in registers}


@lru_cache(maxsize=1)
def load() -> Spec:
    """Read the data file. A defect in it (double offset, double code) is an AssertionError."""
    raw = tomllib.loads(SOURCE.read_text())
    enums = {
        name: {entry: (value["code"], value["text"]) for entry, value in entries.items()}
        for name, entries in raw["enum"].items()
    }
    for name, entries in enums.items():
        assert len({code for code, _ in entries.values()}) == len(entries), f"{name}: double code"
    return Spec(
        near=_side(raw["near"]),
        far=_side(raw["far"]),
        layouts={name: layout(fields) for name, fields in raw["layout"].items()},
        enums=enums,
        records=raw["record"],
        limits=raw["limits"],
    )
