# SPDX-License-Identifier: Apache-2.0
"""The data files of the hardware: address map, operations, registers, words and codes.

All have the same tables, and each file those that it needs: `op` or `kind` and `verb`, `registers`, `layout`,
`enum`, `record`, `region`, `room` and `limits`. A defect in one (a code twice, a register out of range) is a
UserError or an AssertionError.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple

from coreloom.errors import UserError
from coreloom.paths import ROOT, RTL

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_VERBS = 16  # of a kind
_LOADS = ("load", "store", "both")
_ACCESSES = ("ro", "wo", "rw", "rc")


@dataclass(frozen=True)
class Field:
    """A bit field: `width` bits from bit `lsb`."""

    lsb: int
    width: int = 1
    text: str = ""

    @property
    def mask(self) -> int:
        return (1 << self.width) - 1

    def get(self, word: int) -> int:
        return word >> self.lsb & self.mask


class Code(NamedTuple):
    """The meaning of a number."""

    code: int
    text: str = ""


@dataclass(frozen=True)
class Operation:
    """One operation of a port: of the kernel's, or of the communication port's.

    id and word0, or index: what these say. waits: it takes as long as its patience allows.
    queue: it looks at the ready queue, as all do that may give way.
    """

    name: str
    code: int
    text: str
    access: str = "load"  # load, store or both
    kind: str = ""  # of object; of the kernel's only
    id: str | None = None
    word0: str | None = None
    gives_way: bool = False
    queue: bool = False
    needs_thread: bool = False
    any_time: bool = False
    call: str = ""  # its function in C: direct, or the parameters of one written by hand
    errors: dict[str, str] = field(default_factory=dict)
    index: str | None = None
    waits: bool = False

    @property
    def parameters(self) -> list[str]:
        """Of its function in C."""
        if self.call != "direct":
            return self.call.split(", ")
        return [name for name, there in (("id", self.id), ("word", self.word0)) if there] or ["void"]


@dataclass(frozen=True)
class Kind:
    """A kind of object of the kernel: the upper half of its operations' codes."""

    code: int
    text: str


@dataclass(frozen=True)
class Register:
    """A register of a device, or `count` of them one behind the other; offset in bytes."""

    name: str
    offset: int
    access: str
    text: str
    count: int = 1


@dataclass(frozen=True)
class Region:
    """A part of the address space; bytes 0: as many as the platform says."""

    base: int
    text: str
    bytes: int = 0
    c: str = ""  # its name in C, if another

    @property
    def bits(self) -> int:
        """Number of address bits common to the window."""
        return 33 - self.bytes.bit_length()


@dataclass(frozen=True)
class Room:
    """A part of the memory: a length word, and data."""

    offset: int
    bytes: int
    text: str


@dataclass(frozen=True)
class Spec:
    """A whole data file, checked; each table by name."""

    source: str  # from the root of the repository
    limits: dict[str, int]
    kinds: dict[str, Kind]
    ops: dict[str, Operation]
    registers: dict[str, dict[str, Register]]  # by device
    layouts: dict[str, dict[str, Field]]
    enums: dict[str, dict[str, Code]]
    records: dict[str, dict[str, str]]  # record -> word -> text
    regions: dict[str, Region]
    rooms: dict[str, Room]

    @cached_property
    def states(self) -> dict[str, int]:
        return {name: code for name, (code, _) in self.enums["state"].items()}


def kernel() -> Spec:
    """The kernel port."""
    return _load(RTL / "kernel" / "data" / "kernel.toml")


def ipc() -> Spec:
    """The communication port."""
    return _load(RTL / "ipc" / "port" / "data" / "ipc.toml")


def backdoor() -> Spec:
    """The Back-Door."""
    return _load(RTL / "ipc" / "backdoor" / "data" / "backdoor.toml")


def soc() -> Spec:
    """The address map."""
    return _load(RTL / "soc" / "data" / "soc.toml")


