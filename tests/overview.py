# SPDX-License-Identifier: Apache-2.0
"""Which tier finds what: each value of each parameter, each planted fault, each requirement.

pytest writes it to build/tests whenever it collects all tests.
"""

from __future__ import annotations

import inspect
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from coreloom.paths import ROOT, RTL
from tiers import TIERS

_REQUIREMENT = re.compile(r"REQ-([a-z-]+)-(\d+)((?:(?:, | and | to )\d+\b)*)")

Rows = list[tuple[pytest.Item, str]]  # each test with its tier


def parts(nodeid: str) -> tuple[str, str]:
    """A test and its case."""
    test, _, case = nodeid.partition("[")
    return test, case.removesuffix("]")


def write(folder: Path, rows: Rows) -> None:
    """The three lists, as text."""
    folder.mkdir(parents=True, exist_ok=True)
    for lists in (values, faults, requirements):
        (folder / f"{lists.__name__}.txt").write_text("".join(f"{line}\n" for line in lists(rows)))


def values(rows: Rows) -> Iterator[str]:
    """PARAMETER VALUE: the tiers that run it, with the number of tests."""
    found: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for item, tier in rows:
        if isinstance(item, pytest.Function) and hasattr(item, "callspec"):
            for parameter in _fields(item.callspec.params):
                found[parameter][tier] += 1
    for (name, value), tiers in sorted(found.items()):
        yield f"{name} {value}: {_counts(tiers)}"


def _fields(parameters: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """A parameter with fields, as a dataclass, is so many parameters."""
    for name, value in parameters.items():
        if fields := getattr(value, "__dataclass_fields__", None) or getattr(value, "_fields", None):
            yield from _fields({f"{name}.{field}": getattr(value, field) for field in fields})
        else:
            said = re.sub(r" at 0x[0-9a-f]+", "", repr(value)).replace(str(ROOT), "ROOT")
            yield name, said if len(said) <= 100 else f"{said[:97]}..."


def faults(rows: Rows) -> Iterator[str]:
    """TIER: the planted fault that its run finds."""
    order = {tier: number for number, tier in enumerate(TIERS)}
    planted = [(tier, item.nodeid) for item, tier in rows if item.get_closest_marker("planted")]
    for tier, nodeid in sorted(planted, key=lambda fault: (order[fault[0]], fault[1])):
        yield f"{tier}: {nodeid}"


def requirements(rows: Rows) -> Iterator[str]:
    """REQUIREMENT: the files that check it, and the tiers that run these."""
    checks = _checks(rows)
    for name in sorted(stated(), key=lambda name: (name.rpartition("-")[0], int(name.rpartition("-")[2]))):
        yield f"{name}: {'; '.join(checks.get(name, ['untested']))}"


def stated() -> set[str]:
    """The requirements of all units."""
    return {name for page in RTL.rglob("README.md") for name in named(page.read_text())}


def _checks(rows: Rows) -> dict[str, list[str]]:
    """For each requirement the tests that name it, and the properties with the tests that prove them."""
    tests: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    modules: dict[Path, Counter[str]] = defaultdict(Counter)
    for item, tier in rows:
        modules[item.path][tier] += 1
        if isinstance(item, pytest.Function):
            for name in named(inspect.getdoc(item.function) or ""):
                tests[name][parts(item.nodeid)[0]][tier] += 1
    texts = {path: path.read_text() for path in modules}
    properties = [*RTL.rglob("*.sv"), *(ROOT / "tests").rglob("*.sv"), *texts]
    for path in properties:
        prove = [m for m, text in texts.items() if m == path or ("formal" in m.name and path.stem in text)]
        count = sum((modules[module] for module in prove), Counter[str]())
        for name in named(path.read_text()) if count else ():
            if not (path in texts and any(test.startswith(_place(path)) for test in tests[name])):
                tests[name][_place(path)] = count
    return {
        name: [f"{place} ({_counts(count)})" for place, count in sorted(places.items())]
        for name, places in tests.items()
    }


def _place(path: Path) -> str:
    return str(path.relative_to(ROOT))


def named(text: str) -> set[str]:
    """The requirements that a text names; `REQ-bus-1 to 3 and 5` are four."""
    names = set()
    for found in _REQUIREMENT.finditer(text):
        numbers = {int(found[2])}
        last = int(found[2])
        for word, number in re.findall(r"(, | and | to )(\d+)", found[3]):
            numbers |= set(range(last, int(number) + 1)) if word == " to " else {int(number)}
            last = int(number)
        names |= {f"REQ-{found[1]}-{number}" for number in numbers}
    return names


def _counts(tiers: Mapping[str, int]) -> str:
    return ", ".join(f"{tier} {tiers[tier]}" for tier in TIERS if tiers.get(tier))
