# SPDX-License-Identifier: Apache-2.0
"""Which cases of a test `make test` runs; `make test-all` runs all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Any

import pytest


def each_value_once(cases: Sequence[Mapping[str, object]]) -> list[int]:
    """The numbers of few cases that have each value of each parameter, those with most new values first.

    Of several, the one whose values were chosen least; so all are chosen about equally often. A parameter
    with fields, as a dataclass, is so many parameters.
    """
    values = [set(_values(case)) for case in cases]
    missing = set().union(*values)
    times = Counter[tuple[str, str]]()
    chosen: list[int] = []

    def worth(number: int) -> tuple[int, int]:
        return len(values[number] & missing), -sum(times[value] for value in values[number])

    while missing:
        best = max(range(len(cases)), key=worth)
        missing -= values[best]
        times.update(values[best])
        chosen.append(best)
    return chosen


def _values(parameters: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    for name, value in parameters.items():
        if fields := getattr(value, "__dataclass_fields__", None) or getattr(value, "_fields", None):
            yield from _values({f"{name}.{field}": getattr(value, field) for field in fields})
        else:
            yield name, repr(value)


def sample(cases: Iterable[Any], quick: Container[Any]) -> list[Any]:
    """The cases for parametrize; those that are not in `quick` are slow. A tuple is several arguments.

    For the values that `make test` can do without: of those in `quick` it still takes each value once.
    """
    return [
        pytest.param(
            *(case if isinstance(case, tuple) else (case,)), marks=() if case in quick else pytest.mark.slow
        )
        for case in cases
    ]
