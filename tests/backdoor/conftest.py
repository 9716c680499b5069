# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import ctypes

import pytest

from .door import Door, library


@pytest.fixture(scope="package")
def made(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    return library(tmp_path_factory.mktemp("backdoor"))


@pytest.fixture
def door(made: ctypes.CDLL) -> Door:
    return Door(made)
