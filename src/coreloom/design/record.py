# SPDX-License-Identifier: Apache-2.0
"""The records of parameters that go down the tree of modules (decision 63): their fields, and their values.

Verilator sets no struct from its command line, but a vector of the same bits; so a value is a number.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from coreloom.design import address_map, keys
from coreloom.design.key import Entry, Literal, Param

NAME = "Cfg"  # the parameter that holds one
# The kernel behind the buses of others (rtl/bridge).
ON_BUSES = ("cl_kernel_obi", "cl_kernel_wb", "cl_kernel_axil", "cl_kernel_shared_wb", "cl_kernel_shared_axil")
# Of the kernel's keys what cl_soc alone has; cl_kernel takes any ready queue.
_SOC_ALONE = ("HwKinds", "LinearQueue", "Scheduler")
_TEXTS = {service.rtl: service.text.split(" (")[0] for service in keys.SERVICES.values()} | {
    "Pipeline": "more cycles an operation, and an access to the communication port, at a higher clock",
    "LinearQueue": "its ready queue is [HT]'s first one",
    "HwKinds": "the kind of each, of number n in bits 4n+3:4n",
    "RomBytes": "bytes of the ROM of the processor behind it",
}


@dataclass(frozen=True)
class Field:
    """A field of a packed struct, and its value if none is given; `entry` is its key, if it has one."""

    name: str
    width: int
    default: int
    text: str
    entry: Entry | None = None
    term: str = ""  # `key=value`, if it is of one value

    def row(self) -> tuple[str, str, str]:
        """For a table: its key, its values, and what it is."""
        if self.term:
            key, _, value = self.term.partition("=")
            return key, f"1 with {value}", self.text
        if self.entry and self.name not in _TEXTS:
            return self.entry.name, self.entry.describe(), self.entry.meaning()
        return self.entry.name if self.entry else "", "", self.text

    @property
    def kind(self) -> str:
        """Its type in SystemVerilog."""
        return {1: "bit", 32: "int unsigned"}.get(self.width, f"logic [{self.width - 1}:0]")

    def shown_default(self) -> str:
        if self.width == 32:
            return str(self.default)
        return f"{self.width}'b{self.default:b}" if self.width == 1 else f"{self.width}'h{self.default:x}"


@functools.cache
def kernel() -> tuple[Field, ...]:
    """The fields of cl_kernel_pkg::cfg_t, the first one in the highest bits."""
    made = [field for entry in keys.table() for field in _fields(entry) if _of_kernel(field)]
    builds = ", ".join(f"{number} {build}" for number, build in enumerate(keys.READY_QUEUES))
    queue = Field("ReadyQueue", 32, keys.READY_QUEUES.index("bitmap"), f"build of the ready queue: {builds}")
    return (*made, queue, Field("Lines", 32, address_map.LINES, "interrupt lines"))


@functools.cache
def soc() -> tuple[Field, ...]:
    """Those of cl_soc_cfg_pkg::cfg_t behind the kernel's record."""
    made = [Field("HasKernel", 1, 1, "0: nothing can reach the kernel, so synthesis leaves it out")]
    for name, section in keys.SECTIONS.items():
        made += [_field(rtl, re.split("[:;] ", section.title)[1]) for rtl in section.rtl]
        for entry in keys.table():
            if entry.section == name:
                made += [field for field in _fields(entry) if not _of_kernel(field)]
    return tuple(made)


def _whole() -> tuple[Field, ...]:
    return kernel() + soc()


_RECORDS: Mapping[str, Callable[[], tuple[Field, ...]]] = {
    **dict.fromkeys(("cl_kernel", "cl_kernel_referee", *ON_BUSES), kernel),
    **dict.fromkeys(("cl_soc", "cl_top", "cl_tile", "cl_core", "cl_board"), _whole),
}


def _of_kernel(field: Field) -> bool:
    """Whether a key's field is the kernel's; others are cl_soc's alone."""
    of = field.entry
    return of is not None and (of.name == "cpus" or of.section == "kernel") and field.name not in _SOC_ALONE


