# SPDX-License-Identifier: Apache-2.0
"""The POSIX functions that Coreloom has (functions.toml), and their reference page."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import msgspec

from coreloom.conformance.run import GROUNDS
from coreloom.conformance.suite import tests
from coreloom.paths import ROOT
from coreloom.report import results
from coreloom.report.table import Table

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_DATA = Path(__file__).with_name("functions.toml")


class Header(msgspec.Struct, frozen=True):
    """Functions of one subject and the header that declares them."""

    name: str
    title: str
    functions: str

    @property
    def names(self) -> list[str]:
        return self.functions.split()


class Functions(msgspec.Struct, frozen=True):
    """The contents of functions.toml.

    differs: by function and ground, how it differs from POSIX there; absent: what neither kernel has, and
    why; calls: the call of bench rtos that is the function.
    """

    header: list[Header]
    differs: dict[str, dict[str, str]]
    absent: dict[str, str]
    calls: dict[str, str]

    @property
    def names(self) -> list[str]:
        return [name for header in self.header for name in header.names]


def load() -> Functions:
    return msgspec.convert(tomllib.loads(_DATA.read_text(encoding="utf-8")), Functions)


class _Row(msgspec.Struct):
    """The part of a row of bench rtos that the page needs."""

    part: str
    measurement: str
    ground: str
    core: str
    cpus: int
    cache: str
    mean: float
    case: str | None = None


class _Rtos(results.Result, kw_only=True):
    rows: list[_Row]


def _cycles() -> dict[tuple[str, str], str]:
    """By call and ground, what it costs when it need not wait."""
    path = results.published("rtos")
    if not path.is_file():
        return {}
    rows = results.read(_Rtos, path, "bench rtos").rows
    return {
        (row.measurement, row.ground): f"{row.mean:g}"
        for row in rows
        if (row.part, row.case, row.core, row.cpus, row.cache) == ("call", "at once", "standard", 1, "warm")
    }


def page() -> str:
    """docs/reference/posix.md."""
    functions = load()
    cycles = _cycles()
    number: dict[str, int] = {}
    for test in tests():
        number[test.function] = number.get(test.function, 0) + 1
    parts = [
        "# POSIX functions",
        f"<!-- Generated from {_DATA.relative_to(ROOT)} by `coreloom generate`; do not edit. -->",
        "\n".join(
            [
                "The functions of POSIX.1-2017, and event flags, that a program may use on each ground: "
                f"{', '.join(GROUNDS.values())}.",
                "`coreloom conformance` runs the tests: one for each requirement, the same source on all "
                "grounds.",
                "Cycles: for a call that need not wait, on one standard core, by `coreloom bench rtos`; "
                "on Linux they depend on the machine.",
                "Functions beyond POSIX end in `_np` and stand in the headers (runtime/include); what the "
                "kernels limit stands in [known limitations](../../runtime/CAVEATS.md).",
            ]
        ),
    ]
    parts += [
        f"## {header.title}\n\n**{header.title}: `<{header.name}>`**\n\n"
        + _table(header, functions, number, cycles).markdown()
        for header in functions.header
    ]
    absent = Table(
        "",
        ("not in the kernels", "why"),
        tuple((f"{what}", why) for what, why in functions.absent.items()),
        2,
    )
    parts.append(f"## Not supported\n\n**Not in the kernels**\n\n{absent.markdown()}")
    return "\n\n".join(parts) + "\n"


def _table(
    header: Header, functions: Functions, number: Mapping[str, int], cycles: Mapping[tuple[str, str], str]
) -> Table:
    measured = [ground for ground in ("hw", "sw") if functions.calls.keys() & set(header.names)]
    rows = []
    for name in header.names:
        differs = functions.differs.get(name, {})
        call = functions.calls.get(name, "")
        rows.append(
            (
                f"`{name}`",
                *(differs.get(ground, "yes") for ground in GROUNDS),
                str(number.get(name, 0)),
                *(cycles.get((call, ground), "") for ground in measured),
            )
        )
    titles = (f"cycles, {GROUNDS[ground]}" for ground in measured)
    columns = ("function", *GROUNDS.values(), "tests", *titles)
    return Table(header.title, columns, tuple(rows), 1 + len(GROUNDS))
