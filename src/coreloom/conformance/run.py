# SPDX-License-Identifier: Apache-2.0
"""Runs tests: all of a group in one program, which is started again behind a test that has ended it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from coreloom.conformance import suite
from coreloom.conformance.suite import Test
from coreloom.design.platform import Platform
from coreloom.errors import UserError
from coreloom.jobs.job import Job, Progress
from coreloom.report import results
from coreloom.report.table import Table
from coreloom.simulation import host, simulate
from coreloom.toolchain import firmware, verilate
from coreloom.toolchain.application import of_user

GROUNDS = {**firmware.KERNELS, firmware.LINUX: "Linux"}
KNOWN = {**GROUNDS, **firmware.FINE}  # by name only
# A test has this many cycles, and a program some more to start; on Linux seconds.
_TEST_CYCLES, _START_CYCLES = 400_000, 2_000_000
_TEST_SECONDS, _START_SECONDS = 0.2, 10.0
PASS, UNTESTED, NOT_COMPILED = "pass", "untested", "not compiled"


class Row(msgspec.Struct):
    """The outcome of a test on a ground.

    outcome: pass; untested (the ground cannot, or need not); fail; hang; ended (the program, in this test);
    not compiled. detail says why, where it is not pass.
    """

    name: str
    group: str
    function: str
    requirement: str
    ground: str
    outcome: str
    detail: str = ""

    @property
    def good(self) -> bool:
        return self.outcome in (PASS, UNTESTED)


def jobs(wanted: Sequence[Test], grounds: Sequence[str], soc: Platform) -> list[Job[Row]]:
    """A job for each group and ground."""
    by_group: dict[str, list[Test]] = {}
    for test in wanted:
        by_group.setdefault(test.group, []).append(test)
    return [
        Job(f"{group} on {ground}", _measure(tests, ground, soc), steps=len(tests))
        for ground in grounds
        for group, tests in by_group.items()
    ]


def _measure(tests: Sequence[Test], ground: str, soc: Platform) -> Callable[[Progress], Sequence[Row]]:
    return lambda progress: group(tests, ground, soc, progress)


def group(tests: Sequence[Test], ground: str, soc: Platform, progress: Progress | None = None) -> list[Row]:
    """The rows of tests of one group."""

    def row(test: Test, outcome: str, detail: str = "") -> Row:
        return Row(test.name, test.group, test.function, test.requirement, ground, outcome, detail)

    source = of_user([suite.program(tests[0].group)], ["-w", "-D_GNU_SOURCE"])  # as for gcc on Linux
    try:
        if ground == firmware.LINUX:
            program = firmware.build_linux(source, dataclasses.replace(soc, cpus=host.cpus()))
        else:
            program = firmware.build(source, soc, ground)
    except UserError as error:
        lines = str(error).splitlines()
        first = next((line for line in lines if "error:" in line), lines[0])
        return [row(test, NOT_COMPILED, first) for test in tests]
    rows: list[Row] = []
    left = list(tests)
    while left:
        names = "\n".join(test.name for test in left).encode()
        if ground == firmware.LINUX:
            printed, ending = _on_linux(program, names, len(left))
        else:
            printed, ending = _simulated(program, names, len(left), soc, progress)
        found = _read(printed)
        for test in left[: len(found)]:
            said = found.get(test.name, [])
            outcome, _, detail = (said[-1] if said else "").partition(" ")
            if outcome in (PASS, UNTESTED, "fail"):
                rows.append(row(test, outcome, detail))
            else:
                rows.append(row(test, ending[0], said[-1] if said else ending[1]))
        if not found:
            rows += [row(test, *ending) for test in left]
            break
        left = left[len(found) :]
    return rows


def _read(printed: str) -> dict[str, list[str]]:
    """The output after the name of each test that was begun."""
    found: dict[str, list[str]] = {}
    said: list[str] = []
    for line in printed.splitlines():
        word, _, name = line.partition(" ")
        if word == "test":
            said = found.setdefault(name, [])
        elif line:
            said.append(line)
    return found


Ending = tuple[str, str]  # outcome and detail of a test that has not said its own


def _on_linux(program: Path, names: bytes, number: int) -> tuple[str, Ending]:
    try:
        ran = host.run(program, names, catch=True, seconds=_START_SECONDS + number * _TEST_SECONDS)
    except host.Died as died:
        return died.printed, ("hang" if died.late else "ended", str(died))
    return ran.printed, ("ended", f"with exit status {ran.exit_status}")


def _simulated(
    program: Path, names: bytes, number: int, soc: Platform, progress: Progress | None
) -> tuple[str, Ending]:
    limit = _START_CYCLES + number * _TEST_CYCLES
    model = verilate.build_model(soc)
    try:
        ran = simulate.run(
            model, program, simulate.Options(inputs=names, max_cycles=limit, progress=progress)
        )
    except simulate.Halted as halted:
        return halted.uart, ("ended", str(halted))
    if ran.exit_status is None:
        why = f"no end in {limit} cycles" if ran.reason == "max-cycles" else ran.why.splitlines()[0]
        return ran.uart, ("hang", why)
    return ran.uart, ("ended", f"with exit status {ran.exit_status}")


class Conformance(results.Result, kw_only=True):
    """build/results/conformance.json."""

    platform: str
    rows: list[Row]


def table(rows: Sequence[Row], grounds: Sequence[str]) -> Table:
    """Passed of all, by group and ground; what is untested there is left out of both."""
    groups = dict.fromkeys(row.group for row in rows)

    def cell(which: Sequence[Row]) -> str:
        tested = [row for row in which if row.outcome != UNTESTED]
        return f"{sum(row.outcome == PASS for row in tested)}/{len(tested)}"

    def line(name: str, of: set[str]) -> tuple[str, ...]:
        here = [row for row in rows if row.group in of]
        return name, *(cell([row for row in here if row.ground == ground]) for ground in grounds)

    lines = [line(name, of) for name, of in [*((group, {group}) for group in groups), ("all", set(groups))]]
    return Table(
        "Conformance tests passed, of those that apply",
        ("group", *(KNOWN[ground] for ground in grounds)),
        tuple(lines),
    )
