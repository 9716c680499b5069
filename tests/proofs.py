# SPDX-License-Identifier: Apache-2.0
"""What has been proved, as it is written to build/results/proofs.json."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True)
class Proof:
    """What has been proved, for build/results/proofs.json."""

    unit: str
    properties: list[str]
    method: str
    size: str  # parameters
    depth: int  # cycles that the induction looks back
    assertions: int
    covers: dict[str, int]  # cycles from reset
    seconds: float  # of the run, which may have been kept in the cache
    not_proved: list[str]


_proofs: list[list[Proof]] = []


@contextmanager
def recorded() -> Iterator[list[Proof]]:
    """The proofs that succeed meanwhile."""
    found: list[Proof] = []
    _proofs.append(found)
    try:
        yield found
    finally:
        _proofs.pop()


def note(proof: Proof) -> None:
    """Says that something has been proved."""
    for found in _proofs:
        found.append(proof)
