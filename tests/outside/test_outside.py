# SPDX-License-Identifier: Apache-2.0
"""Public programs, built by their own build files, pass on every ground where outside.toml says so."""

from __future__ import annotations

import pytest

from coreloom.conformance import outside
from coreloom.errors import UserError

from .runner import judged

PACKAGES = outside.load()


@pytest.mark.parametrize("ground", outside.GROUNDS)
@pytest.mark.parametrize("name", PACKAGES)
def test_it_passes(name: str, ground: str) -> None:
    package = PACKAGES[name]
    try:
        wrong = judged(package, ground)
    except UserError as error:
        pytest.fail(str(error), pytrace=False)
    if ground in package.fails:
        assert wrong, "it passes: take the reason out of outside.toml"
    elif wrong:
        pytest.fail(wrong, pytrace=False)
