# SPDX-License-Identifier: Apache-2.0
"""Figures to reach: what was asked for beside what was measured."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Figure:
    """One figure; `at_most` or `at_least` is what is to be reached, `bound` what nothing can beat."""

    what: str
    measured: float
    at_most: float | None = None
    at_least: float | None = None
    bound: float | None = None

    @property
    def reached(self) -> bool:
        return (self.at_most is None or self.measured <= self.at_most) and (
            self.at_least is None or self.measured >= self.at_least
        )

    def row(self) -> dict[str, Any]:
        return {**asdict(self), "reached": self.reached}
