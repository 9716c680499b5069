# SPDX-License-Identifier: Apache-2.0
"""Which cases of a test `make test` runs; `make test-all` runs all of them."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any

import pytest


def sample(cases: Iterable[Any], quick: Container[Any]) -> list[Any]:
    """The cases for parametrize; those that are not in `quick` are slow. A tuple is several arguments."""
    return [
        pytest.param(
            *(case if isinstance(case, tuple) else (case,)), marks=() if case in quick else pytest.mark.slow
        )
        for case in cases
    ]
