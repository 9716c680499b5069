# SPDX-License-Identifier: Apache-2.0
"""Figures to reach: what was asked for beside what was measured."""

from __future__ import annotations

import msgspec


class Figure(msgspec.Struct, frozen=True):
    """One figure; `at_most` or `at_least` is what is to be reached, `bound` what nothing can beat."""

    what: str
    measured: float
    at_most: float | None = None
    at_least: float | None = None
    bound: float | None = None
    machine: bool = False  # it depends on how fast and how busy this machine is
    reached: bool = False  # follows from the others

    def __post_init__(self) -> None:
        enough = self.at_least is None or self.measured >= self.at_least
        little = self.at_most is None or self.measured <= self.at_most
        msgspec.structs.force_setattr(self, "reached", enough and little)

    @property
    def target(self) -> str:
        """What is to be reached, in words; a dash if nothing is."""
        if self.at_least is not None:
            return f"at least {self.at_least:g}"
        return "-" if self.at_most is None else f"at most {self.at_most:g}"
