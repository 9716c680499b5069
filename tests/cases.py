# SPDX-License-Identifier: Apache-2.0
"""Cases of a test for parametrize, of which the tier `nightly` has most."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any

import pytest


def nightly_but(cases: Iterable[Any], kept: Container[Any]) -> list[Any]:
    """The cases, those not in `kept` for the tier `nightly`. A tuple is several arguments."""
    return [
        pytest.param(
            *(case if isinstance(case, tuple) else (case,)), marks=() if case in kept else pytest.mark.nightly
        )
        for case in cases
    ]
