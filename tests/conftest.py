# SPDX-License-Identifier: Apache-2.0
"""What is the same for all tests: what `make test` leaves to `make test-all`, and FreeRTOS."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from coreloom.toolchain import freertos
from sampling import each_value_once

_PLANTED = 2
_PLANTED_IN = re.compile(r"notices$|^test_a_planted_")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of a test's cases those are quick that have each value of each parameter once; the others are slow.

    With the mark `quick` it is so many of them; of the faults planted for a proof or bench (tests called
    ..._notices or a_planted_...) it is two: they show that the check can fail at all; that it is as sharp as
    it was is asked by `make test-all`.
    """
    for cases in _tests(item for item in items if not item.get_closest_marker("slow")):
        first = cases[0]
        most = _PLANTED if _PLANTED_IN.search(first.originalname) else len(cases)
        if mark := first.get_closest_marker("quick"):
            (most,) = mark.args
        quick = each_value_once([case.callspec.params for case in cases])[:most]
        for number, case in enumerate(cases):
            if number not in quick:
                case.add_marker(pytest.mark.slow)


def _tests(items: Iterable[pytest.Item]) -> Iterator[list[pytest.Function]]:
    """The cases of each test that has several."""
    tests: dict[str, list[pytest.Function]] = defaultdict(list)
    for item in items:
        if isinstance(item, pytest.Function) and hasattr(item, "callspec"):
            tests[item.nodeid.partition("[")[0]].append(item)
    yield from tests.values()


@pytest.fixture(scope="session")
def freertos_sources() -> Path:
    """The kernel's folder; its tests are skipped where neither it nor what fetches it is."""
    try:
        return freertos.kernel()
    except freertos.Missing as missing:
        pytest.skip(str(missing))
