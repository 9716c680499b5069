# SPDX-License-Identifier: Apache-2.0
"""What is the same for all tests: what `make test` leaves to `make test-all`, and FreeRTOS."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from coreloom.toolchain import freertos

_PLANTED = 2


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of the faults planted for one proof or bench (tests called ..._notices) the first two are quick.

    They show that the check can fail at all; that it is as sharp as it was is asked by `make test-all`.
    """
    seen = Counter[str]()
    for item in items:
        test, _, _ = item.nodeid.partition("[")
        if test.endswith("notices") and not item.get_closest_marker("slow"):
            seen[test] += 1
            if seen[test] > _PLANTED:
                item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def freertos_sources() -> Path:
    """The kernel's folder; its tests are skipped where neither it nor what fetches it is."""
    try:
        return freertos.kernel()
    except freertos.Missing as missing:
        pytest.skip(str(missing))
