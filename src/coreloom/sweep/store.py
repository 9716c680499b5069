# SPDX-License-Identifier: Apache-2.0
"""Where the rows of a sweep are kept as they come."""

from __future__ import annotations

from pathlib import Path

from coreloom import paths
from coreloom.jobs.kept import Kept
from coreloom.sweep.point import Row


def folder(name: str) -> Path:
    """Where the rows of the sweep of that name are."""
    return paths.BUILD / "sweeps" / name


class Store(Kept[Row]):
    """The file of rows of one sweep."""

    def __init__(self, name: str) -> None:
        busy = f"another process is running the sweep {name}: wait for its end, or rename the file"
        super().__init__(folder(name) / "points.jsonl", Row, busy)
        self.name = name
