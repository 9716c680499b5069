# SPDX-License-Identifier: Apache-2.0
"""What tests have proved or explored, as it is written to build/results/proofs.json and exploration.json."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True)
class Proof:
    """What has been proved."""

    unit: str
    properties: list[str]
    method: str
    size: str  # parameters
    depth: int  # cycles that the induction looks back
    assertions: int
    covers: dict[str, int]  # cycles from reset
    seconds: float  # of the run, which may have been kept in the cache
    not_proved: list[str]


@dataclass(frozen=True)
class Exploration:
    """What was found of the interleavings of a program."""

    unit: str
    scenario: str
    policy: str  # of the software kernel
    cpus: int
    threads: int
    executions: int
    histories: int  # of these those that differ
    method: str  # exhaustive, bounded (the first so many) or random
    seconds: float
    not_proved: list[str]


FILES: dict[str, type[Proof] | type[Exploration]] = {"proofs": Proof, "exploration": Exploration}
_found: list[list[Proof | Exploration]] = []


@contextmanager
def recorded() -> Iterator[list[Proof | Exploration]]:
    """What succeeds meanwhile."""
    found: list[Proof | Exploration] = []
    _found.append(found)
    try:
        yield found
    finally:
        _found.pop()


def note(proof: Proof | Exploration) -> None:
    """Says that something has been proved or explored."""
    for found in _found:
        found.append(proof)
