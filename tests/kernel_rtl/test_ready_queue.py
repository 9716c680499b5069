# SPDX-License-Identifier: Apache-2.0
"""The ready queue alone: against lists, with its exact cycles."""

from __future__ import annotations

from typing import Any

import pytest

from cases import nightly_but
from coreloom.simulation.harness import ready_queue
from coreloom.simulation.harness.ready_queue import Build

from .harness import SEED

OPERATIONS = ("push_back", "push_front", "pop", "remove", "move")
# Quick: of several queues, the least, and none a power of two.
SORTED_SIZES = nightly_but(
    [(3, 64, 32), (1, 16, 8), (5, 33, 256), (1, 2, 2), (2, 13, 11), (1, 7, 3)],
    [(5, 33, 256), (1, 2, 2), (2, 13, 11)],
)
DEADLINE_SIZES = nightly_but([(3, 64), (1, 16), (5, 33), (1, 2)], [(5, 33), (1, 2)])
SIZES = nightly_but(
    [(3, 64, 32), (1, 256, 128), (3, 256, 128), (5, 1024, 256), (1, 2, 2), (2, 13, 11), (1, 7, 3)],
    [(3, 256, 128), (1, 2, 2), (2, 13, 11)],
)


def check(
    build: Build, queues: int, threads: int, priorities: int, operations: int, deadlines: bool = False
) -> None:
    report: dict[str, Any] = ready_queue.measure(
        build, queues, threads, priorities, operations, SEED, deadlines
    )
    assert report["most_queued"] == threads
    assert report["read_next"] == 1
    if build is Build.LINEAR:
        # A thread a cycle where one leaves
        assert [report[name] for name in OPERATIONS[:2]] == [[2, 2], [2, 2]]
        assert [report["beyond"][name] for name in OPERATIONS[2:]] == [[2, 2], [2, 2], [3, 3]]
    else:
        # The same whatever is queued
        assert [report[name] for name in OPERATIONS] == [[2, 2], [2, 2], [3, 3], [3, 3], [4, 4]]


@pytest.mark.parametrize(("queues", "threads", "priorities"), SIZES)
@pytest.mark.parametrize("build", [Build.LINEAR, Build.BITMAP])
def test_against_lists(build: Build, queues: int, threads: int, priorities: int) -> None:
    check(build, queues, threads, priorities, 200_000 if build is Build.BITMAP else 20_000)


@pytest.mark.parametrize(("queues", "threads", "priorities"), SORTED_SIZES)
def test_sorted_against_lists(queues: int, threads: int, priorities: int) -> None:
    check(Build.SORTED, queues, threads, priorities, 50_000)


@pytest.mark.parametrize(("queues", "threads"), DEADLINE_SIZES)
def test_deadlines_against_lists(queues: int, threads: int) -> None:
    """Keys are deadlines or priorities; some where the numbers wrap, some too far apart to be in order."""
    check(Build.SORTED, queues, threads, ready_queue.DEADLINE_KEYS, 50_000, deadlines=True)


@pytest.mark.nightly
@pytest.mark.parametrize(("queues", "threads", "priorities"), [(3, 256, 128), (5, 1024, 256)])
@pytest.mark.parametrize("build", [Build.LINEAR, Build.BITMAP, Build.HYBRID])
def test_long(build: Build, queues: int, threads: int, priorities: int) -> None:
    check(build, queues, threads, priorities, 1_000_000)