@cache
def _load(path: Path) -> Spec:
    raw = tomllib.loads(path.read_text(encoding="utf-8"))
    source = path.relative_to(ROOT).as_posix()
    made = Spec(
        source=source,
        limits={name: _limit(value) for name, value in raw.get("limits", {}).items()},
        kinds={name: Kind(kind["code"], kind["text"]) for name, kind in raw.get("kind", {}).items()},
        ops={
            op.name: op for op in (*(Operation(**entry) for entry in raw.get("op", ())), *_verbs(raw, source))
        },
        registers={device: _registers(entries) for device, entries in raw.get("registers", {}).items()},
        layouts={
            name: {key: _field(**entry) for key, entry in fields.items()}
            for name, fields in raw.get("layout", {}).items()
        },
        enums={
            name: {key: Code(e) if isinstance(e, int) else Code(**e) for key, e in entries.items()}
            for name, entries in raw.get("enum", {}).items()
        },
        records=raw.get("record", {}),
        regions={name: Region(**entry) for name, entry in raw.get("region", {}).items()},
        rooms={name: Room(**entry) for name, entry in raw.get("room", {}).items()},
    )
    for name, codes in made.enums.items():
        _must(len({code for code, _ in codes.values()}) == len(codes), source, f"{name} has a code twice")
    owner: dict[int, str] = {}
    for op in made.ops.values():
        most = made.layouts["address"]["op"].mask
        other = owner.setdefault(op.code, op.name)
        _must(other == op.name, source, f"{op.name} has the code of {other}, {op.code}: choose a free one")
        _must(0 <= op.code <= most, source, f"{op.name} has the code {op.code}: choose one from 0 to {most}")
        _must(
            op.access in _LOADS, source, f"{op.name} has the access '{op.access}': choose {', '.join(_LOADS)}"
        )
        for name in op.errors:
            _must(
                name in made.enums.get("status", ()),
                source,
                f"{op.name} has the error {name}, which is no status",
            )
    for name, region in made.regions.items():
        _must(region.base % (region.bytes or 1) == 0, source, f"{name} is not at a multiple of its bytes")
    return made


def _must(right: bool, source: str, wrong: str) -> None:
    """UserError for the one who edits the file."""
    if not right:
        raise UserError(f"{source}: {wrong}")


def _verbs(raw: dict[str, Any], source: str) -> Iterator[Operation]:
    """The operations on each kind of object: what is said of a verb once, and what the kind says of it."""
    for kind, about in raw.get("kind", {}).items():
        prefix = about.get("prefix", f"{kind}_")
        for verb, own in about["verbs"].items():
            once = raw["verb"].get(verb, {})
            entry = {**once, **own, "errors": {**once.get("errors", {}), **own.get("errors", {})}}
            wrong = f"{prefix}{verb} has the verb {entry['code']}: choose one from 0 to {_VERBS - 1}"
            _must(0 <= entry["code"] < _VERBS, source, wrong)
            names = {"{kind}": kind, "{object}": about["text"]}
            yield Operation(
                **{
                    **_named(entry, names),
                    "name": f"{prefix}{verb}",
                    "kind": kind,
                    "code": about["code"] * _VERBS + entry["code"],
                }
            )


def _named(value: Any, names: dict[str, str]) -> Any:
    """The value with the names put into its texts."""
    if isinstance(value, dict):
        return {key: _named(each, names) for key, each in value.items()}
    if isinstance(value, str):
        for name, text in names.items():
            value = value.replace(name, text)
    return value


def _limit(value: int | str) -> int:
    """A number; a name stands for the address of a region, or a limit, of the SoC."""
    if isinstance(value, int):
        return value
    return soc().regions[value].base if value in soc().regions else soc().limits[value]


def _field(bit: int = 0, lsb: int = 0, width: int = 1, text: str = "") -> Field:
    return Field(bit or lsb, width, text)


def _registers(entries: Iterable[dict[str, Any]]) -> dict[str, Register]:
    registers = [Register(**entry) for entry in entries]
    taken = [offset for r in registers for offset in range(r.offset, r.offset + 4 * r.count, 4)]
    assert len(set(taken)) == len(taken), "two registers share an offset"
    assert all(offset % 4 == 0 and offset < 256 for offset in taken), "an offset is out of range"
    assert all(r.access in _ACCESSES for r in registers), "unknown access"
    return {r.name: r for r in registers}
