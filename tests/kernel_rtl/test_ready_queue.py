"""The ready queue alone: against lists, with its exact cycles."""

from __future__ import annotations

import pytest

from coreloom.bench import ready_queue
from coreloom.bench.ready_queue import Build

from .harness import SEED


@pytest.mark.parametrize(
    ("queues", "threads", "priorities"),
    [(3, 64, 32), (3, 256, 128), (5, 1024, 256), (1, 2, 2), (2, 13, 11), (1, 7, 3)],
)
def test_bitmap(queues: int, threads: int, priorities: int) -> None:
    report = ready_queue.measure(Build.BITMAP, queues, threads, priorities, 200_000, SEED)
    # The same whatever is queued
    assert report == {
        "most_queued": threads,
        "read_next": 1,
        "push_back": [2, 2],
        "push_front": [2, 2],
        "pop": [3, 3],
        "remove": [3, 3],
        "move": [4, 4],
    }
