# SPDX-License-Identifier: Apache-2.0
"""Several measurements at a time."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any

import pytest

from coreloom.errors import UserError
from coreloom.jobs.job import Job
from coreloom.jobs.local import Local


def test_the_longest_begins_first_and_the_rows_keep_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    began: list[str] = []
    done: list[int] = []

    def job(name: str, steps: float) -> Job[Any]:
        return Job(name, lambda progress: [{"name": name}], steps)

    rows = Local().run(
        [], [job("short", 1), job("long", 9), job("middle", 5)], began.append, lambda: done.append(1)
    )
    assert [row["name"] for row in rows] == ["short", "long", "middle"]
    assert (began, len(done)) == (["long", "middle", "short"], 3)


def test_a_mistake_ends_what_runs_and_begins_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    runs, stopped, begun = threading.Event(), threading.Event(), []

    def forever(progress: Callable[[int], None]) -> list[dict[str, Any]]:
        runs.set()
        try:
            while True:
                progress(1)
        except UserError:
            stopped.set()
            raise

    def wrong(progress: Callable[[int], None]) -> list[dict[str, Any]]:
        assert runs.wait(10)
        raise UserError("it is wrong")

    def never(progress: Callable[[int], None]) -> list[dict[str, Any]]:
        begun.append(1)
        return []

    with pytest.raises(UserError, match="it is wrong"):
        Local().run([], [Job("forever", forever, 3), Job("wrong", wrong, 2), Job("never", never, 1)])
    assert stopped.is_set() and len(begun) <= 1  # the thread of the wrong one may just have taken it
