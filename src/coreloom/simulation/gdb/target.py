# SPDX-License-Identifier: Apache-2.0
"""The machine's description for gdb: registers as it counts them, and threads, as XML."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple
from xml.sax.saxutils import quoteattr

from coreloom.simulation.gdb.threads import PC, Registers

_NAMES = (
    *("zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "fp", "s1"),
    *(f"a{n}" for n in range(8)),
    *(f"s{n}" for n in range(2, 12)),
    *("t3", "t4", "t5", "t6", "pc"),
)
_POINTERS = {"sp": "data_ptr", "gp": "data_ptr", "tp": "data_ptr", "fp": "data_ptr", "pc": "code_ptr"}


class Thread(NamedTuple):
    """A thread as gdb lists it."""

    id: str
    name: str  # empty: it has none
    extra: str


def description() -> str:
    """The registers."""
    registers = "".join(
        f'<reg name="{name}" bitsize="32" type="{_POINTERS.get(name, "int")}"/>' for name in _NAMES
    )
    return (
        '<?xml version="1.0"?><!DOCTYPE target SYSTEM "gdb-target.dtd"><target>'
        "<architecture>riscv:rv32</architecture>"
        f'<feature name="org.gnu.gdb.riscv.cpu">{registers}</feature></target>'
    )


def threads(listed: Iterable[Thread]) -> str:
    """The threads."""
    rows = "".join(
        f'<thread id="{each.id}"'
        + (f" name={quoteattr(each.name)}" if each.name else "")
        + f">{each.extra}</thread>"
        for each in listed
    )
    return f'<?xml version="1.0"?><threads>{rows}</threads>'


def registers(values: Registers) -> str:
    """All registers as hex digits, x for those whose values are not known."""
    return "".join(register(values, number) for number in range(PC + 1))


def register(values: Registers, number: int) -> str:
    value = values.get(number)
    return "xxxxxxxx" if value is None else (value & 0xFFFFFFFF).to_bytes(4, "little").hex()