def _fields(entry: Entry) -> list[Field]:
    made = entry.key.rtl
    return [_field(name, _text(entry), entry) for name in ([made] if isinstance(made, str) else made) if name]


def _field(name: str, text: str, entry: Entry | None = None) -> Field:
    width = 64 if name == "HwKinds" else 1 if name in keys.bits() else 32
    term = next((term for term, own in keys.parameters().items() if own == name and "=" in term), "")
    return Field(name, width, int(_usual()[name]), _TEXTS.get(name, text), entry, term)


def _text(entry: Entry) -> str:
    """The beginning of what it is, or the numbers of its choices."""
    choices = entry.key.choices
    numbers = ", ".join(f"{number} {choice}" for number, choice in enumerate(choices))
    return (
        f"{entry.attribute.replace('_', ' ')}: {numbers}" if choices else re.split("[;:]", entry.key.text)[0]
    )


@functools.cache
def _usual() -> dict[str, Param]:
    """The value of each parameter for a platform with no more than it must have; of what it lacks, too."""
    least = keys.Platform("least", "standard", 2, kernel=keys.SECTIONS["kernel"].made())
    made: dict[str, Param] = {}
    for entry in keys.table():
        if entry.section and getattr(least, entry.section) is None:
            made |= entry.made(entry.key.rtl, least, entry.default)
    for name, section in keys.SECTIONS.items():
        if name and getattr(least, name) is None:
            made |= section.rtl
            made[keys.parameters()[f"[{name}]"]] = 0
    return made | keys.rtl_parameters(least)


def kernels_own(platform: keys.Platform) -> dict[str, Param]:
    """The parameters of a platform's kernel alone."""
    own = {field.name for field in kernel()}
    return {name: value for name, value in keys.rtl_parameters(platform).items() if name in own}


def made(top: str, values: Mapping[str, Param]) -> dict[str, Param]:
    """The parameters `values` of module `top`: if it has a record, those that are fields are in it."""
    if top not in _RECORDS:
        return dict(values)
    fields, number = _RECORDS[top](), 0
    for field in fields:
        number = number << field.width | int(values.get(field.name, field.default))
    names = {field.name for field in fields}
    rest = {name: value for name, value in values.items() if name not in names}
    return {NAME: Literal(f"{_width(fields)}'h{number:x}"), **rest}


def defaults(values: Mapping[str, Param]) -> dict[str, str]:
    """By the package of each record, its usual value with these, as it stands in SystemVerilog."""

    def text(fields: tuple[Field, ...], first: str = "") -> str:
        sized = (replace(field, default=int(values.get(field.name, field.default))) for field in fields)
        own = ",\n".join(f"    {field.name}: {field.shown_default()}" for field in sized)
        return f"  localparam cfg_t Default = '{{\n{first}{own}\n  }};"

    nested = "    Kernel: cl_kernel_pkg::Default,\n"
    return {"cl_kernel_pkg": text(kernel()), "cl_soc_cfg_pkg": text(soc(), nested)}


def _width(fields: tuple[Field, ...]) -> int:
    return sum(field.width for field in fields)


def options(top: str, values: Mapping[str, Param]) -> str:
    """The same for the command line of slang."""
    return " ".join(f"-G{name}={value}" for name, value in made(top, values).items())


def readable(text: str) -> str:
    """What such options say: of a record the fields that are not as usual."""

    def fields(found: re.Match[str]) -> str:
        number, said = int(found[2], 16), []
        of = next(of for of in (kernel(), _whole()) if _width(of) == int(found[1]))
        for field in reversed(of):
            value = number & (1 << field.width) - 1
            number >>= field.width
            said += [f"{field.name}={value}"] * (value != field.default)
        return " ".join(reversed(said))

    return re.sub(rf"\b{NAME}=(\d+)'h([\da-f]+)", fields, text.replace("-G", ""))
